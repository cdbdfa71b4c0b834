"""The further tests and intervals keep their level, and what they promise, where the truth is known."""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.stats.options import ScoreOptions
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Habit, Truth, simulate_ratings

pytestmark = pytest.mark.slow
RATERS = (Habit(), Habit(mean=45), Habit(mean=80, spread=8), Habit(spread=16), Habit(mean=55), Habit(mean=70))


def test_paired_tests_reject_a_true_null_at_their_level_and_bca_covers():
    runs = 300
    rejected = {"p_randomisation": 0, "p_signed_rank": 0}
    covered = 0
    for child in np.random.default_rng(21).spawn(runs):
        table = simulate_ratings(child, Truth(segments=200, raters=RATERS))
        (pair,) = score_ratings(table, ScoreOptions(resamples=500, interval="bca"))["pairs"]
        for name in rejected:
            rejected[name] += pair[name] < 0.05
        covered += pair["z_difference_ci"][0] <= 0 <= pair["z_difference_ci"][1]
    low, high = binom.ppf([5e-5, 1 - 5e-5], runs, 0.05)
    for count in (*rejected.values(), runs - covered):
        assert low <= count <= high


def test_holm_keeps_the_error_of_a_family():
    runs, wrong = 200, 0
    for child in np.random.default_rng(22).spawn(runs):
        truth = Truth(effects=dict.fromkeys("ABCD", 0.0), segments=100, raters=RATERS, judgements=2)
        options = ScoreOptions(resamples=400, correction="holm", test="randomisation")
        pairs = score_ratings(simulate_ratings(child, truth), options)["pairs"]
        wrong += any(pair["p_holm"] < 0.05 for pair in pairs)
    assert wrong <= binom.ppf(1 - 1e-4, runs, 0.05)


def test_resampling_raters_too_holds_where_raters_have_favourites():
    runs, rejected = 90, {"fixed": 0, "random": 0}
    for child in np.random.default_rng(23).spawn(runs):
        table = simulate_ratings(child, Truth(segments=300, raters=RATERS, interaction=0.2))
        for raters in rejected:
            (pair,) = score_ratings(table, ScoreOptions(resamples=300, raters=raters))["pairs"]
            rejected[raters] += pair["p_bootstrap_two_sided"] < 0.05
    # six raters are few: their bootstrap is a little too narrow, so the level is not quite .05
    assert rejected["random"] <= binom.ppf(1 - 1e-4, runs, 0.10)
    assert rejected["fixed"] > binom.ppf(1 - 1e-4, runs, 0.20)


def test_resampling_documents_holds_where_their_segments_resemble_each_other():
    runs, rejected = 150, {"segment": 0, "document": 0}
    for child in np.random.default_rng(24).spawn(runs):
        table = simulate_ratings(child, Truth(segments=240, raters=RATERS))
        shift = child.normal(0, 6, size=30)
        document = np.arange(240) // 8
        score = table.score + np.where(table.credit_entry == 0, shift[document[table.segment]], 0.0)
        own = type(table)(
            table.rater, table.segment, table.kind, score, table.credit_rating, table.credit_entry,
            table.raters, table.segments, table.entries, documents=tuple(document.tolist()),
        )  # fmt: skip
        for unit in rejected:
            (pair,) = score_ratings(own, ScoreOptions(resamples=300, unit=unit))["pairs"]
            rejected[unit] += pair["p_bootstrap_two_sided"] < 0.05
    assert rejected["document"] <= binom.ppf(1 - 1e-4, runs, 0.08)
    assert rejected["segment"] > binom.ppf(1 - 1e-4, runs, 0.10)
