"""Edunov et al. 2020, Table 2: BLEU from natural and from translated source text of the same sentences."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import DIRECT, DOUBLE_SOURCE, Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-2",
    title=_(
        "BLEU from natural (X → Y*) and from translationese source text (X** → Y*) of the same sentences"
    ),
    rows=("condition", "system"),
    columns=("pair",),
    conditions=(DIRECT, DOUBLE_SOURCE),
    quantities=(Quantity("BLEU", "metric", "bleu", 1),),
)
