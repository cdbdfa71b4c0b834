"""Say in words what scores cannot show: who was left out, what is missing, what rests on little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.stats.rounds import Again
from annotation.stats.score import CONDITION_KEYS
from annotation.stats.significance import is_bound
from evalplatform.words import counted

Row = Mapping[str, Any]
FEW = 6
"""Fewer segments than this cannot be significant at two-sided p < .05."""

BOUND = (
    "A bootstrap p is never below what turning the signs of the n differing segments could give "
    f"(2⁻ⁿ, two-sided 2 · 2⁻ⁿ): fewer than {FEW} of them are never significant at two-sided p < .05."
)


def round_note(again: Again, disagreement: str) -> list[str]:
    """Say what counts of items that were judged again; nothing where there are none.

    Args:
        again: how much was judged again.
        disagreement: what counts of them.
    """
    n_items, n_first, n_waiting = again
    if not n_items:
        return []
    counts = {
        "replace": "the new judgements count, the first stay in their raters' mean and spread",
        "pool": "first and new judgements count together",
        "none": "the first judgements alone count",
    }
    firsts = counted(n_first, "first judgement")
    said = [
        f"{counted(n_items, 'item')} {'was' if n_items == 1 else 'were'} judged again "
        f"({firsts}): {counts[disagreement]}."
    ]
    if n_waiting:
        until = ": their first judgements count until then" if disagreement == "replace" else ""
        said.append(
            f"{counted(n_waiting, 'item')} of them {'has' if n_waiting == 1 else 'have'} fewer judgements of "
            f"the extra round than of the first{until}."
        )
    return said


def shared_words(result: Mapping[str, Any]) -> str:
    """Say below a table of systems why its judgements add up to more than there are; "" where they do not."""
    shared = result.get("shared")
    if not shared:
        return ""
    return _(
        "Identical outputs were judged once, for each of their systems: the judgements of the systems add up "
        "to %(credits)s, there are %(ratings)s."
    ) % {name: f"{number:,}" for name, number in shared.items()}


def notes(scores: Mapping[str, Any], assigned: int, done: int, unit: str = "segment") -> list[str]:
    """Say in words who was excluded, what is missing and which numbers rest on little."""
    found = []
    flat = [row["rater"] for row in scores["raters"] if row.get("no_variance")]
    if flat:
        found.append(
            f"{counted(len(flat), 'rater')} without z (constant, or a single rating): {', '.join(flat)}."
        )
    for row in scores["raters"]:
        if row["excluded_by"]:
            found.append(f"Rater {row['rater']} is excluded ({row['excluded_by']}).")
    if done < assigned:
        verb = "is" if assigned - done == 1 else "are"
        found.append(f"{assigned - done:,} of {counted(assigned, 'assigned judgement')} {verb} missing.")
    sizes = {row["n_segments"] for row in scores["systems"] if "n_segments" in row}
    if len(sizes) > 1:
        found.append(
            f"The systems were judged on different numbers of segments ({min(sizes):,} to {max(sizes):,}); "
            "all tests of pairs but the rank-sum use common segments only."
        )
    return (
        found
        + _judged_together(scores["pairs"], unit)
        + _few_segments(scores["pairs"])
        + _unconnected(scores["pairs"])
    )


def is_judged_together(row: Row) -> bool:
    """Tell whether some comparisons of a pair are of one segment (document), and so resemble each other."""
    return "a_better" in row and row["a_better"] + row["b_better"] + row["equal"] > row["n_units"]


def _judged_together(pairs: Sequence[Row], unit: str) -> list[str]:
    n = sum(1 for row in pairs if is_judged_together(row))
    if not n:
        return []
    verb = "has" if n == 1 else "have"
    return [
        f"{counted(n, 'pair')} of systems {verb} several comparisons of one {unit}. They resemble each "
        "other, which the sign test of single comparisons and Wilson's intervals do not know: they find too "
        "much. What holds is the bootstrap, the sign test of majorities (who was preferred more often in a "
        f"{unit}) and the intervals by {unit}."
    ]


def pair_is_bound(row: Row) -> bool:
    """Tell whether the bootstrap p of a pair is the least that so few segments can give."""
    if "n_common" in row:
        return is_bound(row["p_bootstrap_two_sided"], row["n_common"])
    return is_bound(row["p_bootstrap"], row["a_better"] + row["b_better"])


def _few_segments(pairs: Sequence[Row]) -> list[str]:
    n = sum(1 for row in pairs if pair_is_bound(row))
    return [f"Few segments tell {counted(n, 'pair')} of systems apart. {BOUND}"] if n else []


def _unconnected(pairs: Sequence[Row]) -> list[str]:
    """Name groups of systems whose preferences say nothing of each other, condition by condition."""
    conditions: dict[tuple[Any, ...], list[Row]] = {}
    for row in pairs:
        if "a_better" in row and row["a_better"] + row["b_better"] + row["equal"]:
            conditions.setdefault(tuple(row.get(key) for key in CONDITION_KEYS), []).append(row)
    found = []
    for keys, rows in conditions.items():
        groups = _groups((row["system_a"], row["system_b"]) for row in rows)
        if len(groups) < 2:
            continue
        named = " and ".join(", ".join(group) for group in groups)
        where = ", ".join(str(key) for key in keys if key)
        found.append(
            f"{named} were never compared with each other{f' ({where})' if where else ''}, directly or "
            "through others: their order in one list means nothing."
        )
    return found


def _groups(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the systems that pairs connect, each group and the groups in order of name."""
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if not group & set(pair)]
        groups.append(set(pair).union(*touched))
    return sorted(sorted(group) for group in groups)
