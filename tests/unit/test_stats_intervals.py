"""BCa intervals, resampling of documents, and of raters and segments together."""

import numpy as np
import pytest

from annotation.stats.aggregate import aggregate
from annotation.stats.bca import acceleration, bca_interval
from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.records import Entry, Rating, RatingTable, RecordError
from annotation.stats.resampling import bootstrap_means, resample_counts
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Habit, Truth, simulate_ratings
from annotation.stats.standardise import standardise
from annotation.stats.twoway import bootstrap_twoway

PAIRS = np.array([[0, 1]])


def test_acceleration_is_a_sixth_of_the_skewness_of_the_jackknife():
    values = np.array([[1.0, 2.0, 2.0, 9.0, np.nan], [3.0, 3.0, 3.0, 3.0, 3.0]])
    apart = values[0, :4] - values[0, :4].mean()
    expected = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    assert acceleration(values, np.zeros(5, dtype=int)) == pytest.approx([expected, 0.0], abs=1e-12)


def test_leaving_out_documents_leaves_out_all_their_segments():
    values = np.array([[1.0, 2.0, 4.0, 9.0, 0.0]])
    units = np.array([0, 0, 1, 1, 2])
    left = np.array([13 / 3, 3 / 3, 16 / 4])
    apart = left.mean() - left
    expected = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    assert acceleration(values, np.zeros(5, dtype=int), units) == pytest.approx([expected], abs=1e-12)


def test_bca_without_bias_and_acceleration_is_the_percentile_interval():
    draws = np.column_stack([np.arange(1001.0)] * 2)
    plain = bca_interval(draws, np.array([500.0, 500.0]), np.array([0.0, 0.1]))
    assert plain[0] == pytest.approx([25.0, 975.0])
    assert plain[1, 0] > 25.0
    assert plain[1, 1] > 975.0


def test_bca_contains_its_estimate_whatever_the_draws():
    draws = np.column_stack([np.full(100, 3.0), np.arange(100.0), np.arange(100.0)])
    interval = bca_interval(draws, np.array([3.0, 500.0, -5.0]), np.array([0.0, 0.2, 9.0]))
    assert interval[0].tolist() == [3.0, 3.0]
    assert interval[1, 0] <= 500.0 <= interval[1, 1]
    assert interval[2, 0] <= -5.0 <= interval[2, 1]


def rated(documents: bool = True) -> list[Rating]:
    rng = np.random.default_rng(7)
    rows = []
    for segment in range(24):
        for rater in rng.permutation(["r1", "r2", "r3", "r4"])[:2].tolist():
            for name, gain in (("A", 6), ("B", 0)):
                score = float(rng.integers(20, 80) + gain)
                document = f"d{segment // 4}" if documents else None
                rows.append(Rating(rater, (Entry(name),), segment, "t", score, document=document))
    return rows


def test_documents_are_drawn_whole():
    values = np.random.default_rng(3).normal(size=(2, 7))
    values[1, :2] = np.nan
    units, strata = np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 0, 1, 1])
    means = bootstrap_means(np.random.default_rng(5), values, strata, 40, units)
    main, _ = np.random.default_rng(5).spawn(2)
    (counts,) = resample_counts(main, np.array([0, 0, 1]), 40)
    for row, (first, second) in zip(counts, means, strict=True):
        drawn = [segment for segment in range(7) for _ in range(int(row[units[segment]]))]
        assert first == pytest.approx(values[0, drawn].mean(), abs=1e-12)
        kept = [segment for segment in drawn if segment > 1]
        assert second == pytest.approx(values[1, kept].mean(), abs=1e-12)


def test_documents_widen_the_interval_where_their_segments_resemble_each_other():
    rng = np.random.default_rng(1)
    rows = []
    for segment in range(120):
        shift = float(np.random.default_rng(segment // 10).normal(0, 20))
        for name in "AB":
            score = 50 + (shift if name == "A" else 0) + float(rng.normal(0, 3))
            rows.append(Rating("r", (Entry(name),), segment, "t", score, document=segment // 10))
    table = RatingTable.from_ratings(rows)
    widths = []
    for unit in ("segment", "document"):
        (pair,) = score_ratings(table, ScoreOptions(unit=unit))["pairs"]
        widths.append(pair["z_difference_ci"][1] - pair["z_difference_ci"][0])
        assert pair["z_difference_ci"][0] <= pair["z_difference"] <= pair["z_difference_ci"][1]
    # ten segments a document that are all but equal: √10 as wide
    assert 2.2 < widths[1] / widths[0] < 4.0


def test_documents_need_one_for_every_segment():
    rows = rated()
    rows[0] = rows[0]._replace(segment=99, document=None)
    with pytest.raises(OptionsError, match="unit document needs a document for every segment; 1 of 25 have"):
        score_ratings(RatingTable.from_ratings(rows), ScoreOptions(unit="document"))
    with pytest.raises(RecordError, match="segment 3 belongs to two documents"):
        RatingTable.from_ratings([*rated(), rated()[0]._replace(segment=3, document="other")])


@pytest.mark.parametrize("repeats", ["flat", "within_rater_first"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_raters_and_segments_together_give_what_a_plain_loop_gives(repeats: str, unit: str):
    rows = [*rated(), *[row._replace(score=row.score / 2, kind="repeat") for row in rated()[:9]]]
    table = RatingTable.from_ratings(rows)
    averages = aggregate(table, standardise(table).z, repeats)
    units = None if unit == "segment" else averages.documents
    raw, z, differences = bootstrap_twoway(np.random.default_rng(9), averages, PAIRS, 30, repeats, units)
    found, b = averages.credits, 30
    for values, draws, child in zip(
        (found.raw, found.z), (raw, z), np.random.default_rng(9).spawn(2), strict=True
    ):
        streams = child.spawn(2)[0].spawn(2)
        (raters,) = resample_counts(streams[0], np.zeros(4, dtype=int), b)
        (counts,) = resample_counts(streams[1], np.zeros(24 if units is None else 6, dtype=int), b)
        for place in range(b):
            for entry in (0, 1):
                top = bottom = 0.0
                for m in range(len(found.entry)):
                    if found.entry[m] != entry:
                        continue
                    cell = (found.entry == entry) & (found.segment == found.segment[m])
                    if repeats == "flat":
                        share = 1 / cell.sum()
                    else:
                        own = cell & (found.rater == found.rater[m])
                        share = 1 / (len(set(found.rater[cell].tolist())) * own.sum())
                    where = found.segment[m] if units is None else units[found.segment[m]]
                    weight = raters[place, found.rater[m]] * counts[place, where] * share
                    top, bottom = top + weight * values[m], bottom + weight
                assert draws[place, entry] == pytest.approx(top / bottom, abs=1e-10)
    assert differences[:, 0] == pytest.approx(z[:, 0] - z[:, 1], abs=1e-12)


def test_two_way_draws_are_never_undefined():
    rows = [Rating(f"r{n}", (Entry("A"),), n, "t", score) for n in range(3) for score in (10.0 * n, 50.0)]
    rows += [Rating("r0", (Entry("B"),), 0, "t", 30.0), Rating("r2", (Entry("B"),), 2, "t", 90.0)]
    table = RatingTable.from_ratings(rows)
    averages = aggregate(table, standardise(table).z)
    raw, z, differences = bootstrap_twoway(np.random.default_rng(2), averages, PAIRS, 500)
    for draws in (raw, z, differences):
        assert not np.isnan(draws).any()
    assert raw[:, 1].min() >= 30.0
    assert raw[:, 1].max() <= 90.0


def test_raters_who_favour_a_system_widen_the_two_way_interval():
    truth = Truth(segments=300, raters=(Habit(),) * 6, interaction=0.3)
    table = simulate_ratings(np.random.default_rng(3), truth)
    widths, p_values = {}, {}
    for raters in ("fixed", "random"):
        (pair,) = score_ratings(table, ScoreOptions(raters=raters))["pairs"]
        low, high = pair["z_difference_ci"]
        assert low <= pair["z_difference"] <= high
        widths[raters], p_values[raters] = high - low, pair["p_bootstrap_two_sided"]
    assert widths["random"] > 1.5 * widths["fixed"]
    assert p_values["random"] > p_values["fixed"]


def test_a_pair_may_be_corrected_and_its_estimates_do_not_depend_on_the_interval():
    truth = Truth(effects={"A": 0.0, "B": 0.1, "C": 0.4}, segments=60)
    table = simulate_ratings(np.random.default_rng(5), truth)
    plain = score_ratings(table)
    assert all("p_holm" not in pair for pair in plain["pairs"])
    for test in ("bootstrap", "randomisation", "signed_rank", "rank_sum"):
        held = score_ratings(table, ScoreOptions(correction="holm", test=test, interval="bca"))
        assert [row["z_mean"] for row in held["systems"]] == [row["z_mean"] for row in plain["systems"]]
        keys = {
            "bootstrap": "p_bootstrap_two_sided",
            "randomisation": "p_randomisation",
            "signed_rank": "p_signed_rank",
        }
        if test in keys:
            smallest = min(held["pairs"], key=lambda pair: pair[keys[test]])
            assert smallest["p_holm"] == pytest.approx(min(1.0, 3 * smallest[keys[test]]))
        for pair in held["pairs"]:
            assert 0 < pair["p_holm"] <= 1
            assert pair["z_difference_ci"][0] <= pair["z_difference"] <= pair["z_difference_ci"][1]


def test_spread_over_segments_and_rank_ranges():
    rows = []
    for segment, score in enumerate((10.0, 20.0, 60.0)):
        for gain, name in enumerate("AB"):
            rows += [Rating(r, (Entry(name),), segment, "t", score + gain) for r in ("r", "q")]
    result = score_ratings(RatingTable.from_ratings(rows), ScoreOptions(resamples=50))
    best = result["systems"][0]
    assert best["system"] == "B"
    assert best["raw_sd"] == pytest.approx(np.std([11, 21, 61], ddof=1))
    assert [row["rank_range"] for row in result["systems"]] == [[1, 2], [1, 2]]
    assert [row["wins"] for row in result["systems"]] == [0, 0]


def test_ratings_of_other_campaigns_move_z_and_nothing_else():
    rows = [row for row in rated() if row.rater != "r4"]
    other = [Rating("r1", (), 900 + n, "elsewhere", score) for n, score in enumerate((0.0, 100.0, 40.0))]
    options = ScoreOptions(scope="study")
    before = score_ratings(RatingTable.from_ratings(rows), options)
    after = score_ratings(RatingTable.from_ratings([*rows, *other]), options)
    for one, two in zip(before["systems"], after["systems"], strict=True):
        assert (one["system"], one["raw_mean"], one["n_segments"], one["n_judgements"]) == (
            two["system"], two["raw_mean"], two["n_segments"], two["n_judgements"]
        )  # fmt: skip
        assert one["z_mean"] != two["z_mean"]
    assert before["raters"][1:] == after["raters"][1:]
    assert after["raters"][0]["n"] == before["raters"][0]["n"] + 3
