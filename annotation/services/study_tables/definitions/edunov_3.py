"""Edunov et al. 2020, Table 3: BLEU beside what people say, in the four conditions."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import (
    DIRECT,
    DOUBLE_REFERENCE,
    DOUBLE_SOURCE,
    REVERSE,
    Quantity,
    TableSpec,
)

TABLE = TableSpec(
    name="edunov-3",
    title=_("BLEU and human scores in the four conditions"),
    rows=("condition", "system"),
    columns=("pair",),
    conditions=(DIRECT, REVERSE, DOUBLE_SOURCE, DOUBLE_REFERENCE),
    quantities=(Quantity("BLEU", "metric", "bleu", 1), Quantity("human", "human", "z", 2)),
)
