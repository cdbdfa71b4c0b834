"""Write scores as aligned text and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from annotation.protocols import PROTOCOLS
from annotation.services.score_notes import is_judged_together, shared_words
from annotation.services.text_layout import RULE, align
from annotation.stats.score import CONDITION_KEYS

Row = dict[str, Any]
MISSING = "–"
RANKS = ("cluster", "rank_range")
"""Columns that hold a first and a last rank."""

WIDE = 50
"""Width of a scale from which one decimal of a raw score is enough."""

CHOSEN = {
    "randomisation": ("p_randomisation", "randomisation"),
    "signed_rank": ("p_signed_rank", "signed rank"),
}


def text_table(result: Row, scale: Sequence[float] | None = None) -> str:
    """Return scores as text: systems with a rule below each cluster, pairs, raters, what is missing.

    By condition, each condition is a group of rows under its heading, with clusters of its own.

    Args:
        result: of a campaign, or of a group of a study.
        scale: lowest and highest score; None takes what the result says, if anything.
    """
    decimals = raw_decimals(scale or result.get("scale"))
    rated = PROTOCOLS[result["protocol"]].record == "rating"
    head = f"{result['campaign']} · {result['protocol']}"
    parts = [head, *(_rating_parts(result, decimals) if rated else _preference_parts(result))]
    notes = [f"Note: {note}" for note in result["notes"]]
    if result.get("pooled"):
        notes.insert(0, f"Note: {pooled_note(result['pooled'])}: see --by condition.")
    if notes:
        parts.append("\n".join(notes))
    parts.append(result["signature"])
    return "\n\n".join(parts)


def pooled_note(conditions: Sequence[str]) -> str:
    """Say that scores are taken over several conditions."""
    shown = ", ".join(conditions[:8]) + (", …" if len(conditions) > 8 else "")
    return f"Pooled over {len(conditions):,} conditions ({shown})"


def _rating_parts(result: Row, decimals: int) -> list[str]:
    header = ["System", "Ave.", "Ave. z", "95 % of z", "segs", "judg.", "n z", "raters", "wins", "cluster"]
    systems: list[Any] = [header]
    for heading, rows in grouped_rows(result["systems"]):
        systems += [heading] if heading else []
        last: Row | None = None
        for row in rows:
            if last is not None and new_block(last, row):
                systems.append(RULE)
            last = row
            systems.append(_system_cells(row, decimals))
    pairs: list[Any] = [
        [
            "A", "B", "z(A) − z(B)", "p one-sided", "", "p two-sided", "p rank sum 1-sided",
            *_tested_header(result), *_corrected_header(result), "common",
        ]
    ]  # fmt: skip
    for heading, rows in grouped_rows(ordered_pairs(result)):
        pairs += [heading] if heading else []
        pairs += [
            [
                row["system_a"], row["system_b"],
                number(row["z_difference"], 3), p_value(row["p_bootstrap_one_sided"]),
                direction(row), p_value(row["p_bootstrap_two_sided"]),
                p_value(row["p_rank_sum"]), *_tested(result, row), *_corrected(result, row),
                f"{row['n_common']:,}",
            ]
            for row in rows
        ]  # fmt: skip
    shared = [f"Note: {words}" for words in [shared_words(result)] if words]
    return [align(systems, 1), *shared, align(pairs, 2), align(_rater_rows(result, decimals), 1)]


def direction(row: Row) -> str:
    """Say which direction a one-sided p tests, and whether it was declared beforehand."""
    declared = row["one_sided"] == "declared"
    return f"{row['hypothesis']} declared" if declared else "post hoc"


def _system_cells(row: Row, decimals: int) -> list[str]:
    cluster = row["cluster"]
    return [
        row["system"], number(row["raw_mean"], decimals), number(row["z_mean"], 3), interval(row["z_ci"], 3),
        f"{row['n_segments']:,}", f"{row['n_judgements']:,}", f"{row['n_z']:,}", f"{row['n_raters']:,}",
        MISSING if row["wins"] is None else f"{row['wins']:,}", ranks(cluster) if cluster else MISSING,
    ]  # fmt: skip


def _rater_rows(result: Row, decimals: int) -> list[list[str]]:
    rows = [["Rater", "n", "mean", "sd", ""]]
    for row in result["raters"]:
        remark = "no z" if row["no_variance"] else ""
        if row["excluded_by"]:
            remark = f"excluded: {row['excluded_by']}"
        spread = (number(row[name], decimals) for name in ("mean", "sd"))
        rows.append([row["rater"], f"{row['n']:,}", *spread, remark])
    return rows


def _preference_parts(result: Row) -> list[str]:
    systems: list[Any] = [["System", "expected wins", "win rate", "n"]]
    for heading, rows in grouped_rows(result["systems"]):
        systems += [heading] if heading else []
        systems += [
            [row["system"], number(row["expected_wins"], 3), number(row["win_rate"], 3), f"{row['n']:,}"]
            for row in rows
        ]
    together = any(is_judged_together(row) for row in result["pairs"])
    tests = ["p sign 1-sided", "p bootstrap 1-sided", "", "p sign 2-sided"]
    if together:
        tests = ["p bootstrap 1-sided", "", "2-sided", "p sign majorities", "single"]
    pairs: list[Any] = [
        [
            "A", "B", "A better", "B better", "equal", "identical", *tests, *_corrected_header(result),
        ]
    ]  # fmt: skip
    for heading, rows in grouped_rows(ordered_pairs(result)):
        pairs += [heading] if heading else []
        pairs += [
            [
                row["system_a"], row["system_b"],
                *(f"{row[name]:,}" for name in ("a_better", "b_better", "equal", "identical")),
                *_preference_tests(row, together), *_corrected(result, row),
            ]
            for row in rows
        ]  # fmt: skip
    side = result["position"]
    sides = (
        f"Left chosen: {side['left']:,}, right: {side['right']:,}, equal: {side['equal']:,} "
        f"(position bias: p {p_value(side['p_two_sided'])})."
    )
    raters = [["Rater", "n", ""]]
    for row in result["raters"]:
        raters.append(
            [row["rater"], f"{row['n']:,}", f"excluded: {row['excluded_by']}" if row["excluded_by"] else ""]
        )
    means = "Expected wins leave ties out (mean over opponents); the win rate counts a tie as half."
    return [align(systems, 1), means, align(pairs, 2), sides, align(raters, 1)]


def _preference_tests(row: Row, together: bool) -> list[str]:
    """Return the p-values of a pair, the one-sided ones and their direction first."""
    one_sided, others = ["p_sign_one_sided", "p_bootstrap"], ["p_sign_two_sided"]
    if together:
        one_sided = ["p_bootstrap"]
        others = ["p_bootstrap_two_sided", "p_sign_majority_two_sided", "p_sign_two_sided"]
    return [
        *(p_value(row[key]) for key in one_sided),
        direction(row),
        *(p_value(row[key]) for key in others),
    ]


def grouped_rows(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return (heading, rows) of each condition in the order of the rows; no heading where there is none."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(key) for key in CONDITION_KEYS), []).append(row)
    return [(condition_heading(group[0]), group) for group in groups.values()]


def condition_heading(row: Row) -> str:
    """Write the condition of a row: "X** → Y* · newstest-ende"; empty for a row of all conditions."""
    if row.get("testset") is None:
        return ""
    return f"{row.get('notation') or row.get('direction') or MISSING} · {row['testset']}"


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
    return new_condition(above, below) or _new_cluster(above, below)


def new_condition(above: Row, below: Row) -> bool:
    """Tell whether two rows of the systems table are of different conditions."""
    return any(above[key] != below[key] for key in CONDITION_KEYS)


def _new_cluster(above: Row, below: Row) -> bool:
    return above["cluster"] is not None and above["cluster"] != below["cluster"]


def chosen_test(result: Row) -> tuple[str, str]:
    """Return key and name of the p of the chosen test of ratings; "" where it has its column anyway."""
    return CHOSEN.get(result["options"].get("test", "bootstrap"), ("", ""))


def _tested_header(result: Row) -> list[str]:
    name = chosen_test(result)[1]
    return [f"p {name}"] if name else []


def _tested(result: Row, row: Row) -> list[str]:
    key = chosen_test(result)[0]
    return [p_value(row.get(key))] if key else []


def _corrected_header(result: Row) -> list[str]:
    return ["p Holm"] if result["options"].get("correction", "none") != "none" else []


def _corrected(result: Row, row: Row) -> list[str]:
    return [p_value(row.get("p_holm"))] if _corrected_header(result) else []


def raw_decimals(scale: Sequence[float] | None) -> int:
    """Return the decimals of a raw score on a scale [low, high]: 1 on a wide one, 2 on a narrow one."""
    return 1 if scale is None or scale[1] - scale[0] >= WIDE else 2


def number(value: float | None, decimals: int) -> str:
    """Write a number with a true minus sign, zero without one; an en dash when there is none."""
    return MISSING if value is None else f"{value:z.{decimals}f}".replace("-", "−")


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
