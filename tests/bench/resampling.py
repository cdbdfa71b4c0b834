"""A million ratings: z, averages and 1,000 resamples of 20 systems, beside the bare matrix product."""

from dataclasses import replace

import numpy as np

from annotation.stats.aggregate import aggregate
from annotation.stats.records import Entry, RatingTable
from annotation.stats.resampling import bootstrap_systems, percentile_interval
from annotation.stats.score import score_ratings
from annotation.stats.significance import bootstrap_p_values
from annotation.stats.standardise import standardise
from tests.bench.timing import Section, best, table

SYSTEMS, RATERS, RESAMPLES = 20, 200, 1000
SHAPES = ((16_667, 3), (50_000, 1))
"""Segments, and judgements of each output: a million ratings each time."""

LIMIT, SECONDS = 25, 1.5
PAIRS = np.array([(a, b) for a in range(SYSTEMS) for b in range(a + 1, SYSTEMS)])


def campaign(segments: int, judgements: int) -> RatingTable:
    """Return ratings in no particular order: every system judged on every segment."""
    rng = np.random.default_rng(1)
    n = segments * judgements * SYSTEMS
    rater = rng.integers(0, RATERS, size=(segments, judgements)).repeat(SYSTEMS, axis=1).ravel()
    entry = np.tile(np.arange(SYSTEMS), segments * judgements)
    order = rng.permutation(n)
    score = np.clip(np.rint(rng.normal(70, 15, n) + 0.3 * entry), 0, 100)
    return RatingTable(
        rater=rater[order],
        segment=np.repeat(np.arange(segments), judgements * SYSTEMS)[order],
        kind=np.zeros(n, dtype=np.int64),
        score=score[order],
        credit_rating=np.arange(n),
        credit_entry=entry[order],
        raters=tuple(f"r{number:03d}" for number in range(RATERS)),
        segments=tuple(("t", number) for number in range(segments)),
        entries=tuple(Entry(f"s{number:02d}") for number in range(SYSTEMS)),
    )


def resampled(ratings: RatingTable) -> tuple[np.ndarray, ...]:
    """Return intervals of raw and z means and of 190 differences, and their p-values."""
    averages = aggregate(ratings, standardise(ratings).z)
    raw, z, apart = bootstrap_systems(
        np.random.default_rng(1), averages.raw, averages.z, PAIRS, averages.strata, RESAMPLES
    )
    difference = averages.z_mean[PAIRS[:, 0]] - averages.z_mean[PAIRS[:, 1]]
    return (
        percentile_interval(raw, averages.raw_mean),
        percentile_interval(z, averages.z_mean),
        percentile_interval(apart, difference),
        bootstrap_p_values(apart).two_sided,
    )


def measure() -> Section:
    """Time both beside the product of the same shape, and the whole of `score_ratings`."""
    rng = np.random.default_rng(2)
    rows, section = [], Section("A million ratings", "")
    for segments, judgements in SHAPES:
        ratings = campaign(segments, judgements)
        counts, values = rng.random((RESAMPLES, segments)), rng.random((segments, SYSTEMS))
        bare, _ = best(lambda counts=counts, values=values: counts @ values, 7)
        ours, _ = best(lambda ratings=ratings: resampled(ratings), 5)
        whole, result = best(lambda ratings=ratings: score_ratings(replace(ratings)), 2)
        assert len(result["pairs"]) == len(PAIRS)
        shape = f"{segments:,} segments × {judgements}"
        rows.append([shape, f"{bare:.3f} s", f"{ours:.3f} s", f"{ours / bare:.1f}", f"{whole:.2f} s"])
        section.promise(f"{shape}: at most {LIMIT} times the bare product", ours <= LIMIT * bare)
        section.promise(f"{shape}: at most {SECONDS} s on a quiet core", ours <= SECONDS)
    section.text = (
        f"{SYSTEMS} systems, {RATERS} raters, 1,000,000 ratings, {RESAMPLES:,} resamples; processor time. "
        f"*Bare product*: counts [{RESAMPLES}, segments] @ values [segments, {SYSTEMS}], nothing else. "
        "*Ours*: z, averages, drawing and counting, raw and z means and 190 differences, their intervals and "
        "p-values. *Whole*: `score_ratings`, with sorting the rows, randomisation, rank tests, wins and "
        "clusters.\n\n" + table(["ratings", "bare product", "ours", "ours / bare", "whole"], rows)
    )
    return section
