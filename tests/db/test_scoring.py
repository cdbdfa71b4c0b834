"""Scores of campaigns, end to end through commands."""

import json
import subprocess
import sys

import numpy as np
import pytest

from annotation.models import Assignment, Judgement, ScoreRun
from annotation.services.judging import judgement_save
from annotation.services.records import ratings_read
from annotation.services.scoring import campaign_score, judgements_digest, options_read
from annotation.services.spreads import spreads_read
from annotation.stats.options import ScoreOptions
from annotation.stats.standardise import standardise
from evalplatform.errors import BadInput, Conflict
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


def out(*arguments):
    """Run a command and return what it prints."""
    return run(*arguments)[0]


def imported(name, file, *options):
    run("import_judgements", name, str(FILES / file), "--format", "csv", "--languages", "en-de", *options)


def scores(name, *options):
    def constant(text):
        raise AssertionError(f"{text} in JSON")

    return json.loads(out("score_campaign", name, "--format", "json", *options), parse_constant=constant)


def by_system(result):
    return {row["system"]: row for row in result["systems"]}


def test_constant_and_single_raters_have_no_z_and_are_named():
    imported("sta01", "sta01_constant.csv", "--protocol", "source_da")
    result = scores("sta01")
    systems = by_system(result)
    assert systems["A"]["z_mean"] == pytest.approx(0.7746, abs=5e-5)
    assert systems["B"]["z_mean"] == pytest.approx(-0.7746, abs=5e-5)
    assert [row["rater"] for row in result["raters"] if row["no_variance"]] == ["r2", "r3"]
    assert any("r2, r3" in note for note in result["notes"])
    table = out("score_campaign", "sta01")
    assert "nan" not in table.lower()
    assert "r2, r3" in table


def test_a_rater_constant_but_for_rounding_has_no_z():
    imported("sta02", "sta02_const_float.csv", "--protocol", "source_da")
    systems = by_system(scores("sta02"))
    assert systems["A"]["z_mean"] == pytest.approx(0.8492, abs=5e-5)
    assert systems["B"]["z_mean"] == pytest.approx(-0.8492, abs=5e-5)


def test_averages_are_over_segments_first():
    imported("sta04", "sta04_unbalanced.csv", "--protocol", "source_da")
    assert by_system(scores("sta04"))["A"]["raw_mean"] == pytest.approx(50.0)


def test_identical_systems_share_a_cluster():
    imported("sta05", "sta05_identical.csv", "--protocol", "source_da")
    result = scores("sta05")
    systems = by_system(result)
    assert systems["A"]["cluster"] == systems["B"]["cluster"] == [1, 2]
    assert systems["C"]["cluster"] == [3, 3]
    pair = next(row for row in result["pairs"] if {row["system_a"], row["system_b"]} == {"A", "B"})
    assert pair["p_bootstrap_two_sided"] == pair["p_rank_sum"] == 1.0
    table = out("score_campaign", "sta05").splitlines()
    rules = [number for number, line in enumerate(table) if line.startswith("─")]
    names = {line.split()[0]: number for number, line in enumerate(table[:8]) if line}
    assert names["A"] < names["C"]
    assert any(max(names["A"], names["B"]) < rule < names["C"] for rule in rules)


def test_a_tie_counts_half_in_the_win_rate():
    imported("sta10", "sta10_pairwise.csv", "--protocol", "pairwise_fluency")
    systems = by_system(scores("sta10"))
    assert systems["A"]["win_rate"] == pytest.approx(0.40)
    assert systems["B"]["win_rate"] == pytest.approx(0.50)
    table = out("score_campaign", "sta10")
    assert table.index("\nB ") < table.index("\nA ") or table.index("expected wins") < table.index("\nB ")
    assert "counts a tie as half" in table


@pytest.mark.parametrize("resamples", ["0", "1", "-5", "1e9", "abc"])
def test_silly_resamples_are_refused_with_the_limits(resamples):
    imported("sta16", "sta01_constant.csv", "--protocol", "source_da")
    message = refused("score_campaign", "sta16", f"--resamples={resamples}")
    assert "2 to 100,000" in message
    assert ScoreRun.objects.count() == 0


def test_a_mistake_is_one_line_and_exit_code_one(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "score_campaign", "none such"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "DATA_DIR": str(tmp_path)},
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_unknown_campaign_and_options_are_explained():
    imported("harbour", "sta01_constant.csv", "--protocol", "source_da")
    assert "Did you mean “harbour”?" in refused("score_campaign", "harbur")
    assert "strict, wmt" in refused("score_campaign", "harbour", "--clusters", "loose")
    assert "two of the systems: A, B" in refused("score_campaign", "harbour", "--hypothesis", "A>Z")


def test_no_judgements_is_a_clear_message():
    make_campaign(name="empty")
    assert "has no judgements yet" in refused("score_campaign", "empty")


def test_the_same_question_is_computed_once_and_a_correction_changes_it():
    campaign = make_campaign(n_segments=5)
    answer_all(campaign)
    first = campaign_score(campaign=campaign, options=ScoreOptions())
    assert campaign_score(campaign=campaign, options=ScoreOptions()).pk == first.pk
    assert campaign_score(campaign=campaign, options=ScoreOptions(seed=2)).pk != first.pk
    digest = judgements_digest(campaign)
    participation = campaign.participations.select_related("campaign", "rater").first()
    assignment = participation.assignments.first()
    judgement_save(
        participation=participation,
        assignment_key=assignment.key,
        client_key="another-client-key-1234",
        answers={"score": 3},
    )
    assert judgements_digest(campaign) != digest
    second = campaign_score(campaign=campaign, options=ScoreOptions())
    assert second.pk != first.pk
    assert second.result["systems"] != first.result["systems"]
    assert second.result["signature"] == first.result["signature"]


def test_an_exclusion_leaves_the_averages_and_is_told():
    campaign = make_campaign(n_segments=5)
    answer_all(campaign)
    before = campaign_score(campaign=campaign, options=ScoreOptions()).result
    campaign.participations.filter(rater__name="R2").update(excluded_by="careless")
    after = campaign_score(campaign=campaign, options=ScoreOptions()).result
    assert "exclusions:1" in after["signature"]
    assert "Rater R2 is excluded (careless)." in after["notes"]
    assert sum(r["n_judgements"] for r in after["systems"]) < sum(
        r["n_judgements"] for r in before["systems"]
    )
    kept = {row["rater"]: row for row in after["raters"]}
    assert kept["R2"]["excluded_by"] == "careless"
    assert kept["R2"]["mean"] == pytest.approx(
        next(row["mean"] for row in before["raters"] if row["rater"] == "R2")
    )


def test_a_changed_plan_changes_what_is_missing():
    campaign = make_campaign(n_segments=5)
    answer_all(campaign, share=0.5)
    before = campaign_score(campaign=campaign, options=ScoreOptions()).result
    Assignment.objects.filter(pk=Assignment.objects.open().first().pk).update(state="released")
    after = campaign_score(campaign=campaign, options=ScoreOptions()).result
    assert after["systems"] == before["systems"]
    assert "10 of 20 assigned judgements are missing." in before["notes"]
    assert "9 of 19 assigned judgements are missing." in after["notes"]


def test_merged_outputs_are_credited_to_each_system():
    campaign = make_campaign(n_segments=6, identical=(0, 1, 2, 3, 4, 5))
    answer_all(campaign)
    result = campaign_score(campaign=campaign, options=ScoreOptions()).result
    one, other = result["systems"]
    assert one["n_judgements"] == other["n_judgements"] == 12
    assert one["z_mean"] == other["z_mean"]
    assert result["pairs"][0]["p_bootstrap_two_sided"] == 1.0
    assert sum(row["n"] for row in result["raters"]) == 12


def test_identical_pairs_and_sides_of_preferences():
    campaign = make_campaign("pairwise_fluency", n_segments=40, identical=(3, 7), judgements=3)
    answer_all(campaign, seed=4)
    result = campaign_score(campaign=campaign, options=ScoreOptions()).result
    pair = result["pairs"][0]
    assert (pair["system_a"], pair["identical"]) == ("BT", 2)
    assert pair["a_better"] + pair["b_better"] + pair["equal"] == 38 * 3
    assert pair["p_sign_two_sided"] < 0.01
    side = result["position"]
    assert side["left"] + side["right"] + side["equal"] == 38 * 3
    assert result["systems"][0]["system"] == "BT"


def test_conditions_have_rows_and_notation_of_their_own():
    campaign = make_campaign("reference_da", n_segments=6, direction="reverse")
    answer_all(campaign)
    plain = campaign_score(campaign=campaign, options=ScoreOptions()).result
    assert all(row["testset"] is row["direction"] is None for row in plain["systems"])
    cut = campaign_score(campaign=campaign, options=ScoreOptions(by_condition=True)).result
    assert {row["notation"] for row in cut["systems"]} == {"X* → Y"}
    assert {(row["input"], row["reference"], row["direction"]) for row in cut["systems"]} == {
        ("source", "reference", "reverse")
    }
    assert all(row["notation"] == "X* → Y" for row in cut["pairs"])
    assert "X* → Y" in out("score_campaign", campaign.name, "--by", "condition")


def test_preferences_by_condition():
    campaign = make_campaign("pairwise_fluency", n_segments=6)
    answer_all(campaign)
    cut = campaign_score(campaign=campaign, options=ScoreOptions(by_condition=True)).result
    assert [row["notation"] for row in cut["pairs"]] == ["X"]
    assert all(row["direction"] == "direct" for row in cut["systems"])


def test_a_declared_hypothesis_is_labelled():
    campaign = make_campaign(n_segments=6)
    answer_all(campaign)
    result = campaign_score(campaign=campaign, options=options_read(campaign, {"hypothesis": "BT>OP"})).result
    assert result["pairs"][0]["one_sided"] == "declared"
    assert "hypothesis:BT>OP" in result["signature"]


def test_options_come_as_words_and_unknown_ones_are_refused():
    campaign = make_campaign(n_segments=2)
    options = options_read(campaign, {"seed": "7", "by": "condition", "resamples": "", "clusters": None})
    assert (options.seed, options.by_condition, options.resamples) == (7, True, 1000)
    with pytest.raises(BadInput, match="no option 'sede'"):
        options_read(campaign, {"sede": "7"})
    with pytest.raises(BadInput, match="by must be"):
        options_read(campaign, {"by": "rater"})
    with pytest.raises(Conflict, match="no judgements"):
        campaign_score(campaign=campaign, options=options)


def test_z_of_single_judgements_averages_to_the_scores():
    campaign = make_campaign(n_segments=5, systems=("OP",), raters=2)
    answer_all(campaign)
    ratings, spreads = ratings_read(campaign), spreads_read(campaign)
    whose = dict(Judgement.objects.values_list("pk", "assignment__participation_id"))
    columns = zip(ratings.judgements.tolist(), ratings.table.score.tolist(), strict=True)
    z = [spreads.z(whose[pk], "system", score) for pk, score in columns]
    assert len(z) == 10
    assert z == np.round(standardise(ratings.table).z, 10).tolist()
    assert sum(z) == pytest.approx(0, abs=1e-8)


def test_csv_has_the_systems_with_their_intervals():
    campaign = make_campaign(n_segments=5)
    answer_all(campaign)
    header, *rows = out("score_campaign", campaign.name, "--format", "csv").strip().splitlines()
    assert header.startswith(
        "system,testset,input,reference,direction,raw_mean,z_mean,raw_ci_low,raw_ci_high"
    )
    assert len(rows) == 2
    pairs = out("score_campaign", campaign.name, "--format", "csv", "--table", "pairs")
    assert pairs.startswith("system_a,system_b,z_difference")


@pytest.mark.parametrize("n_segments", [4, 12])
def test_scoring_asks_a_fixed_number_of_questions(n_segments, django_assert_max_num_queries):
    campaign = make_campaign(n_segments=n_segments)
    answer_all(campaign)
    with django_assert_max_num_queries(30):
        campaign_score(campaign=campaign, options=ScoreOptions(resamples=2))


def test_names_with_odd_characters_are_kept_in_json():
    imported("exp09", "exp09_names.csv", "--protocol", "source_da")
    assert by_system(scores("exp09")).keys() == {"GPT_4&Co{50%}", "<b>Sys</b>#1", "a\\b^~$"}
