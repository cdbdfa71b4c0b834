"""Power of preferences: by counting, inverses of each other, the edges."""

import numpy as np
import pytest
from scipy.stats import binomtest

from annotation.design.power import PowerError
from annotation.design.preference_power import (
    describe_preference_power,
    detectable_share,
    preference_power,
)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.95])
def test_power_is_the_share_of_outcomes_that_the_sign_test_rejects(share: float):
    segments, decided = 14, 0.6
    rng = np.random.default_rng(3)
    n = rng.binomial(segments, decided, 40_000)
    won = rng.binomial(n, share)
    rejects = {
        (size, wins): size > 0 and binomtest(wins, size).pvalue < 0.05
        for size in range(segments + 1)
        for wins in range(size + 1)
    }
    simulated = np.mean([rejects[pair] for pair in zip(n.tolist(), won.tolist(), strict=True)])
    assert preference_power(share, segments, decided) == pytest.approx(simulated, abs=0.012)


def test_without_a_preference_the_level_is_kept():
    assert 0 < preference_power(0.5, 500) < 0.05


def test_the_detectable_share_is_found_as_often_as_asked():
    share = detectable_share(300)
    assert share is not None
    assert preference_power(share, 300) == pytest.approx(0.8, abs=1e-3)
    assert preference_power(1 - share, 300) == pytest.approx(0.8, abs=1e-3)


def test_few_segments_find_nothing():
    assert preference_power(1.0, 5, decided=1.0) == 0.0
    assert detectable_share(5) is None
    assert describe_preference_power(5).endswith(
        "too few to find any preference in 80 %, even one in all of the decided ones."
    )


def test_the_sentence_has_its_numbers():
    words = describe_preference_power(500)
    assert words.startswith("500 segments, 60 % of them decided: a system preferred in 60 % of the decided")
    assert f"found in {100 * preference_power(0.6, 500):.0f} %" in words


def test_what_is_no_share_is_refused():
    for share, segments in ((1.2, 10), (0.6, 0), (0.6, 10**9)):
        with pytest.raises(PowerError):
            preference_power(share, segments)
