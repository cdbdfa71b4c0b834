"""Vanmassenhove et al. 2021, Table 8: diversity of word forms over all lemmas."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-8",
    title=_("Shannon entropy H and Simpson's index D over lemmas (× 100), and lemmas with a single form"),
    rows=("text",),
    columns=("pair",),
    quantities=(
        Quantity("H", "diversity", "shannon_h", 2, 100, "up"),
        Quantity("D", "diversity", "simpson_d", 2, 100, "down"),
        Quantity("Single", "diversity", "single_form_lemmas", 0),
    ),
)
