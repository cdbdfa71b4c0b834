"""Vanmassenhove et al. 2021, Table 3: BLEU and TER of the systems."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import WHOLE, Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-3",
    title=_("BLEU and TER of the systems"),
    rows=("system",),
    columns=("pair",),
    quantities=(
        Quantity("BLEU", "metric", "bleu", 1, arrow="up", condition=WHOLE),
        Quantity("TER", "metric", "ter", 1, arrow="down", condition=WHOLE),
    ),
)
