"""Print scores: aligned text, strict JSON, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from mtcore.corpora.latex import latex_escape
from mtcore.metrics.scoring import Difference, Score, ScoreReport, finite

MISSING = "–"
CSV_COLUMNS = (
    "kind", "system", "against", "input", "reference", "direction", "condition", "segment", "metric", "value",
    "ci_low", "ci_high", "n_segments", "p", "test", "facts", "reason", "signature",
)  # fmt: skip

Place = tuple[str, str, str, str]


def to_json(report: ScoreReport) -> str:
    """Write strict JSON."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_table(report: ScoreReport) -> str:
    """Write aligned text: a row a system and condition, a column a metric; then comparisons and notes."""
    metrics = _metrics(report)
    heads = ["system", *_named(report), "segments", *(_head(report, name) for name in metrics)]
    rows = [heads]
    for place, scores in _rows(report).items():
        size = max(score.n_segments for score in scores.values())
        cells = [_cell(report, scores.get(name)) for name in metrics]
        rows.append([place[0], *_kept(report, place), f"{size:,}", *cells])
    parts = [_aligned(rows)]
    if report.comparisons:
        parts.append(_aligned(_comparison_rows(report)))
    notes = [*_reasons(report), *(f"Note: {notice}" for notice in report.notices)]
    parts += ["\n".join(notes)] if notes else []
    return "\n\n".join([*parts, "\n".join([*_facts(report), *_signatures(report)])]) + "\n"


def to_csv(report: ScoreReport) -> str:
    """Write one table: a row for each score, each comparison and, where wanted, each segment."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for one in report.results:
        same = {
            "system": one.system, "input": one.input, "reference": one.reference, "direction": one.direction,
            "condition": one.condition, "metric": one.metric, "signature": one.signature,
        }  # fmt: skip
        low, high = one.ci or ("", "")
        facts = "; ".join(
            f"{name}: {value if isinstance(value, str) or finite(value) is not None else MISSING}"
            for name, value in one.facts.items()
        )
        writer.writerow(
            same
            | {
                "kind": "result", "value": _exact(one.value), "ci_low": low, "ci_high": high,
                "n_segments": one.n_segments, "reason": one.reason, "facts": facts,
            }
        )  # fmt: skip
        for number, value in enumerate(one.segments or (), start=1):
            writer.writerow(same | {"kind": "segment", "segment": number, "value": _exact(value)})
    for found in report.comparisons:
        low, high = found.ci or ("", "")
        writer.writerow(
            {
                "kind": "comparison", "system": found.a, "against": found.b, "input": found.input,
                "reference": found.reference, "direction": found.direction, "metric": found.metric,
                "value": _exact(found.difference), "ci_low": low, "ci_high": high, "p": _exact(found.p),
                "test": found.test, "reason": found.reason, "signature": found.signature,
            }
        )  # fmt: skip
    return out.getvalue()


def to_latex(report: ScoreReport) -> str:
    """Write a row a system and condition and a column a metric, then a table for each comparison.

    Signatures stand as comments.
    """
    metrics = _metrics(report)
    named = _named(report)
    heads = ["", *(latex_escape(name) for name in named), *(latex_escape(_title(report, m)) for m in metrics)]
    lines = [
        "% Needs \\usepackage{booktabs}; intervals of scores: --format table, csv or json.",
        *(f"% {line}" for line in [*_facts(report), *_signatures(report)]),
        *(f"% {reason}" for reason in _reasons(report)),
        *(f"% Note: {notice}" for notice in report.notices),
        rf"\begin{{tabular}}{{{'l' * (1 + len(named))}{'r' * len(metrics)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
    ]
    for place, scores in _rows(report).items():
        cells = [_number(report, scores.get(name)) or "--" for name in metrics]
        texts = [latex_escape(text) for text in (place[0], *_kept(report, place))]
        lines.append(" & ".join([*texts, *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    pairs = dict.fromkeys((one.a, one.b) for one in report.comparisons)
    for a, b in pairs:
        lines += ["", r"\par\medskip", *_latex_comparison(report, a, b)]
    return "\n".join(lines) + "\n"


def _latex_comparison(report: ScoreReport, a: str, b: str) -> list[str]:
    """Write a row a metric and test, under the condition where that is known."""
    found = [one for one in report.comparisons if (one.a, one.b) == (a, b)]
    several = len({one.test for one in found}) > 1
    heads = [f"{a} − {b}", "difference", "95 % interval", "p", *(["test"] if several else [])]
    lines = [
        rf"\begin{{tabular}}{{lrrr{'l' if several else ''}}}",
        r"\toprule",
        " & ".join(map(latex_escape, heads)) + r" \\",
    ]
    last = None
    for one in found:
        if last is None or _where(one) != last:
            last = _where(one)
            told = rf"\multicolumn{{{len(heads)}}}{{l}}{{\emph{{{latex_escape(last)}}}}} \\"
            lines += [r"\midrule", *([told] if last else [])]
        cells = [_title(report, one.metric), *_compared(report, one), *([one.test] if several else [])]
        lines.append(" & ".join(latex_escape(cell.replace("-", "−")) for cell in cells) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


FORMATS: dict[str, Callable[[ScoreReport], str]] = {
    "table": to_table, "json": to_json, "csv": to_csv, "latex": to_latex,
}  # fmt: skip
"""Name → writer."""


def _metrics(report: ScoreReport) -> list[str]:
    return list(dict.fromkeys(score.metric for score in report.results))


def _place(one: Score) -> Place:
    return one.system, one.input or "", one.reference or "", one.direction or ""


def _rows(report: ScoreReport) -> dict[Place, dict[str, Score]]:
    """Gather scores by row; one that needs no reference stands beside those with each reference."""
    rows: dict[Place, dict[str, Score]] = {}
    for one in report.results:
        if one.reference is not None:
            rows.setdefault(_place(one), {})[one.metric] = one
    for one in report.results:
        if one.reference is not None:
            continue
        beside = [
            place for place in rows
            if (place[0], place[1], place[3]) == (one.system, one.input or "", one.direction or "")
        ]  # fmt: skip
        for place in beside or [_place(one)]:
            rows.setdefault(place, {})[one.metric] = one
    return rows


def _named(report: ScoreReport) -> list[str]:
    """Return the columns that say something: input, reference and direction where there are any."""
    columns = ("input", "reference", "direction")
    found = [
        name for number, name in enumerate(columns, start=1) if any(place[number] for place in _rows(report))
    ]
    return [*found, *(["condition"] if _conditions(report) else [])]


def _conditions(report: ScoreReport) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for place, scores in _rows(report).items():
        known = [one.condition for one in scores.values() if one.condition]
        if known:
            found[place] = max(known, key=len)
    return found


def _kept(report: ScoreReport, place: Place) -> list[str]:
    columns = dict(zip(("input", "reference", "direction"), place[1:], strict=True))
    columns["condition"] = _conditions(report).get(place, "")
    return [columns[name] for name in _named(report)]


def _title(report: ScoreReport, name: str) -> str:
    return report.metrics[name].title


def _head(report: ScoreReport, name: str) -> str:
    return f"{_title(report, name)} {'↑' if report.metrics[name].higher_is_better else '↓'}"


def _number(report: ScoreReport, one: Score | None) -> str:
    """Write a value with the metric's decimals, or nothing."""
    return "" if one is None or one.value is None else f"{one.value:.{report.metrics[one.metric].digits}f}"


def _cell(report: ScoreReport, one: Score | None) -> str:
    number = _number(report, one)
    if not number or one is None or one.ci is None:
        return number or MISSING
    low, high = (f"{end:.{report.metrics[one.metric].digits}f}" for end in one.ci)
    return f"{number} [{low}, {high}]"


def _comparison_rows(report: ScoreReport) -> list[list[str]]:
    rows = [["comparison", "condition", "metric", "difference", "95 % interval", "p", "test"]]
    for one in report.comparisons:
        title = _title(report, one.metric)
        rows.append([f"{one.a} − {one.b}", _where(one), title, *_compared(report, one), one.test])
    if not any(row[1] for row in rows[1:]):
        return [[cell for place, cell in enumerate(row) if place != 1] for row in rows]
    return rows


def _compared(report: ScoreReport, one: Difference) -> tuple[str, str, str]:
    """Write the difference, its interval and p."""
    digits = report.metrics[one.metric].digits
    number = MISSING if one.difference is None else f"{one.difference:+.{digits}f}"
    ends = MISSING if one.ci is None else f"[{one.ci[0]:+.{digits}f}, {one.ci[1]:+.{digits}f}]"
    return number, ends, _p(one.p)


def _where(one: Difference) -> str:
    return ", ".join(part for part in (one.input, one.reference, one.direction) if part)


def _reasons(report: ScoreReport) -> list[str]:
    """Say once for each reason what has no value or no p, and why."""
    found: dict[str, dict[str, None]] = {}
    for one in report.results:
        if one.reason:
            found.setdefault(f"{_title(report, one.metric)}: {one.reason}", {})[one.system] = None
    for pair in report.comparisons:
        if pair.reason and pair.difference is not None:
            title = _title(report, pair.metric)
            found.setdefault(f"{title}: {pair.reason}", {})[f"{pair.a} − {pair.b}"] = None
    return [f"{reason} ({', '.join(names)})" for reason, names in found.items()]


def _facts(report: ScoreReport) -> list[str]:
    """Write what must be known beside scores, a line a row: units and OOV of a language model."""
    lines = []
    for one in report.results:
        if one.facts:
            told = ", ".join(
                f"{name.replace('_', ' ')} {fact_write(value)}" for name, value in one.facts.items()
            )
            where = ", ".join(part for part in (one.input, one.direction) if part)
            lines.append(
                f"{one.system}{f' ({where})' if where else ''}, {_title(report, one.metric)}: {told}"
            )
    return lines


def fact_write(value: float | str) -> str:
    """Write what must be known beside a score; a number beyond all numbers is missing."""
    if isinstance(value, str):
        return value
    return MISSING if finite(value) is None else f"{value:,.6g}"


def _signatures(report: ScoreReport) -> list[str]:
    found = {(_title(report, one.metric), one.signature): None for one in report.results if one.signature}
    lines = [f"{title}: {signature}" for title, signature in found]
    if report.options.resamples:
        tests = ", ".join(dict.fromkeys(one.test for one in report.comparisons))
        what = f"95 % intervals{f', two-sided p ({tests})' if tests else ''}"
        lines.append(f"{what}: bs:{report.options.resamples}|seed:{report.options.seed}")
    return lines


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _p(p_value: float | None) -> str:
    if p_value is None:
        return MISSING
    return f"{p_value:.3f}" if p_value >= 0.001 else "< .001"


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)
