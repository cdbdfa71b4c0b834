"""Agreement on published judgements."""

import gzip

import krippendorff
import numpy as np
import pytest

from annotation.formats.base import ParseOptions
from annotation.formats.wmt16_ranking import Wmt16RankingFormat
from annotation.stats.agreement import Judged, judged_ratings, rating_agreement
from annotation.stats.alpha import krippendorff_alpha
from annotation.stats.kappa import wmt_kappa
from annotation.stats.records import Comparison, RatingTable
from annotation.stats.standardise import standardise
from tests.paths import DATA, needs_data
from tests.realdata.test_stats_rankings import judgements

pytestmark = needs_data


def collapsed(pair: str) -> list[Comparison]:
    data = gzip.decompress((DATA / "pairwise" / f"wmt16.collapsed.{pair}.csv.gz").read_bytes())
    rows = Wmt16RankingFormat().parse(data, pair, ParseOptions()).comparisons
    return [
        Comparison(row.rater, row.left, row.right, row.segment, "newstest2016", row.winner)  # type: ignore[arg-type]
        for row in rows
        if not row.identical
    ]


@pytest.mark.parametrize(
    ("pair", "p_agree", "p_expected", "kappa", "counts"),
    [
        ("deu-eng", 0.696, 0.421, 0.475, (749, 1076, 1182, 12926)),
        ("tur-eng", 0.554, 0.345, 0.319, (349, 630, 2367, 9684)),
    ],
)
def test_published_kappa(pair: str, p_agree: float, p_expected: float, kappa: float, counts: tuple):
    labels = collapsed(pair)
    found = wmt_kappa(labels, rng=np.random.default_rng(1), resamples=200)
    assert (found.agree, found.comparable, found.ties, found.labels) == counts
    assert found.p_agree == pytest.approx(p_agree, abs=0.0005)
    assert found.p_expected == pytest.approx(p_expected, abs=0.0005)
    assert found.value == pytest.approx(kappa, abs=0.0005)
    assert found.low < found.value < found.high
    # the published count pools labels of two raters with those that one rater gave twice
    between, within = (wmt_kappa(labels, pairs=pairs) for pairs in ("between", "within"))
    assert between.comparable + within.comparable == found.comparable
    assert between.value < found.value < within.value


def test_agreement_of_a_real_crowd_depends_on_standardising():
    table = RatingTable.from_ratings(judgements("wmt22-csen-da"))
    z = standardise(table).z
    report = rating_agreement(table, z, np.random.default_rng(1), resamples=200)
    assert (report["n_items"], report["n_items_of_several"], report["n_raters"]) == (16008, 1655, 156)
    for part, values, expected in (("raw", table.score, 0.067), ("z", z, 0.262)):
        alpha = report[part]["alpha"]
        assert alpha["value"] == pytest.approx(expected, abs=0.0015)
        assert alpha["ci"][0] < alpha["value"] < alpha["ci"][1]
        assert_equal_to_the_package(judged_ratings(table, values))
        assert report[part]["icc_2_1"] is None
    raw, standard = report["raw"]["components"], report["z"]["components"]
    assert raw["rater"] > raw["unit"]
    assert standard["rater"] < standard["unit"]
    assert standard["single"] > raw["single"]


def assert_equal_to_the_package(judged: Judged, units: int = 150) -> None:
    """Compare on some units only: the package holds a square of the distinct values for each unit."""
    several = np.flatnonzero(np.bincount(judged.unit) > 1)[:units]
    chosen = np.isin(judged.unit, several)
    unit, rater, value = judged.unit[chosen], judged.rater[chosen], judged.value[chosen]
    matrix = np.full((rater.max() + 1, units), np.nan)
    matrix[rater, np.searchsorted(several, unit)] = value
    expected = krippendorff.alpha(reliability_data=matrix, level_of_measurement="interval")
    assert krippendorff_alpha(unit, value).value == pytest.approx(expected, abs=1e-10)
