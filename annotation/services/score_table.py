"""Write scores as aligned text and as CSV."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from annotation.protocols import PROTOCOLS
from annotation.stats.score import CONDITION_KEYS

Row = dict[str, Any]
MISSING = "–"
RANKS = ("cluster", "rank_range")
"""Columns that hold a first and a last rank."""
RULE = object()
"""Stands in a list of rows for a line drawn across the table."""


def text_table(result: Row) -> str:
    """Return scores as text: systems with a rule below each cluster, pairs, raters, what is missing."""
    rated = PROTOCOLS[result["protocol"]].record == "rating"
    head = f"{result['campaign']} · {result['protocol']}"
    parts = [head, *(_rating_parts(result) if rated else _preference_parts(result))]
    if result["notes"]:
        parts.append("\n".join(f"Note: {note}" for note in result["notes"]))
    parts.append(result["signature"])
    return "\n\n".join(parts)


def _rating_parts(result: Row) -> list[str]:
    condition = _condition_header(result)
    systems: list[Any] = [
        [
            "System",
            *condition,
            "Ave.",
            "Ave. z",
            "95 % of z",
            "segs",
            "judg.",
            "n z",
            "raters",
            "wins",
            "cluster",
        ]
    ]
    last: Row | None = None
    for row in result["systems"]:
        if last is not None and new_block(last, row):
            systems.append(RULE)
        last = row
        cluster = row["cluster"]
        systems.append(
            [
                row["system"], *_condition_cells(result, row), number(row["raw_mean"], 1),
                number(row["z_mean"], 3), interval(row["z_ci"], 3), str(row["n_segments"]),
                str(row["n_judgements"]), str(row["n_z"]),
                str(row["n_raters"]), str(row["wins"]) if row["wins"] is not None else MISSING,
                ranks(cluster) if cluster else MISSING,
            ]
        )  # fmt: skip
    pairs: list[Any] = [
        [
            "A",
            "B",
            *condition,
            "z(A) − z(B)",
            "p one-sided",
            "",
            "p two-sided",
            "p rank sum",
            *_corrected_header(result),
            "common",
        ]
    ]
    for row in ordered_pairs(result):
        pairs.append(
            [
                row["system_a"], row["system_b"], *_condition_cells(result, row),
                number(row["z_difference"], 3), p_value(row["p_bootstrap_one_sided"]),
                row["one_sided"].replace("_", " "), p_value(row["p_bootstrap_two_sided"]),
                p_value(row["p_rank_sum"]), *_corrected(result, row), str(row["n_common"]),
            ]
        )  # fmt: skip
    raters: list[Any] = [["Rater", "n", "mean", "sd", ""]]
    for row in result["raters"]:
        remark = "no z" if row["no_variance"] else ""
        if row["excluded_by"]:
            remark = f"excluded: {row['excluded_by']}"
        raters.append([row["rater"], str(row["n"]), number(row["mean"], 1), number(row["sd"], 1), remark])
    return [align(systems, len(condition) + 1), align(pairs, len(condition) + 2), align(raters, 1)]


def _preference_parts(result: Row) -> list[str]:
    condition = _condition_header(result)
    systems: list[Any] = [["System", *condition, "expected wins", "win rate", "n"]]
    for row in result["systems"]:
        systems.append(
            [
                row["system"], *_condition_cells(result, row), number(row["expected_wins"], 3),
                number(row["win_rate"], 3), str(row["n"]),
            ]
        )  # fmt: skip
    pairs: list[Any] = [
        [
            "A",
            "B",
            *condition,
            "A better",
            "B better",
            "equal",
            "identical",
            "p sign 1-sided",
            "2-sided",
            "p bootstrap",
            *_corrected_header(result),
        ]
    ]
    for row in ordered_pairs(result):
        pairs.append(
            [
                row["system_a"], row["system_b"], *_condition_cells(result, row), str(row["a_better"]),
                str(row["b_better"]), str(row["equal"]), str(row["identical"]),
                p_value(row["p_sign_one_sided"]), p_value(row["p_sign_two_sided"]),
                p_value(row["p_bootstrap"]), *_corrected(result, row),
            ]
        )  # fmt: skip
    side = result["position"]
    sides = (
        f"Left chosen {side['left']:,} times, right {side['right']:,}, equal {side['equal']:,} "
        f"(position bias: p {p_value(side['p_two_sided'])})."
    )
    raters = [["Rater", "n", ""]]
    for row in result["raters"]:
        raters.append(
            [row["rater"], str(row["n"]), f"excluded: {row['excluded_by']}" if row["excluded_by"] else ""]
        )
    means = "Expected wins leave ties out (mean over opponents); the win rate counts a tie as half."
    return [
        align(systems, len(condition) + 1), means, align(pairs, len(condition) + 2), sides, align(raters, 1)
    ]  # fmt: skip


def ordered_pairs(result: Row) -> list[Row]:
    """Return the pairs in the order of the systems table."""
    rank = {
        (row["system"], *(row.get(key) for key in CONDITION_KEYS)): place
        for place, row in enumerate(result["systems"])
    }

    def order(row: Row) -> tuple[int, int]:
        condition = tuple(row.get(key) for key in CONDITION_KEYS)
        return rank[row["system_a"], *condition], rank[row["system_b"], *condition]

    return sorted(result["pairs"], key=order)


def new_block(above: Row, below: Row) -> bool:
    """Tell whether a rule separates two rows of the systems table: another condition, or another cluster."""
    if any(above[key] != below[key] for key in CONDITION_KEYS):
        return True
    return above["cluster"] is not None and above["cluster"] != below["cluster"]


def _condition_header(result: Row) -> list[str]:
    return ["Test set", "Condition"] if result["options"]["by_condition"] else []


def _condition_cells(result: Row, row: Row) -> list[str]:
    if not result["options"]["by_condition"]:
        return []
    return [row["testset"] or MISSING, row["notation"] or row["direction"] or MISSING]


def _corrected_header(result: Row) -> list[str]:
    return ["p Holm"] if result["options"].get("correction", "none") != "none" else []


def _corrected(result: Row, row: Row) -> list[str]:
    return [p_value(row.get("p_holm"))] if _corrected_header(result) else []


def number(value: float | None, decimals: int) -> str:
    """Write a number with a true minus sign; an en dash when there is none."""
    return MISSING if value is None else f"{value:.{decimals}f}".replace("-", "−")


def p_value(value: float | None) -> str:
    """Write a p-value with four decimals, and "< .0001" rather than zero."""
    if value is None:
        return MISSING
    return "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")


def interval(bounds: Sequence[float] | None, decimals: int) -> str:
    """Write an interval as "low … high"."""
    return MISSING if bounds is None else f"{number(bounds[0], decimals)} … {number(bounds[1], decimals)}"


def ranks(cluster: Sequence[int]) -> str:
    """Write the ranks of a cluster: "3", or "3–6"."""
    first, last = cluster
    return f"{first}" if first == last else f"{first}–{last}"


def align(rows: Sequence[Any], n_text: int) -> str:
    """Return rows as aligned columns: the first `n_text` and words to the left, numbers to the right."""
    cells = [row for row in rows if row is not RULE]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in (rows[0], RULE, *rows[1:]):
        if row is RULE:
            lines.append("─" * (sum(widths) + 2 * (len(widths) - 1)))
            continue
        padded = [
            _pad(cell, width, left=column < n_text or (cell[:1].isalpha() and rows[0] is not row))
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    wide = sum(1 for mark in text if unicodedata.east_asian_width(mark) in "WF")
    return len(text) + wide - sum(1 for mark in text if unicodedata.combining(mark))


def _pad(text: str, width: int, *, left: bool) -> str:
    space = " " * max(0, width - _width(text))
    return text + space if left else space + text


def csv_table(result: Row, part: str) -> str:
    """Return one part of a result (systems, pairs or raters) as CSV; intervals get two columns."""
    out = StringIO()
    rows = [_flat(row) | {"signature": row.get("signature", result["signature"])} for row in result[part]]
    writer = csv.DictWriter(out, list(_columns(rows)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _columns(rows: Iterable[Row]) -> dict[str, None]:
    return {name: None for row in rows for name in row}


def _flat(row: Row) -> Row:
    """Return a row with its pairs of bounds as two columns, and dictionaries as one column a key."""
    found: Row = {}
    for name, value in row.items():
        ends = ("first", "last") if name in RANKS else ("low", "high")
        if name.endswith("_ci") or name in RANKS:
            found |= dict(zip((f"{name}_{end}" for end in ends), value or (None, None), strict=True))
        elif name == "shares":
            for share, bounds in value.items():
                names = (f"share_{share}", f"share_{share}_low", f"share_{share}_high")
                found |= dict(zip(names, bounds or (None, None, None), strict=True))
        else:
            found[name] = value
    return found
