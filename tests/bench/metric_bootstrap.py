"""Paired bootstrap of 12 systems by BLEU, chrF and TER, beside sacrebleu's own."""

import time
from collections.abc import Callable

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from mtcore.metrics import METRICS
from mtcore.metrics.significance import SACREBLEU_SEED, bootstrap, sacrebleu_p
from tests.bench.timing import Section, best, table
from tests.paths import DATA

RESAMPLES = 1000
LEAST = {"bleu": 10, "chrf": 10, "ter": 5}
OWN: dict[str, Callable[..., BLEU | CHRF | TER]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}


def measure() -> Section:
    """Time extraction and resampling of both; check that scores and p-values are the same."""
    folder = DATA / "human" / "wmt22-csen-da"
    section = Section("Paired bootstrap by metrics", "")
    if not folder.is_dir():
        section.text = "Not measured: the shared real data (../shared/data) is absent."
        return section
    reference = read(folder / "reference.B.en")
    outputs = {path.stem: read(path) for path in sorted((folder / "outputs").iterdir())}
    outputs["HUMAN-C"] = read(folder / "reference.C.en")
    rows = []
    for name in OWN:
        theirs = sacrebleus(name, outputs, reference)
        ours = of_ours(name, outputs, reference)
        steps = theirs["resampling"] / ours["resampling"]
        whole = (theirs["extraction"] + theirs["resampling"]) / (ours["extraction"] + ours["resampling"])
        apart = max(abs(a - b) for a, b in zip(theirs["p"], ours["p"], strict=True))
        rows.append(
            [
                name, *(f"{each['extraction']:.2f} s" for each in (theirs, ours)),
                *(f"{each['resampling']:.3f} s" for each in (theirs, ours)),
                f"{steps:.0f}", f"{whole:.2f}", f"{apart:.4f}",
            ]
        )  # fmt: skip
        section.promise(f"{name}: the same scores", theirs["scores"] == ours["scores"])
        section.promise(f"{name}: p-values within Monte-Carlo error (0.05)", apart <= 0.05)
        section.promise(f"{name}: resampling at least {LEAST[name]} times as fast", steps >= LEAST[name])
        section.promise(f"{name}: not slower as a whole", whole >= 1)
    section.text = (
        f"{len(outputs)} outputs of {len(reference):,} segments, {RESAMPLES:,} resamples; sacrebleu's "
        "`PairedTest` in one process, its processor time parted into extraction and the rest.\n\n"
        + table(
            ["metric", "extraction, sacrebleu", "ours", "resampling, sacrebleu", "ours",
             "times as fast", "whole", "largest difference of p"], rows,
        )
    )  # fmt: skip
    return section


def read(path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def sacrebleus(name: str, outputs: dict[str, list[str]], reference: list[str]) -> dict:
    """Run sacrebleu's paired bootstrap, with its time for extraction taken apart."""
    metric = OWN[name]()
    spent = 0.0
    extract = metric._extract_corpus_statistics

    def timed(*arguments):
        nonlocal spent
        start = time.process_time()
        stats = extract(*arguments)
        spent += time.process_time() - start
        return stats

    start = time.process_time()
    metric._ref_cache = metric._cache_references([reference])
    spent += time.process_time() - start
    metric._extract_corpus_statistics = timed
    _, scores = PairedTest(list(outputs.items()), {name: metric}, None, "bs", RESAMPLES)()
    took = time.process_time() - start
    (results,) = (scores[key] for key in scores if key != "System")
    return {
        "extraction": spent,
        "resampling": took - spent,
        "scores": [result.score for result in results],
        "p": [result.p_value for result in results[1:]],
    }


def of_ours(name: str, outputs: dict[str, list[str]], reference: list[str]) -> dict:
    """Run ours: every system against the first, as sacrebleu does, with an interval for each."""
    metric = METRICS[name]("en")
    start = time.process_time()
    stats = [metric.segment_stats(output, [reference]) for output in outputs.values()]
    extraction = time.process_time() - start

    def resample():
        found = bootstrap(metric, stats, RESAMPLES, np.random.default_rng(SACREBLEU_SEED))
        return found, found.intervals(), [sacrebleu_p(found, 0, n) for n in range(1, len(stats))]

    resampling, (found, _, p_values) = best(resample)
    return {
        "extraction": extraction,
        "resampling": resampling,
        "scores": found.scores.tolist(),
        "p": p_values,
    }
