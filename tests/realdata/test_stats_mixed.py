"""The mixed model and "does it hold?" on a published crowd campaign of 20,094 counted ratings."""

import json

import pytest

from annotation.stats.mixed import fit_mixed
from annotation.stats.mixed_compare import compare_with_z
from annotation.stats.options import ScoreOptions
from annotation.stats.records import RatingTable
from annotation.stats.robustness import leave_one_out
from annotation.stats.score import score_ratings
from tests.paths import needs_data
from tests.realdata.test_stats_rankings import judgements

pytestmark = needs_data


def test_the_mixed_model_of_the_czech_english_campaign():
    table = RatingTable.from_ratings(judgements("wmt22-csen-da"))
    found = fit_mixed(table)
    assert found["model"]["converged"]
    shape = [found["model"][name] for name in ("n_ratings", "n_raters", "n_segments", "n_systems")]
    assert shape == [20_094, 156, 1448, 12]
    assert found["model"]["terms"] == ["rater", "rater_system", "segment", "output"]
    sd = {name: row["sd"] for name, row in found["variances"].items()}
    expected = {"rater": 16.2, "rater_system": 5.8, "segment": 5.9, "output": 9.0, "residual": 14.0}
    assert sd == pytest.approx(expected, abs=0.1)
    compared = compare_with_z(found, score_ratings(table, ScoreOptions(resamples=1000)))
    assert compared["n_pairs"] == 66
    assert compared["kendall_tau"] > 0.7
    # raters who favour systems make the model more careful than a bootstrap of segments
    kinds = [row["kind"] for row in compared["disagreements"]]
    assert kinds.count("z_only") > kinds.count("mixed_only")
    assert "opposite" not in kinds
    json.dumps([found, compared], allow_nan=False)


def test_the_czech_english_ranking_without_each_rater():
    table = RatingTable.from_ratings(judgements("wmt22-csen-da"))
    found = leave_one_out(table)
    scores = score_ratings(table, ScoreOptions(resamples=2))
    for row, expected in zip(found["systems"], scores["systems"], strict=True):
        assert (row["system"], row["wins"]) == (expected["system"], expected["wins"])
        assert row["z_mean"] == pytest.approx(expected["z_mean"], abs=1e-9)
        assert row["least"]["z_mean"] < row["z_mean"] < row["greatest"]["z_mean"]
    (raters,) = found["summary"]
    assert (raters["kind"], raters["n"], raters["n_same_first"]) == ("rater", 156, 156)
    assert raters["lowest_tau"]["kendall_tau"] > 0.9
    json.dumps(found, allow_nan=False)
