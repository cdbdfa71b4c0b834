"""The plan in the database, looked at by a checker that reads nothing but the exported rows."""

import csv
import io
from collections import Counter

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from annotation.management.commands import export_plan
from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.services import withdrawal
from annotation.services.campaigns import CampaignOptions, campaign_create, campaign_draft
from annotation.services.planning import plan_rows
from annotation.services.selection import selection_load
from annotation.services.withdrawal import rater_withdraw
from mtcore.services.outputs import output_import
from mtcore.services.testsets import testset_create as create_testset
from mtcore.services.testsets import testset_draft as draft_testset
from tests.factories.campaigns import invented_lines, make_campaign, named
from tests.factories.commands import refused, run
from tests.factories.leaving import leave_while_others_work
from tests.own_database import own_database, result, started
from tests.plan_checker import check_plan

pytestmark = pytest.mark.django_db
SYSTEMS = ("A", "B", "C", "D", "E")
RATERS = tuple(f"R{number}" for number in range(1, 8))
N_SEGMENTS = 101


@pytest.fixture
def large():
    """Two test sets of 101 segments and five systems; C says the same as B in 15 % of the segments."""
    for number, name in enumerate(["one", "two"]):
        source = named("source", invented_lines(N_SEGMENTS, seed=number, mark="Source "))
        create_testset(draft_testset(name=name, languages="en-de", sources=[source], direction="direct"))
        outputs = {
            system: invented_lines(N_SEGMENTS, seed=10 * number + place, mark=f"{name} {place} ")
            for place, system in enumerate(SYSTEMS, start=1)
        }
        for segment in range(number, N_SEGMENTS, 7):
            outputs["C"][segment] = outputs["B"][segment]
        for system, lines in outputs.items():
            output_import(testset=name, system=system, text=named(system, lines))
    return ("one", "two")


def plan_large(testsets, protocol, name="large", seed=6, **more):
    draft = campaign_draft(
        options=CampaignOptions(name=name, protocol=protocol, raters=RATERS, seed=seed, **more),
        selection=selection_load(testsets=testsets, systems=SYSTEMS),
    )
    return campaign_create(draft=draft)


def exported(name):
    out, _ = run("export_plan", name)
    return list(csv.DictReader(io.StringIO(out)))


def work_until(campaign, parts):
    """Mark the first part of each rater's assignments as done; return how many that are by rater."""
    done = {}
    for participation in campaign.participations.select_related("rater"):
        own = participation.assignments.order_by("position")
        number = round(parts.get(participation.rater.name, 0) * own.count())
        own.filter(position__lte=number).update(state=Assignment.State.DONE)
        done[participation.rater.name] = number
    return done


def check_database(campaign):
    """See that the counters of the items agree with the assignments."""
    items = Item.objects.filter(campaign=campaign).annotate(
        live=Count("assignments", filter=~Q(assignments__state="released"))
    )
    assert not items.exclude(live=F("given")).exists()
    assert not items.filter(given__gt=F("wanted")).exists()


@pytest.mark.parametrize(
    ("protocol", "more"),
    [
        ("source_da", {}),
        pytest.param("source_da", {"spread": True}, marks=pytest.mark.once),
        ("pairwise_fluency", {}),
        *[pytest.param("pairwise_fluency", {"seed": seed}, marks=pytest.mark.long) for seed in (5, 7, 8)],
        pytest.param("pairwise_fluency", {"pairs": "sample:4", "spread": True}, marks=pytest.mark.once),
    ],
    ids=["da", "da-spread", "pairwise", "pairwise-5", "pairwise-7", "pairwise-8", "pairwise-sample-spread"],
)
def test_a_large_plan_keeps_every_rule_also_after_a_rater_left(large, protocol, more):
    campaign = plan_large(large, protocol, **more)
    rows = exported("large")
    spread = more.get("spread", False)
    merged = sum("|" in row["left"] + row["right"] for row in rows) / len(rows)
    assert merged > 0 and {row["testset"] for row in rows} == {"one", "two"}
    assert check_plan(rows, 3, spread=spread) == []
    check_database(campaign)
    done = work_until(campaign, {"R3": 0.4, "R1": 0.5, "R2": 0.3, "R5": 0.42, "R7": 0.1})
    out, err = run("withdraw_rater", "large", "R3")
    assert err == "", "nothing is short"
    after = exported("large")
    assert check_plan(after, 3, spread=spread, leavers=["R3"], done=done) == []
    check_database(campaign)
    assert sum(row["rater"] == "R3" for row in after) == done["R3"]
    kept = {row["assignment"]: row for row in after}
    assert all(
        kept[row["assignment"]] == row for row in rows if int(row["position"]) <= done[row["rater"]]
    ), "what is done stays where it is"
    assert f"{done['R3']:,} answers kept" in out
    campaign.refresh_from_db()
    assert campaign.participations.get(rater__name="R3").state == "left"


def test_the_same_seed_gives_the_same_plan_and_the_same_leaving(large):
    plans = []
    for name in ("x", "y"):
        campaign = plan_large(large, "pairwise_fluency", name=name)
        before = [row[1:] for row in plan_rows(campaign)]
        work_until(campaign, {"R3": 0.4})
        rater_withdraw(campaign=campaign, rater="R3")
        plans.append((before, [row[1:] for row in plan_rows(campaign)]))
    assert plans[0] == plans[1]


def test_raters_may_leave_one_after_another_until_there_are_too_few():
    campaign = make_campaign(n_segments=24, raters=4, judgements=3)
    assert check_plan(exported("demo"), 3) == []
    result = rater_withdraw(campaign=campaign, rater="R1")
    assert result.short == () and result.released == sum(result.given.values()) > 0
    check_database(campaign)
    assert Counter(row["rater"] for row in exported("demo")) == {"R2": 48, "R3": 48, "R4": 48}
    out, err = run("withdraw_rater", "demo", "R4")
    assert "“R4” has left" in out and "Note:" in err and "3" in err
    check_database(campaign)
    campaign.refresh_from_db()
    assert campaign.notes and campaign.notes[-1].startswith("R4 left: ")
    assert AuditEvent.objects.filter(action="rater.withdrawn").count() == 2


def test_who_has_finished_is_active_again_when_there_is_more_to_do():
    campaign = make_campaign(n_segments=12, raters=4, judgements=2)
    work_until(campaign, {"R1": 1, "R2": 1})
    campaign.participations.filter(rater__name__in=["R1", "R2"]).update(state="finished")
    result = rater_withdraw(campaign=campaign, rater="R3")
    states = dict(campaign.participations.values_list("rater__name", "state"))
    assert states["R3"] == "left"
    assert {name: state for name, state in states.items() if name in ("R1", "R2")} == {
        name: "active" if name in result.given else "finished" for name in ("R1", "R2")
    }
    assert "R1" in result.given or "R2" in result.given


def test_what_is_on_a_screen_does_not_move():
    campaign = make_campaign("pairwise_fluency", n_segments=40, raters=5, judgements=3)
    shown = Assignment.objects.filter(position__lte=4).exclude(participation__rater__name="R2")
    shown.update(shown_at=timezone.now())
    fixed = list(shown.order_by("pk").values_list("pk", "position", "swap", "state"))
    assert len(fixed) == 16
    rater_withdraw(campaign=campaign, rater="R2")
    again = Assignment.objects.filter(pk__in=[pk for pk, *_ in fixed]).order_by("pk")
    assert list(again.values_list("pk", "position", "swap", "state")) == fixed


def test_leaving_twice_and_strangers():
    campaign = make_campaign(raters=4)
    run("withdraw_rater", "demo", "R2")
    assert "R2” has left this campaign already" in refused("withdraw_rater", "demo", "R2")
    assert "Its raters are: “R1”, “R2”, “R3”, “R4”" in refused("withdraw_rater", "demo", "Zoe")
    Campaign.objects.filter(pk=campaign.pk).update(mode="imported")
    assert "not planned here" in refused("withdraw_rater", "demo", "R1")


def test_a_judgement_that_comes_meanwhile_is_kept(monkeypatch):
    campaign = make_campaign(n_segments=12, raters=4, judgements=2)
    first = Assignment.objects.filter(participation__rater__name="R2").order_by("position").first()
    plan, calls = withdrawal._plan, []

    def slow(*arguments):
        calls.append(1)
        if len(calls) == 1:
            Assignment.objects.filter(pk=first.pk).update(state="done")
        return plan(*arguments)

    monkeypatch.setattr(withdrawal, "_plan", slow)
    result = rater_withdraw(campaign=campaign, rater="R2")
    first.refresh_from_db()
    assert first.state == "done" and result.kept == 1 and len(calls) == 2
    check_database(campaign)


@pytest.mark.django_db(transaction=True)
def test_leaving_while_others_work(tmp_path):
    if connection.vendor == "sqlite":
        with own_database(tmp_path) as environment:
            found = result(started(environment, "leaving"))
    else:
        found = leave_while_others_work()
    assert not any(found.values()), found


def test_items_are_given_to_different_raters_and_numbers_need_not_divide():
    make_campaign(n_segments=5, systems=("A",), raters=7, judgements=2)
    rows = exported("demo")
    assert check_plan(rows, 2) == []
    loads = Counter(row["rater"] for row in rows)
    assert len(loads) == 7 and max(loads.values()) - min(loads.values()) <= 1
    make_campaign(n_segments=5, systems=("A",), raters=3, judgements=3, name="all")
    assert Counter(row["rater"] for row in exported("all")) == {"R1": 5, "R2": 5, "R3": 5}


def test_a_rater_has_an_item_once():
    campaign = make_campaign()
    first = Assignment.objects.first()
    participation = Participation.objects.get(pk=first.participation_id)
    assert participation.campaign == campaign
    doubled = Assignment(item=first.item, participation=participation, position=99)
    with pytest.raises(IntegrityError), transaction.atomic():
        doubled.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.filter(pk=first.item_id).update(given=F("wanted") + 1)


def test_export_to_a_file_is_what_is_printed(tmp_path):
    make_campaign("pairwise_fluency")
    file = tmp_path / "plan.csv"
    _, err = run("export_plan", "demo", "--output", file)
    assert err == f"12 assignments written to {file}.\n"
    assert file.read_text("utf-8") == run("export_plan", "demo")[0]
    header = file.read_text("utf-8").split("\n")[0]
    assert header == "assignment,round,rater,position,testset,segment,input,context,kind,left,right,item,pair"
    assert "no campaign" in refused("export_plan", "other")


def test_an_export_that_breaks_off_leaves_the_file_of_before(tmp_path, monkeypatch):
    make_campaign(n_segments=3)
    out = tmp_path / "plan.csv"
    out.write_text("precious")

    def break_off(*, stream, **_):
        stream.write("half a plan")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_plan, "plan_export", break_off)
    told = refused("export_plan", "demo", "--output", out)
    assert told.startswith(f"{out}: No space left on device. Make room ")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


def test_a_file_that_cannot_be_written_is_called_by_its_own_name(tmp_path):
    make_campaign(n_segments=3)
    for command in ("export_plan", "export_judgements"):
        path = tmp_path / "none" / "out.csv"
        assert refused(command, "demo", "--output", path) == f"{path}: No such file or directory."
