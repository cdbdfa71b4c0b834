"""Edunov et al. 2020, Table 5: which of two outputs people find more fluent."""

from django.utils.translation import gettext_noop as _

from annotation.services.study_tables.spec import Quantity, TableSpec

TABLE = TableSpec(
    name="edunov-5",
    title=_("Preference for the more fluent of two outputs, in per cent of the judgements"),
    rows=("pair", "versus"),
    columns=(),
    quantities=(
        Quantity("first", "preference", "first", 0, 100),
        Quantity("second", "preference", "second", 0, 100),
        Quantity("draw", "preference", "draw", 0, 100),
    ),
)
