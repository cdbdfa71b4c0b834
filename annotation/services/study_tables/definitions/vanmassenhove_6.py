"""Vanmassenhove et al. 2021, Table 6: how often the translations of a word are used beside the first."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-6",
    title=_("Synonym frequency: PTF and CDU (× 10), SynTTR (× 10,000)"),
    rows=("text",),
    columns=("pair",),
    quantities=(
        Quantity("PTF", "diversity", "ptf", 3, 10, "down"),
        Quantity("CDU", "diversity", "cdu", 3, 10, "down"),
        Quantity("SynTTR", "diversity", "syn_ttr", 2, 10_000, "up"),
    ),
)
