"""Vanmassenhove et al. 2021, Table 2: sizes of the vocabularies, as words and cut into subwords."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-2",
    title=_("Sizes of the vocabularies of the training data"),
    rows=("pair",),
    columns=(),
    quantities=(
        Quantity("source", "vocabulary", "words-source", 0, group="no BPE"),
        Quantity("target", "vocabulary", "words-target", 0, group="no BPE"),
        Quantity("source", "vocabulary", "subwords-source", 0, group="with BPE"),
        Quantity("target", "vocabulary", "subwords-target", 0, group="with BPE"),
    ),
)
