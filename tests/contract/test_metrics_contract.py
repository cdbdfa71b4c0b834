"""What holds of every metric in the registry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcore.metrics import METRICS
from mtcore.metrics.base import MetricError, MetricSettings, MetricUnavailable, total
from mtcore.metrics.bertscore import PACKAGED
from mtcore.metrics.significance import bootstrap
from tests.factories.arpa import FIVE_WORDS
from tests.factories.beer import write_beer
from tests.factories.runners import script

LINES = ["the cat sat on the mat .", "It rains today.", "", "Yes.", "naïve café — 5 €"]
OTHER = ["a cat sat on a mat .", "Today it rains.", "nothing", "No.", "naive cafe - 5 €"]

each = pytest.mark.parametrize("name", METRICS)
against_references = pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if "reference" in metric.needs]
)
MADE: dict = {}


def fresh(name: str):
    """Return a metric for English (German where English takes long to load), or skip."""
    metric = METRICS[name]
    if not metric.is_available():
        pytest.skip(f"{name} is not installed: {metric.install_hint}")
    language = "de" if name == "meteor" else "en"
    try:
        return metric.of_settings(MetricSettings(language, MODELS, "given", RUNNERS))
    except MetricUnavailable as error:
        pytest.skip(str(error))


def made(name: str):
    """Return one metric a run; making it reads sacrebleu's tables."""
    if name not in MADE:
        MADE[name] = fresh(name)
    return MADE[name]


@pytest.fixture(autouse=True, scope="module")
def _models(tmp_path_factory):
    file = tmp_path_factory.mktemp("models") / "five.arpa"
    file.write_text(FIVE_WORDS, encoding="utf-8")
    MODELS["ppl"] = str(file)
    MODELS["bertscore"] = PACKAGED
    MODELS["beer"] = write_beer(file.parent / "beer")


MODELS: dict[str, str] = {}
RUNNERS = {"bertscore": script("bertscore_runner.py")}
text = st.text(alphabet="ab cé.—", max_size=12)
corpus = st.lists(st.tuples(text, text), min_size=1, max_size=6)


@each
def test_a_metric_says_what_it_is(name: str):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.install_hint
    assert metric.title
    assert metric.needs <= {"source", "reference", "model"}
    line = made(name).signature(2)
    assert ("nrefs:2" in line) == ("reference" in metric.needs)
    assert "version:" in line
    assert "\n" not in line


@each
def test_statistics_are_finite_rows_and_sum_to_the_score(name: str):
    metric = made(name)
    stats = metric.segment_stats(LINES, [OTHER])
    assert stats.dtype == np.float64
    assert stats.shape[0] == len(LINES)
    assert np.isfinite(stats).all()
    assert metric.score(LINES, [OTHER]) == float(metric.corpus_score(total(stats)))
    assert metric.segment_scores(stats).shape == (len(LINES),)
    facts = metric.facts(total(stats)).values()
    assert all(isinstance(value, str) or np.isfinite(value) for value in facts)


@each
def test_scores_of_many_rows_are_those_of_each(name: str):
    metric = made(name)
    stats = metric.segment_stats(LINES, [OTHER])
    rng = np.random.default_rng(1)
    sums = rng.integers(0, 3, (4, 3, len(LINES))) @ stats
    scores = metric.corpus_score(sums)
    assert scores.shape == (4, 3)
    for row, own in zip(sums.reshape(-1, stats.shape[1]), scores.ravel(), strict=True):
        assert float(metric.corpus_score(row)) == pytest.approx(own, abs=1e-10)


@given(corpus)
@settings(deadline=None, max_examples=40)
def test_any_text_has_a_finite_score_and_the_order_of_segments_changes_nothing(pairs: list):
    hypotheses, references = [list(side) for side in zip(*pairs, strict=True)]
    for metric in (made("bleu"), made("chrf"), made("chrfpp"), made("ter")):
        stats = metric.segment_stats(hypotheses, [references])
        score = metric.score(hypotheses, [references])
        assert np.isfinite(score)
        assert score == pytest.approx(metric.score(hypotheses[::-1], [references[::-1]]), abs=1e-9)
        assert np.isfinite(metric.segment_scores(stats)).all()
        drawn = bootstrap(metric, [stats, stats], 20, np.random.default_rng(1))
        assert np.isfinite(drawn.draws).all()
        low, high = drawn.intervals().T
        assert (low <= drawn.scores).all()
        assert (drawn.scores <= high).all()


@against_references
def test_a_perfect_output_is_perfect_and_direction_is_known(name: str):
    metric = made(name)
    perfect, poor = metric.score(OTHER, [OTHER]), metric.score(LINES, [OTHER])
    assert metric.best is None or perfect == pytest.approx(metric.best)
    assert (perfect > poor) == metric.higher_is_better


@against_references
def test_what_cannot_be_scored_is_refused_in_words(name: str):
    metric = made(name)
    with pytest.raises(MetricError, match="no segment to score"):
        metric.segment_stats([], [[]])
    with pytest.raises(MetricError, match="a reference is needed"):
        metric.segment_stats(["a"], [])
    with pytest.raises(MetricError, match="the output has 2 lines, reference 2 has 1"):
        metric.segment_stats(["a", "b"], [["a", "b"], ["a"]])
    with pytest.raises(MetricError, match="references are sequences of lines"):
        metric.segment_stats(["a"], ["a"])


@against_references
def test_another_reference_is_not_mistaken_for_the_one_kept(name: str):
    metric, other = made(name), fresh(name)
    first = metric.score(LINES, [OTHER])
    assert metric.score(LINES, [LINES]) == other.score(LINES, [LINES])
    assert metric.score(LINES, [OTHER]) == first
