"""Raters who are added to a running campaign."""

from collections import Counter

import pytest

from annotation.models import AuditEvent, Campaign, Item, Participation, Study
from annotation.services.campaign_settings import CampaignSettings
from tests.db.test_plan_db import check_database, exported, work_until
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.plan_checker import check_plan

pytestmark = pytest.mark.django_db


def test_a_new_rater_takes_what_a_leaving_left_short():
    campaign = make_campaign(n_segments=24, raters=3, judgements=3)
    done = work_until(campaign, {"R1": 0.25, "R2": 0.5})
    before = {row["assignment"]: row for row in exported("demo")}
    _, err = run("withdraw_rater", "demo", "R2")
    assert "24 items now have 2 of 3 judgements" in err and "add 1 rater (add_raters)" in err
    out, err = run("add_raters", "demo", "Zoe", "--base-url", "https://rate.example.org")
    assert "24 items for “Zoe”." in err
    assert out.startswith("Zoe\thttps://rate.example.org/invite/") and out.count("\n") == 1
    after = exported("demo")
    faults = check_plan(after, 3, leavers=["R2"], done=done)
    assert [one for one in faults if not one.startswith("loads")] == []
    assert Counter(row["rater"] for row in after) == {"R1": 48, "R2": 24, "R3": 48, "Zoe": 24}
    assert all(before[row["assignment"]] == row for row in after if row["rater"] in ("R1", "R3"))
    check_database(campaign)
    campaign.refresh_from_db()
    assert campaign.notes[-1] == "Added: Zoe. New work: Zoe 24 items."
    event = AuditEvent.objects.get(action="rater.added")
    assert event.data["raters"] == ["Zoe"] and event.data["given"] == {"Zoe": 24}


def test_quality_control_that_was_given_up_comes_back_with_its_items():
    campaign = make_campaign(
        n_segments=20, raters=3, judgements=3, settings=CampaignSettings(bad_references=0.5, repeats=0.3)
    )
    run("withdraw_rater", "demo", "R2")
    quality = Item.objects.exclude(kind="system")
    assert quality.exists() and not quality.filter(wanted=3).exists()
    run("add_raters", "demo", "Zoe")
    assert not Item.objects.exclude(given=3).exists() and not Item.objects.exclude(wanted=3).exists()
    check_database(campaign)


def test_where_nothing_lacks_judgements_new_raters_wait():
    make_campaign(raters=3, judgements=2)
    out, err = run("add_raters", "demo", "Zoe", "Yan")
    assert "no item lacks judgements now" in err and out.count("/invite/") == 2
    run("withdraw_rater", "demo", "R1")
    assert Participation.objects.get(rater__name="Zoe").assignments.exists()


def test_who_cannot_be_added():
    campaign = make_campaign(raters=3)
    run("withdraw_rater", "demo", "R3")
    for name in ("R1", "R3"):
        assert f"already, or there until they left: “{name}”" in refused("add_raters", "demo", name)
    assert "|" in refused("add_raters", "demo", "a|b")
    assert "not unique" in refused("add_raters", "demo", "Zoe", "Zoe")
    assert "site" in refused("add_raters", "demo", "Zoe", "--base-url", "nowhere")
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")
    assert "is closed" in refused("add_raters", "demo", "Zoe")
    Campaign.objects.filter(pk=campaign.pk).update(mode="imported")
    assert "were imported" in refused("add_raters", "demo", "Zoe")
    assert not Participation.objects.filter(rater__name="Zoe").exists()


def test_a_pool_gets_one_more_personal_link():
    make_campaign(raters=2, pool=True)
    out, err = run("add_raters", "demo", "Zoe")
    assert "Zoe\t" in out and err == ""
    assert Participation.objects.get(rater__name="Zoe").assignments.count() == 0


def test_somebody_new_comes_for_who_leaves_in_one_step():
    campaign = make_campaign(n_segments=24, raters=3, judgements=3)
    done = work_until(campaign, {"R1": 0.25, "R2": 0.5})
    out, err = run(
        "withdraw_rater", "demo", "R2", "--replacement", "Zoe", "--base-url", "https://rate.example.org"
    )
    assert "24 items more for “Zoe”." in out and "Loads now lie between 24 and 48" in err
    assert out.splitlines()[-1].startswith("Zoe\thttps://rate.example.org/invite/")
    after = exported("demo")
    faults = check_plan(after, 3, leavers=["R2"], done=done)
    assert [one for one in faults if not one.startswith("loads")] == []
    assert Counter(row["rater"] for row in after) == {"R1": 48, "R2": 24, "R3": 48, "Zoe": 24}
    check_database(campaign)


def test_a_replacement_that_cannot_be_changes_nothing():
    campaign = make_campaign(raters=3)
    assert "already" in refused("withdraw_rater", "demo", "R2", "--replacement", "R3")
    said = refused("withdraw_rater", "demo", "R9", "--replacement", "Zoe")
    assert "no rater “R9”" in said and "“R1”" in said
    assert "|" in refused("withdraw_rater", "demo", "R2", "--replacement", "a|b")
    assert "site" in refused("withdraw_rater", "demo", "R2", "--replacement", "Zoe", "--base-url", "nowhere")
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")
    assert "is closed" in refused("withdraw_rater", "demo", "R2", "--replacement", "Zoe")
    Campaign.objects.filter(pk=campaign.pk).update(state="open", mode="pool")
    assert "no plan" in refused("withdraw_rater", "demo", "R2", "--replacement", "Zoe")


def test_names_that_could_be_one_person_are_told_and_taken(tmp_path):
    make_campaign(name="first", study="S", raters=("Ann", "Bob"), judgements=1)
    raters = tmp_path / "raters.txt"
    raters.write_text("Cleo\ncleo\nann\n")
    source = tmp_path / "text"
    source.write_text("A boat.\nTwo boats.\n")
    asked = (
        "create_campaign", "second", "--protocol", "source_da", "--languages", "en-de", "--source", source,
        "--output", f"OP={source}", "--study", "S", "--judgements", "1",
    )  # fmt: skip
    _, told = run(*asked, "--raters", raters, "--dry-run")
    assert "capitals" in told and "“Cleo” and “cleo”, “Ann” and “ann”." in told
    raters.write_text("Ann\nCleo\n")
    assert "capitals" not in run(*asked, "--raters", raters)[1]
    assert "“Bob” and “BOB”" in run("add_raters", "second", "BOB")[1]
    assert "capitals" not in run("add_raters", "second", "Dora")[1]
    make_campaign(name="third", raters=("CLEO", "Bob"), judgements=1)
    told = run("add_to_study", "S", "--campaign", "third")[1]
    assert "“Cleo” and “CLEO”" in told and "Bob were in" in told
    assert Study.objects.get(name="S").raters.filter(name__iexact="cleo").count() == 2
