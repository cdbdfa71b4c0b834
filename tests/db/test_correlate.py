"""The command correlate: coefficients over the same segments, by direction, and never NaN."""

import numpy as np
import pytest
from scipy import stats

from annotation.models import Campaign
from annotation.services.scoring import campaign_score
from annotation.stats.correlation import williams_test
from annotation.stats.options import ScoreOptions
from mtcore.metrics import METRICS
from mtcore.metrics.sacre import SacreMetric
from mtcore.models import MetricResult
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.correlation import (
    MAP,
    correlated,
    import_ratings,
    import_texts,
    rated_quay,
    result_of,
    spoil,
)
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import rows_of

pytestmark = pytest.mark.django_db
SYSTEMS = {"Anna": 1, "Berta": 2, "Cora": 3, "Dora": 4, "Emma": 5}


@pytest.fixture
def quay(tmp_path):
    rated_quay(tmp_path, SYSTEMS)
    return "quay judged"


def test_system_level_is_the_correlation_of_the_printed_scores(quay):
    found = correlated("--campaign", quay, "--metrics", "bleu,ter", "--direction", "all")
    points = found["points"]
    assert [row["system"] for row in points] == list(SYSTEMS)
    human = [row["human"] for row in points]
    scores = campaign_score(campaign=Campaign.objects.get(), options=ScoreOptions(resamples=2)).result
    assert {row["system"]: row["z_mean"] for row in scores["systems"]} == pytest.approx(
        dict(zip(SYSTEMS, human, strict=True))
    )
    for name, sign in (("bleu", 1), ("ter", -1)):
        row = result_of(found, level="system", metric=name)
        values = [point["metrics"][name]["value"] for point in points]
        estimates = row["estimates"]
        assert estimates["pearson"]["value"] == pytest.approx(
            stats.pearsonr(human, np.multiply(sign, values))[0]
        )
        assert estimates["kendall"]["value"] == 1.0 and estimates["spearman"]["value"] == 1.0
        assert estimates["pairwise_accuracy"] == {
            "value": 1.0, "n": 10, "ci": None, "caveat": "all systems agree alike, so no interval",
        }  # fmt: skip
        assert 0.8 < estimates["soft_pairwise_accuracy"]["value"] <= 1
        assert row["higher_is_better"] is (sign > 0) and row["n"] == 5 and row["n_segments"] == 60
    bleu, ter = ([point["metrics"][name]["value"] for point in points] for name in ("bleu", "ter"))
    tested = williams_test(human, bleu, np.multiply(-1, ter))
    (row,) = [row for row in found["williams"] if row["level"] == "system"]
    assert (row["first"], row["second"]) == ("bleu", "ter")
    assert (row["t"], row["p_two_sided"]) == pytest.approx((tested.t, tested.p_two_sided))
    assert any("Of TER less is better" in note for note in found["notes"])


def test_metric_scores_are_those_of_score_outputs_and_made_once(quay, monkeypatch):
    found = correlated("--campaign", quay, "--metrics", "bleu,chrf", "--direction", "all")
    reference = invented_lines(12, seed=2)
    for row in found["points"]:
        output = [spoil(line, SYSTEMS[row["system"]]) for line in reference]
        assert row["metrics"]["chrf"]["value"] == METRICS["chrf"]("de").score(output, [reference])
    assert MetricResult.objects.count() == 10
    monkeypatch.setattr(SacreMetric, "segment_stats", lambda *_: pytest.fail("extracted again"))
    assert correlated("--campaign", quay, "--metrics", "bleu,chrf", "--direction", "all") == found


def test_each_direction_has_its_own_numbers(quay):
    found = correlated("--campaign", quay, "--metrics", "chrf")
    assert [row["direction"] for row in found["results"] if row["level"] == "system"] == [
        "all", "direct", "reverse",
    ]  # fmt: skip
    reference = invented_lines(12, seed=2)
    for direction, part in (("direct", slice(0, 6)), ("reverse", slice(6, 12))):
        row = result_of(found, level="system", direction=direction)
        assert (row["n"], row["n_segments"]) == (5, 30)
        point = next(
            one for one in found["points"] if (one["direction"], one["system"]) == (direction, "Berta")
        )
        output = [spoil(line, 2) for line in reference[part]]
        assert point["metrics"]["chrf"]["value"] == METRICS["chrf"]("de").score(output, [reference[part]])
        assert {one["segment"] for one in found["segments"] if one["direction"] == direction} <= {
            str(number) for number in range(part.start + 1, part.stop + 1)
        }
    only = correlated("--campaign", quay, "--metrics", "chrf", "--direction", "reverse")
    assert {row["direction"] for row in only["results"]} == {"reverse"}
    assert only["points"] == [one for one in found["points"] if one["direction"] == "reverse"]


def test_sta_08_metric_and_people_have_the_same_segments(tmp_path):
    """The default compares A .9 with B .6 as people do; all segments (.5 < .6) only on request, with n."""
    human = tmp_path / "human.csv"
    human.write_text("rater,system,segment_id,score\nr1,A,1,90\nr1,A,2,80\nr1,B,1,60\nr1,B,2,50\n")
    run(
        "import_judgements", "sta08", human, "--format", "csv", "--protocol", "source_da", "--languages",
        "en-de", "--map", "rater=rater,system=system,segment=segment_id,score=score",
    )  # fmt: skip
    rows = [f"A,{n},{0.9 if n < 3 else 0.1}" for n in range(1, 5)] + [f"B,{n},0.6" for n in range(1, 5)]
    metric = write_lines(tmp_path / "metric.csv", ["system,segment_id,metric", *rows])
    arguments = ("--campaign", "sta08", "--metrics", "", "--scores", f"mine={metric}", "--raw")
    found = correlated(*arguments)
    assert [(row["system"], row["human"]) for row in found["points"]] == [("A", 85.0), ("B", 55.0)]
    values = [row["metrics"]["mine"] for row in found["points"]]
    assert values == [
        {"value": pytest.approx(0.9), "n_segments": 2}, {"value": pytest.approx(0.6), "n_segments": 2},
    ]  # fmt: skip
    pearson = result_of(found, level="system")["estimates"]["pearson"]
    assert (pearson["value"], pearson["n"]) == (1.0, 2) and "two points" in pearson["caveat"]
    assert any("2 systems: so few say little" in note for note in found["notes"])


def test_sta_08_all_segments_on_request_say_how_many(tmp_path):
    import_texts(tmp_path, {"A": 0, "B": 2}, lines=4, directions=["direct"] * 4)
    import_ratings(tmp_path, [("r1", "A", 1, 90), ("r1", "A", 2, 80), ("r1", "B", 1, 60), ("r1", "B", 2, 50)])
    rows = [f"A,{n},{0.9 if n < 3 else 0.1}" for n in range(1, 5)] + [f"B,{n},0.6" for n in range(1, 5)]
    metric = write_lines(tmp_path / "metric.csv", ["system,segment_id,metric", *rows])
    arguments = ("--campaign", "quay judged", "--metrics", "", "--scores", f"mine={metric}", "--raw")
    found = correlated(*arguments, "--segments", "all")
    values = {row["system"]: row["metrics"]["mine"] for row in found["points"]}
    assert values == {
        "A": {"value": pytest.approx(0.5), "n_segments": 4},
        "B": {"value": pytest.approx(0.6), "n_segments": 4},
    }
    assert {row["n_human_segments"] for row in found["points"]} == {2}
    assert result_of(found, level="system")["estimates"]["pearson"]["value"] == -1.0
    assert "Segments scored" in run("correlate", *arguments, "--segments", "all")[0]


@pytest.mark.parametrize("shuffled", [False, True])
def test_sta_07_ties_give_a_quarter_in_any_order(tmp_path, shuffled):
    pairs = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 3)]
    order = [4, 0, 5, 2, 1, 3] if shuffled else range(6)
    human = [("r", "A", place + 1, pairs[place][1]) for place in order]
    import_texts(tmp_path, {"A": 0}, lines=6, directions=["direct"] * 6)
    import_ratings(tmp_path, human, scale="1-3")
    metric = write_lines(
        tmp_path / "m.csv", ["system,segment,score", *(f"A,{place + 1},{pairs[place][0]}" for place in order)]
    )
    found = correlated("--campaign", "quay judged", "--metrics", "", "--scores", f"m={metric}", "--raw")
    estimates = result_of(found, level="segment")["estimates"]
    for name in ("pearson", "spearman", "kendall"):
        assert estimates[name]["value"] == pytest.approx(0.25), name
        assert estimates[name]["n"] == 6
    assert estimates["acc_eq"]["value"] is None and estimates["acc_eq"]["caveat"]


def test_sta_07_a_constant_metric_is_undefined_in_words(quay, tmp_path):
    rows = [f"{system},{n},0.5" for system in SYSTEMS for n in range(1, 13)]
    metric = write_lines(tmp_path / "m.csv", ["system,segment,score", *rows])
    found = correlated("--campaign", quay, "--metrics", "", "--scores", f"flat={metric}")
    for row in found["results"]:
        for name in ("pearson", "spearman", "kendall"):
            own = row["estimates"][name]
            assert own["value"] is None and own["ci"] is None
            assert own["caveat"] == "the second series is constant"
    assert any(
        note.startswith("Undefined, the second series is constant: Pearson r") for note in found["notes"]
    )
    assert all(row["caveat"] for row in found["williams"])


def test_one_system_two_systems_and_few_say_so(tmp_path):
    rated_quay(tmp_path, {"Anna": 1})
    found = correlated("--campaign", "quay judged", "--metrics", "chrf")
    row = result_of(found, level="system", direction="all")
    assert row["estimates"]["pearson"] == {"value": None, "n": 1, "ci": None, "caveat": "one point only"}
    assert any("they cannot be correlated" in note for note in found["notes"])
    assert result_of(found, level="segment", direction="all")["estimates"]["pearson"]["value"] is not None


def test_pairs_say_where_metric_and_people_part(tmp_path):
    """On direct text people prefer the output that BLEU calls worse."""
    reference = import_texts(tmp_path, {"BT": 3, "OP": 1}, lines=20, directions=["direct"] * 20)
    rows = [
        (rater, system, n, score + (n * 7 + shift) % 11)
        for rater, shift in (("Ada", 0), ("Ben", 5))
        for n in range(1, len(reference) + 1)
        for system, score in (("BT", 80), ("OP", 55))
    ]
    import_ratings(tmp_path, rows)
    found = correlated("--campaign", "quay judged", "--metrics", "bleu")
    (pair,) = found["pairs"]
    assert (pair["system_a"], pair["system_b"], pair["verdict"]) == ("BT", "OP", "opposite")
    assert pair["human_difference"] > 0 > pair["metric_difference"]
    assert pair["p_human"] == pair["p_metric"] == 0.001
    text = run("correlate", "--campaign", "quay judged", "--metrics", "bleu")[0]
    assert "both: opposite" in text
    # the farthest apart are outputs of both, liked and disliked
    assert {row["system"] for row in found["segments"]} == {"BT", "OP"}
    assert all((row["apart"] > 0) == (row["system"] == "BT") for row in found["segments"])


def test_references_one_after_the_other(quay):
    found = correlated(
        "--campaign", quay, "--metrics", "chrf", "--reference", "ref", "other", "--level", "system"
    )
    assert [(row["reference"], row["direction"]) for row in found["results"]] == [
        (name, direction) for name in ("ref", "other") for direction in ("all", "direct", "reverse")
    ]
    one, other = (result_of(found, reference=name, direction="all") for name in ("ref", "other"))
    assert one["estimates"]["pearson"]["value"] != other["estimates"]["pearson"]["value"]
    assert {row["level"] for row in found["results"]} == {"system"} and not found["segments"]


def test_a_reference_based_campaign_is_compared_with_what_its_raters_saw(tmp_path):
    import_texts(tmp_path, SYSTEMS)
    rows = [
        f"r1,{system},{n},{90 - 9 * lost + n % 5},other"
        for system, lost in SYSTEMS.items()
        for n in range(1, 13)
    ]
    file = write_lines(tmp_path / "r.csv", ["rater,system,segment,score,context", *rows])
    run(
        "import_judgements", "held", file, "--format", "csv", "--protocol", "reference_da", "--languages",
        "en-de", "--testset", "quay", "--map", f"{MAP},context=context",
    )  # fmt: skip
    found = correlated("--campaign", "held", "--metrics", "chrf")
    assert {row["reference"] for row in found["results"]} == {"other"}


def test_by_condition_a_point_is_a_system_in_a_condition(quay):
    found = correlated("--campaign", quay, "--metrics", "chrf", "--by", "condition")
    row = result_of(found, level="system", direction="all")
    assert row["n"] == 10 and row["estimates"]["pairwise_accuracy"]["n"] == 20
    assert {one["condition"] for one in found["points"] if one["direction"] == "all"} == {"direct", "reverse"}
    whole = correlated("--campaign", quay, "--metrics", "chrf")
    for direction in ("direct", "reverse"):
        one, other = (
            result_of(own, level="segment", direction=direction)["estimates"] for own in (found, whole)
        )
        assert {name: own["value"] for name, own in one.items()} == pytest.approx(
            {name: own["value"] for name, own in other.items()}
        )


def test_preferences_against_differences_of_metrics(tmp_path):
    import_texts(tmp_path, SYSTEMS)
    names, rows = list(SYSTEMS), []
    for n in range(1, 13):
        for rater in ("Ada", "Ben"):
            for first in range(4):
                a, b = names[first], names[first + 1]
                choice = "equal" if n % 6 == 0 else "right" if (n, rater) == (5, "Ada") else "left"
                rows.append(f"{rater},{a},{b},{n},{choice}")
    file = write_lines(tmp_path / "p.csv", ["rater,one,two,segment,better", *rows])
    run(
        "import_judgements", "fluent", file, "--format", "csv", "--protocol", "pairwise_fluency",
        "--languages", "en-de", "--testset", "quay",
        "--map", "rater=rater,left=one,right=two,segment=segment,choice=better",
    )  # fmt: skip
    found = correlated("--campaign", "fluent", "--metrics", "chrf,ter", "--direction", "all")
    system = result_of(found, level="system", metric="chrf")
    assert system["human"] == "expected wins" and system["n"] == 5
    assert system["estimates"]["pearson"]["value"] > 0.8
    segment = result_of(found, level="segment", metric="chrf")
    assert set(segment["estimates"]) == {"kendall_like", "acc_eq"}
    # 48 pairs on segments, 12 of them undecided. One line has five words only, so Emma's output is whole: the
    # metric orders that pair the other way round.
    assert segment["n"] == 48
    like = segment["estimates"]["kendall_like"]
    assert (like["value"], like["n"]) == (pytest.approx(34 / 36), 36)
    assert segment["estimates"]["acc_eq"]["n"] == 48
    assert {row["level"] for row in found["williams"]} == {"system"}
    raw = correlated("--campaign", "fluent", "--metrics", "chrf", "--direction", "all", "--raw")
    assert result_of(raw, level="system")["human"] == "win rate"


def test_preferences_against_the_metric_are_listed(tmp_path):
    import_texts(tmp_path, {"Anna": 1, "Emma": 5})
    rows = [f"Ada,Anna,Emma,{n},{'right' if n == 4 else 'left'}" for n in range(1, 13)]
    file = write_lines(tmp_path / "p.csv", ["rater,one,two,segment,better", *rows])
    run(
        "import_judgements", "fluent", file, "--format", "csv", "--protocol", "pairwise_fluency",
        "--languages", "en-de", "--testset", "quay",
        "--map", "rater=rater,left=one,right=two,segment=segment,choice=better",
    )  # fmt: skip
    found = correlated("--campaign", "fluent", "--metrics", "chrf", "--direction", "all")
    (row,) = found["segments"]
    assert (row["segment"], row["system"], row["against"], row["human"]) == ("4", "Emma", "Anna", 1.0)
    assert row["value"] < row["value_against"]
    assert "Emma > Anna" in run("correlate", "--campaign", "fluent", "--metrics", "chrf")[0]


def test_several_campaigns_and_their_pairs_together(tmp_path):
    rated_quay(tmp_path, SYSTEMS)
    rows = [
        ("Cy", system, n, 40 + 9 * lost + n % 5) for system, lost in SYSTEMS.items() for n in range(1, 13)
    ]
    import_ratings(tmp_path, rows, name="contrary")
    found = correlated("--campaign", "quay judged", "contrary", "--metrics", "chrf", "--direction", "all")
    of = {name: result_of(found, level="system", campaign=name)["estimates"] for name in found["campaigns"]}
    assert of["quay judged"]["kendall"]["value"] == 1.0 and of["contrary"]["kendall"]["value"] == -1.0
    together = result_of(found, level="system", campaign=None)
    assert together["estimates"]["pairwise_accuracy"]["value"] == 0.5
    assert together["estimates"]["pairwise_accuracy"]["n"] == 20
    text = run("correlate", "--campaign", "quay judged", "contrary", "--metrics", "chrf")[0]
    assert "all campaigns" in text


def test_what_has_no_output_is_left_out_and_named(quay, tmp_path):
    import_ratings(tmp_path, [("Ada", "HUMAN-C", n, 80 + n) for n in range(1, 13)])
    found = correlated("--campaign", quay, "--metrics", "chrf,bleu", "--direction", "all")
    row = result_of(found, level="system", metric="chrf")
    assert row["left_out"] == ["HUMAN-C"] and row["n"] == 5
    assert "No chrF, BLEU for HUMAN-C: left out." in found["notes"]


def test_a_metric_without_its_model_leaves_the_others(quay):
    found = correlated("--campaign", quay, "--metrics", "beer,chrf", "--direction", "all")
    assert result_of(found, level="system", metric="chrf")["estimates"]["pearson"]["value"] > 0.9
    beer = result_of(found, level="system", metric="beer")
    assert (
        "needs a model" in beer["reason"] and "manage.py score_outputs quay --metrics beer" in beer["reason"]
    )
    assert any(note.startswith("BEER: BEER needs a model") for note in found["notes"])


def test_every_format_says_the_same(quay, tmp_path):
    arguments = ("--campaign", quay, "--metrics", "chrf,ter")
    found = correlated(*arguments)
    own = result_of(found, level="system", direction="direct", metric="ter")["estimates"]["pearson"]
    rows = rows_of(run("correlate", *arguments, "--format", "csv")[0])
    (row,) = [
        row for row in rows
        if (row["level"], row["direction"], row["metric"], row["coefficient"])
        == ("system", "direct", "ter", "pearson")
    ]  # fmt: skip
    assert float(row["value"]) == own["value"] and row["higher_is_better"] == "False"
    assert [float(row["interval_low"]), float(row["interval_high"])] == own["ci"]
    assert row["signature"] == found["signature"]
    written = f"{own['value']:.3f} [{own['ci'][0]:.3f}, {own['ci'][1]:.3f}]"
    assert written in run("correlate", *arguments)[0].replace("−", "-")
    latex = run("correlate", *arguments, "--format", "latex")[0]
    for marks, plain in ((r"\ensuremath{-}", "-"), ("{[}", "["), ("{]}", "]")):
        latex = latex.replace(marks, plain)
    assert written in latex
    tables = []
    for table in ("williams", "pairs", "points", "segments"):
        assert rows_of(run("correlate", *arguments, "--format", "csv", "--table", table)[0]), table
        latex = run("correlate", *arguments, "--format", "latex", "--table", table)[0]
        assert r"\begin{tabular}" in latex or r"\begin{longtable}" in latex
        tables.append(latex)
    compiled(tmp_path, *tables)


def test_the_same_seed_gives_the_same_numbers(quay):
    arguments = ("--campaign", quay, "--metrics", "chrf")
    assert correlated(*arguments) == correlated(*arguments)
    assert correlated(*arguments, "--seed", 2)["results"] != correlated(*arguments)["results"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--metrics", "blue"), "There is no metric “blue”. Did you mean “bleu”?"),
        (("--metrics", ","), "No metric is given."),
        (("--direction", "direct", "--metrics", "chrf", "--reference", "Y9"), "There is no version “Y9”"),
        (("--resamples", "1"), "resamples must be a whole number from 2 to 100,000; found 1."),
        (("--seed", "-1"), "seed must be a whole number from 0"),
        (("--listed", "-1"), "listed segments must be a whole number from 0 to 1,000"),
        (("--threshold", "-1"), "threshold must be 0 or more"),
        (("--threshold", "nan"), "threshold must be 0 or more"),
        (("--metrics", "beer"), "BEER needs a model"),
        (("--model", "beer=/nowhere", "--metrics", "beer"), "/nowhere"),
        (("--model", "news.arpa"), "“news.arpa” is a model of no metric."),
        (("--scores", "mine=/nowhere.csv"), "The scores of mine are not there: /nowhere.csv."),
        (("--scores", "a=/nowhere.csv", "a=/elsewhere.csv"), "“a” is given two files."),
        (("--model", "ppl=/nowhere", "ppl=/elsewhere"), "“ppl” is given two files."),
        (("--scores", "a|b=/nowhere.csv"), "a|b"),
        (("--scores", "chrf=/nowhere.csv"), "“chrf” is a metric of this platform."),
        (("--lower-is-better", "mine"), "“mine” is no metric of yours"),
        (("--campaign", "quay judgd"), "Did you mean “quay judged”?"),
        (("--campaign", "quay judged"), "A campaign is named twice."),
    ],
)
def test_bad_input_is_refused_in_one_line(quay, arguments, words):
    assert words in refused("correlate", "--campaign", quay, *arguments)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["system,score", "Anna,1"], "has no column segment; it has “system”, “score”."),
        (["system,segment,score"], "has no scores below its header."),
        (
            ["system,segment,score", "Anna,1,-1e308"],
            "line 2: the score -1e308 is beyond what",
        ),
        (["system,segment,score", "Anna,1,good"], "line 2"),
        (["system,segment,score", "Anna,1,nan"], "line 2"),
        (
            ["system,segment,score", "Anna,1,1", "Anna,1,2"],
            "line 3: segment “1” of “Anna” is scored a second time",
        ),
        (["system,segment,score", "Zoe,1,1"], "no score is about a judged segment of Anna, Berta"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(quay, tmp_path, lines, words):
    file = write_lines(tmp_path / "mine.csv", lines)
    message = refused("correlate", "--campaign", quay, "--metrics", "", "--scores", f"mine={file}")
    assert words in message, message


def test_campaigns_without_texts_judgements_or_that_direction(tmp_path, quay):
    import_ratings(tmp_path, [("r", "A", 1, 5), ("r", "A", 2, 6)], name="no texts", testset="")
    assert "import the test set and its outputs" in refused("correlate", "--campaign", "no texts")
    run(
        "create_campaign", "empty", "--protocol", "source_da", "--testset", "quay", "--systems", "Anna",
        "Berta", "--raters", "2", "--judgements", "1",
    )  # fmt: skip
    assert "has no judgements yet" in refused("correlate", "--campaign", "empty")
    import_texts(tmp_path, {"Anna": 1}, name="one way", directions=["direct"] * 12)
    import_ratings(tmp_path, [("r", "Anna", n, n) for n in range(1, 9)], name="way", testset="one way")
    assert "no judgement of a reverse segment" in refused(
        "correlate", "--campaign", "way", "--direction", "reverse"
    )
