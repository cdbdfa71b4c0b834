"""Writes sent twice: every one may be, only what is the same gets the first answer, only who may see it."""

import stat

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLResolver, get_resolver

from annotation.models import Campaign
from evalplatform.idempotency import MARK
from mtcore.api.permissions import IsAdministrator
from tests.factories.api import client_of
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db
KEY = {"Idempotency-Key": "once-and-no-more"}


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def ann():
    return client_of("ann")


@pytest.fixture
def campaign(ann):
    return make_campaign(n_segments=2, owner=User.objects.get(username="ann"))


def post(client, address, body=None, **headers):
    return client.post(f"/api/v1/{address}", body or {}, format="json", headers=KEY | headers)


def replayed(answer):
    return "Idempotency-Replayed" in answer


NOT_KEPT = {"api_estimate", "api_token", "api_user_link", "api_user_token"}
"""They write nothing, or give a secret that is kept nowhere (docs/api.md)."""
FOR_ALL = {"api_testsets", "api_testsets_named", "api_outputs"}
"""Whoever is signed in may see test sets and their outputs."""


def writes(resolver=None):
    """Yield the name, the view and the method of every write of the API."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from writes(one)
        elif hasattr(one.callback, "view_class") and (one.name or "").startswith("api_"):
            view = one.callback.view_class
            for method in ("post", "put", "patch", "delete"):
                if hasattr(view, method):
                    yield one.name, view, getattr(view, method)


def test_every_write_may_be_sent_twice_and_asks_for_rights_first():
    found = {name: (view, hasattr(method, MARK)) for name, view, method in writes()}
    assert len(found) > 40 and set(found) >= NOT_KEPT | FOR_ALL
    assert {name for name, (_, is_kept) in found.items() if not is_kept} == NOT_KEPT
    open_to_all = {
        name
        for name, (view, _) in found.items()
        if IsAdministrator not in view.permission_classes and not hasattr(view, "replay_check")
    }
    assert open_to_all - NOT_KEPT == FOR_ALL


def test_the_query_belongs_to_what_was_asked(ann, campaign):
    first, again = (post(ann, f"campaigns/{campaign.key}/links/?rater=R1") for _ in range(2))
    assert first.json() == again.json() and replayed(again) and not replayed(first)
    other = post(ann, f"campaigns/{campaign.key}/links/?rater=R2")
    assert other.status_code == 409 and "another query" in other.json()["detail"]
    assert post(ann, f"campaigns/{campaign.key}/links/").status_code == 409


def test_opening_and_closing_may_be_sent_twice(ann, campaign):
    for state in ("closed", "open"):
        key = {"Idempotency-Key": f"make-it-{state}"}
        first, again = (post(ann, f"campaigns/{campaign.key}/state/", {"state": state}, **key) for _ in "12")
        assert first.status_code == again.status_code == 200 and replayed(again)
        assert again.json()["state"] == state == Campaign.objects.get().state


def test_who_was_removed_gets_no_answer_of_before(ann, campaign):
    bob = client_of("bob")
    study = campaign.study
    study.researchers.add(User.objects.get(username="bob"))
    sent = [(f"campaigns/{campaign.key}/raters/add/", {"raters": ["Zoe"]})]
    sent.append((f"campaigns/{campaign.key}/state/", {"state": "closed"}))
    for address, body in sent:
        assert post(bob, address, body).status_code < 300, address
        assert replayed(post(bob, address, body)), address
    study.researchers.clear()
    for address, body in sent:
        answer = post(bob, address, body)
        assert answer.status_code == 404 and not replayed(answer), address
        assert post(bob, address, {"other": 1}).status_code == 404, "not even that the key was used"


def test_who_owns_a_study_no_more_gets_no_link_of_before(ann, campaign):
    address = f"campaigns/{campaign.key}/links/?rater=R1"
    joining = f"campaigns/{campaign.key}/joining/"
    assert post(ann, address).status_code == 200
    assert post(ann, joining, {"joins": False}).status_code == 200
    study = campaign.study
    study.researchers.add(study.owner)
    study.owner = User.objects.create_user("cleo")
    study.save()
    assert post(ann, address).status_code == post(ann, joining, {"joins": False}).status_code == 403


def test_what_was_made_is_shown_again_only_to_those_who_may_see_it(ann):
    made = post(ann, "studies/", {"name": "mine"}).json()
    assert replayed(post(ann, "studies/", {"name": "mine"}))
    texts = {
        "name": "harbour", "protocol": "source_da", "languages": "en-de", "source": ["One.", "Two."],
        "outputs": {"OP": ["Eins.", "Zwei."], "BT": ["Ein.", "Zwo."]}, "raters": 2, "judgements": 1,
        "study": "mine",
    }  # fmt: skip
    assert post(ann, "campaigns/", texts).status_code == 201
    assert replayed(post(ann, "campaigns/", texts))
    campaign = Campaign.objects.get()
    campaign.study.owner = User.objects.create_user("cleo")
    campaign.study.save()
    assert campaign.study.pk == made["id"]
    assert post(ann, "studies/", {"name": "mine"}).status_code == 404
    assert post(ann, "campaigns/", texts).status_code == 404


def test_kept_answers_are_for_the_platform_alone(ann, campaign, tmp_path):
    folder = tmp_path / "writes"
    folder.mkdir(mode=0o755)
    assert post(ann, f"campaigns/{campaign.key}/links/").status_code == 200
    (kept,) = folder.iterdir()
    assert "/invite/" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_key_of_somebody_else_says_nothing(ann, campaign):
    address = f"campaigns/{campaign.key}/links/"
    assert post(ann, address).status_code == 200
    assert post(client_of("bob"), address).status_code == 404
    assert Client().post(f"/api/v1/{address}", headers=KEY).status_code == 401
