"""Edunov et al. 2020, Table 7: BLEU forward and in reverse, for every system."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import DIRECT, REVERSE, Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-7",
    title=_("BLEU on direct (fwd) and reverse text (rev), and the difference"),
    rows=("system",),
    columns=(),
    quantities=(
        Quantity("fwd", "metric", "bleu", 1, condition=DIRECT),
        Quantity("rev", "metric", "bleu", 1, condition=REVERSE),
        Quantity("delta", "delta", "rev-fwd", 1),
    ),
    per_pair=True,
    sort="delta",
)
