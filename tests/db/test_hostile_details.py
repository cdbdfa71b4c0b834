"""Small things that a hostile or unlucky user does."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Campaign, Judgement, Rater
from annotation.services.planning import plan_rows
from annotation.services.withdrawal import rater_withdraw
from mtcore.models import OutputSegment, SegmentText, System
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.rating import answer, keys, participation_of, rater_client, rating_campaign, send_form
from tests.paths import ROOT

pytestmark = pytest.mark.django_db


def test_who_knows_the_shape_of_a_campaign_cannot_work_out_its_plan(tmp_path):
    plans = []
    for name in ("mine", "theirs"):
        texts = {
            system: write_lines(tmp_path / f"{name}.{system}", [f"{name} {system} {n}" for n in range(40)])
            for system in ("source", "A", "B")
        }
        out, err = run(
            "create_campaign", name, "--protocol", "source_da", "--languages", "en-de",
            "--source", texts["source"], "--output", f"A={texts['A']}", "--output", f"B={texts['B']}",
            "--raters", "3", "--judgements", "2",
        )  # fmt: skip
        assert "drawn with seed" in err and "seed" not in out
        plans.append([row[1:] for row in plan_rows(Campaign.objects.get(name=name))])
    same = sum(one[1:6] == two[1:6] and one[8] == two[8] for one, two in zip(*plans, strict=True))
    assert same < 0.5 * len(plans[0])


def test_who_was_withdrawn_gets_no_completion_code():
    campaign = rating_campaign(n_segments=6)
    participation = participation_of(campaign)
    client = rater_client(participation)
    answer(client, campaign, keys(participation)[0])
    rater_withdraw(campaign=campaign, rater=participation.rater.name)
    page = client.get(f"/rate/{campaign.key}/finish")
    assert page.status_code == 200
    assert campaign.completion_code not in page.content.decode()
    assert "You have left this campaign" in page.content.decode()
    assert "/item/" not in page.content.decode()


@pytest.mark.parametrize(
    "content_type", ["multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencoded"]
)
@pytest.mark.parametrize("address", ["answers", "problem"])
def test_a_body_that_is_not_json_is_refused(address, content_type):
    campaign = rating_campaign()
    client = rater_client(participation_of(campaign))
    sent = client.post(f"/rate/{campaign.key}/{address}", data=b"a=b", content_type=content_type)
    assert sent.status_code == 400
    assert "JSON" in sent.json()["detail"]


def test_a_form_corrected_back_to_an_earlier_value_holds_that_value():
    campaign = rating_campaign()
    participation = participation_of(campaign)
    client = rater_client(participation)
    form, _ = send_form(client, campaign, score="64")
    for score in ("64", "79", "79", "64", "64"):
        assert client.post(f"/rate/{campaign.key}/", form | {"score": score}).status_code == 302
    history = Judgement.objects.filter(assignment__key=form["assignment"]).order_by("pk")
    assert list(history.values_list("score", flat=True)) == [64, 79, 64]
    assert history.get(is_current=True).score == 64 and history.last().is_current


def test_only_open_and_closed_are_states_a_page_can_ask_for():
    owner = User.objects.create_user("owner", password="x")
    campaign = make_campaign(owner=owner)
    client = Client()
    client.force_login(owner)
    for wrong in ({"state": "banana"}, {}):
        assert client.post(f"/campaigns/{campaign.key}/state", wrong).status_code == 400
        campaign.refresh_from_db()
        assert campaign.state == "open"
    assert client.post(f"/campaigns/{campaign.key}/state", {"state": "closed"}).status_code == 302


def test_names_and_texts_cannot_be_broken_in_the_admin(admin_client):
    campaign = make_campaign()
    rater, system = Rater.objects.first(), System.objects.first()
    study = campaign.study
    for kind, row in (("annotation/rater", rater), ("mtcore/system", system), ("annotation/study", study)):
        old = row.name
        admin_client.post(
            f"/admin/{kind}/{row.pk}/change/",
            {"name": "a|b", "kind": "other", "study": study.pk, "profile": "{}", "settings": "{}"},
        )
        row.refresh_from_db()
        assert row.name == old
    page = admin_client.post("/admin/mtcore/system/add/", {"name": "a|b", "kind": "other"})
    assert page.status_code == 200 and not System.objects.filter(name="a|b").exists()
    assert (
        admin_client.post("/admin/mtcore/system/add/", {"name": "fine", "kind": "other"}).status_code == 302
    )
    for kind, row in (
        ("segmenttext", SegmentText.objects.first()),
        ("outputsegment", OutputSegment.objects.first()),
    ):
        assert admin_client.post(f"/admin/mtcore/{kind}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
        row.refresh_from_db()


def test_an_argument_that_is_not_utf8_is_refused_in_one_line():
    command = [sys.executable, "manage.py", "score_campaign", b"\xff\xfe"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1 and b"UTF-8" in done.stderr
