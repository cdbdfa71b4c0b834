"""Vanmassenhove et al. 2021, Table 1: how many pairs of sentences there are for what."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="vanmassenhove-1",
    title=_("Number of parallel sentences for training, testing and development"),
    rows=("pair",),
    columns=(),
    quantities=(
        Quantity("Train", "corpus", "train", 0),
        Quantity("Test", "corpus", "test", 0),
        Quantity("Dev", "corpus", "dev", 0),
    ),
)
