"""BEER 2.0: features counted by hand, its known scores, and folders that hold no model."""

import math

import pytest

from mtcore.metrics import MetricError, MetricUnavailable
from mtcore.metrics.base import MetricSettings
from mtcore.metrics.beer import EMPTY_IMBALANCE, FILES, Beer, features, read_model
from tests.factories.beer import write_beer
from tests.paths import DATA, needs_data


@needs_data
def test_the_known_scores_of_the_original_program():
    metric = Beer(read_model(DATA / "beer"))
    rows = [line.split("\t") for line in (DATA / "beer" / "known.tsv").read_text("utf-8").split("\n")[1:-1]]
    stats = metric.segment_stats([row[1] for row in rows], [[row[2] for row in rows]])
    assert len(rows) == 20
    assert stats[:, 0] == pytest.approx([float(row[3]) for row in rows], abs=6e-11)
    assert float(metric.corpus_score(stats.sum(axis=0))) == pytest.approx(
        sum(float(row[3]) for row in rows) / 20
    )


def test_features_counted_by_hand():
    found = features("a b", "a c b")
    # windows of one character hold none: 3 against 5 empty strings
    assert (found["char1.a"], found["char1.b"]) == (3 / 5, 1.0)
    # a, b, and two marked ones: (begin a) and (b end) are in both, and both single words
    assert (found["ngram1.a"], found["ngram1.b"]) == (4 / 5, 1.0)
    # (a b), (begin a b), (a b end) against (a c), (c b), (begin a c), (c b end)
    assert found["ngram2.b"] == 0.0
    # a b with nothing between is in both where one word may stand between
    assert (found["skip1.a"], found["skip1.b"]) == (1 / 3, 1.0)
    assert found["skip1.f.1.0"] == pytest.approx(2 * (1 / 3) / (4 / 3))
    assert found["skip1.g.1.0"] == pytest.approx(math.sqrt(1 / 3))
    assert found["len_disbalance_char.d.1.0"] == pytest.approx(5 / 3 - 1)
    assert found["len_disbalance_word.d.1.0"] == pytest.approx(1 / 2)


def test_gaps_repeats_empty_texts_and_characters_of_two_units():
    wide = features("a x x x b", "a b")
    assert [wide[f"skip{gap}.b"] for gap in (1, 2, 3, 4, 1_000_000)] == [0, 0, 1, 1, 1]
    assert features("a a a", "a")["ngram1.a"] == pytest.approx(2 / 5 + 1 / 5)
    empty = features("", "a b")
    assert empty["len_disbalance_char.d.1.0"] == empty["len_disbalance_word.d.1.0"] == EMPTY_IMBALANCE
    assert features("", "")["char3.f.1.0"] == 0.0
    assert features("😀", "ab")["len_disbalance_char.d.1.0"] == 0.0


def test_scores_stay_in_their_range_and_the_best_reference_counts(tmp_path):
    metric = Beer(read_model(write_beer(tmp_path / "m")))
    same, other, both, none = (
        metric.segment_stats(["a b c d e"], references)[0, 0]
        for references in ([["a b c d e"]], [["v w x y z"]], [["v w x y z"], ["a b c d e"]], [[""]])
    )
    assert 0 <= none <= other < same == both <= 1
    assert "nrefs:2" in metric.signature(2) and "corpus:mean" in metric.signature()


@pytest.mark.parametrize("name", FILES)
def test_a_folder_without_a_model_is_refused(tmp_path, name: str):
    folder = tmp_path / "m"
    write_beer(folder)
    (folder / name).write_text("w\n1 2 3 x\n", encoding="utf-8")
    with pytest.raises(MetricError, match="is no BEER"):
        read_model(folder)
    (folder / name).unlink()
    with pytest.raises(MetricError, match=f"its file {name} cannot be read"):
        read_model(folder)


@pytest.mark.parametrize("name", ["core_model", "feature_values_scaling", "output_scaling"])
def test_a_number_that_is_none_is_refused_and_scores_nothing_zero(tmp_path, name: str):
    folder = tmp_path / "m"
    write_beer(folder)
    file = folder / name
    head, _, last = file.read_text(encoding="utf-8").rstrip().rpartition("\n")
    file.write_text(f"{head}\n{last.rstrip().rpartition(' ')[0]} nan\n".replace("\n nan", "\nnan"), "utf-8")
    with pytest.raises(MetricError, match="not finite"):
        read_model(folder)


def test_without_a_model_there_is_a_hint():
    with pytest.raises(MetricUnavailable, match="--model beer=FOLDER"):
        Beer.of_settings(MetricSettings("en"))
