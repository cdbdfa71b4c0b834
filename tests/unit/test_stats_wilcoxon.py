"""Wilcoxon's signed-rank test, Holm's correction, and approximate randomisation."""

import csv
from itertools import product

import numpy as np
import pytest
from scipy import stats

from annotation.stats.randomisation import random_signs, randomisation_p_values
from annotation.stats.significance import holm
from annotation.stats.wilcoxon import signed_rank
from tests.paths import ROOT

PAIR = np.array([[0, 1]])


def enumerated(differences: list[float]) -> tuple[float, float]:
    """Return P(W+ ≥ observed) and P(W+ ≤ observed) over all signs of the nonzero differences."""
    kept = [d for d in differences if d]
    ranks = stats.rankdata([abs(d) for d in kept])
    observed = sum(rank for rank, d in zip(ranks, kept, strict=True) if d > 0)
    sums = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up)
        for signs in product((0, 1), repeat=len(kept))
    ]
    n = len(sums)
    return sum(s >= observed - 1e-9 for s in sums) / n, sum(s <= observed + 1e-9 for s in sums) / n


def test_ties_give_the_same_p_in_both_directions():
    with (ROOT / "tests" / "files" / "sta17_wilcoxon.csv").open(encoding="utf-8", newline="") as handle:
        rows = [(float(row["A"]), float(row["B"])) for row in csv.DictReader(handle)]
    differences = np.array([a - b for a, b in rows])
    forth, back = signed_rank(differences), signed_rank(-differences)
    assert forth.less == back.greater == 0.0078125
    assert forth.two_sided == back.two_sided == 0.015625
    assert forth.greater == back.less
    assert (forth.greater, forth.less) == pytest.approx(enumerated(differences.tolist()), abs=1e-12)


def test_no_difference_is_no_evidence():
    assert signed_rank(np.zeros(5)) == (1.0, 1.0, 1.0)
    assert signed_rank(np.array([])) == (1.0, 1.0, 1.0)
    assert signed_rank(np.array([np.nan, 0.0]), "pratt") == (1.0, 1.0, 1.0)


def test_zeros_are_left_out_or_ranked_first():
    differences = np.array([0.0, 0.0, 0.0, 1.0, -2.0, 3.0, 4.0])
    assert signed_rank(differences) == signed_rank(differences[3:])
    # ranks 4 5 6 7 instead of 1 2 3 4: 17 or more of 22 in {17, 18, 22}: 3 of 16 sign patterns
    assert signed_rank(differences, "pratt").greater == 3 / 16
    with pytest.raises(ValueError, match="unknown zero method 'split', expected one of wilcox, pratt"):
        signed_rank(differences, "split")


def test_noise_beyond_ten_decimals_breaks_no_tie():
    clean = np.array([0.1, -0.1, 0.2, 0.3, -0.3])
    noisy = clean + np.array([1e-13, 3e-13, 0, -2e-13, 1e-13])
    assert signed_rank(noisy) == signed_rank(clean)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]
    some = holm(np.array([0.01, np.nan, 0.03]))
    assert some[[0, 2]] == pytest.approx([0.02, 0.03])
    assert np.isnan(some[1])
    assert len(holm(np.array([]))) == 0


def test_randomisation_agrees_with_all_sign_patterns():
    z = np.random.default_rng(4).normal(size=(2, 9)) + np.array([[0.4], [0.0]])
    apart = z[0] - z[1]
    exact = stats.permutation_test(
        (apart,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    ).pvalue
    resamples = 20_000
    (p_value,) = randomisation_p_values(np.random.default_rng(1), z, PAIR, resamples)
    low, high = stats.binom.ppf([5e-5, 1 - 5e-5], resamples, exact) / resamples
    assert low - 1e-4 <= p_value <= high + 1e-4
    assert 0.05 < exact < 0.95


def test_randomisation_without_a_difference_is_one():
    z = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 5.0], [np.nan, np.nan, 4.0]])
    pairs = np.array([[0, 1], [0, 2], [1, 1]])
    assert randomisation_p_values(np.random.default_rng(1), z, pairs, 50).tolist() == [1.0, 1.0, 1.0]


def test_randomisation_uses_common_segments_and_turns_documents_together():
    z = np.array([[1.0, 1.0, 1.0, 1.0, 9.0], [0.0, 0.0, 0.0, 0.0, np.nan]])
    (alone,) = randomisation_p_values(np.random.default_rng(1), z, PAIR, 4000)
    (documents,) = randomisation_p_values(np.random.default_rng(1), z, PAIR, 4000, np.array([0, 0, 1, 1, 2]))
    # all four the same sign: 2 of 16 patterns; both documents the same: 2 of 4
    assert alone == pytest.approx(1 / 8, abs=0.02)
    assert documents == pytest.approx(1 / 2, abs=0.03)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 100])
def test_signs_do_not_depend_on_the_size_of_a_chunk(size: int):
    whole = np.vstack(list(random_signs(np.random.default_rng(2), size, 40)))
    parts = np.vstack(list(random_signs(np.random.default_rng(2), size, 40, chunk_cells=7)))
    assert whole.shape == (40, size)
    assert np.array_equal(whole, parts)
    assert set(np.unique(whole)) == {0.0, 1.0}
