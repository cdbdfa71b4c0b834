"""What holds of every measure of diversity in the registry."""

import numpy as np
import pytest

from mtcore.diversity import DEFAULT, MEASURES, measures_for
from mtcore.diversity.base import NEEDS, CountMeasure
from mtcore.diversity.intervals import jackknife
from mtcore.diversity.lemmas import TableLemmatiser
from mtcore.diversity.swapping import compare
from mtcore.diversity.vocabulary import Resources
from tests.factories.diversity import invented_text, profile_of

each = pytest.mark.parametrize("name", MEASURES)
LINES = invented_text(1200, 1)
OTHER = invented_text(1200, 2, types=150)
WORDS = [f"w{number}" for number in range(400)]
RESOURCES = Resources(
    TableLemmatiser({word: f"w{number // 3}" for number, word in enumerate(WORDS)}, "test"),
    bands=dict.fromkeys(WORDS[:40], 1) | dict.fromkeys(WORDS[40:90], 2),
    options={f"s{number}": (f"w{number}", f"w{number + 1}", "none") for number in range(0, 60, 2)},
)
NAMES = (
    "ttr", "yule_i", "yule_k", "mtld", "lfp_b1", "lfp_b2", "lfp_b3", "ptf", "cdu", "syn_ttr", "shannon_h",
    "simpson_d", "single_form_lemmas",
)  # fmt: skip


def test_the_names_of_the_study_are_measured_unless_others_are_asked_for():
    assert DEFAULT == NAMES
    assert [measure.name for measure in measures_for(())] == list(NAMES)


@each
def test_a_measure_says_what_it_is(name: str):
    measure = MEASURES[name]
    assert measure.name == name
    assert measure.title and measure.definition
    assert measure.direction in {"up", "down", ""}
    assert measure.scale >= 1
    assert measure.digits >= 0
    assert measure.needs <= NEEDS
    assert measure.signature().startswith(f"{name}|def:")
    assert "\n" not in measure.signature()


@each
def test_a_value_is_finite_or_has_a_reason(name: str):
    measure = MEASURES[name]
    found = measure.compute(profile_of(LINES, RESOURCES))
    assert found.value is not None and np.isfinite(found.value) and not found.reason
    for need in measure.needs:
        assert measure.lacking(profile_of(LINES).vocabulary), need
    if measure.needs:
        missing = measure.compute(profile_of(LINES))
        assert missing.value is None and missing.reason


@each
def test_what_stretches_add_sums_to_the_value(name: str):
    measure = MEASURES[name]
    profile = profile_of(LINES, RESOURCES)
    units = measure.units(profile, profile.edges(7))
    assert len(units) == 7
    value = measure.compute(profile).value
    assert float(measure.of_sums(units.sum(axis=0), profile.vocabulary)) == pytest.approx(value)
    rows = np.array([units.sum(axis=0), units[:3].sum(axis=0)])
    several = measure.of_sums(rows, profile.vocabulary)
    for row, own in zip(rows, several, strict=True):
        assert float(measure.of_sums(row, profile.vocabulary)) == pytest.approx(float(own))


@each
def test_an_interval_contains_its_value_and_says_how_it_was_made(name: str):
    measure = MEASURES[name]
    profile = profile_of(LINES, RESOURCES)
    interval = jackknife([measure], profile)[name]
    value = measure.compute(profile).value
    assert interval.ends and value is not None
    assert interval.ends[0] <= value <= interval.ends[1]
    assert interval.ends[0] < interval.ends[1]
    assert "jackknife:" in interval.how
    few = jackknife([measure], profile_of(LINES[:9], RESOURCES))[name]
    assert few.ends is None and few.reason


@each
def test_texts_are_compared_both_ways_alike(name: str):
    measure = MEASURES[name]
    a, b = profile_of(LINES, RESOURCES, name="A"), profile_of(OTHER, RESOURCES, name="B")
    (one,) = compare([measure], a, b, 99, np.random.default_rng(1))
    (other,) = compare([measure], b, a, 99, np.random.default_rng(1))
    assert one.difference == pytest.approx(-other.difference)
    assert one.p is not None and one.p == other.p
    assert 0 < one.p <= 1
    (same,) = compare([measure], a, a, 99, np.random.default_rng(1))
    assert (same.difference, same.p) == (0, 1)
    (unequal,) = compare([measure], a, profile_of(OTHER[:-1], RESOURCES), 99, np.random.default_rng(1))
    assert unequal.p is None and "lines" in unequal.reason


@each
def test_the_order_of_lines_changes_nothing_but_what_runs_along_the_words(name: str):
    measure = MEASURES[name]
    turned = measure.compute(profile_of(LINES[::-1], RESOURCES)).value
    value = measure.compute(profile_of(LINES, RESOURCES)).value
    if isinstance(measure, CountMeasure):
        assert turned == pytest.approx(value)
    else:
        assert turned != value
