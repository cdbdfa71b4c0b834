"""Print a report of diversity: aligned text, CSV, or LaTeX as the study's tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from mtcore.corpora.latex import latex_escape
from mtcore.diversity.measuring import Measured, Report, TextResult
from mtcore.diversity.swapping import Comparison

ARROWS = {"up": " ↑", "down": " ↓", "": ""}
LATEX_ARROWS = {"up": r" $\uparrow$", "down": r" $\downarrow$", "": ""}
MISSING = "–"
CSV_COLUMNS = (
    "kind", "text", "against", "measure", "value", "printed", "ci_low", "ci_high", "p", "direction",
    "definition", "reason", "signature",
)  # fmt: skip
LINE_PT, CHARACTER_PT, BETWEEN_PT = 345.0, 5.3, 12.0
"""A line of LaTeX's article at 10 pt, a character in it on average, and what lies between two columns."""


def to_json(report: Report) -> str:
    """Write strict JSON."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_table(report: Report) -> str:
    """Write aligned text: a row a measure and a column a text, then comparisons, then what was missing."""
    head = ["measure", "×", *(text.name for text in report.texts)]
    rows = [head]
    for label, size in (("lines", "lines"), ("tokens", "tokens"), ("types", "types")):
        rows.append([label, "", *(f"{getattr(text, size):,}" for text in report.texts)])
    for place, first in enumerate(report.texts[0].measures):
        measure = first.measure
        cells = [_cell(text.measures[place]) for text in report.texts]
        rows.append([f"{measure.title}{ARROWS[measure.direction]}", _times(measure.scale), *cells])
    parts = [_aligned(rows)]
    if report.comparisons:
        parts.append(_aligned(_comparison_rows(report)))
    if any(text.lemma for text in report.texts):
        parts.append(_aligned(_lemma_rows(report)))
    notes = [*_reasons(report), *(f"Note: {notice}" for notice in report.notices)]
    parts += ["\n".join(notes)] if notes else []
    definitions = [f"{one.measure.title}: {one.signature}" for one in report.texts[0].measures]
    return "\n\n".join([*parts, "\n".join(definitions)]) + "\n"


def to_csv(report: Report) -> str:
    """Write one table: a row for each measure of each text, and for each comparison."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for text in report.texts:
        for one in text.measures:
            row = one.as_dict()
            low, high = row["ci"] or ("", "")
            writer.writerow(
                {
                    "kind": "text", "text": text.name, "measure": row["name"], "value": _exact(row["value"]),
                    "printed": _exact(row["printed"]), "ci_low": low, "ci_high": high,
                    "direction": row["direction"] or "", "definition": row["definition"],
                    "reason": row.get("reason", ""), "signature": row["signature"],
                }
            )  # fmt: skip
    scales = {one.measure.name: one.measure.scale for text in report.texts[:1] for one in text.measures}
    for found in report.comparisons:
        printed = None if found.difference is None else found.difference * scales[found.measure]
        writer.writerow(
            {
                "kind": "comparison", "text": found.a, "against": found.b, "measure": found.measure,
                "value": _exact(found.difference), "printed": _exact(printed), "p": _exact(found.p),
                "reason": found.reason, "signature": found.test,
            }
        )  # fmt: skip
    return out.getvalue()


def to_latex(report: Report) -> str:
    """Write a row a text and a column a measure, as the study's Tables 4 to 8, signatures as comments.

    Measures that do not fit side by side on a page stand in further tables below, then a table for each
    comparison.
    """
    lines = [
        "% Needs \\usepackage{booktabs}; intervals: --format table, csv or json.",
        *(f"% {one.signature}" for one in report.texts[0].measures),
        *(f"% {reason}" for reason in _reasons(report)),
        *(f"% Note: {notice}" for notice in report.notices),
    ]
    tables = [_latex_table(report, places) for places in _side_by_side(report)]
    tables += [_latex_comparison(report, pair) for pair in _pairs(report).items()]
    return "\n".join(lines) + "\n" + "\n\\par\\medskip\n".join(tables)


def _side_by_side(report: Report) -> list[list[int]]:
    """Part the measures, in their order, into as few rows of tables as fit on LINE_PT."""
    names = max(len(text.name) for text in report.texts) * CHARACTER_PT
    parts: list[list[int]] = []
    taken = 0.0
    for place, first in enumerate(report.texts[0].measures):
        head = first.measure.title + ARROWS[first.measure.direction]
        cells = [_number(text.measures[place]) for text in report.texts]
        width = max(map(len, [head, *cells])) * CHARACTER_PT + BETWEEN_PT
        if not parts or (taken + width > LINE_PT and parts[-1]):
            parts.append([])
            taken = names + BETWEEN_PT
        parts[-1].append(place)
        taken += width
    return parts


def _latex_table(report: Report, places: Sequence[int]) -> str:
    measures = [report.texts[0].measures[place].measure for place in places]
    heads = [latex_escape(one.title) + LATEX_ARROWS[one.direction] for one in measures]
    lines = [
        rf"\noindent\begin{{tabular}}{{l{'r' * len(measures)}}}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        r"\midrule",
        *(_latex_row(text, places) for text in report.texts),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_comparison(report: Report, pair: tuple[tuple[str, str], dict[str, Comparison]]) -> str:
    (a, b), found = pair
    lines = [
        r"\noindent\begin{tabular}{lrr}",
        r"\toprule",
        rf"{latex_escape(f'{a} − {b}')} & difference & p \\",
        r"\midrule",
    ]
    for one in report.texts[0].measures:
        compared = found[one.measure.name]
        p_value = MISSING if compared.p is None else _p(compared.p).removeprefix("p ")
        cells = (latex_escape(cell.replace("-", "−")) for cell in (_moved(one, compared), p_value))
        lines.append(" & ".join([latex_escape(one.measure.title), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


FORMATS: dict[str, Callable[[Report], str]] = {
    "table": to_table, "json": to_json, "csv": to_csv, "latex": to_latex,
}  # fmt: skip
"""Name → writer."""


def _latex_row(text: TextResult, places: Sequence[int]) -> str:
    cells = [_number(text.measures[place]) or "--" for place in places]
    return " & ".join([latex_escape(text.name), *cells]) + r" \\"


def _number(one: Measured) -> str:
    """Write the value in the scale of print, or nothing."""
    value = one.value.value
    return "" if value is None else f"{value * one.measure.scale:.{one.measure.digits}f}"


def _cell(one: Measured) -> str:
    number = _number(one)
    ends = one.interval.ends if one.interval else None
    if not number or not ends:
        return number or MISSING
    low, high = (f"{end * one.measure.scale:.{one.measure.digits}f}" for end in ends)
    return f"{number} [{low}, {high}]"


def _comparison_rows(report: Report) -> list[list[str]]:
    pairs = _pairs(report)
    rows = [["difference (p)", *(f"{a} − {b}" for a, b in pairs)]]
    for known in report.texts[0].measures:
        cells = []
        for of_pair in pairs.values():
            one = of_pair[known.measure.name]
            told = "" if one.difference is None or one.p is None else f" ({_p(one.p)})"
            cells.append(_moved(known, one) + told)
        rows.append([known.measure.title, *cells])
    return rows


def _pairs(report: Report) -> dict[tuple[str, str], dict[str, Comparison]]:
    """Return the comparisons of every two texts by measure."""
    pairs: dict[tuple[str, str], dict[str, Comparison]] = {}
    for found in report.comparisons:
        pairs.setdefault((found.a, found.b), {})[found.measure] = found
    return pairs


def _moved(known: Measured, one: Comparison) -> str:
    """Write a difference in the scale of print."""
    measure = known.measure
    return MISSING if one.difference is None else f"{one.difference * measure.scale:+.{measure.digits}f}"


def _lemma_rows(report: Report) -> list[list[str]]:
    """Write how often each form of the lemma occurs in each text, and H and D of them, times 100."""
    found = [text.lemma for text in report.texts if text.lemma]
    forms = list(dict.fromkeys(form for one in found for form in one.forms))
    rows = [[f"lemma: {found[0].lemma}", *forms, "H ↑ × 100", "D ↓ × 100"]]
    for text in report.texts:
        if text.lemma is not None:
            counts = [f"{text.lemma.forms[form]:,}" if form in text.lemma.forms else "N/A" for form in forms]
            values = (text.lemma.shannon_h, text.lemma.simpson_d)
            of_forms = [MISSING if value is None else f"{100 * value:.2f}" for value in values]
            rows.append([text.name, *counts, *of_forms])
    return rows


def _reasons(report: Report) -> list[str]:
    """Say once for each reason which measures of which texts lack a value, an interval or a test."""
    found: dict[tuple[str, str], list[str]] = {}
    for text in report.texts:
        for one in text.measures:
            if one.value.reason:
                found.setdefault((text.name, one.value.reason), []).append(one.measure.title)
            elif one.interval and one.interval.reason:
                found.setdefault((text.name, f"no interval: {one.interval.reason}"), []).append(
                    one.measure.title
                )
    for text in report.texts:
        if text.lemma and text.lemma.reason:
            found.setdefault((text.name, text.lemma.reason), []).append(f"lemma {text.lemma.lemma}")
    for pair in report.comparisons:
        if pair.reason and pair.difference is not None:
            found.setdefault((f"{pair.a} − {pair.b}", f"not tested: {pair.reason}"), []).append(pair.measure)
    merged: dict[tuple[str, str], list[str]] = {}
    for (text_name, reason), titles in found.items():
        merged.setdefault((", ".join(titles), reason), []).append(text_name)
    return [f"{titles} ({', '.join(names)}): {reason}" for (titles, reason), names in merged.items()]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _times(scale: float) -> str:
    return "" if scale == 1 else f"{scale:,.0f}"


def _p(p_value: float) -> str:
    return f"p {p_value:.3f}" if p_value >= 0.001 else "p < .001"


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)
