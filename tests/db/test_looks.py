"""Looks at a running campaign: recorded, paid for, and the same when nothing new came in."""

import json

import pytest

from annotation.models import AuditEvent
from annotation.services.looks import campaign_look
from annotation.stats.sequential import plan_looks
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
