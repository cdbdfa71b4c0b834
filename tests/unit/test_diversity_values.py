"""Measures of diversity by hand and by the study's own numbers."""

import math

import numpy as np
import pytest

from mtcore.diversity import MEASURES, DiversityError, measures_for
from mtcore.diversity.base import Value
from mtcore.diversity.frequency import Lfp
from mtcore.diversity.lemmas import TableLemmatiser
from mtcore.diversity.richness import Window
from mtcore.diversity.synonyms import Ptf
from mtcore.diversity.vocabulary import Resources
from tests.factories.diversity import lemmas, profile_of, repeated

K1 = ["a b c d d e e f f f"]
FORMS = ("président", "présidents", "présidente", "présidentes")
TABLE_7 = [
    ((93774, 2029, 1490, 8), 18.106, 92.949),
    ((99367, 2019, 496, 1), 12.813, 95.164),
    ((95272, 2039, 291, 0), 12.174, 95.327),
    ((92946, 1952, 617, 0), 13.861, 94.739),
]
LOOK = ("mirar", "esperar", "buscar", "parecer", "dar", "vistazo", "aspecto", "ojeada", "mirada")
LOOK_COUNTS = (4002, 3302, 2814, 1144, 977, 182, 46, 0, 0)


def value(name: str, lines: list[str], resources: Resources | None = None, **options) -> Value:
    (measure,) = measures_for((name,), **options)
    return measure.compute(profile_of(lines, resources))


def number(name: str, lines: list[str], resources: Resources | None = None, **options) -> float:
    found = value(name, lines, resources, **options)
    assert found.value is not None, found.reason
    return found.value


def test_div_01_yules_k_by_hand():
    assert number("yule_k", K1) == pytest.approx(1000)
    assert number("yule_k", ["a b c d d e e f f f g g g g"]) == pytest.approx(1122.449, abs=5e-4)


def test_div_02_yules_i_of_types_and_of_tokens():
    twice = K1 * 2
    assert number("yule_i", K1) == pytest.approx(2.571, abs=5e-4)
    assert number("yule_i", twice) == pytest.approx(0.486, abs=5e-4)
    assert number("yule_i_tokens", K1) == pytest.approx(10)
    assert number("yule_i_tokens", twice) == pytest.approx(6.667, abs=5e-4)
    assert (MEASURES["yule_i"].direction, MEASURES["yule_k"].direction) == ("up", "down")
    assert "types" in MEASURES["yule_i"].definition
    assert "tokens" in MEASURES["yule_i_tokens"].definition


@pytest.mark.parametrize("name", MEASURES)
def test_div_04_nothing_one_word_and_punctuation_never_give_a_number_that_is_none(name: str):
    resources = Resources(
        TableLemmatiser({}, "test"), bands={"dog": 1}, options={"chien": ("dog", "hound")}
    )  # fmt: skip
    for lines in ([], [""], ["", " "], ["dog"], ["!!! ... ???"]):
        found = value(name, lines, resources)
        assert (found.value is None) == bool(found.reason)
        assert found.value is None or math.isfinite(found.value)


def test_div_05_a_window_longer_than_the_text_costs_only_what_needs_it():
    for name in ("mattr", "msttr", "hdd"):
        found = value(name, K1, window=100)
        assert found.value is None
        assert "fewer than" in found.reason
    assert number("ttr", K1) == 0.6


@pytest.mark.parametrize(("counts", "h", "d"), TABLE_7)
def test_table_7_of_the_study_to_the_printed_digits(counts: tuple, h: float, d: float):
    lines = repeated(dict(zip(FORMS, counts, strict=True)))
    known = lemmas(dict.fromkeys(FORMS, "président"))
    for name, expected in (("shannon_h", h), ("simpson_d", d)):
        assert number(name, lines, known) * MEASURES[name].scale == pytest.approx(expected, abs=5e-4)
    assert number("simpson_inverse", lines, known) == pytest.approx(100 / d, rel=1e-4)
    assert number("single_form_lemmas", lines, known) == 0


def test_lemmas_with_one_form_are_counted_apart_and_case_makes_no_form():
    known = lemmas({"houses": "house", "House": "house", "The": "the"})
    lines = ["The the house House houses houses houses cat"]
    assert number("single_form_lemmas", lines, known) == 2  # the, cat
    expected = -(2 / 5 * math.log(2 / 5) + 3 / 5 * math.log(3 / 5))
    assert number("shannon_h", lines, known) == pytest.approx(expected)


def test_the_studys_word_look():
    lines = repeated({word: n for word, n in zip(LOOK, LOOK_COUNTS, strict=True) if n})
    known = Resources(TableLemmatiser({}, "test"), options={"look": LOOK})
    assert number("ptf", lines, known) == pytest.approx(0.32101, abs=5e-6)
    assert number("cdu", lines, known) == pytest.approx(0.31807, abs=5e-6)
    assert number("syn_ttr", lines, known) == pytest.approx(5.615e-4, abs=5e-8)


def test_primary_translations_are_averaged_over_words_or_pooled_and_options_are_shared():
    known = Resources(
        TableLemmatiser({}, "test"),
        options={"one": ("a", "b"), "two": ("b", "c"), "three": ("d",), "never": ("x", "y")},
    )
    lines = ["a a a b c c c c d other"]
    assert number("ptf", lines, known) == pytest.approx((3 / 4 + 4 / 5 + 1) / 3)
    assert number("ptf", lines, known, definition="biasmt") == pytest.approx((3 + 4 + 1) / (4 + 5 + 1))
    distances = [1 - 4 / (math.sqrt(2) * math.sqrt(10)), 1 - 5 / (math.sqrt(2) * math.sqrt(17))]
    assert number("cdu", lines, known) == pytest.approx(sum(distances) / 2)
    assert number("syn_ttr", lines, known) == pytest.approx(4 / 9)


def test_bands_of_the_training_data_and_of_the_text_itself():
    text = [f"t{number}" for number in range(2500)] + ["t0"] * 10
    own = [number(f"lfp_b{band}", text, definition="biasmt") for band in (1, 2, 3)]
    assert own == pytest.approx([1010 / 2510, 1000 / 2510, 500 / 2510])
    known = Resources(bands={"t0": 1, "t1": 2})
    assert [number(f"lfp_b{band}", text, known) for band in (1, 2, 3)] == pytest.approx(
        [11 / 2510, 1 / 2510, 2498 / 2510]
    )


def test_what_is_lacking_is_the_reason():
    assert "--training" in value("lfp_b1", K1).reason
    assert "--language" in value("shannon_h", K1).reason
    assert "--dictionary" in value("ptf", K1, lemmas({})).reason


def test_mtld_by_hand():
    # "a b a" closes at 2/3 and "b c d" repeats nothing;
    # from the end "d c b a b" has 4/5 and the next "a" closes at 4/6.
    assert number("mtld_tokens", ["a b a b c d"]) == pytest.approx((6 / 1 + 6 / 1) / 2)
    assert value("mtld_tokens", ["a b c"]).reason == "no word occurs twice"


def test_hdd_is_the_expected_number_of_types_in_a_draw():
    counts = {"a": 50, "b": 8, "c": 2}
    expected = sum(1 - math.comb(60 - f, 42) / math.comb(60, 42) for f in counts.values()) / 42
    assert number("hdd", repeated(counts)) == pytest.approx(expected)


@pytest.mark.parametrize("width", [2, 5, 17])
def test_windows_are_means_over_windows(width: int):
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in rng.integers(0, 9, 120)]
    moving = [len(set(words[at : at + width])) / width for at in range(len(words) - width + 1)]
    apart = [len(set(words[at : at + width])) / width for at in range(0, len(words) - width + 1, width)]
    lines = [" ".join(words)]
    assert number("mattr", lines, window=width) == pytest.approx(sum(moving) / len(moving))
    assert number("msttr", lines, window=width) == pytest.approx(sum(apart) / len(apart))


def test_names_and_definitions_that_do_not_exist_are_refused():
    for arguments in (("ttr", "nope"), "paper"), (("ttr",), "code"):
        with pytest.raises(DiversityError):
            measures_for(*arguments)
    with pytest.raises(DiversityError):
        measures_for(("mattr",), window=1)


def test_the_two_definitions_differ_where_paper_and_code_do():
    paper, code = (dict_of(definition) for definition in ("paper", "biasmt"))
    differing = {name for name in paper if paper[name].definition != code[name].definition}
    assert differing == {"lfp_b1", "lfp_b2", "lfp_b3", "ptf"}
    assert isinstance(code["ptf"], Ptf)
    assert isinstance(code["lfp_b1"], Lfp)
    assert isinstance(measures_for(("mattr",), window=7)[0], Window)


def dict_of(definition: str) -> dict:
    return {measure.name: measure for measure in measures_for((), definition)}
