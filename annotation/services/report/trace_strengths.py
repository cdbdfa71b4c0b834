"""Where a system's strength and its range of ranks come from: the counts of all pairs they are fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.behind import Behind
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace, found_row, resampled
from annotation.services.score_table import number, ranks

Row = dict[str, Any]
QUANTITIES = ("strength", "rank_range")


def strength_trace(behind: Behind, system: str, condition: Mapping[str, str], quantity: str) -> Trace:
    """Return the counts behind the strength of a system, or behind its range of ranks.

    Args:
        behind: whose number it is; scored by condition when one is given.
        system: name.
        condition: test set, input, reference and direction; empty for all conditions together.
        quantity: one of `QUANTITIES`.

    Raises:
        NotFound: the report has no such number.
    """

    def is_of_condition(one: Row) -> bool:
        return all((one.get(key) or "") == value for key, value in condition.items())

    row = found_row(
        one
        for one in behind.result["systems"]
        if one["system"] == system and one.get(quantity) is not None and is_of_condition(one)
    )
    pairs = [one for one in behind.result["pairs"] if is_of_condition(one)]
    is_range = quantity == "rank_range"
    title = _("%(system)s: rank range") if is_range else _("%(system)s: strength")
    value = ranks(row["rank_range"]) if is_range else number(row["strength"], 2)
    words = _words(behind, row, system)
    signature = behind.result["signature"]
    return Trace(title % {"system": system}, value, words, _table(pairs), signature)


def _words(behind: Behind, row: Row, system: str) -> list[str]:
    words = [
        _(
            "Davidson’s model is fitted by maximum likelihood to the counts of all pairs below: with "
            "strengths θ and one η for all pairs, the odds of “A better”, “B better” and “equal” are "
            "e^θ(A) : e^θ(B) : e^(η + (θ(A) + θ(B)) / 2). The mean of all θ is 0; θ(%(system)s) = %(theta)s."
        )
        % {"system": system, "theta": number(row["strength"], 4)}
    ]
    if row["strength_regularised"]:
        words.append(
            _(
                "The counts alone would make a strength infinite (a system never lost, or never won); half "
                "a win was added to both sides of every pair."
            )
        )
    if row["strength_ci"] is not None:
        low, high = row["strength_ci"]
        words.append(
            _(
                "The model is fitted again to %(b)s bootstrap resamples of %(what)s (seed %(seed)s): 95 %% "
                "of the strengths lie from %(low)s to %(high)s, and 95 %% of the ranks by strength in "
                "%(ranks)s."
            )
            % {
                "b": f"{behind.options.resamples:,}",
                "what": resampled(replace(behind.options, raters="fixed")),
                "seed": behind.options.seed,
                "low": number(low, 2),
                "high": number(high, 2),
                "ranks": ranks(row["rank_range"]),
            }
        )
    return words


def _table(pairs: list[Row]) -> Table:
    columns = [
        Column("system_a", "A"),
        Column("system_b", "B"),
        Column("a_better", _("A better"), "count", 0, "a_better"),
        Column("equal", _("Equal"), "count", 0, "a_better"),
        Column("b_better", _("B better"), "count", 0, "a_better"),
    ]
    return Table("pairs", _("Counts of all pairs"), columns, pairs)
