"""Vanmassenhove et al. 2021, Table 7: the forms of one lemma, and what H and D make of them."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-7",
    title=_("Occurrences of the forms of one lemma; Shannon entropy H and Simpson's index D of them (× 100)"),
    rows=("text",),
    columns=(),
    quantities=(
        Quantity("form", "form", "count", 0),
        Quantity("H", "form", "shannon_h", 2, 100, "up"),
        Quantity("D", "form", "simpson_d", 2, 100, "down"),
    ),
    per_pair=True,
)
