"""The mixed model on random unbalanced campaigns: no other variances are likelier, row order is nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.stats.mixed import MixedOptions, fit_mixed
from annotation.stats.records import Entry, Rating, RatingTable

CODES = ("rater", "rater_system", "segment", "output")


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[list[Rating], int]:
    seed = draw(st.integers(0, 2**31))
    raters, segments, systems = draw(st.integers(2, 5)), draw(st.integers(2, 8)), draw(st.integers(2, 3))
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.0, 1.0, 4.0], 4)
    effects = [rng.normal(0, sd, 40) for sd in spread]
    ratings = []
    for _ in range(draw(st.integers(20, 60))):
        r, s, e = int(rng.integers(raters)), int(rng.integers(segments)), int(rng.integers(systems))
        score = effects[0][r] + effects[1][r * systems + e] + effects[2][s] + effects[3][s * systems + e]
        ratings.append(Rating(f"r{r}", (Entry(f"S{e}"),), s, "t", float(score + 2 * e + rng.normal(0, 2))))
    return ratings, seed


def dense_log_likelihood(ratings: list[Rating], terms: list[str], variances: dict[str, float]) -> float:
    rater = [rating.rater for rating in ratings]
    system = [rating.systems[0].system for rating in ratings]
    segment = [rating.segment for rating in ratings]
    codes = {"rater": rater, "segment": segment}
    codes |= {"rater_system": list(zip(rater, system, strict=True))}
    codes |= {"output": list(zip(segment, system, strict=True))}
    v = variances["residual"] * np.eye(len(ratings))
    for term in terms:
        _, code = np.unique([str(one) for one in codes[term]], return_inverse=True)
        v += variances[term] * (code[:, None] == code)
    x = (np.array(system)[:, None] == np.unique(system)).astype(float)
    y = np.array([rating.score for rating in ratings])
    xvx = x.T @ np.linalg.solve(v, x)
    rest = y - x @ np.linalg.solve(xvx, x.T @ np.linalg.solve(v, y))
    deviance = np.linalg.slogdet(v)[1] + np.linalg.slogdet(xvx)[1] + rest @ np.linalg.solve(v, rest)
    return -0.5 * float(deviance + (len(y) - x.shape[1]) * np.log(2 * np.pi))


@settings(max_examples=25, deadline=None)
@given(campaigns())
def test_no_other_variances_are_likelier(drawn: tuple[list[Rating], int]):
    ratings, seed = drawn
    found = fit_mixed(RatingTable.from_ratings(ratings), MixedOptions())
    terms = found["model"]["terms"]
    variances = {name: row["variance"] for name, row in found["variances"].items()}
    best = found["model"]["log_likelihood"]
    assert best == pytest.approx(dense_log_likelihood(ratings, terms, variances), abs=1e-5)
    assert found["model"]["converged"]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        other = {
            name: value * rng.uniform(0.3, 3) + rng.exponential(0.05) for name, value in variances.items()
        }
        assert dense_log_likelihood(ratings, terms, other) <= best + 1e-4


@settings(max_examples=10, deadline=None)
@given(campaigns())
def test_the_order_of_rows_changes_nothing(drawn: tuple[list[Rating], int]):
    ratings, seed = drawn
    shuffled = [ratings[place] for place in np.random.default_rng(seed).permutation(len(ratings))]
    assert fit_mixed(RatingTable.from_ratings(ratings)) == fit_mixed(RatingTable.from_ratings(shuffled))
