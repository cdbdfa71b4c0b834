"""What must hold of scores for any ratings."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.stats.aggregate import aggregate
from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.records import Comparison, Entry, Rating, RatingTable
from annotation.stats.resampling import bootstrap_systems, resample_counts
from annotation.stats.score import score_ratings
from annotation.stats.significance import bootstrap_p_values
from annotation.stats.standardise import standardise

FEW = ScoreOptions(resamples=60, preference_resamples=200)
KINDS = ("system", "system", "system", "repeat", "bad_reference", "practice")

patient = settings(deadline=None, max_examples=80)

rating = st.builds(
    Rating,
    rater=st.sampled_from(["r1", "r2", "r3"]),
    systems=st.sampled_from([("A",), ("B",), ("C",), ("A", "B")]).map(lambda names: tuple(map(Entry, names))),
    segment=st.integers(1, 6),
    testset=st.sampled_from(["s", "t"]),
    score=st.integers(0, 100).map(float),
    kind=st.sampled_from(KINDS),
    excluded_by=st.sampled_from([""] * 9 + ["left"]),
    in_averages=st.sampled_from([True] * 9 + [False]),
    document=st.none(),
    round=st.just(1),
)
ratings = st.lists(rating, max_size=40)
comparison = st.builds(
    Comparison,
    rater=st.sampled_from(["r1", "r2"]),
    left=st.sampled_from([("A",), ("B",), ("A", "C")]),
    right=st.sampled_from([("A",), ("B",), ("C",)]),
    segment=st.integers(1, 5),
    testset=st.sampled_from(["s", "t"]),
    winner=st.sampled_from(["left", "right", "equal"]),
    excluded_by=st.just(""),
    document=st.none(),
)


def naive_z(rows: list[Rating]) -> list[float | None]:
    result: list[float | None] = []
    for row in rows:
        own = [r.score for r in rows if r.rater == row.rater and r.kind != "practice"]
        mean = math.fsum(own) / len(own) if own else 0.0
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in own) / (len(own) - 1)) if len(own) > 1 else 0.0
        result.append((row.score - mean) / sd if sd > 1e-6 and row.kind != "practice" else None)
    return result


def averaged(rows: list[Rating]) -> list[bool]:
    excluded = {row.rater for row in rows if row.excluded_by}
    return [row.rater not in excluded and row.in_averages for row in rows]


def naive_means(rows: list[Rating], values: list[float | None]) -> dict[str, float]:
    cells: dict[str, dict[tuple, list[float]]] = {}
    for row, value, counts in zip(rows, values, averaged(rows), strict=True):
        if counts and row.kind in ("system", "repeat") and value is not None:
            for entry in row.systems:
                cell = cells.setdefault(entry.system, {}).setdefault((row.testset, row.segment), [])
                cell.append(value)
    return {
        system: math.fsum(math.fsum(cell) / len(cell) for cell in segments.values()) / len(segments)
        for system, segments in cells.items()
    }


@given(ratings)
@patient
def test_columns_give_what_a_plain_loop_gives(rows: list[Rating]):
    result = {row["system"]: row for row in score_ratings(RatingTable.from_ratings(rows), FEW)["systems"]}
    raw, z = naive_means(rows, [row.score for row in rows]), naive_means(rows, naive_z(rows))
    given_at_all = {e.system for row in rows for e in row.systems if row.kind in ("system", "repeat")}
    assert set(result) == given_at_all
    for system, row in result.items():
        assert row["raw_mean"] == (pytest.approx(raw[system], abs=1e-9) if system in raw else None)
        assert row["z_mean"] == (pytest.approx(z[system], abs=1e-9) if system in z else None)


@given(ratings, st.sampled_from(["r1", "r2", "r3"]), st.integers(1, 8), st.integers(-50, 50))
@patient
def test_a_positive_affine_change_of_one_rater_leaves_every_z(
    rows: list[Rating], rater: str, scale: int, shift: int
):
    moved = [row._replace(score=scale / 2 * row.score + shift) if row.rater == rater else row for row in rows]
    before, after = (standardise(RatingTable.from_ratings(each)).z for each in (rows, moved))
    assert after == pytest.approx(before, abs=1e-9, nan_ok=True)


@given(st.data(), ratings)
@patient
def test_the_order_of_rows_changes_nothing(data: st.DataObject, rows: list[Rating]):
    shuffled = data.draw(st.permutations(rows))
    assert score_ratings(RatingTable.from_ratings(shuffled), FEW) == score_ratings(
        RatingTable.from_ratings(rows), FEW
    )


@given(ratings, st.sampled_from(["flat", "within_rater_first"]))
@patient
def test_intervals_contain_their_estimates_and_p_values_are_probabilities(rows: list[Rating], repeats: str):
    options = ScoreOptions(resamples=20, repeats=repeats)
    result = score_ratings(RatingTable.from_ratings(rows), options)
    for row, name in product(result["systems"], ("raw", "z")):
        if row[f"{name}_ci"]:
            low, high = row[f"{name}_ci"]
            assert low <= row[f"{name}_mean"] <= high
    for pair in result["pairs"]:
        assert all(0 < pair[key] <= 1 for key in pair if key.startswith("p_") and pair[key] is not None)
        if pair["z_difference_ci"]:
            assert pair["z_difference_ci"][0] <= pair["z_difference"] <= pair["z_difference_ci"][1]


@given(ratings)
@patient
def test_clusters_are_runs_of_ranks(rows: list[Rating]):
    for rule in ("strict", "wmt"):
        result = score_ratings(RatingTable.from_ratings(rows), ScoreOptions(resamples=2, clusters=rule))
        placed = [row["cluster"] for row in result["systems"] if row["cluster"]]
        for rank, (first, last) in enumerate(placed, start=1):
            assert first <= rank <= last
            assert placed[first - 1 : last] == [[first, last]] * (last - first + 1)


@given(st.integers(0, 10**6), st.integers(2, 12), st.floats(0, 0.6))
@patient
def test_swapping_two_systems_flips_the_sign(seed: int, size: int, missing: float):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2, size))
    z[rng.random(z.shape) < missing] = np.nan
    strata = np.sort(rng.integers(0, 2, size))
    draws = [
        bootstrap_systems(np.random.default_rng(1), each, each, np.array([[0, 1]]), strata, 40)[2]
        for each in (z, z[::-1])
    ]
    assert draws[0] == pytest.approx(-draws[1], abs=1e-12, nan_ok=True)
    p_values = [bootstrap_p_values(each) for each in draws]
    if not np.isnan(draws[0]).any():
        assert p_values[0].greater == p_values[1].less
        assert p_values[0].two_sided == p_values[1].two_sided


@given(st.integers(0, 10**6), st.integers(2, 10))
@patient
def test_matrix_products_give_what_a_loop_over_resamples_gives(seed: int, size: int):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2, size))
    z[0, 0] = np.nan
    strata = np.zeros(size, dtype=np.int64)
    *_, differences = bootstrap_systems(np.random.default_rng(3), z, z, np.array([[0, 1]]), strata, 30)
    main, _ = np.random.default_rng(3).spawn(2)
    (counts,) = resample_counts(main, strata, 30)
    for row, difference in zip(counts, differences[:, 0], strict=True):
        drawn = [z[0, s] - z[1, s] for s in range(1, size) for _ in range(int(row[s]))]
        if drawn:
            assert difference == pytest.approx(math.fsum(drawn) / len(drawn), abs=1e-9)


@given(st.lists(comparison, max_size=30))
@patient
def test_swapping_sides_changes_only_the_position_counts(rows: list[Comparison]):
    other = {"left": "right", "right": "left", "equal": "equal"}
    swapped = [row._replace(left=row.right, right=row.left, winner=other[row.winner]) for row in rows]
    before, after = score_comparisons(rows, options=FEW), score_comparisons(swapped, options=FEW)
    for key in ("systems", "pairs", "raters"):
        assert before[key] == after[key]
    assert before["position"]["left"] == after["position"]["right"]


def _compares(row: Comparison, pair: dict) -> bool:
    """Tell whether a comparison sets the two systems of a pair against each other."""
    a, b = pair["system_a"], pair["system_b"]
    return (a in row.left and b in row.right) or (b in row.left and a in row.right)


@given(st.lists(comparison, max_size=30))
@patient
def test_preferences_add_up(rows: list[Comparison]):
    result = score_comparisons(rows, options=FEW)
    shown = sum(pair["a_better"] + pair["b_better"] + pair["equal"] for pair in result["pairs"])
    assert sum(row["n"] for row in result["systems"]) == 2 * shown
    points = sum(row["win_rate"] * row["n"] for row in result["systems"] if row["n"])
    assert points == pytest.approx(shown)
    for pair in result["pairs"]:
        assert pair["a_better"] >= pair["b_better"]
        compared = {(row.testset, row.segment) for row in rows if _compares(row, pair)}
        if pair["a_better"] + pair["b_better"] and len(compared) == 1:
            assert pair["p_bootstrap"] is None or pair["a_better"] == pair["b_better"]
        else:
            assert 0 < pair["p_bootstrap"] <= 1


@given(ratings)
@patient
def test_counts_agree_with_the_rows(rows: list[Rating]):
    table = RatingTable.from_ratings(rows)
    averages = aggregate(table, standardise(table).z)
    for code, entry in enumerate(averages.entries):
        counted = [row for row, counts in zip(rows, averaged(rows), strict=True) if counts]
        own = [row for row in counted if entry in row.systems and row.kind in ("system", "repeat")]
        assert averages.n_judgements[code] == len(own)
        assert averages.n_raters[code] == len({row.rater for row in own})
        assert averages.n_segments[code] == len({(row.testset, row.segment) for row in own})
