"""Do intervals of diversity cover, and do swap tests keep their level? On invented texts of known truth."""

import numpy as np
import pytest
from scipy import stats

from mtcore.diversity import measures_for
from mtcore.diversity.intervals import jackknife
from mtcore.diversity.lemmas import TableLemmatiser
from mtcore.diversity.swapping import compare
from mtcore.diversity.vocabulary import Resources
from tests.factories.diversity import invented_text, profile_of

pytestmark = pytest.mark.long
TYPES = 8000
NAMES = ("ttr", "yule_i", "yule_k", "mtld", "mtld_tokens", "mattr", "shannon_h", "single_form_lemmas")
MEASURES = measures_for(NAMES)
FORMS = [f"w{number}" if number % 7 else f"W{number}-x.y" for number in range(TYPES)]
KNOWN = Resources(TableLemmatiser({word: str(place // 3) for place, word in enumerate(FORMS)}, "test"))


def test_texts_that_do_not_differ_are_rarely_told_apart():
    rng = np.random.default_rng(11)
    rejected = dict.fromkeys(NAMES, 0)
    runs = 120
    for _ in range(runs):
        a, b = (invented_text(1500, int(rng.integers(1 << 30)), TYPES) for _ in range(2))
        swaps = rng.integers(0, 2, len(a))
        one = profile_of([x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)], KNOWN)
        other = profile_of([y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)], KNOWN)
        for found in compare(MEASURES, one, other, 199, rng):
            rejected[found.measure] += found.p is not None and found.p <= 0.05
    most = stats.binom.ppf(1 - 1e-4, runs, 0.05)
    assert {name: n for name, n in rejected.items() if n > most} == {}


def test_intervals_contain_what_other_texts_of_the_kind_have_on_average():
    runs = 200
    profiles = [profile_of(invented_text(1500, 500 + seed, TYPES), KNOWN) for seed in range(runs)]
    for measure in MEASURES:
        values = [measure.compute(profile).value for profile in profiles]
        truth = np.mean([value for value in values if value is not None])
        ends = [jackknife([measure], profile)[measure.name].ends for profile in profiles]
        covered = sum(low <= truth <= high for low, high in filter(None, ends))
        assert covered >= stats.binom.ppf(1e-4, runs, 0.95), measure.name
