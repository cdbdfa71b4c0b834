"""Vanmassenhove et al. 2021, Table 4: the lexical frequency profile."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-4",
    title=_(
        "Lexical frequency profile: shares (%) of the 1,000 most frequent words, the next 1,000, the rest"
    ),
    rows=("text",),
    columns=("pair",),
    quantities=(
        Quantity("B1", "diversity", "lfp_b1", 2, 100),
        Quantity("B2", "diversity", "lfp_b2", 2, 100),
        Quantity("B3", "diversity", "lfp_b3", 2, 100),
    ),
)
