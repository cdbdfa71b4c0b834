"""Studies: what belongs to them, their scores, and campaigns side by side."""

import json

import numpy as np
import pytest
from django.core.management import CommandError

from annotation.models import AuditEvent, Campaign, Judgement, Participation, Rater, Study
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.handing_over import work_hand_over
from annotation.services.joining import Panel, participation_join
from annotation.services.newcomers import raters_add
from annotation.services.scoring import campaign_score
from annotation.services.studies import study_create
from annotation.services.study_members import study_add
from annotation.services.study_scores import study_options, study_score
from annotation.services.turns import study_look
from annotation.stats.options import ScoreOptions
from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.models import System, TestSet
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.studies import answered, correct, exclude, study_of, study_with_everything

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def strict(text):
    def constant(name):
        raise AssertionError(f"{name} in JSON")

    return json.loads(text, parse_constant=constant)


def scores_of(campaign):
    """Return (rater, score) of every current judgement."""
    rows = Judgement.objects.of_campaign(campaign.pk).current()
    return list(rows.values_list("assignment__participation__rater__name", "score"))


def test_a_study_is_made_once():
    out, _ = run("create_study", "Both ways", "--description", "One question")
    assert "Both ways" in out
    assert Study.objects.get(name="Both ways").description == "One question"
    assert "exists already" in refused("create_study", "Both ways")
    assert "holds “|”" in refused("create_study", "a|b")
    assert "no user" in refused("create_study", "Other", "--owner", "nobody")


def test_a_campaign_moves_with_its_raters_and_same_names_are_one_person():
    one, two = (make_campaign(name=name, raters=("ann", "bob")) for name in ("one", "two"))
    run("create_study", "S")
    out, err = run("add_to_study", "S", "--campaign", "one", "two")
    assert "“two” moved from the study “two” to “S”" in out
    assert "ann, bob were in “S” already: same name, same person" in err
    study = Study.objects.get(name="S")
    assert set(study.campaigns.values_list("name", flat=True)) == {"one", "two"}
    assert list(study.raters.order_by("name").values_list("name", flat=True)) == ["ann", "bob"]
    ann = study.raters.get(name="ann")
    assert set(ann.participations.values_list("campaign", flat=True)) == {one.pk, two.pk}
    assert Rater.objects.count() == 2
    assert AuditEvent.objects.filter(action="campaign.moved", study=study).count() == 2
    again, _ = run("add_to_study", "S", "--campaign", "one")
    assert "Already in “S”: one" in again


def test_raters_of_one_name_are_kept_apart_when_asked():
    _, two = (make_campaign(name=name, raters=("ann",), judgements=1) for name in ("one", "two"))
    study = study_create(name="S")
    study_add(study=study, campaigns=["one"])
    added = study_add(study=study, campaigns=["two"], separate_raters=True)
    assert added.united == ()
    assert set(study.raters.values_list("name", flat=True)) == {"ann", "ann (two)"}
    assert two.participations.get().rater.name == "ann (two)"


def test_who_comes_while_a_campaign_moves_comes_to_where_it_is():
    """Whoever adds, hands over or joins had read the campaign before it moved."""
    made = make_campaign(name="one", settings=CampaignSettings(joins=True), raters=("ann", "bob"))
    added, handed, joined = (Campaign.objects.select_related("study").get(pk=made.pk) for _ in range(3))
    study = study_create(name="S")
    study_add(study=study, campaigns=["one"])
    raters_add(campaign=added, names=["cleo"])
    work_hand_over(campaign=handed, rater="ann", new_rater="dan")
    for person in ("p-1", ""):
        participation_join(campaign=joined, panel=Panel(person))
    people = Participation.objects.filter(campaign=made).select_related("rater")
    assert people.count() == 6 and {one.rater.study for one in people} == {study}
    told = AuditEvent.objects.filter(action__in=("rater.added", "rater.invited", "rater.joined"))
    assert told.count() == 4 and {one.study for one in told} == {study}


def test_who_comes_while_a_draft_is_deleted_is_told():
    made = make_campaign(name="one", settings=CampaignSettings(joins=True), raters=("ann", "bob"))
    gone = Campaign.objects.get(pk=made.pk)
    gone.pk += 1000
    for come in (study_look, lambda one: participation_join(campaign=one, panel=Panel("p-1"))):
        with pytest.raises((NotFound, Conflict)):
            come(gone)


def test_people_whose_profiles_differ_are_never_united():
    for name, age in (("one", 30), ("two", 40)):
        campaign = make_campaign(name=name, raters=("ann",), judgements=1)
        Rater.objects.filter(participations__campaign=campaign).update(profile={"age": age})
    run("create_study", "S")
    message = refused("add_to_study", "S", "--campaign", "one", "two")
    assert "different people" in message
    assert "--separate-raters" in message
    assert Campaign.objects.get(name="one").study.name == "one"


def test_a_rater_of_two_campaigns_stays_in_the_old_study_too():
    make_campaign(name="one", study="old", raters=("ann",), judgements=1)
    make_campaign(name="two", study="old", raters=("ann",), judgements=1)
    study = study_create(name="new")
    study_add(study=study, campaigns=["two"])
    assert Rater.objects.filter(name="ann").count() == 2
    assert Participation.objects.get(campaign__name="two").rater.study == study
    assert Participation.objects.get(campaign__name="one").rater.study.name == "old"


def test_adding_is_all_or_nothing():
    make_campaign(name="one")
    run("create_study", "S")
    assert "no system “XY”" in refused("add_to_study", "S", "--campaign", "one", "--system", "XY")
    assert "no campaign “onne”" in refused("add_to_study", "S", "--campaign", "one", "onne")
    assert Campaign.objects.get(name="one").study.name == "one"
    assert "Nothing to add" in refused("add_to_study", "S")
    assert "no study “T”" in refused("add_to_study", "T", "--campaign", "one")


def test_test_sets_and_systems_belong_to_studies():
    make_campaign(name="one")
    run("create_study", "S")
    out, _ = run("add_to_study", "S", "--testset", "one", "--system", "OP", "--system", "BT")
    assert "1 test set(s) and 2 system(s)" in out
    study = Study.objects.get(name="S")
    assert set(study.systems.all()) == set(System.objects.filter(name__in=("OP", "BT")))
    assert list(study.testsets.all()) == [TestSet.objects.get(name="one")]


def test_a_study_is_scored_by_protocol_and_pair():
    study = study_with_everything()
    result = strict(run("score_study", study.name, "--format", "json")[0])
    assert result["study"] == study.name
    assert [group["protocol"] for group in result["groups"]] == [
        "pairwise_fluency", "reference_da", "source_da",
    ]  # fmt: skip
    assert all(group["languages"] == "en-de" for group in result["groups"])
    assert [group["campaigns"] for group in result["groups"]] == [
        ["Fluency"],
        ["By reference"],
        ["By source"],
    ]
    assert all("scope:study" in group["signature"] for group in result["groups"][1:])
    table, _ = run("score_study", study.name)
    assert "nan" not in table.lower()
    assert "is excluded (Cosima was asleep)" in table
    header, *rows = run("score_study", study.name, "--format", "csv", "--table", "raters")[0].splitlines()
    assert header.startswith("protocol,languages,rater,n")
    assert len(rows) == 9


def test_a_group_of_one_campaign_scores_like_the_campaign():
    study = study_of(answered(name="one"))
    own = campaign_score(campaign=study.campaigns.get(), options=ScoreOptions()).result
    (group,) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    for part in ("systems", "pairs", "raters"):
        assert group[part] == own[part]


def test_z_over_the_study_is_over_all_ratings_of_a_rater_on_the_scale():
    source, reference = answered(name="s"), answered("reference_da", name="r", seed=5)
    other = answered(name="o", scale=(0, 100), seed=6)
    away = answered(name="a", languages="en-fr", seed=7)
    study_of(source, reference, other, away)
    source.refresh_from_db()
    ratings = scores_of(source) + scores_of(reference)
    result = campaign_score(campaign=source, options=ScoreOptions(scope="study")).result
    for row in result["raters"]:
        own = np.array([score for rater, score in ratings if rater == row["rater"]])
        assert row["n"] == len(own)
        assert row["mean"] == pytest.approx(own.mean(), abs=1e-10)
        assert row["sd"] == pytest.approx(own.std(ddof=1), abs=1e-10)
    plain = campaign_score(campaign=source, options=ScoreOptions()).result
    assert result["systems"][0]["raw_mean"] == plain["systems"][0]["raw_mean"]
    assert result["systems"][0]["n_judgements"] == plain["systems"][0]["n_judgements"]
    assert result["systems"][0]["z_mean"] != plain["systems"][0]["z_mean"]
    assert "scope:study" in result["signature"]


def test_z_means_over_the_study_by_hand():
    source, reference = answered(name="s"), answered("reference_da", name="r", seed=5)
    study = study_of(source, reference)
    ratings = scores_of(source) + scores_of(reference)
    spread = {
        rater: (np.mean(own), np.std(own, ddof=1))
        for rater in {rater for rater, _ in ratings}
        for own in [[score for name, score in ratings if name == rater]]
    }
    rows = (
        Judgement.objects.of_campaign(source.pk)
        .current()
        .values_list(
            "assignment__participation__rater__name",
            "assignment__item__segment__key",
            "assignment__item__candidates__outputs__system__name",
            "score",
        )
    )
    cells: dict[tuple[str, str], list[float]] = {}
    for rater, segment, system, score in rows:
        mean, sd = spread[rater]
        cells.setdefault((system, segment), []).append((score - mean) / sd)
    (_, group) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    assert group["protocol"] == "source_da"
    for row in group["systems"]:
        own = [np.mean(values) for (system, _), values in cells.items() if system == row["system"]]
        assert row["z_mean"] == pytest.approx(np.mean(own), abs=1e-10)


def test_campaigns_of_one_protocol_are_taken_together():
    one, two = answered(name="one"), answered(name="two", seed=4)
    study = study_of(one, two)
    (group,) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    assert group["campaigns"] == ["one", "two"]
    assert all(row["n_segments"] == 12 and row["n_judgements"] == 24 for row in group["systems"])
    assert {row["n"] for row in group["raters"]} == {16}
    assert all(row["n_raters"] == 3 for row in group["systems"])
    (apart,) = study_score(study=study, options=ScoreOptions(scope="campaign")).result["groups"]
    assert {row["n"] for row in apart["raters"]} == {8}
    assert len(apart["raters"]) == 6


def test_an_exclusion_in_one_campaign_leaves_the_others_alone():
    one, two = answered(name="one"), answered(name="two", seed=4)
    study = study_of(one, two)
    exclude(one, "Cosima", "asleep")
    (group,) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    lost = (
        Judgement.objects.of_campaign(one.pk).filter(assignment__participation__rater__name="Cosima").count()
    )
    assert sum(row["n_judgements"] for row in group["systems"]) == 48 - lost
    assert {row["n"] for row in group["raters"]} == {16}
    exclude(two, "Cosima", "asleep")
    (group,) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    assert [row["rater"] for row in group["raters"] if row["excluded_by"]] == ["Cosima"]


def test_scores_over_the_study_are_new_when_another_campaign_changes():
    source, reference = answered(name="s"), answered("reference_da", name="r", seed=5)
    study_of(source, reference)
    source.refresh_from_db()
    options = ScoreOptions(scope="study")
    first = campaign_score(campaign=source, options=options)
    assert campaign_score(campaign=source, options=options).pk == first.pk
    correct(reference, "Cosima", 1)
    second = campaign_score(campaign=source, options=options)
    assert second.pk != first.pk
    assert second.result["raters"] != first.result["raters"]


def test_study_scores_are_kept_and_options_read():
    study = study_of(answered(name="one"), make_campaign(name="empty", raters=("zoe",), judgements=1))
    options = study_options(study, {"hypothesis": "BT>OP", "seed": "7"})
    assert (options.scope, options.seed, options.hypothesis) == ("study", 7, ("BT", "OP"))
    first = study_score(study=study, options=options)
    assert study_score(study=study, options=options).pk == first.pk
    assert first.result["notes"] == ["Without judgements yet: empty."]
    assert first.result["groups"][0]["pairs"][0]["one_sided"] == "declared"
    with pytest.raises(BadInput, match="no option"):
        study_options(study, {"sede": "7"})
    with pytest.raises(Conflict, match="no judgements"):
        study_score(study=study_create(name="void"), options=options)


def test_a_hypothesis_holds_where_both_systems_are():
    study = study_of(
        answered(name="one"), answered(name="two", languages="en-fr", systems=("BT", "XY"), seed=3)
    )
    result = study_score(study=study, options=ScoreOptions(scope="study", hypothesis=("BT", "OP"))).result
    assert [group["pairs"][0]["one_sided"] for group in result["groups"]] == ["declared", "post_hoc"]


def test_source_based_and_reference_based_side_by_side():
    texts = {"source": [f"Source {n}." for n in range(8)]}
    source = answered(name="s", n_segments=8, texts=texts)
    answered("reference_da", name="r", n_segments=8, seed=2, texts=texts)
    result = strict(run("compare_campaigns", "s", "r", "--format", "json")[0])
    assert result["kind"] == "source_based_with_reference_based"
    assert result["matched_by"] == "system"  # two test sets: no condition in common
    assert result["correlation"]["n"] == result["correlation"]["n_distinct_outputs"] == 2
    own = {
        row["system"]: row["z_mean"]
        for row in campaign_score(campaign=source, options=ScoreOptions()).result["systems"]
    }
    for row in result["systems"]:
        assert row["first"] == pytest.approx(own[row["system"]], abs=1e-12)
        assert row["difference"] == pytest.approx(row["first"] - row["second"], abs=1e-12)
    table, _ = run("compare_campaigns", "s", "r")
    assert "n = 2 points, 2 distinct outputs" in table
    assert "nan" not in table.lower()


def test_conditions_are_matched_and_an_output_with_two_references_counts_once():
    run("import_judgements", "src", *_written("source_da", [("A", "", 80), ("B", "", 60), ("C", "", 30)]))
    two = [
        ("A", "r1", 82),
        ("B", "r1", 61),
        ("C", "r1", 20),
        ("A", "r2", 70),
        ("B", "r2", 66),
        ("C", "r2", 44),
    ]
    run("import_judgements", "ref", *_written("reference_da", two))
    for names in (("src", "ref"), ("ref", "src")):
        result = strict(run("compare_campaigns", *names, "--format", "json")[0])
        assert result["matched_by"] == "condition"
        assert (result["correlation"]["n"], result["correlation"]["n_distinct_outputs"]) == (6, 3)
        r = np.corrcoef([80, 60, 30, 80, 60, 30], [82, 61, 20, 70, 66, 44])[0, 1]
        assert result["correlation_raw"]["pearson"]["value"] == pytest.approx(r, abs=0.05)
        assert any("share 3 outputs" in note for note in result["notes"])
        assert len(result["pairs"]) == 6


def _written(protocol, means):
    """Write a file of judgements (four segments, two raters) around mean scores; return arguments."""
    rng = np.random.default_rng(len(means))
    lines = ["judgement,protocol,languages,scale,rater,testset,segment,input,context,left,choice,score"]
    for number, (system, reference, mean) in enumerate(means):
        for segment in range(1, 5):
            for rater in ("u", "v"):
                score = round(mean + rng.uniform(-3, 3), 2)
                lines.append(
                    f"j{number}-{segment}{rater},{protocol},en-de,0-100,{rater},shared,{segment},source,"
                    f"{reference},{system},,{score}"
                )
    name = f"{protocol}.csv"
    with open(name, "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    return name, "--format", "csv"


def test_any_two_campaigns_with_their_decisions():
    one = answered(name="one", n_segments=30)
    run("create_study", "S")
    two = answered("pairwise_fluency", name="two", n_segments=30, seed=9)
    result = strict(run("compare_campaigns", one.name, two.name, "--format", "json")[0])
    assert result["kind"] == "any_two"
    assert result["measures"] == ["z_mean", "expected_wins"]
    assert all(row["difference"] is None for row in result["systems"])
    assert result["decisions"]["n"] == 1
    assert result["decisions"]["same_decision"] == 1
    header, *rows = run("compare_campaigns", "one", "two", "--format", "csv", "--table", "pairs")[
        0
    ].splitlines()
    assert header.startswith("system_a,system_b")
    assert len(rows) == 1


def test_what_cannot_be_compared_is_refused():
    answered(name="one")
    answered(name="fr", languages="en-fr", seed=2)
    answered(name="else", systems=("X", "Y"), seed=3)
    make_campaign(name="empty")
    assert "with itself" in refused("compare_campaigns", "one", "one")
    assert "one language pair" in refused("compare_campaigns", "one", "fr")
    for names, why in ((("one", "empty"), "no judgements"), (("one", "else"), "no system in common")):
        with pytest.raises(CommandError, match=why):
            run("compare_campaigns", *names)
    with pytest.raises(NotFound):
        study_add(study=study_create(name="S"), testsets=["none"])


def test_half_finished_studies_say_what_is_missing():
    campaign = make_campaign(name="half", raters=("ann", "bob"))
    answer_all(campaign, share=0.5)
    study = study_of(campaign)
    (group,) = study_score(study=study, options=ScoreOptions(scope="study")).result["groups"]
    assert any("assigned judgements are missing" in note for note in group["notes"])
