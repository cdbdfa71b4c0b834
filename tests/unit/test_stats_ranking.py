"""Clusters of ranked systems."""

import numpy as np
import pytest

from annotation.stats.ranking import clusters


def beats(*pairs: tuple[int, int], size: int = 4) -> np.ndarray:
    matrix = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        matrix[i - 1, j - 1] = True
    return matrix


def test_strict_needs_everyone_above_to_beat_everyone_below():
    all_below = beats((1, 2), (1, 3), (1, 4), (2, 4), (3, 4))
    assert clusters(all_below) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert clusters(beats((1, 2), (1, 3), (1, 4), (2, 4))) == [(1, 1), (2, 4), (2, 4), (2, 4)]


def test_wmt_looks_at_one_system_only():
    # rank 2 wins over both below, rank 1 over one of them only
    matrix = beats((1, 4), (2, 3), (2, 4))
    assert clusters(matrix, "wmt") == [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert clusters(matrix, "strict") == [(1, 4)] * 4


@pytest.mark.parametrize("rule", ["strict", "wmt"])
def test_the_edges(rule: str):
    assert clusters(beats(size=0), rule) == []
    assert clusters(beats(size=1), rule) == [(1, 1)]
    assert clusters(beats(size=3), rule) == [(1, 3)] * 3
    assert clusters(beats((1, 2), size=2), rule) == [(1, 1), (2, 2)]


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="unknown cluster rule 'loose'"):
        clusters(beats(), "loose")
