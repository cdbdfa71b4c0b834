"""A metric that fails on one output tells so and leaves the others their scores."""

import pytest
from django.core.management import CommandError

from mtcore.metrics.limits import MOST_WORDS
from mtcore.metrics.ter import Ter
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.correlation import correlated, rated_quay, result_of, spoil
from tests.factories.files import write_lines
from tests.factories.metrics import import_scored_set, spoiled, strict

pytestmark = pytest.mark.django_db
ENDLESS = "and so on " * MOST_WORDS["ter"]
SYSTEMS = {"Anna": 1, "Berta": 2, "Cora": 3, "Dora": 4}


def endless(lines, place=3):
    """Return lines of which one never ends."""
    return [*lines[:place], ENDLESS.strip(), *lines[place + 1 :]]


def test_directions_name_the_system_that_cannot_be_scored(tmp_path):
    reference = import_scored_set(tmp_path)
    run("import_output", "demo", "Long", write_lines(tmp_path / "long", endless(spoiled(reference, 2))))
    found = strict(run("direction_table", "demo", "--metric", "ter", "--format", "json")[0])
    ((system, reason),) = found["left_out"]
    assert system == "Long" and "line 4" in reason and found["one_sided"] == []
    assert "“Long” is left out: " in run("direction_table", "demo", "--metric", "ter")[0]


def test_directions_of_nothing_but_failures_are_refused_with_the_reasons(tmp_path):
    reference = invented_lines(8, seed=1)
    file = write_lines(tmp_path / "text", reference)
    good, bad = (
        write_lines(tmp_path / name, lines) for name, lines in (("a", reference), ("b", endless(reference)))
    )
    for direction, outputs in (("direct", (bad, good)), ("reverse", (good, bad))):
        run(
            "import_testset", direction, "--languages", "en-de", "--source", file, "--reference", file,
            "--direction", direction,
        )  # fmt: skip
        for name, output in zip("AB", outputs, strict=True):
            run("import_output", direction, name, output)
    with pytest.raises(
        CommandError, match=r"No system could be scored. “A” is left out: .*line 4.*“B” is left"
    ):
        run("direction_table", "direct", "reverse", "--metric", "ter")


@pytest.fixture
def quay(tmp_path):
    rated_quay(tmp_path, SYSTEMS)
    return "quay judged"


def test_correlations_go_on_without_the_output_on_which_a_metric_fails(quay, tmp_path, monkeypatch):
    reference = invented_lines(12, seed=2)
    bad = [spoil(line, SYSTEMS["Cora"]) for line in reference]
    own = Ter.segment_stats

    def failing(self, lines, references, sources=()):
        return own(self, endless(lines) if list(lines) == bad else lines, references, sources)

    monkeypatch.setattr(Ter, "segment_stats", failing)
    found = correlated("--campaign", quay, "--metrics", "ter,chrf", "--direction", "all")
    ter, chrf = (result_of(found, level="system", metric=name) for name in ("ter", "chrf"))
    assert (ter["n"], ter["left_out"], chrf["n"], chrf["left_out"]) == (3, ["Cora"], 4, [])
    assert list(ter["failures"]) == ["Cora"] and "line 4" in ter["failures"]["Cora"]
    assert any(note.startswith("TER, Cora: ") and "line 4" in note for note in found["notes"])


def test_a_metric_that_fails_on_every_output_has_the_reason(quay, monkeypatch):
    own = Ter.segment_stats

    def failing(self, lines, references, sources=()):
        return own(self, endless(lines), references, sources)

    monkeypatch.setattr(Ter, "segment_stats", failing)
    found = correlated("--campaign", quay, "--metrics", "ter,chrf", "--direction", "all")
    assert "line 4" in result_of(found, level="system", metric="ter")["reason"]
    assert result_of(found, level="system", metric="chrf")["n"] == 4
    assert "No metric has scores" in refused("correlate", "--campaign", quay, "--metrics", "ter")
