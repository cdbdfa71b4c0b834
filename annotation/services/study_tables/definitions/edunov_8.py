"""Edunov et al. 2020, Table 8: BLEU by each reference there is of the same sentences."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import ALTERNATIVE, DIRECT, Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-8",
    title=_("BLEU by the reference and by its alternatives, and human scores"),
    rows=("condition", "system"),
    columns=("pair",),
    conditions=(DIRECT, ALTERNATIVE),
    quantities=(Quantity("BLEU", "metric", "bleu", 1), Quantity("human", "human", "z", 2)),
)
