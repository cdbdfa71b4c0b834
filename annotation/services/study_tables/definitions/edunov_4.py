"""Edunov et al. 2020, Table 4: how well models of each system's own outputs predict Y* and Y."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-4",
    title=_("Perplexity of translationese (Y*) and natural text (Y) under a model of each system’s outputs"),
    rows=("pair", "version"),
    columns=("system",),
    quantities=(Quantity("PPL", "own_lm", "ppl", 1, arrow="down"),),
)
