"""Write the comparison of two campaigns as aligned text and as CSV."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from annotation.services.score_table import MISSING, align, interval, number, p_value

Row = dict[str, Any]
WORDS = {
    "same_decision": "same",
    "both_undecided": "both undecided",
    "one_decided": "one decided",
    "opposite_decisions": "opposite",
    "not_comparable": "not comparable",
}


def compare_text(result: Row) -> str:
    """Return a comparison as text: systems, correlation, pairs, what was left out."""
    head = "\n".join(
        f"{letter}  {result[place]} · {protocol}"
        for letter, place, protocol in zip("AB", ("first", "second"), result["protocols"], strict=True)
    )
    parts = [head, _systems(result), _correlations(result)]
    if result["pairs"]:
        parts.append(_pairs(result))
        parts.append(_decisions(result["decisions"]))
    if result["notes"]:
        parts.append("\n".join(f"Note: {note}" for note in result["notes"]))
    return "\n\n".join([*parts, *dict.fromkeys(result["signatures"])])


def _systems(result: Row) -> str:
    names = {"z_mean": "z", "expected_wins": "expected wins"}
    first, second = (names[measure] for measure in result["measures"])
    rows: list[Any] = [
        ["System", "Test set", "Condition A", "Condition B", f"{first} A", f"{second} B", "A − B"]
    ]
    for row in result["systems"]:
        rows.append(
            [
                row["system"], row["testset"] or MISSING, row["notation_first"] or MISSING,
                row["notation_second"] or MISSING, number(row["first"], 3), number(row["second"], 3),
                number(row["difference"], 3),
            ]
        )  # fmt: skip
    return align(rows, 4)


def _correlations(result: Row) -> str:
    found = result["correlation"]
    rows: list[Any] = [["Correlation of A and B", "", "95 %"]]
    for name, called in (("pearson", "Pearson r"), ("spearman", "Spearman ρ"), ("kendall", "Kendall τ")):
        rows.append([called, number(found[name]["value"], 3), interval(found[name]["ci"], 3)])
    accuracy = result["pairwise_accuracy"]
    rows.append(["pairs ordered alike", number(accuracy["value"], 3), f"{accuracy['n']:,} pairs"])
    outputs = found["n_distinct_outputs"]
    return f"{align(rows, 1)}\nn = {found['n']} points, {outputs} distinct outputs."


def _pairs(result: Row) -> str:
    rows: list[Any] = [["Pair", "Test set", "A prefers", "p", "B prefers", "p", "decisions"]]
    for row in result["pairs"]:
        rows.append(
            [
                f"{row['system_a']} – {row['system_b']}", row["testset"] or MISSING,
                row["first_prefers"] or "neither", p_value(row["first_p"]),
                row["second_prefers"] or "neither", p_value(row["second_p"]), WORDS[row["agreement"]],
            ]
        )  # fmt: skip
    return align(rows, 2)


def _decisions(found: Row) -> str:
    counts = ", ".join(f"{found[name]} {words}" for name, words in WORDS.items())
    share = MISSING if found["share_agreeing"] is None else f"{found['share_agreeing']:.0%}"
    return (
        f"Decisions at two-sided p < .05 over {found['n']} pairs: {counts}; {share} of the comparable agree."
    )


def compare_csv(result: Row, part: str) -> str:
    """Return `systems` or `pairs` of a comparison as CSV."""
    out = StringIO()
    rows = result[part]
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["system"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
