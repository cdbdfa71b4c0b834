"""Print fluency: aligned text, strict JSON, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from mtcore.corpora.latex import latex_escape
from mtcore.metrics import tables
from mtcore.metrics.lm_verdict import Measured
from mtcore.metrics.scoring import Score
from mtcore.metrics.tables import MISSING
from mtcore.services.fluency import Fluency
from mtcore.services.fluency_own import WHAT, Closeness, OwnCell, OwnDifference

OWN_COLUMNS = (
    "kind", "text", "system", "against", "value", "ci_low", "ci_high", "n_segments", "p", "facts", "sentence",
    "signature",
)  # fmt: skip


def to_table(found: Fluency) -> str:
    """Write scores, comparisons, the verdicts, and all notes."""
    told = "\n".join(f"Verdict: {_where(where)}{one.sentence}" for where, one in found.verdicts)
    return f"{tables.to_table(found.report).rstrip()}\n\n{told}\n"


def to_json(found: Fluency | Closeness) -> str:
    """Write strict JSON."""
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_csv(found: Fluency) -> str:
    """Write the table of scores and comparisons with a row a verdict; its sentence stands as the reason."""
    out = io.StringIO()
    writer = csv.DictWriter(out, tables.CSV_COLUMNS, lineterminator="\n", restval="")
    for where, one in found.verdicts:
        writer.writerow(
            {
                "kind": "verdict", "system": one.a, "against": one.b, "condition": where,
                "metric": "bleu, ppl", "test": "koehn", "reason": one.sentence,
            }
        )  # fmt: skip
    return tables.to_csv(found.report) + out.getvalue()


def to_latex(found: Fluency) -> str:
    """Write a row a system (Table 6, with BLEU beside), a row a pair with both differences, the verdicts."""
    report = tables.to_latex(found.report).split("\n")
    heads = ["", "condition", "BLEU", "PPL", r"unknown words"]
    systems = [
        [
            one.system,
            one.condition or "",
            _digits(_value(found, one, "bleu"), 1),
            _digits(one.value, 1),
            _share(one),
        ]
        for one in found.report.results
        if one.metric == "ppl"
    ]
    pairs = [
        [f"{one.a} − {one.b}", where, *_difference(one.bleu), *_difference(one.ppl)]
        for where, one in found.verdicts
    ]
    return (
        "\n".join(
            [
                *(line for line in report if line.startswith("%")),
                *_tabular("llrrr", heads, systems),
                "",
                *_tabular("llrrrr", ["", "condition", "BLEU", "p", "PPL", "p"], pairs),
                "",
                *(_tex(f"{_where(where)}{one.sentence}") for where, one in found.verdicts),
            ]
        )
        + "\n"
    )


FORMATS: dict[str, Callable[[Fluency], str]] = {
    "table": to_table, "json": to_json, "csv": to_csv, "latex": to_latex,
}  # fmt: skip


def own_to_table(found: Closeness) -> str:
    """Write a row a text and a column a system, then the comparisons in words, facts and signatures."""
    heads = ["text", "segments", *(f"model of {system} ↓" for system in found.models)]
    rows = [heads]
    for text, cells in _by_text(found).items():
        size = max(cell.n_segments for cell in cells)
        rows.append([f"{text} ({WHAT[text]})", f"{size:,}", *(_cell(cell) for cell in cells)])
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    lines += ["", *(_told(one) for one in found.differences)]
    lines += [f"Note: {notice}" for notice in found.notices]
    lines += ["", *(f"{cell.system} on {cell.text}: {_facts(cell)}" for cell in found.cells)]
    signatures = {cell.system: cell.signature for cell in found.cells}
    lines += [f"{system} ({found.models[system]}): {line}" for system, line in signatures.items()]
    options = found.options
    if options.resamples:
        lines.append(
            f"perplexity by the word, ends counted; 95 % intervals, two-sided p (koehn): "
            f"bs:{options.resamples}|seed:{options.seed}"
        )
    return "\n".join(lines) + "\n"


def own_to_csv(found: Closeness) -> str:
    """Write a row a cell and a row a comparison."""
    out = io.StringIO()
    writer = csv.DictWriter(out, OWN_COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for cell in found.cells:
        low, high = cell.ci or ("", "")
        writer.writerow(
            {
                "kind": "result", "text": cell.text, "system": cell.system, "value": cell.value,
                "ci_low": low, "ci_high": high, "n_segments": cell.n_segments, "facts": _facts(cell),
                "signature": cell.signature,
            }
        )  # fmt: skip
    for one in found.differences:
        low, high = one.ci or ("", "")
        writer.writerow(
            {
                "kind": "comparison", "text": one.text, "system": one.a, "against": one.b,
                "value": one.difference, "ci_low": low, "ci_high": high, "p": one.p, "sentence": one.sentence,
            }
        )  # fmt: skip
    return out.getvalue()


def own_to_latex(found: Closeness) -> str:
    """Write the shape of Table 4: a row a text, a column a system."""
    lines = [
        "% Needs \\usepackage{booktabs}; intervals and p-values: --format table, csv or json.",
        *(f"% {cell.system} on {cell.text}: {_facts(cell)}" for cell in found.cells),
        rf"\begin{{tabular}}{{l{'r' * len(found.models)}}}",
        r"\toprule",
        " & ".join(["data", *(_tex(system) for system in found.models)]) + r" \\",
        r"\midrule",
    ]
    for text, cells in _by_text(found).items():
        values = ["--" if cell.value is None else f"{cell.value:.1f}" for cell in cells]
        lines.append(" & ".join([f"${text.replace('*', '^{*}')}$", *values]) + r" \\")
    told = [_tex(one.sentence) for one in found.differences]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", "", *told]) + "\n"


OWN_FORMATS: dict[str, Callable[[Closeness], str]] = {
    "table": own_to_table, "json": to_json, "csv": own_to_csv, "latex": own_to_latex,
}  # fmt: skip


def _by_text(found: Closeness) -> dict[str, list[OwnCell]]:
    rows: dict[str, list[OwnCell]] = {}
    for cell in found.cells:
        rows.setdefault(cell.text, []).append(cell)
    return rows


def _cell(cell: OwnCell) -> str:
    if cell.value is None:
        return MISSING
    return f"{cell.value:.1f}" + (f" [{cell.ci[0]:.1f}, {cell.ci[1]:.1f}]" if cell.ci else "")


def _facts(cell: OwnCell) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {tables.fact_write(value)}" for name, value in cell.facts.items()
    )


def _told(one: OwnDifference) -> str:
    ends = "" if one.ci is None else f" [{one.ci[0]:+.1f}, {one.ci[1]:+.1f}]"
    return f"{one.text}, {one.a} − {one.b}: {one.difference:+.1f}{ends}. {one.sentence}"


def _tabular(columns: str, heads: list[str], rows: list[list[str]]) -> list[str]:
    """Write a table, leaving the column of conditions out when all are the same."""
    if len({row[1] for row in rows}) < 2:
        columns = columns[0] + columns[2:]
        heads, rows = [heads[0], *heads[2:]], [[row[0], *row[2:]] for row in rows]
    return [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(" & ".join(_tex(cell) for cell in row) + r" \\" for row in [heads]),
        r"\midrule",
        *(" & ".join(_tex(cell) for cell in row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _value(found: Fluency, like: Score, metric: str) -> float | None:
    """Return the score of the same output and segments by another metric."""
    key = (like.system, like.input, like.direction)
    return next(
        (
            one.value
            for one in found.report.results
            if one.metric == metric and (one.system, one.input, one.direction) == key
        ),
        None,
    )


def _difference(one: Measured) -> list[str]:
    return [MISSING if one.difference is None else f"{one.difference:+.1f}", _p(one.p)]


def _share(one: Score) -> str:
    rate = one.facts.get("oov_rate")
    return f"{rate:.1%}" if isinstance(rate, int | float) else MISSING


def _digits(value: float | None, digits: int) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _where(condition: str) -> str:
    return f"{condition}: " if condition else ""


def _p(p_value: float | None) -> str:
    return MISSING if p_value is None else f"{p_value:.3f}" if p_value >= 0.001 else "< .001"


def _tex(text: str) -> str:
    return latex_escape(text)
