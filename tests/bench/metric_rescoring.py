"""Scores from kept statistics beside a fresh extraction."""

from mtcore.metrics import METRICS
from mtcore.metrics.base import total
from mtcore.metrics.packing import stats_pack, stats_unpack
from tests.bench.metric_bootstrap import read
from tests.bench.timing import Section, best, table
from tests.paths import DATA

LEAST = {"ter": 50, "bleu": 10, "chrf": 10}


def measure() -> Section:
    """Time one output's first scoring, and scoring it and its first half again from what was kept."""
    folder = DATA / "human" / "wmt22-csen-da"
    section = Section("Scoring again from kept statistics", "")
    if not folder.is_dir():
        section.text = "Not measured: the shared real data (../shared/data) is absent."
        return section
    reference, output = read(folder / "reference.B.en"), read(folder / "outputs" / "Online-A.en")
    half = len(output) // 2
    rows = []
    for name, least in LEAST.items():
        fresh, stats = best(lambda name=name: METRICS[name]("en").segment_stats(output, [reference]), times=2)
        metric, kept = METRICS[name]("en"), stats_pack(stats)

        def again(metric=metric, kept=kept):
            own = stats_unpack(kept)
            return [float(metric.corpus_score(total(part))) for part in (own, own[:half])]

        seconds, scores = best(again)
        expected = [metric.score(output, [reference]), metric.score(output[:half], [reference[:half]])]
        rows.append(
            [name, f"{fresh:.2f} s", f"{seconds * 1000:.1f} ms", f"{fresh / seconds:,.0f}", f"{len(kept):,}"]
        )
        section.promise(f"{name}: the same scores", scores == expected)
        section.promise(f"{name}: again at least {least} times as fast", fresh / seconds >= least)
    section.text = (
        f"One output of {len(output):,} segments: taking its statistics, then its score and that of its "
        "first half from the bytes that are kept.\n\n"
        + table(["metric", "first", "again, twice", "times as fast", "bytes kept"], rows)
    )
    return section
