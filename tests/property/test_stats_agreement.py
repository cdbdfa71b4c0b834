"""Agreement against independent implementations, for any judgements."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.anova import anova_lm

from annotation.stats.alpha import krippendorff_alpha
from annotation.stats.icc import classic_icc, variance_components
from annotation.stats.kappa import wmt_kappa
from annotation.stats.records import Comparison

patient = settings(deadline=None, max_examples=60)
shapes = st.tuples(st.integers(2, 5), st.integers(2, 9))
scores = st.one_of(st.none(), st.integers(0, 4).map(float))
sparse_tables = shapes.flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=scores.map(lambda x: np.nan if x is None else x))
)
full_tables = shapes.flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(0, 100).map(float))
)


def long(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rater, unit = np.nonzero(~np.isnan(table))
    return unit, rater, table[rater, unit]


@patient
@given(table=sparse_tables, level=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_equals_the_krippendorff_package(table: np.ndarray, level: str):
    unit, _, value = long(table)
    found = krippendorff_alpha(unit, value, level, rng=np.random.default_rng(1), resamples=30)
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert found.value is None
        assert found.caveat
        return
    expected = krippendorff.alpha(reliability_data=pairable, level_of_measurement=level)
    assert found.value == pytest.approx(expected, abs=1e-10)
    if found.low is not None:
        assert found.low <= found.value <= found.high


def reductions(unit: np.ndarray, rater: np.ndarray, y: np.ndarray) -> tuple[float, float, float, int]:
    """Return R(unit, rater), R(unit), R(rater) and the rank, by dense least squares."""
    u, r = (np.eye(codes.max() + 1)[codes] for codes in (unit, rater))

    def reduction(design: np.ndarray) -> float:
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return float(fitted @ fitted)

    both = np.hstack([u, r])
    return reduction(both), reduction(u), reduction(r), int(np.linalg.matrix_rank(both))


@patient
@given(table=sparse_tables)
def test_components_equal_dense_least_squares(table: np.ndarray):
    unit, rater, y = long(table)
    assume(len(y) > 2)
    unit, rater = (np.unique(codes, return_inverse=True)[1] for codes in (unit, rater))
    found = variance_components(unit, rater, y)
    assume(found.residual is not None)
    full, by_unit, by_rater, rank = reductions(unit, rater, y)
    n, units, raters = len(y), unit.max() + 1, rater.max() + 1
    residual = (y @ y - full) / (n - rank)
    times = np.zeros((units, raters))
    np.add.at(times, (unit, rater), 1)
    of_unit = (full - by_rater - (rank - raters) * residual) / (n - (times**2 / times.sum(0)).sum())
    of_rater = (full - by_unit - (rank - units) * residual) / (n - (times.T**2 / times.sum(1)).sum())
    assert found.residual == pytest.approx(residual, abs=1e-8)
    assert found.unit == pytest.approx(max(0, of_unit), abs=1e-8)
    assert found.rater == pytest.approx(max(0, of_rater), abs=1e-8)
    assert 0 <= found.single <= found.average <= 1


@patient
@given(table=full_tables)
def test_classic_icc_equals_the_analysis_of_variance_of_statsmodels(table: np.ndarray):
    n, k = table.shape
    assume(np.ptp(table) > 0)
    frame = pd.DataFrame({"y": table.ravel(), "u": np.repeat(range(n), k), "r": np.tile(range(k), n)})
    squares = anova_lm(smf.ols("y ~ C(u) + C(r)", frame).fit())
    bms, jms, ems = squares["sum_sq"] / squares["df"]
    below = bms + (k - 1) * ems + k * (jms - ems) / n
    found = classic_icc(table)
    assume(below > 1e-9)
    assert found.single.value == pytest.approx((bms - ems) / below, abs=1e-8)
    if bms + (jms - ems) / n > 1e-9:
        assert found.average.value == pytest.approx((bms - ems) / (bms + (jms - ems) / n), rel=1e-8, abs=1e-8)
    if found.single.low is not None:
        assert found.single.low <= found.single.value <= found.single.high
    unit, rater, value = np.repeat(range(n), k), np.tile(range(k), n), table.ravel()
    components = variance_components(unit, rater, value)
    if "below 0" not in components.caveat:
        assert components.single == pytest.approx(found.single.value, abs=1e-8)


labels = st.lists(
    st.builds(
        Comparison,
        rater=st.sampled_from(["r1", "r2", "r3"]),
        left=st.sampled_from([("A",), ("B",)]),
        right=st.sampled_from([("A",), ("B",), ("C",)]),
        segment=st.integers(1, 3),
        testset=st.just("t"),
        winner=st.sampled_from(["left", "right", "equal"]),
    ),
    max_size=25,
)


@patient
@given(given_labels=labels, pairs=st.sampled_from(["all", "between", "within"]))
def test_kappa_equals_counting_every_pair_of_labels(given_labels: list[Comparison], pairs: str):
    agree = comparable = 0
    for n, one in enumerate(given_labels):
        for two in given_labels[:n]:
            same_rater = one.rater == two.rater
            if (one.segment, one.left, one.right) != (two.segment, two.left, two.right):
                continue
            if pairs == "all" or same_rater == (pairs == "within"):
                comparable += 1
                agree += one.winner == two.winner
    found = wmt_kappa(given_labels, pairs=pairs, rng=np.random.default_rng(2), resamples=20)
    assert (found.agree, found.comparable) == (agree, comparable)
    if found.value is not None:
        p_tie = sum(one.winner == "equal" for one in given_labels) / len(given_labels)
        chance = p_tie**2 + 2 * ((1 - p_tie) / 2) ** 2
        assert found.value == pytest.approx((agree / comparable - chance) / (1 - chance), abs=1e-12)
        assert found.low is None or found.low <= found.value <= found.high


@patient
@given(given_labels=labels)
def test_agreement_in_either_order_does_not_depend_on_the_sides(given_labels: list[Comparison]):
    turn = {"left": "right", "right": "left", "equal": "equal"}
    turned = [c._replace(left=c.right, right=c.left, winner=turn[c.winner]) for c in given_labels]
    shown = [c for c in given_labels if c.left != c.right]
    turned = [c for c in turned if c.left != c.right]
    one, two = (wmt_kappa(each, order="either") for each in (shown, turned))
    assert one == two
