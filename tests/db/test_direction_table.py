"""Every system's score on direct and reverse text."""

import csv
import io
import json

import pytest

from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import import_scored_set, scored, spoiled

pytestmark = pytest.mark.django_db


def table(*arguments):
    return json.loads(run("direction_table", *arguments, "--format", "json")[0])


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_one_set_with_both_directions_gives_the_scores_of_its_parts(tmp_path, metric):
    import_scored_set(tmp_path)
    found = table("demo", "--metric", metric)
    by_part = {}
    for direction in ("direct", "reverse"):
        report = scored(
            "score_outputs", "demo", "--metrics", metric, "--direction", direction, "--resamples", 0
        )
        by_part |= {(row["system"], direction): row["value"] for row in report["results"]}
    assert {row["system"] for row in found["rows"]} == {"A", "B"}
    for row in found["rows"]:
        assert row["direct"] == pytest.approx(by_part[row["system"], "direct"])
        assert row["reverse"] == pytest.approx(by_part[row["system"], "reverse"])
        assert row["delta"] == pytest.approx(row["reverse"] - row["direct"])
        assert (row["n_direct"], row["n_reverse"]) == (6, 6)
    deltas = [row["delta"] for row in found["rows"]]
    assert deltas == sorted(deltas)


def test_a_set_a_direction_and_a_system_of_one_side_only(tmp_path):
    for number, direction in enumerate(("direct", "reverse")):
        lines = invented_lines(8, seed=number)
        file = write_lines(tmp_path / direction, lines)
        run(
            "import_testset", direction, "--languages", "en-de", "--source", file, "--reference", file,
            "--direction", direction,
        )  # fmt: skip
        for name, every in (("A & B", 2), ("C", 4)):
            if (name, direction) != ("C", "reverse"):
                run("import_output", direction, name, write_lines(tmp_path / "out", spoiled(lines, every)))
    found = table("direct", "reverse")
    assert [row["system"] for row in found["rows"]] == ["A & B"] and found["one_sided"] == ["C"]
    text, _ = run("direction_table", "direct", "reverse")
    assert "Outputs of one side only: “C”." in text
    latex, _ = run("direction_table", "direct", "reverse", "--format", "latex")
    assert r"A \& B & " in latex
    rows = list(
        csv.DictReader(io.StringIO(run("direction_table", "direct", "reverse", "--format", "csv")[0]))
    )
    assert float(rows[0]["direct"]) == found["rows"][0]["direct"]
    assert "no reverse segments" in refused("direction_table", "direct")
    compiled(tmp_path, latex)
    assert "no metric" in refused("direction_table", "direct", "reverse", "--metric", "blue")
    assert "no test set" in refused("direction_table", "none")


def test_permuting_the_hypotheses_changes_every_metric(tmp_path):
    reference = import_scored_set(tmp_path, systems=("A",))
    lines = spoiled(reference, 2)
    turned = [*lines[1:], lines[0]]
    run("import_output", "demo", "Turned", write_lines(tmp_path / "turned", turned))
    report = scored("score_outputs", "demo", "--metrics", "bleu,chrf,chrfpp,ter", "--resamples", 0)
    values = {(row["metric"], row["system"]): row["value"] for row in report["results"]}
    for metric, better in (("bleu", 1), ("chrf", 1), ("chrfpp", 1), ("ter", -1)):
        assert better * (values[metric, "A"] - values[metric, "Turned"]) > 10, metric
