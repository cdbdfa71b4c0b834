"""Looks at a running campaign: recorded, paid for, and the same when nothing new came in."""

import json

import pytest
from scipy import stats

from annotation.models import AuditEvent, Campaign
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close
from annotation.services.looks import campaign_look
from annotation.services.report.behind import campaign_behind
from annotation.services.report.trace_pairs import pair_trace
from annotation.services.rounds import round_assign
from annotation.services.scoring import options_read
from annotation.stats.sequential import plan_looks, spend
from evalplatform.errors import BadInput, Conflict
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run

pytestmark = pytest.mark.django_db


def test_later_looks_pay_for_earlier_ones():
    campaign = make_campaign(n_segments=12, raters=3, judgements=2)
    answer_all(campaign, seed=1, share=0.5)
    first = campaign_look(campaign=campaign)
    again = campaign_look(campaign=campaign)
    assert (first.number, again.number) == (1, 1) and first.current == again.current
    assert AuditEvent.objects.filter(action="campaign.looked").count() == 1
    answer_all(campaign, seed=1)
    second = campaign_look(campaign=campaign)
    assert second.number == 2 and second.previous == (first.current,)
    planned = plan_looks([first.n_done / first.n_planned, 1.0])
    assert second.current.boundary == pytest.approx(planned[1].boundary)
    assert second.current.boundary > 1.96 and second.current.spent == pytest.approx(0.05)
    assert second.pairs[0].verdict in ("stop", "no_difference")


def test_what_a_look_spent_stays_spent_when_the_plan_grows():
    campaign = make_campaign(n_segments=12, raters=4, judgements=2)
    answer_all(campaign, seed=1, share=0.8)
    first = campaign_look(campaign=campaign)
    assert round_assign(campaign=campaign, points=0).n_judgements > 0
    again = campaign_look(campaign=campaign)
    assert again.current == first.current and again.n_planned == first.n_planned
    answer_all(campaign, seed=1, share=0.9)
    second = campaign_look(campaign=campaign)
    assert second.n_planned > first.n_planned and second.previous == (first.current,)
    share = second.n_done / second.n_planned
    assert second.current.fraction == share
    assert second.current.spent == pytest.approx(max(first.current.spent, spend(share)))
    answer_all(campaign, seed=1)
    last = campaign_look(campaign=campaign)
    assert last.previous == (first.current, second.current)
    assert last.current.spent == pytest.approx(0.05) and last.current.fraction == 1
    assert last.current.boundary > 1.96


@pytest.mark.parametrize("treatment", ["replace", "pool"])
def test_a_look_counts_what_scores_count(treatment):
    campaign = make_campaign(
        n_segments=12, raters=4, judgements=2, settings=CampaignSettings(treatment=treatment)
    )
    answer_all(campaign, seed=1)
    assert round_assign(campaign=campaign, points=0).n_judgements > 0
    answer_all(campaign, seed=2)
    (seen,) = campaign_look(campaign=campaign).pairs
    behind = campaign_behind(campaign, options_read(campaign, {}))
    rows = pair_trace(behind, (seen.system_a, seen.system_b), {}).table.rows
    t = stats.ttest_1samp([row["difference"] for row in rows], 0)
    assert seen.n_segments == len(rows)
    assert abs(seen.z) == pytest.approx(stats.norm.isf(t.pvalue / 2))


def test_a_system_that_comes_in_later_changes_no_look_before():
    campaign = make_campaign(n_segments=8, systems=("A", "B", "C"), raters=2, judgements=2)
    answer_all(campaign, seed=1, share=0.5)
    first = campaign_look(campaign=campaign)
    event = AuditEvent.objects.get(action="campaign.looked")
    assert event.data["n_pairs"] == 3
    event.data["n_pairs"] = 1  # as if one pair had been judged by then
    event.save()
    answer_all(campaign, seed=1)
    second = campaign_look(campaign=campaign)
    alone = plan_looks([first.current.fraction])[0]
    assert second.previous == (alone,) and second.level == pytest.approx(0.05 / 3)
    assert second.current.spent == pytest.approx(max(alone.spent, 0.05 / 3))


@pytest.mark.parametrize("ended", [{"state": "closed"}, {"mode": "imported"}])
def test_nobody_looks_at_what_has_ended(ended):
    campaign = make_campaign(n_segments=8)
    answer_all(campaign, seed=1)
    Campaign.objects.filter(pk=campaign.pk).update(**ended)
    with pytest.raises(Conflict, match=r"closed|imported"):
        campaign_look(campaign=campaign)  # as it was read before it ended
    refused("look_campaign", campaign.name)
    assert not AuditEvent.objects.filter(action="campaign.looked").exists()


def test_closing_keeps_the_looks_that_were_taken():
    campaign = make_campaign(n_segments=8)
    answer_all(campaign, seed=1)
    campaign_look(campaign=campaign)
    campaign_close(campaign=campaign)
    with pytest.raises(Conflict, match="closed"):
        campaign_look(campaign=campaign)
    assert AuditEvent.objects.filter(action="campaign.looked").count() == 1


def test_pairs_share_the_error():
    campaign = make_campaign(n_segments=8, systems=("A", "B", "C"), raters=2, judgements=2)
    answer_all(campaign, seed=1)
    found = campaign_look(campaign=campaign)
    assert len(found.pairs) == 3 and found.level == pytest.approx(0.05 / 3)


def test_a_look_that_cannot_be_taken_says_why():
    campaign = make_campaign()
    with pytest.raises(Conflict, match="no judgements"):
        campaign_look(campaign=campaign)
    answer_all(campaign, seed=1, share=0.5)
    campaign_look(campaign=campaign)
    with pytest.raises(BadInput, match="keep to it"):
        campaign_look(campaign=campaign, spending="pocock")
    preferences = make_campaign("pairwise_fluency", name="pairs")
    with pytest.raises(BadInput, match="preferences"):
        campaign_look(campaign=preferences)


def test_the_command_prints_and_writes_strict_json():
    campaign = make_campaign(n_segments=8)
    refused("look_campaign", campaign.name)
    answer_all(campaign, seed=1)
    out, _ = run("look_campaign", campaign.name)
    assert "Look 1" in out and "OP" in out
    out, _ = run("look_campaign", campaign.name, "--format", "json")
    assert json.loads(out)["look"] == 1


def test_a_dry_run_says_what_it_would_find(tmp_path):
    files = {name: tmp_path / name for name in ("src", "a", "b")}
    for name, path in files.items():
        path.write_text("".join(f"{name} says something, number {n}\n" for n in range(40)))
    _, err = run(
        "create_campaign", "x", "--protocol", "source_da", "--languages", "en-de",
        "--source", str(files["src"]), "--output", f"A={files['a']}",
        "--output", f"B={files['b']}", "--raters", "3", "--dry-run",
    )  # fmt: skip
    assert "40 segments, 3 judgements, 3 raters: a difference of 0.1 z is found in" in err
