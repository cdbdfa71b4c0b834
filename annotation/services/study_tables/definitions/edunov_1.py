"""Edunov et al. 2020, Table 1: BLEU on source-original and target-original text."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import DIRECT, REVERSE, Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-1",
    title=_("BLEU on source-original (X → Y*) and target-original text (X* → Y)"),
    rows=("condition", "system"),
    columns=("pair",),
    conditions=(DIRECT, REVERSE),
    quantities=(Quantity("BLEU", "metric", "bleu", 1),),
)
