"""Edunov et al. 2020, Table 9: other metrics than BLEU, and people."""

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
    name="edunov-9",
    title=_("Human scores, BLEU and other metrics in the four conditions"),
    rows=("condition", "system"),
    columns=(),
    conditions=(DIRECT, REVERSE, DOUBLE_SOURCE, DOUBLE_REFERENCE),
    quantities=(
        Quantity("human", "human", "z", 2),
        Quantity("BLEU", "metric", "bleu", 1),
        Quantity("TER", "metric", "ter", 3, 0.01, "down"),
        Quantity("BEER", "metric", "beer", 3),
        Quantity("METEOR", "metric", "meteor", 3),
        Quantity("BERTScore", "metric", "bertscore", 3),
    ),
    per_pair=True,
)
