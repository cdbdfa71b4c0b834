"""Sealed results: hidden from everybody at every door until closing, opened early only with a reason."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import Assignment, AuditEvent, Judgement, ScoreRun
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close, campaign_open
from annotation.services.judgement_export import FORMATS
from annotation.services.judging import judgement_save
from annotation.services.sealing import REOPENED, is_sealed, seal_read, seal_sentence
from evalplatform.errors import UserError
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db

SCORES = (11, 97)
"""The only scores given: a page that shows one has leaked it."""


@pytest.fixture
def people():
    return {
        "owner": User.objects.create_user("owner"),
        "researcher": User.objects.create_user("researcher"),
        "admin": User.objects.create_superuser("admin", password="harbour-admin"),
    }


@pytest.fixture
def campaign(people):
    found = make_campaign(
        name="sealed", n_segments=4, owner=people["owner"], settings=CampaignSettings(sealed=True)
    )
    found.study.researchers.add(people["researcher"])
    answer_all(found)
    rows = Judgement.objects.of_campaign(found.pk)
    for row in rows:
        row.score = SCORES[
            "BT" in {o.system.name for c in row.assignment.item.candidates.all() for o in c.outputs.all()}
        ]
        row.save(update_fields=["score"])
    return found


def doors(campaign):
    """Return every address that shows what systems were given."""
    own = [campaign.key]
    place = "testset=sealed&segment=1"
    names = ("campaign_results", "campaign_report", "campaign_correlation")
    return [
        *(reverse(name, args=own) for name in names),
        *(reverse("campaign_judgements", args=[*own, one]) for one in FORMATS),
        reverse("report_figure", args=[*own, "ranking"]),
        reverse("report_table", args=[*own, "ranking", "csv"]),
        f"{reverse('campaign_trace', args=own)}?rater=R1",
        f"{reverse('campaign_trace', args=own)}?system=BT&quantity=raw_mean",
        f"{reverse('campaign_segment', args=own)}?{place}",
        f"{reverse('judgement_browser', args=own)}?format=csv",
        f"{reverse('judgement_browser', args=own)}?order=spread",
        f"{reverse('judgement_browser', args=own)}?low=90",
        f"/api/v1/campaigns/{campaign.key}/scores/",
        f"/api/v1/campaigns/{campaign.key}/judgements/",
        f"/api/v1/campaigns/{campaign.key}/judgements/?low=90",
        f"/api/v1/campaigns/{campaign.key}/judgements/file/?file=csv",
        f"/api/v1/campaigns/{campaign.key}/report/",
        f"/api/v1/campaigns/{campaign.key}/correlation/",
        f"/api/v1/campaigns/{campaign.key}/trace/?rater=R1",
    ]  # fmt: skip


def content(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_every_door_is_shut_for_everybody(campaign, people):
    for who, user in people.items():
        client = client_of(user)
        for address in doors(campaign):
            response = client.get(address)
            text = content(response).decode("utf-8", "replace")
            assert "sealed until closing" in text.lower(), (who, address)
            assert response.status_code in (200, 409), (who, address)
            assert "attachment" not in response.get("Content-Disposition", ""), (who, address)
    assert not ScoreRun.objects.exists()


def test_what_stays_visible_has_no_score_in_it(campaign, people):
    client = client_of(people["owner"])
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert "Sealed until closing" in page and "of 16 judgements" in page and "Quality control" in page
    browser = client.get(reverse("judgement_browser", args=[campaign.key])).content.decode()
    assert "16 judgements" in browser and "Satz 1 " in browser and ">R1<" in browser
    place = {"testset": "sealed", "segment": "1"}
    dossier = client.get(reverse("campaign_dossier", args=[campaign.key]), place).content.decode()
    assert "Sealed until closing" in dossier and "Source 1 " in dossier
    study = client.get(reverse("study_report", args=[campaign.study_id])).content.decode()
    for text in (browser, dossier, study):
        assert not any(f">{score}<" in text or f"{score}." in text for score in SCORES)
    admin = client_of(people["admin"])
    judgement = Judgement.objects.first()
    listed = admin.get(reverse("admin:annotation_judgement_changelist")).content.decode()
    assert "0 judgements" in listed
    assert admin.get(reverse("admin:annotation_judgement_change", args=[judgement.pk])).status_code == 302


def evidence_of(client, campaign):
    rows = client.get(f"/api/v1/campaigns/{campaign.key}/reliability/").json()["raters"]
    return {row["rater"]: row["evidence"] for row in rows}


def test_evidence_of_raters_has_no_values_until_closing(campaign, people):
    client = client_of(people["owner"])
    (told, _) = run("quality_campaign", "sealed", "--format", "json")
    for own in (*evidence_of(client, campaign).values(), *(row["evidence"] for row in json.loads(told))):
        assert own["most_common"]["value"] is None and own["most_common"]["share"] > 0
        assert own["scale_use"] is None and own["reference_above_systems"] is None
        assert own["pairs"]["mean_difference"] is None
        assert own["repeats"]["mean_absolute_difference"] is None
        assert own["n"] > 0 and own["longest_run"] > 0 and own["carelessness"]["threshold"] > 0
        assert not {*SCORES, 54.0} & {value for value in _numbers(own) if value > 10}
    campaign_close(campaign=campaign)
    for own in evidence_of(client, campaign).values():
        assert own["most_common"]["value"] in SCORES and own["scale_use"]["max"] == SCORES[1]


def _numbers(value):
    """Yield every number in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, (int, float)):
        yield value


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_the_use_of_the_scale_is_drawn_once_it_is_closed(people, protocol):
    found = make_campaign(
        protocol, name="bars", n_segments=4, owner=people["owner"], settings=CampaignSettings(sealed=True)
    )
    answer_all(found)
    client, column = client_of(people["owner"]), 'class="bar-fill"'
    page = client.get(found.get_absolute_url()).content.decode()
    raters = page[page.index('id="raters"') : page.index('id="quality"')]
    assert column not in raters and "<svg" not in raters
    assert raters.count('<th scope="col"') == 5
    campaign_close(campaign=found)
    assert column in client.get(found.get_absolute_url()).content.decode()


def test_items_are_judged_again_by_the_campaigns_own_points_only(campaign, people):
    client = client_of(people["owner"])
    address = f"/api/v1/campaigns/{campaign.key}/round/"
    own = client.get(address).json()
    assert "checked" in own and 29 < own["points"] <= 30
    assert client.get(address, {"points": own["points"], "reading": "range"}).json() == own
    for asked in (
        {"points": 10},
        {"points": 29.5},
        {"reading": "pairwise"},
        {"points": 85, "reading": "range"},
    ):
        for answer in (client.get(address, asked), client.post(address, asked, "application/json")):
            assert answer.status_code in (400, 409), asked
            assert "apart" not in answer.json() and "checked" not in answer.json()
    assert client.get(address, {"points": 10}).json()["code"] == "sealed"
    for more in ((), ("--dry-run",)):
        with pytest.raises((CommandError, UserError), match="sealed until closing"):
            run("disagreement_round", "sealed", "--points", "10", *more)
    assert not AuditEvent.objects.filter(action="round.assigned").exists()
    assert run("disagreement_round", "sealed", "--dry-run")[0]
    campaign.settings = campaign.settings | {"unsealed": True}
    campaign.save()
    assert client.get(address, {"points": 10}).json()["points"] == 10


def test_a_late_answer_is_hidden_too_but_what_was_written_beside_it_is_not(campaign, people):
    rater = campaign.participations.select_related("campaign", "rater").first()
    late = rater.assignments.order_by("pk").first()
    Assignment.objects.filter(pk=late.pk).update(state="released")
    with pytest.raises(UserError, match="given to somebody else"):
        judgement_save(
            participation=rater, assignment_key=late.key, client_key="late-0001", answers={"score": 83},
            comment="Sorry",
        )  # fmt: skip
    assert AuditEvent.objects.get(action="answer.late").data["answers"] == {"score": 83}
    own = f"/campaigns/{campaign.key}/"
    trails = ["/audit/", "/audit.csv", "/api/v1/audit/", "/api/v1/audit/?file=csv"]
    trails += [f"{own}audit/", f"{own}audit.csv", f"/api/v1{own}audit/", f"/api/v1{own}audit/?file=csv"]
    client = client_of(people["admin"])
    for address in (own, *trails):
        text = content(client.get(address)).decode()
        assert "Sorry" in text and not re.search(r"(?<![\w.-])83(?![\w-])", text), address
    assert client.get('/api/v1/audit/?about="score": 83').json()["count"] == 0
    event = AuditEvent.objects.get(action="answer.late")
    assert client.get(reverse("admin:annotation_auditevent_change", args=[event.pk])).status_code == 302
    campaign_close(campaign=campaign)
    assert "83 · Sorry" in content(client.get(own)).decode()
    assert '"score": 83' in json.dumps(client.get("/api/v1/audit/?what=answer.late").json())


@pytest.mark.parametrize(
    "command",
    [
        ("score_campaign", "sealed"),
        ("export_judgements", "sealed"),
        ("look_campaign", "sealed"),
        ("correlate", "--campaign", "sealed"),
        ("score_study", "sealed"),
    ],
)
def test_commands_are_refused(campaign, command):
    with pytest.raises((CommandError, UserError), match="sealed until closing"):
        run(*command)


def test_files_of_reports_and_packages_are_refused(campaign, tmp_path):
    for command in (
        ("report_campaign", "sealed", "--output", tmp_path / "report"),
        ("export_study", "sealed", "--output", tmp_path / "package.zip"),
    ):
        with pytest.raises((CommandError, UserError), match="sealed until closing"):
            run(*command)
    assert list(tmp_path.iterdir()) == [] or not (tmp_path / "package.zip").exists()


def test_closing_opens_it_and_opening_again_seals_it_again(campaign, people):
    client = client_of(people["researcher"])
    results = reverse("campaign_results", args=[campaign.key])
    campaign_close(campaign=campaign)
    assert "sealed until closing" not in client.get(results).content.decode()
    assert ScoreRun.objects.count() == 1
    assert seal_sentence(campaign) == "Results were sealed until the campaign closed."
    study = reverse("study_report", args=[campaign.study_id])
    assert "sealed until closing" not in client.get(study).content.decode()
    campaign_open(campaign=campaign)
    assert "sealed until closing" in client.get(results).content.decode()
    for name in ("study_report", "study_trace"):
        address = reverse(name, args=[campaign.study_id]) + f"?group={campaign.key}&system=BT&of=wins"
        assert "sealed until closing" in client.get(address).content.decode(), name
    campaign_close(campaign=campaign)
    assert "opened again once" in seal_sentence(campaign)
    page = client.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert "opened again after its results could be seen" in page
    events = AuditEvent.objects.filter(campaign=campaign, action="campaign.opened").order_by("pk")
    assert [event.data.get("note", "") for event in events][-1] == REOPENED
    assert not any(event.data.get("note") for event in list(events)[:-1])
    report = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    assert "opened again once" in report


def test_opening_the_seal_early_needs_the_right_and_a_reason(campaign, people):
    address = reverse("campaign_unseal", args=[campaign.key])
    refused = client_of(people["researcher"]).post(address, {"reason": "curious"})
    assert refused.status_code == 403
    assert b"Open the seal" not in client_of(people["researcher"]).get(campaign.get_absolute_url()).content
    owner = client_of(people["owner"])
    for reason in ("", "  ", "a\nb", "x" * 301):
        assert owner.post(address, {"reason": reason}).status_code == 400, reason
    campaign.refresh_from_db()
    assert is_sealed(campaign) and not AuditEvent.objects.filter(action="campaign.unsealed").exists()
    assert owner.post(address, {"reason": "The funder asks."}).status_code == 302
    assert owner.post(address, {"reason": "Again."}).status_code == 409
    event = AuditEvent.objects.get(action="campaign.unsealed")
    assert event.actor == people["owner"] and event.data == {"reason": "The funder asks."}
    report = owner.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    assert "the seal was opened early" in report and "The funder asks." in report
    page = owner.get(campaign.get_absolute_url()).content.decode()
    assert "The funder asks." in page and "Sealed until closing" not in page


def test_the_api_makes_tells_and_unseals(people):
    api = APIClient()
    api.force_login(people["owner"])
    asked = {
        "name": "by api", "protocol": "source_da", "languages": "en-de", "source": ["A.", "B."],
        "outputs": {"OP": ["C.", "D."]}, "raters": 2, "judgements": 1, "settings": {"sealed": True},
    }  # fmt: skip
    made = api.post("/api/v1/campaigns/", asked, format="json").json()
    assert made["sealed"] is True
    unseal = f"/api/v1/campaigns/{made['key']}/unseal/"
    assert api.get(f"/api/v1/campaigns/{made['key']}/scores/").json()["code"] == "sealed"
    assert api.post(unseal, {}, format="json").status_code == 400
    other = APIClient()
    other.force_login(User.objects.create_user("stranger"))
    assert other.post(unseal, {"reason": "x"}, format="json").status_code == 404
    assert api.post(unseal, {"reason": "A test."}, format="json").json()["sealed"] is False
    assert api.post(unseal, {"reason": "A test."}, format="json").status_code == 409


def test_the_commands_make_and_unseal(tmp_path):
    for name in ("source", "out"):
        (tmp_path / name).write_text("One.\nTwo.\n")
    run(
        "create_campaign", "c", "--protocol", "source_da", "--languages", "en-de",
        "--source", tmp_path / "source",
        "--output", f"OP={tmp_path / 'out'}", "--raters", "1", "--judgements", "1", "--sealed",
    )  # fmt: skip
    from annotation.models import Campaign

    campaign = Campaign.objects.get()
    assert is_sealed(campaign)
    run("unseal_campaign", "c", "--why", "The deadline moved.")
    campaign.refresh_from_db()
    assert not is_sealed(campaign) and seal_read(campaign).reason == "The deadline moved."


def test_a_campaign_without_a_seal_has_none(people):
    plain = make_campaign(name="plain", n_segments=2, owner=people["owner"])
    assert seal_read(plain) is None and seal_sentence(plain) == ""
    answer = client_of(people["owner"]).post(reverse("campaign_unseal", args=[plain.key]), {"reason": "x"})
    assert answer.status_code == 409


def test_scores_over_a_study_take_nothing_from_a_sealed_campaign(campaign):
    other = make_campaign(name="open", n_segments=4, study=campaign.study.name)
    answer_all(other)
    with pytest.raises(CommandError, match="“sealed” are sealed until closing"):
        run("score_campaign", "open", "--scope", "study")
    assert run("score_campaign", "open")[0]
    campaign_close(campaign=campaign)
    assert run("score_campaign", "open", "--scope", "study")[0]
