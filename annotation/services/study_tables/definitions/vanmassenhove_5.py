"""Vanmassenhove et al. 2021, Table 5: TTR, Yule's I and MTLD."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-5",
    title=_("TTR (× 1,000), Yule's I (× 10,000) and MTLD; higher is richer"),
    rows=("text",),
    columns=("pair",),
    quantities=(
        Quantity("TTR", "diversity", "ttr", 2, 1000),
        Quantity("Yule's I", "diversity", "yule_i", 2, 10_000),
        Quantity("MTLD", "diversity", "mtld", 2),
    ),
)
