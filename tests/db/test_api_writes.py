"""What programs may write: test sets, outputs, studies, campaigns, runs; once, whoever sends twice."""

import os

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from rest_framework.test import APIClient

from annotation.models import Assignment, Campaign, Judgement, Study
from annotation.services.campaign_settings import CampaignSettings
from evalplatform import api
from mtcore.models import Run, SystemOutput, TestSet
from tests.factories.api import client_of

pytestmark = pytest.mark.django_db

SOURCE = ["One boat.", "Two boats.", "Three boats."]
TEXTS = {
    "name": "harbour", "protocol": "source_da", "languages": "en-de", "source": SOURCE,
    "outputs": {"OP": ["Ein Boot.", "Zwei Boote.", "Drei Boote."], "BT": "Ein Kahn.\nZwei Kähne.\nDrei.\n"},
    "raters": 3, "judgements": 2, "seed": 7,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture
def ann():
    return client_of("ann")


def send(client, address, body, **headers):
    return client.post(f"/api/v1/{address}", body, format="json", headers=headers)


def test_a_campaign_with_its_texts(ann):
    made = send(ann, "campaigns/", TEXTS)
    assert made.status_code == 201, made.json()
    body = made.json()
    assert (body["n_assigned"], body["n_done"], body["state"], body["seed"]) == (12, 0, "open", 7)
    campaign = Campaign.objects.get(key=body["key"])
    assert campaign.study.owner.username == "ann"
    links = ann.get(f"/api/v1/campaigns/{campaign.key}/links/").json()
    assert [one["rater"] for one in links] == ["R1", "R2", "R3"]
    assert all("/invite/" in one["link"] for one in links)
    raters = ann.get(f"/api/v1/campaigns/{campaign.key}/raters/").json()
    assert [(one["rater"], one["n_assigned"]) for one in raters["results"]] == [
        ("R1", 4),
        ("R2", 4),
        ("R3", 4),
    ]
    renewed = ann.post(f"/api/v1/campaigns/{campaign.key}/links/?rater=R2").json()
    assert [one["rater"] for one in renewed] == ["R2"] and renewed[0]["link"] != links[1]["link"]


def shape(campaign):
    """Return who judges which segment of which system, in which order."""
    rows = Assignment.objects.filter(item__campaign=campaign).order_by("participation_id", "position")
    return [
        (one.participation.rater.name, one.position, one.item.segment.position)
        for one in rows.select_related("participation__rater", "item__segment")
    ]


def test_the_same_plan_as_the_command(ann, tmp_path):
    """The same seed and texts give the same plan through either door."""
    key = send(ann, "campaigns/", TEXTS).json()["key"]
    (tmp_path / "src").write_text("".join(f"{line}\n" for line in SOURCE))
    (tmp_path / "OP").write_text("".join(f"{line}\n" for line in TEXTS["outputs"]["OP"]))
    (tmp_path / "BT").write_text(TEXTS["outputs"]["BT"])
    call_command(
        "create_campaign", "harbour2", "--protocol", "source_da", "--languages", "en-de",
        "--source", str(tmp_path / "src"), "--output", f"OP2={tmp_path / 'OP'}", f"BT2={tmp_path / 'BT'}",
        "--raters", "3", "--judgements", "2", "--seed", "7",
    )  # fmt: skip
    assert shape(Campaign.objects.get(key=key)) == shape(Campaign.objects.get(name="harbour2"))


def test_imported_texts_then_a_campaign_over_them(ann):
    body = {"name": "news", "languages": "en-de", "source": SOURCE, "references": {"ref": SOURCE},
            "direction": "direct", "documents": ["a", "a", "b"]}  # fmt: skip
    first, again = send(ann, "testsets/", body), send(ann, "testsets/", body)
    assert (first.status_code, again.status_code) == (201, 200), first.json()
    found = first.json()
    assert found == again.json() and found["n_segments"] == 3
    assert [(one["side"], one["name"]) for one in found["versions"]] == [
        ("source", "source"),
        ("target", "ref"),
    ]
    for system in ("A", "B"):
        output = {"system": system, "text": [f"{system} {n}" for n in range(3)]}
        answers = [send(ann, f"testsets/{found['id']}/outputs/", output) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 200]
    short = send(ann, f"testsets/{found['id']}/outputs/", {"system": "C", "text": ["one"]})
    assert short.status_code == 400 and "has 1 line" in short.json()["detail"]
    assert SystemOutput.objects.count() == 2
    asked = {
        "name": "over", "protocol": "reference_da", "testsets": ["news"], "systems": ["A", "B"],
        "raters": ["Ada"], "judgements": 1, "practice": 2,
        "settings": {"can_skip": True, "native": ["target"], "bad_references": 0.5, "repeats": 1},
    }  # fmt: skip
    estimate = send(ann, "campaigns/estimate/", asked)
    assert estimate.status_code == 200, estimate.json()
    assert estimate.json()["loads"]["Ada"] >= 6 and not Campaign.objects.exists()
    assert send(ann, "campaigns/", asked).status_code == 201
    kept = CampaignSettings.of(Campaign.objects.get())
    assert kept.can_skip and kept.native == ("target",) and kept.practice == 2 and kept.repeats == 1.0


def test_a_key_gives_the_first_answer_again(ann):
    key = {"Idempotency-Key": "0d9f5c9a-8f0e"}
    first, again = send(ann, "campaigns/", TEXTS, **key), send(ann, "campaigns/", TEXTS, **key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json() and again["Idempotency-Replayed"] == "true"
    assert Campaign.objects.count() == 1
    other = send(ann, "campaigns/", {**TEXTS, "name": "another"}, **key)
    assert other.status_code == 409 and "other content" in other.json()["detail"]
    without = send(ann, "campaigns/", TEXTS)
    assert without.status_code == 409 and "exists already" in without.json()["detail"]
    assert send(ann, "campaigns/", TEXTS, **{"Idempotency-Key": "short"}).status_code == 400
    stranger = client_of("bob")
    assert send(stranger, "campaigns/", TEXTS, **key).status_code in (403, 409)


def test_a_write_that_failed_may_be_sent_again_under_its_key(ann):
    key = {"Idempotency-Key": "a-key-of-mine"}
    bad = {**TEXTS, "judgements": 9}
    assert send(ann, "campaigns/", bad, **key).status_code == 400
    assert send(ann, "campaigns/", TEXTS, **key).status_code == 201


def test_a_write_that_died_at_once_may_be_sent_again_later(ann, tmp_path):
    key = {"Idempotency-Key": "a-key-of-mine"}
    assert send(ann, "studies/", {"name": "first"}, **key).status_code == 201
    (kept,) = (tmp_path / "writes").glob("*.json")
    kept.write_text("")  # killed between making the file and writing into it
    assert send(ann, "studies/", {"name": "second"}, **key).status_code == 409
    os.utime(kept, (0, 0))
    assert send(ann, "studies/", {"name": "second"}, **key).status_code == 201


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"settings": {"colour": "red"}}, "no setting “colour”"),
        ({"settings": {"can_skip": "yes"}}, "true or false"),
        ({"settings": {"repeats": 7}}, "no share"),
        ({"settings": {"native": [1]}}, "list of texts"),
        ({"settings": {"attention": [{"text": "x"}]}}, "other fields"),
        ({"settings": {"join_version": 9}}, "no setting"),
        ({"judgements": 4}, "4 judgements"),
        ({"source": ["a\nb", "c", "d"]}, "line 1 has a line end"),
        ({"source": ["", " ", ""]}, "blank"),
        ({"source": SOURCE[:2]}, "lines"),
        ({"languages": "en"}, "pair"),
        ({"outputs": {"a|b": SOURCE}}, "|"),
        ({"testsets": ["news"]}, "exclude each other"),
        ({"scale": [5, 5]}, "scale"),
        ({"scale": [5]}, "ends"),
        ({"raters": ["A", "A"]}, "A"),
        ({"protocol": "pairwise_fluency", "outputs": {"A": SOURCE}}, "two systems"),
        ({"protocol": "reference_da"}, "reference"),
        ({"versions": ["x"]}, "shows no reference"),
        ({"protocol": "other"}, "Some fields"),
        ({"raters": True}, "Some fields"),
        ({"guidelines": "x" * 300_000}, "guidelines"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_nothing_is_written(ann, change, part):
    found = send(ann, "campaigns/", {**TEXTS, **change})
    assert found.status_code == 400, found.content
    assert found["Content-Type"] == "application/problem+json"
    assert part in f"{found.json()['detail']} {found.json().get('remedy', '')}"
    assert not Campaign.objects.exists() and not TestSet.objects.exists() and not Study.objects.exists()


def test_somebody_elses_study_and_campaign_stay_closed(ann):
    key = send(ann, "campaigns/", TEXTS).json()["key"]
    bob = client_of("bob")
    refused = send(bob, "campaigns/", {**TEXTS, "name": "mine", "study": "harbour"})
    assert refused.status_code == 403 and "not yours" in refused.json()["detail"]
    for part in ("", "links/", "raters/", "scores/", "judgements/"):
        assert bob.get(f"/api/v1/campaigns/{key}/{part}").status_code == 404, part
    assert send(bob, f"campaigns/{key}/state/", {"state": "closed"}).status_code == 404
    assert bob.get("/api/v1/campaigns/?name=harbour").json()["count"] == 0
    assert bob.get("/api/v1/studies/").json()["count"] == 0
    Study.objects.get().researchers.add(User.objects.get(username="bob"))
    assert bob.get(f"/api/v1/campaigns/{key}/").status_code == 200
    shared = send(
        bob, "campaigns/", {**TEXTS, "name": "mine", "study": "harbour", "outputs": {"OP2": SOURCE}}
    )
    assert shared.status_code == 201, shared.json()
    assert Study.objects.get().owner.username == "ann"


def test_closing_and_opening(ann):
    key = send(ann, "campaigns/", TEXTS).json()["key"]
    closed = send(ann, f"campaigns/{key}/state/", {"state": "closed"})
    assert closed.json()["state"] == "closed" and closed.json()["closed_at"]
    assert send(ann, f"campaigns/{key}/state/", {"state": "closed"}).status_code == 409
    assert send(ann, f"campaigns/{key}/state/", {"state": "odd"}).status_code == 400
    assert send(ann, f"campaigns/{key}/state/", {"state": "open"}).json()["state"] == "open"
    assert not Judgement.objects.exists()


def test_studies(ann):
    made = send(ann, "studies/", {"name": "S", "description": "what it is"})
    assert made.status_code == 201 and made.json()["owner"] == "ann"
    assert send(ann, "studies/", {"name": "S"}).status_code == 409
    assert ann.get(f"/api/v1/studies/{made.json()['id']}/").json()["campaigns"] == []
    assert send(ann, "studies/", {"name": "a|b"}).status_code == 400


def test_runs_are_for_administrators(ann):
    run = Run.objects.create(kind="filter_corpus")
    for address in ("runs/", f"runs/{run.pk}/", "corpora/"):
        assert ann.get(f"/api/v1/{address}").status_code == 403, address
        assert APIClient().get(f"/api/v1/{address}").status_code == 401, address
    assert send(ann, f"runs/{run.pk}/cancel/", {}).status_code == 403
    root = client_of("root", is_staff=True)
    assert root.get("/api/v1/runs/?state=queued").json()["count"] == 1
    assert root.get("/api/v1/runs/?state=failed").json()["count"] == 0
    assert send(root, f"runs/{run.pk}/cancel/", {}).json()["changed"]
    assert not send(root, f"runs/{run.pk}/cancel/", {}).json()["changed"]
    assert root.get(f"/api/v1/runs/{run.pk}/").json()["state"] == "cancelled"
    assert send(root, f"runs/{run.pk}/resume/", {}).json()["changed"]
    assert root.get(f"/api/v1/runs/{run.pk}/").json()["state"] == "queued"
    assert send(root, "runs/999999/cancel/", {}).status_code == 404
    odd = send(root, "runs/", {"kind": "filter_corpsu"})
    assert odd.status_code == 400 and "Did you mean “filter_corpus”?" in odd.json()["remedy"]
    lacking = send(root, "runs/", {"kind": "filter_corpus", "options": {}})
    assert lacking.status_code == 400 and "missing or wrong" in lacking.json()["detail"]
    assert Run.objects.count() == 1


def test_the_schema_and_its_page_come_from_here(ann):
    assert APIClient().get("/api/v1/schema/").status_code == 401
    schema = ann.get("/api/v1/schema/?format=json").json()
    assert "/api/v1/campaigns/{key}/links/" in schema["paths"]
    page = ann.get("/api/v1/docs/").content.decode()
    assert "https://" not in page.replace("https://www.w3.org", "")
    listed = ann.get("/api/v1/").json()
    assert "runs" not in listed and listed["docs"].endswith("/api/v1/docs/")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("[" * 100_000, "is not JSON"),
        ('{"name": "\\ud800", "protocol": "\\udfff"}', "half of a character"),
        ('{"\\ud800": 1}', "half of a character"),
        ('{"name": "a", "settings": {"native": ["\\u0000"]}}', "NUL"),
        ('{"name": "a", "settings": {"\\u0000": 1}}', "NUL"),
        ('{"name": NaN}', "is not JSON"),
        ('{"settings": {"points": 1e999}}', "too large"),
        ('{"seed": ' + "9" * 5000 + "}", "is not JSON"),
        (b"\xff\xfe{", "not UTF-8"),
        ('{"name": "' + "x" * 5000 + '"}', "longer than 0 MB"),
    ],
)
def test_a_body_that_is_no_sound_json_is_refused_in_words(ann, monkeypatch, body, found):
    monkeypatch.setattr(api, "LONGEST_BODY", 5_000 if "longer" in found else 200_000)
    for address in ("campaigns/", "studies/", "campaigns/estimate/"):
        sent = ann.post(f"/api/v1/{address}", body, content_type="application/json")
        assert sent.status_code == (413 if "longer" in found else 400)
        assert found in sent.json()["detail"], sent.content
    assert not Study.objects.exists()


def test_a_backslash_before_u0000_is_text(ann):
    sent = ann.post("/api/v1/studies/", '{"name": "a\\\\u0000b"}', content_type="application/json")
    assert sent.status_code == 201 and Study.objects.get().name == "a\\u0000b"


def test_a_body_may_be_longer_than_a_form(ann):
    body = '{"name": "harbour", "guidelines": "' + "x" * 6 * 2**20 + '"}'
    sent = ann.post("/api/v1/campaigns/", body, content_type="application/json")
    assert sent.status_code == 400 and "protocol" in sent.json()["errors"]
