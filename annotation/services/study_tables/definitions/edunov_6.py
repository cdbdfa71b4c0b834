"""Edunov et al. 2020, Table 6: perplexity of outputs on direct text under one model of natural text."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import DIRECT, Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-6",
    title=_("Perplexity of the outputs on direct text under one language model of natural text"),
    rows=("pair",),
    columns=("system",),
    quantities=(Quantity("PPL", "metric", "ppl", 1, arrow="down", condition=DIRECT),),
)
