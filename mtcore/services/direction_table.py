"""The table of translation directions: each system on direct and on reverse text, and the difference."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from evalplatform.errors import BadInput
from evalplatform.words import quoted
from mtcore.corpora.latex import latex_escape
from mtcore.engines.base import Work
from mtcore.metrics import METRICS
from mtcore.metrics.base import FloatArray, Metric, total
from mtcore.metrics.packing import stats_unpack
from mtcore.metrics.scoring import ScoreReport, ScoringOptions, finite
from mtcore.models import Run, Segment, SystemOutput, TestSet
from mtcore.services.metric_outputs import Selection, Watch, outputs_score, outputs_score_check
from mtcore.services.metric_results import metric_result_find
from mtcore.services.metric_scoring import MetricOptions, scorers_make
from mtcore.services.texts import whole_sentence
from mtcore.services.versions import testset_find, version_original

SIDES = ("direct", "reverse")
FIGURES = (*SIDES, "delta")
Sums = dict[str, dict[str, tuple[FloatArray, int]]]
"""System → side → summed statistics and number of segments."""


@dataclass(frozen=True)
class DirectionRow:
    """One system; `delta` is reverse − direct."""

    system: str
    direct: float
    reverse: float
    delta: float
    n_direct: int
    n_reverse: int


@dataclass(frozen=True)
class DirectionTable:
    """The table, sorted by the difference.

    `one_sided` are the systems that have outputs of one side only, `left_out` those that could not be scored,
    each with the reason.
    """

    metric: str
    title: str
    digits: int
    languages: str
    testsets: tuple[str, ...]
    rows: tuple[DirectionRow, ...]
    one_sided: tuple[str, ...]
    signature: str
    left_out: tuple[tuple[str, str], ...] = ()


def direction_table(
    *,
    testsets: Sequence[str],
    metric: str = "bleu",
    models: Mapping[str, str] | None = None,
    run: Run | None = None,
    watch: Watch | None = None,
    work: Work | None = None,
) -> DirectionTable:
    """Score every output from the original source on direct and reverse segments (Edunov et al., Table 7).

    Several test sets of one language pair are taken together: the score of a side comes from the sums of the
    statistics of all its segments. What is scored is kept.

    Args:
        testsets: names.
        metric: name.
        models: name of a metric → path of its model.
        run: the run that the work is done for.
        watch: told what part is done.
        work: who runs an engine where the metric needs one; by default here and now.

    Raises:
        NotFound: there is no such test set, or it has no outputs.
        BadInput: several language pairs, no segments of a side, or a metric that cannot be had.
    """
    found = _of_one_pair(testsets)
    options = _options(found, metric, models)
    (scorer,) = scorers_make(options, work)
    if scorer.metric is None:  # scorers_make has refused it
        raise BadInput(scorer.reason)
    sums: Sums = {}
    signatures: dict[str, None] = {}
    unscored: dict[str, str] = {}
    score = partial(outputs_score, run=run, work=work)
    for number, testset in enumerate(found):
        if watch is not None:
            watch(number / len(found), f"{metric} of {testset.name}")
        unscored |= _add(sums, testset, scorer.metric, partial(score, options=options), signatures)
    if unscored and not sums.keys() - unscored.keys():
        raise BadInput("No system could be scored.", reasons_write(unscored.items()))
    _sides_check(found, {side for own in sums.values() for side in own})
    scored = {name: own for name, own in sums.items() if name not in unscored}
    rows = [_row(name, own, scorer.metric) for name, own in scored.items() if len(own) == len(SIDES)]
    kept = [row for row in rows if row is not None]
    kind = METRICS[metric]
    return DirectionTable(
        metric, kind.title, kind.digits, f"{found[0].source_language}-{found[0].target_language}",
        tuple(one.name for one in found),
        tuple(sorted(kept, key=lambda row: (row.delta, row.system))),
        tuple(sorted(name for name, own in scored.items() if len(own) < len(SIDES))), "; ".join(signatures),
        tuple(sorted(unscored.items())),
    )  # fmt: skip


def direction_table_check(
    *, testsets: Sequence[str], metric: str = "bleu", models: Mapping[str, str] | None = None
) -> None:
    """Refuse what `direction_table` would refuse before it scores.

    Raises:
        NotFound: there is no such test set, or it has no outputs.
        BadInput: several language pairs, no segments of a side, or a metric that cannot be had.
    """
    found = _of_one_pair(testsets)
    # A model of perplexity may score with an engine that only workers have: it is not opened here.
    options = _options(found, "bleu" if models else metric, None)
    for testset in found:
        source = str(version_original(testset, "source"))
        outputs_score_check(testset=testset.name, selection=Selection(inputs=(source,)), options=options)
    known = Segment.objects.filter(testset__in=found).order_by().values_list("direction", flat=True)
    _sides_check(found, set(known.distinct()))


def _of_one_pair(testsets: Sequence[str]) -> list[TestSet]:
    found = [testset_find(name) for name in dict.fromkeys(testsets)]
    pairs = {(one.source_language, one.target_language) for one in found}
    if len(pairs) > 1:
        listed = ", ".join("-".join(one) for one in sorted(pairs))
        raise BadInput(f"The test sets are of several language pairs: {listed}.", "Give those of one pair.")
    return found


def _options(found: Sequence[TestSet], metric: str, models: Mapping[str, str] | None) -> MetricOptions:
    return MetricOptions(
        metrics=(metric,), models=dict(models or {}), language=found[0].target_language,
        scoring=ScoringOptions(resamples=0),
    )  # fmt: skip


def _sides_check(found: Sequence[TestSet], known: Container[str]) -> None:
    missing = [side for side in SIDES if side not in known]
    if missing:
        raise BadInput(
            f"{quoted(one.name for one in found)} have no {missing[0]} segments with outputs.",
            "Give a test set of the other side as well, or its directions when it is imported.",
        )


def _add(
    sums: Sums,
    testset: TestSet,
    scorer: Metric,
    scored: Callable[..., ScoreReport],
    signatures: dict[str, None],
) -> dict[str, str]:
    """Score the outputs of a test set and add their statistics by side.

    Returns:
        System → why it could not be scored.
    """
    source = version_original(testset, "source")
    reference = version_original(testset, "target") if "reference" in scorer.needs else None
    report = scored(testset=testset.name, selection=Selection(inputs=(str(source),)))
    directions = np.array(testset.segments.order_by("position").values_list("direction", flat=True))
    outputs = SystemOutput.objects.filter(testset=testset, input_version=source).select_related("system")
    by_system = {output.system.name: output for output in outputs}
    unscored: dict[str, str] = {}
    for score in report.results:
        if score.value is None:
            unscored[score.system] = score.reason
            continue
        row = metric_result_find(
            output=by_system[score.system], reference=reference, metric=scorer.name, signature=score.signature
        )
        if row is None or row.segment_stats is None:
            continue
        signatures[score.signature] = None
        stats = stats_unpack(row.segment_stats)
        for side in SIDES:
            own = stats[directions == side]
            if len(own):
                before, n = sums.setdefault(score.system, {}).get(side, (0.0, 0))
                sums[score.system][side] = (before + total(own), n + len(own))
    return unscored


def _row(system: str, own: Mapping[str, tuple[FloatArray, int]], scorer: Metric) -> DirectionRow | None:
    direct, reverse = (finite(float(scorer.corpus_score(own[side][0]))) for side in SIDES)
    if direct is None or reverse is None:
        return None
    return DirectionRow(system, direct, reverse, reverse - direct, own["direct"][1], own["reverse"][1])


def reasons_write(left_out: Iterable[tuple[str, str]]) -> str:
    """Say which systems are left out, and why."""
    return " ".join(whole_sentence(f"“{system}” is left out: {reason}") for system, reason in left_out)


def to_table(table: DirectionTable) -> str:
    """Write aligned text."""
    rows = [["system", "direct", "reverse", "difference", "n direct", "n reverse"]]
    for row in table.rows:
        numbers = [f"{value:.{table.digits}f}" for value in (row.direct, row.reverse)]
        counts = [f"{n:,}" for n in (row.n_direct, row.n_reverse)]
        rows.append([row.system, *numbers, f"{row.delta:+.{table.digits}f}", *counts])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        f"{table.title} of {table.languages} on direct and reverse text ({', '.join(table.testsets)})",
        "",
    ]
    for cells in rows:
        first, *others = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append("  ".join([first, *others]))
    if table.one_sided:
        lines += ["", f"Outputs of one side only: {quoted(table.one_sided)}."]
    if table.left_out:
        lines += ["", reasons_write(table.left_out)]
    return "\n".join([*lines, "", table.signature]) + "\n"


def to_json(table: DirectionTable) -> str:
    """Write strict JSON."""
    return json.dumps(asdict(table), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(table: DirectionTable) -> str:
    """Write a row a system, with exact values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["system", "direct", "reverse", "delta", "n_direct", "n_reverse", "metric", "signature"])
    for row in table.rows:
        writer.writerow([*asdict(row).values(), table.metric, table.signature])
    return out.getvalue()


def to_latex(table: DirectionTable) -> str:
    """Write the table as papers print it."""
    rows = [[row.system, *(_minus(row, name, table.digits) for name in FIGURES)] for row in table.rows]
    body = [" & ".join(map(latex_escape, row)) + r" \\" for row in rows]
    lines: Iterable[str] = [
        r"% Needs \usepackage{booktabs}.",
        f"% {table.title}, {', '.join(table.testsets)}: {table.signature}",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"system & fwd & rev & delta \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _minus(row: DirectionRow, name: str, digits: int) -> str:
    return f"{getattr(row, name):.{digits}f}".replace("-", "−")


FORMATS: dict[str, Callable[[DirectionTable], str]] = {
    "table": to_table,
    "json": to_json,
    "csv": to_csv,
    "latex": to_latex,
}
"""Name → writer."""
