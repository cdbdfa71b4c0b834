"""METEOR by its own program: its own sums, other locales, languages, and what is missing."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from mtcore.metrics import METRICS, MetricError, MetricUnavailable
from mtcore.metrics import java as java_module
from mtcore.metrics.base import total
from mtcore.metrics.java import JavaLines
from mtcore.metrics.meteor import LANGUAGES, Meteor
from tests.factories.campaigns import invented_lines
from tests.factories.metrics import FILES, spoiled

needs_meteor = pytest.mark.skipif(
    not Meteor.is_available(), reason=f"METEOR is absent: {Meteor.install_hint}"
)
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java here")


def case(name: str) -> list[str]:
    return (FILES / name).read_text("utf-8").split("\n")[:-1]


def evaluated(metric: Meteor, hypotheses: list[str], references: list[str]) -> list[float]:
    """Return what the program itself makes of the segments, and at the end of all of them."""
    asked = [f"SCORE ||| {ref} ||| {hyp}" for hyp, ref in zip(hypotheses, references, strict=True)]
    stats = list(metric._program.ask(asked))
    process = metric._program._started()
    process.stdin.write(f"EVAL ||| {' ||| '.join(stats)}\n".encode())
    process.stdin.flush()
    return [float(process.stdout.readline()) for _ in range(len(stats) + 1)]


@needs_meteor
@pytest.mark.parametrize("language", ["de", "ru", "it", "cs"])
def test_sums_of_statistics_give_the_programs_own_scores(language: str):
    references = [*invented_lines(30, seed=1), "", "one", "Der Hund, der bellt."]
    hypotheses = [*spoiled(references[:-3], 2), "something", "", "Der Hund, der bellt."]
    metric = Meteor(language)
    stats = metric.segment_stats(hypotheses, [references])
    if LANGUAGES[language].own_words:
        *own, whole = evaluated(metric, hypotheses, references)
        assert metric.segment_scores(stats) == pytest.approx(own, abs=1e-12)
        assert float(metric.corpus_score(total(stats))) == pytest.approx(whole, abs=1e-12)
        part = slice(3, 17)
        *_, whole = evaluated(metric, hypotheses[part], references[part])
        assert float(metric.corpus_score(total(stats[part]))) == pytest.approx(whole, abs=1e-12)
    assert 0 < float(metric.corpus_score(total(stats))) < 1
    assert np.isfinite(metric.segment_scores(stats)).all()


@needs_meteor
def test_the_best_of_several_references_counts():
    metric = Meteor("de")
    one, other = ["der Hund bellt laut"], ["die Katze schläft"]
    assert metric.score(["die Katze schläft"], [one, other]) == 1.0
    assert metric.score(["die Katze schläft"], [one]) < 0.5
    assert "nrefs:2" in metric.signature(2)


@needs_meteor
def test_met_19_a_comma_locale_changes_nothing(monkeypatch):
    plain = Meteor("de").score(case("met_hyp.txt"), [case("met_ref.txt")])
    for name in ("LC_ALL", "LANG", "LC_NUMERIC"):
        monkeypatch.setenv(name, "de_DE.UTF-8" if name == "LC_ALL" else "it_IT.UTF-8")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=de -Duser.country=DE -Dfile.encoding=ISO-8859-1")
    assert Meteor("de").score(case("met_hyp.txt"), [case("met_ref.txt")]) == plain
    assert Meteor("de").score(["süße Äpfel"], [["süße Äpfel"]]) == 1.0


@needs_meteor
def test_lines_that_hold_the_programs_own_marks():
    odd = ["a ||| b", "c\rd", "e\u2028f", "SCORE ||| x", "", "   "]
    stats = Meteor("de").segment_stats(odd, [odd])
    assert stats.shape == (6, 23)
    assert (stats[:, 20] == 0).all()


@needs_meteor
def test_met_05_empty_outputs_score_nothing():
    assert Meteor("de").score(case("met05_all_empty.txt"), [case("met_ref.txt")]) == 0.0


def test_a_missing_java_jar_or_language_is_a_hint(monkeypatch, tmp_path):
    jar = tmp_path / "meteor-1.5.jar"
    jar.write_bytes(b"PK")
    with pytest.raises(MetricUnavailable, match="no parameters for the language “zh”"):
        Meteor("zh")
    with pytest.raises(MetricError, match="is no jar"):
        Meteor("de", str(tmp_path))
    monkeypatch.setattr(java_module.shutil, "which", lambda _: None)
    with pytest.raises(MetricUnavailable, match="install a Java runtime"):
        Meteor("de", str(jar))
    monkeypatch.setattr("mtcore.metrics.meteor.find_spec", lambda _: None)
    with pytest.raises(MetricUnavailable, match="pycocoevalcap"):
        Meteor("de")
    assert METRICS["meteor"].is_available() is False


@needs_java
def test_a_program_that_ends_early_says_why(tmp_path):
    jar = tmp_path / "broken.jar"
    jar.write_bytes(b"no archive")
    with pytest.raises(MetricError, match=r"METEOR: .*broken\.jar is damaged"):
        list(JavaLines(str(jar), ["-x"], "METEOR").ask(["a"]))


STAND_IN = """#!{python}
import sys
for number, line in enumerate(sys.stdin, start=1):
    print("Error" if "odd" in line else " ".join([str(number)] * 23), flush=True)
"""


def test_after_an_answer_that_is_none_no_later_line_gets_an_answer_to_an_earlier_one(monkeypatch, tmp_path):
    """The program still had answers of the first output when the second was asked about."""
    java, jar = tmp_path / "java", tmp_path / "meteor-1.5.jar"
    java.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    java.chmod(0o755)
    jar.write_bytes(b"PK")
    monkeypatch.setattr(java_module, "find_java", lambda: str(java))
    metric = Meteor("de", str(jar))
    with pytest.raises(MetricError, match="answered “Error” instead of 23 numbers"):
        metric.segment_stats(["a", "odd", "c", "d"], [["a", "b", "c", "d"]])
    assert metric.segment_stats(["e", "f"], [["e", "f"]])[:, 1].tolist() == [1.0, 2.0]


def test_a_java_that_cannot_be_started_is_a_hint(monkeypatch, tmp_path):
    java, jar = tmp_path / "java", tmp_path / "meteor-1.5.jar"
    java.write_bytes(b"\0\1\2")
    java.chmod(0o755)
    jar.write_bytes(b"PK")
    monkeypatch.setattr(java_module, "find_java", lambda: str(java))
    with pytest.raises(MetricUnavailable, match=r"cannot be started .* install a Java runtime"):
        Meteor("de", str(jar)).segment_stats(["a"], [["a"]])


def test_a_program_ends_with_its_metric(tmp_path):
    """A stand-in that echoes: it is gone once nobody asks it any more."""
    echo = JavaLines.__new__(JavaLines)
    echo.command, echo._process, echo._said = ["cat"], None, None
    lines = [f"line {number}\r{'x' * 500}" for number in range(230)]
    assert list(echo.ask(lines)) == [line.replace("\r", " ") for line in lines]
    process = echo._process
    assert isinstance(process, subprocess.Popen) and process.poll() is None
    del echo
    assert process.wait(5) is not None
