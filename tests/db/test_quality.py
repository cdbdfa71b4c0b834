"""Quality control in real campaigns: what is drawn, what counts, what is known of raters, who decides."""

import csv
import io
import json
import uuid

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Item, ItemCandidate, Judgement
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.quality import quality_read, rater_exclude, rater_include
from annotation.services.records import ratings_read
from annotation.services.scoring import campaign_score
from annotation.services.withdrawal import rater_withdraw
from annotation.stats.options import ScoreOptions
from evalplatform.errors import BadInput
from tests.factories.campaigns import invented_lines, make_campaign
from tests.factories.commands import refused, run
from tests.factories.rating import answer as send_answer
from tests.factories.rating import keys, participation_of, rater_client
from tests.plan_checker import check_plan

pytestmark = pytest.mark.django_db
RATED = ({"text": "Please give 7.", "low": 7, "high": 7}, {"text": "Please give 90.", "low": 90, "high": 90})
COMPARED = ({"text": "Choose this.", "other": "Not this.", "choice": "left"},)
TWO = {"other": invented_lines(24, seed=5, mark="Andere ")}


def make(protocol="source_da", *, name="demo", attention=None, n_segments=24, raters=4, judgements=2, **more):
    rated = protocol != "pairwise_fluency"
    settings = CampaignSettings(
        bad_references=more.pop("bad", 0.5),
        repeats=more.pop("repeats", 0.3),
        reference_as_system=more.pop("reference", True),
        attention=(RATED if rated else COMPARED) if attention is None else attention,
    )
    if protocol == "reference_da":
        more |= {"texts": TWO, "reference_shown": "reference"}
    return make_campaign(
        protocol,
        n_segments=n_segments,
        raters=raters,
        judgements=judgements,
        name=name,
        settings=settings,
        **more,
    )


def exported(name="demo"):
    return list(csv.DictReader(io.StringIO(run("export_plan", name)[0])))


def answer(campaign, score, share=1.0, seconds=20):
    """Answer the first part of every rater's items; `score(item, rater)` gives the score or the candidate."""
    rated, rows, made = campaign.protocol != "pairwise_fluency", [], []
    for number, participation in enumerate(campaign.participations.order_by("pk")):
        own = list(participation.assignments.live().select_related("item").order_by("position"))
        for assignment in own[: round(share * len(own))]:
            given = score(assignment.item, number)
            if not rated and assignment.swap:
                given = {"left": "right", "right": "left"}.get(given, given)
            values = {"score": given, "scale_low": 1, "scale_high": 100} if rated else {"choice": given}
            made.append(
                Judgement(
                    assignment=assignment, client_key=uuid.uuid4().hex, submitted_at=timezone.now(),
                    active_ms=1000 * seconds, **values,
                )
            )  # fmt: skip
            assignment.state = Assignment.State.DONE
            rows.append(assignment)
    Judgement.objects.bulk_create(made)
    Assignment.objects.bulk_update(rows, ["state"])


@pytest.mark.parametrize("protocol", ["source_da", "reference_da", "pairwise_fluency"])
@pytest.mark.parametrize("spread", [False, True], ids=["whole", "spread"])
def test_a_plan_with_quality_control_keeps_every_rule(protocol, spread):
    campaign = make(protocol, spread=spread, systems=("OP", "BT", "C"))
    rows = exported()
    assert check_plan(rows, 2, spread=spread) == []
    items = Item.objects.filter(campaign=campaign)
    n = items.filter(kind="system").count()
    kinds = {
        kind: items.filter(kind=kind).count()
        for kind in ("bad_reference", "repeat", "reference", "attention")
    }
    assert kinds["bad_reference"] == pytest.approx(n * 0.5, abs=3)
    assert kinds["repeat"] == pytest.approx(n * 0.3, abs=3)
    assert kinds["reference"] == (n if protocol == "pairwise_fluency" else 24)
    assert kinds["attention"] == 2 * (1 if protocol == "pairwise_fluency" else 2), "each rater gets each once"
    assert not items.exclude(wanted=2, given=2).exists()
    assert not items.filter(kind="repeat", repeat_of=None).exists()
    assert not items.filter(kind__in=["bad_reference", "attention"], paired_with=None).exists()
    assert {row["kind"] for row in rows} == {"system", *kinds}
    by_system = items.filter(kind="bad_reference", candidates__outputs__system__name__in=["OP", "BT", "C"])
    counts = [
        by_system.filter(candidates__outputs__system__name=s).distinct().count() for s in ("OP", "BT", "C")
    ]
    assert max(counts) - min(counts) <= 3


def test_texts_are_damaged_and_repeated_as_they_should():
    campaign = make()
    texts = {one.item_id: one.text for one in ItemCandidate.objects.filter(item__campaign=campaign)}
    for item in Item.objects.filter(campaign=campaign):
        if item.kind == "repeat":
            assert texts[item.pk] == texts[item.repeat_of_id]
            assert item.context_version_id == item.repeat_of.context_version_id
        elif item.kind == "bad_reference":
            own, whole = texts[item.pk].split(), texts[item.paired_with_id].split()
            assert own != whole and len(own) == len(whole)
            assert (own[0], own[-1]) == (whole[0], whole[-1])
        elif item.kind == "attention":
            assert texts[item.pk] in [one["text"] for one in RATED]


def test_comparisons_hold_a_text_against_its_damaged_self():
    campaign = make("pairwise_fluency")
    for item in Item.objects.filter(campaign=campaign, kind="bad_reference").prefetch_related("candidates"):
        whole, damaged = item.candidates.order_by("position")
        assert whole.text in [one.text for one in item.paired_with.candidates.all()]
        assert whole.text != damaged.text
        assert [one.system.name for one in damaged.outputs.all()] == ["bad reference"]
    swaps = set(Assignment.objects.filter(item__kind="bad_reference").values_list("swap", flat=True))
    assert swaps == {False, True}


def test_a_hidden_reference_needs_another_reference():
    with pytest.raises(BadInput, match="no reference besides"):
        make_campaign("reference_da", settings=CampaignSettings(reference_as_system=True))


def test_a_hidden_reference_that_a_system_says_is_not_shown_twice():
    lines = invented_lines(6, seed=2, mark="Referenz ")
    own = [*lines[:2], *invented_lines(6, seed=9, mark="Satz ")[2:]]
    campaign = make(n_segments=6, attention=(), bad=0, repeats=0, texts={"OP": own})
    assert Item.objects.filter(campaign=campaign, kind="reference").count() == 4
    assert any("2 hidden references are left out" in note for note in campaign.notes)


def test_what_cannot_be_damaged_is_said():
    campaign = make(n_segments=4, attention=(), repeats=0, texts={"OP": ["Ja."] * 4, "BT": ["ja."] * 4})
    assert not Item.objects.filter(campaign=campaign, kind="bad_reference").exists()
    assert any("0 bad references instead of 4" in note for note in campaign.notes)


def test_quality_control_is_in_no_average():
    campaign = make(judgements=2)
    level = {"system": 60, "repeat": 70, "bad_reference": 5, "reference": 95, "attention": 1}
    rng = np.random.default_rng(1)
    answer(
        campaign, lambda item, rater: level[item.kind] + int(rng.integers(-2, 3)) * (item.kind != "attention")
    )
    for population in ("all", "system_items", "system_and_repeat"):
        scores = campaign_score(
            campaign=campaign, options=ScoreOptions(population=population, resamples=100)
        ).result
        assert {row["system"] for row in scores["systems"]} == {"OP", "BT"}
        kinds = {"system_items": ("system",), "system_and_repeat": ("system", "repeat")}.get(
            population, ("system", "repeat", "bad_reference", "reference")
        )
        own = Judgement.objects.filter(
            assignment__participation__rater__name="R1", assignment__item__kind__in=kinds
        )
        found = next(row for row in scores["raters"] if row["rater"] == "R1")
        given = np.array(own.values_list("score", flat=True))
        assert found["mean"] == pytest.approx(given.mean()) and found["sd"] == pytest.approx(
            given.std(ddof=1)
        )
    table = ratings_read(campaign).table
    assert len(table.score) == Judgement.objects.count()
    flat = {row["system"]: row["raw_mean"] for row in scores["systems"]}
    assert all(60 <= mean <= 66 for mean in flat.values()), "repeats count as ratings, nothing else does"


def test_states_and_warnings_from_the_database():
    campaign = make(n_segments=40, raters=4, judgements=4, attention=RATED)
    rng = np.random.default_rng(3)
    quality: dict[int, float] = {}

    def score(item, rater):
        base = item.repeat_of_id or item.paired_with_id or item.pk
        value = quality.setdefault(base, rng.normal(0, 0.86)) - 2.5 * (item.kind == "bad_reference")
        if item.kind == "attention" and rater != 3:
            return 7 if "1" in item.group else 90
        return {1: rng.integers(1, 101), 2: 70}.get(
            rater, np.clip(65 + 12 * value + rng.normal(0, 6), 1, 100).round()
        )

    answer(campaign, score)
    found = {one.rater: one for one in quality_read(campaign)}
    assert {name: one.state for name, one in found.items()} == {
        "R1": "passed", "R2": "failed", "R3": "failed", "R4": "passed",
    }  # fmt: skip
    assert [code for code, _ in found["R3"].warnings] == ["failed", "run"]
    assert "attention" in [code for code, _ in found["R4"].warnings] and found["R1"].warnings == ()
    out, _ = run("quality_campaign", "demo")
    assert out.splitlines()[1].startswith("R2     failed")
    rows = json.loads(run("quality_campaign", "demo", "--format", "json")[0])
    assert rows[0]["evidence"]["pairs"]["n_pairs"] == 40
    assert run("quality_campaign", "demo", "--format", "csv")[0].count("\n") == 5


def test_states_of_comparisons():
    campaign = make("pairwise_fluency", n_segments=80, raters=3, judgements=3, attention=COMPARED)
    rng = np.random.default_rng(4)
    first: dict[tuple[int, int], str] = {}

    def choose(item, rater):
        if rater == 1:
            return rng.choice(["left", "equal", "right"])
        if item.kind == "bad_reference":
            return rng.choice(["left", "equal", "right"], p=[0.9, 0.06, 0.04])
        own = item.repeat_of_id or item.pk
        return first.setdefault((rater, own), rng.choice(["left", "equal", "right"]))

    answer(campaign, choose)
    found = {one.rater: one for one in quality_read(campaign)}
    states = {name: one.state for name, one in found.items()}
    assert states == {"R1": "passed", "R2": "failed", "R3": "passed"}, [one.reason for one in found.values()]
    assert found["R1"].evidence["repeats"]["agreed"] == found["R1"].evidence["repeats"]["n"] == 24


def test_a_forged_pass_decides_nothing():
    campaign = make(n_segments=8, attention=())
    campaign.participations.update(consented_at=timezone.now())
    rater = participation_of(campaign)
    browser = rater_client(rater)
    forged = {
        "passed": True,
        "state": "passed",
        "kind": "system",
        "excluded_by": "",
        "quality": {"state": "passed"},
    }
    for number, key in enumerate(keys(rater)[:12]):
        reply = send_answer(browser, campaign, key, client_key=f"key-{number:08d}", score=50, **forged)
        assert reply.status_code in (200, 201, 400), reply.content
        if reply.status_code == 400:  # refused as a whole: then nothing is stored either
            reply = send_answer(browser, campaign, key, client_key=f"key-{number:08d}", score=50)
            assert reply.status_code in (200, 201)
        assert not {"state", "kind", "quality", "passed"} & set(reply.json())
    (found,) = [one for one in quality_read(campaign) if one.rater == "R1"]
    assert found.state != "passed" and found.evidence["n"] == 12


def test_a_person_excludes_and_takes_back(django_user_model):
    owner = User.objects.create_user("ann", password="x")
    stranger = User.objects.create_user("eve", password="x")
    campaign = make(owner=owner, n_segments=8, attention=())
    answer(campaign, lambda item, rater: 15 + 20 * rater + item.pk % 7)
    url = f"/campaigns/{campaign.key}/exclude"
    browser, other = Client(), Client()
    browser.force_login(owner)
    other.force_login(stranger)
    before = campaign_score(campaign=campaign, options=ScoreOptions(resamples=100)).result["systems"]
    form = {"rater": "R4", "action": "exclude", "why": "  answers\tat random "}
    assert other.post(url, form).status_code == 404 and Client().post(url, form).status_code == 302
    assert browser.get(url).status_code == 405
    assert browser.post(url, form | {"why": " "}).status_code == 400
    assert not campaign.participations.exclude(excluded_by="").exists()
    assert browser.post(url, form).status_code == 302
    row = campaign.participations.get(rater__name="R4")
    assert row.excluded_by == "answers at random" and row.excluded_at
    page = browser.get(f"/campaigns/{campaign.key}/").content.decode()
    assert "excluded: answers at random" in page and "Quality control" in page
    after = campaign_score(campaign=campaign, options=ScoreOptions(resamples=100)).result["systems"]
    assert after != before
    report = browser.get(f"/campaigns/{campaign.key}/report/").content.decode()
    assert "answers at random" in report
    assert "excluded already" in refused("exclude_rater", "demo", "R4", "--why", "x")
    assert browser.post(url, {"rater": "R4", "action": "include"}).status_code == 302
    assert campaign_score(campaign=campaign, options=ScoreOptions(resamples=100)).result["systems"] == before
    actions = list(
        AuditEvent.objects.filter(action__startswith="rater.")
        .order_by("pk")
        .values_list("action", "actor__username")
    )
    assert actions == [("rater.excluded", "ann"), ("rater.included", "ann")]
    assert "not excluded" in refused("include_rater", "demo", "R4")
    assert "Its raters are" in refused("exclude_rater", "demo", "Zoe", "--why", "x")


def test_pairs_stay_together_when_a_rater_leaves():
    campaign = make(n_segments=24, raters=5, judgements=2)
    own = campaign.participations.get(rater__name="R2").assignments.order_by("position")
    own.filter(position__lte=20).update(state="done")
    rater_withdraw(campaign=campaign, rater="R2")
    found = [
        one
        for one in check_plan(exported(), 2, leavers=["R2"], done={})
        if one.split(":")[0] in ("pairs", "judgements")
    ]
    assert found == []
    lone = Item.objects.filter(campaign=campaign, given__lt=2)
    assert not lone.exclude(kind__in=["bad_reference", "repeat", "attention"]).exists()
    assert not Item.objects.filter(campaign=campaign, given__lt=F("wanted")).exists()


def test_an_excluded_rater_gets_no_work_of_who_leaves():
    campaign = make(raters=5, judgements=2)
    rater_exclude(campaign=campaign, rater="R1", why="answers at random")
    assert "R1" not in rater_withdraw(campaign=campaign, rater="R2").given
    rater_include(campaign=campaign, rater="R1")


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_exports_come_back_with_their_kinds(protocol, tmp_path):
    campaign = make(protocol, n_segments=12)
    rng = np.random.default_rng(5)
    if protocol == "source_da":
        answer(campaign, lambda item, rater: int(rng.integers(1, 100)))
    else:
        answer(campaign, lambda item, rater: str(rng.choice(["left", "equal", "right"])))
    file = tmp_path / "judgements.csv"
    run("export_judgements", "demo", "--format", "csv", "--output", file)
    run("import_judgements", "again", file, "--format", "csv", "--study", "again")
    again = type(campaign).objects.get(name="again")
    for one, other in zip(quality_read(campaign), quality_read(again), strict=True):
        assert (
            one.evidence["pairs"] == other.evidence["pairs"]
            and one.evidence["repeats"] == other.evidence["repeats"]
        )
        assert (one.rater, one.state) == (other.rater, other.state)


def test_a_package_with_quality_control_verifies(tmp_path):
    campaign = make(n_segments=12)
    rng = np.random.default_rng(6)
    answer(campaign, lambda item, rater: int(rng.integers(1, 100)))
    rater_exclude(campaign=campaign, rater="R3", why="answers at random")
    run("export_study", campaign.study.name, "--output", tmp_path / "package")
    out, _ = run("verify_study", tmp_path / "package")
    assert out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("translation,low,high\nx,7,200\n", "line 2: high (200) is outside the scale 1-100"),
        ("translation,low,high\nx,9,7\n", "line 2: low (9) is above high (7)"),
        ("translation,low,high\n,7,7\n", "line 2: translation is empty"),
        ("translation,low\nx,7\n", "The columns are: translation, low, high."),
        ("translation,low,high\n", "0 attention items"),
        ("translation,low,high\nx,seven,7\n", "is no whole number"),
        ("translation,low,high\nx,7,7\ny,7,7,1\n", "attention.csv, line 3: 4 fields, 3 expected"),
        ('translation,low,high\n"x,7,7\n', "never closed"),
    ],
)
def test_attention_files_that_cannot_be_used(text, said, tmp_path):
    for name in ("source", "A"):
        (tmp_path / name).write_text("\n".join(invented_lines(6, seed=1, mark=name)) + "\n")
    (tmp_path / "attention.csv").write_text(text)
    message = refused(
        "create_campaign", "x", "--protocol", "source_da", "--languages", "en-de",
        "--source", tmp_path / "source", "--output", f"A={tmp_path / 'A'}",
        "--raters", "3", "--attention", tmp_path / "attention.csv",
    )  # fmt: skip
    assert said in message


@pytest.mark.parametrize("option", ["--points", "--bad-references", "--repeats"])
@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e400", "-1"])
def test_numbers_that_cannot_be_used(option, value, tmp_path):
    for name in ("source", "A"):
        (tmp_path / name).write_text("\n".join(invented_lines(6, seed=1, mark=name)) + "\n")
    message = refused(
        "create_campaign", "x", "--protocol", "source_da", "--languages", "en-de",
        "--source", tmp_path / "source", "--output", f"A={tmp_path / 'A'}", "--raters", "3",
        f"{option}={value}",
    )  # fmt: skip
    assert "cannot be used" in message or "Give" in message


@pytest.mark.parametrize("value", ["inf", "nan", "0", "1e-9", "-1"])
def test_an_error_of_looks_that_cannot_be_used(value):
    make(n_segments=4, attention=())
    assert "cannot be used" in refused("look_campaign", "demo", f"--alpha={value}")


def test_the_command_draws_the_usual_shares_and_counts_them(tmp_path):
    for name in ("source", "A", "B"):
        (tmp_path / name).write_text("\n".join(invented_lines(20, seed=1, mark=name)) + "\n")
    arguments = (
        "create_campaign", "x", "--protocol", "source_da", "--languages", "en-de",
        "--source", tmp_path / "source", "--output", f"A={tmp_path / 'A'}", f"B={tmp_path / 'B'}",
        "--raters", "3", "--seed", "1",
        "--quality-control", "--dry-run",
    )  # fmt: skip
    out, _ = run(*arguments)
    assert "items\t72" in out and "judgements\t216" in out
