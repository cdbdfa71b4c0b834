"""Accounts by the API: the same services as the pages, for administrators alone."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from annotation.models import AuditEvent

pytestmark = pytest.mark.django_db
PASSWORD = "harbour-and-lighthouse"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


def client_of(user):
    client = APIClient()
    client.force_login(user)
    return client


@pytest.fixture
def ann():
    return User.objects.create_user("ann", is_staff=True, is_superuser=True)


@pytest.fixture
def bob():
    return User.objects.create_user("bob", password=PASSWORD)


@pytest.fixture
def api(ann):
    return client_of(ann)


def send(client, address, body=None, status=200, **headers):
    answer = client.post(f"/api/v1/users/{address}", body or {}, format="json", headers=headers)
    assert answer.status_code == status, answer.content[:500]
    return answer.json()


def get(client, address="", status=200, **query):
    answer = client.get(f"/api/v1/users/{address}", query)
    assert answer.status_code == status, answer.content[:500]
    return answer.json()


def actions():
    return [(one.action, one.data.get("account")) for one in AuditEvent.objects.order_by("pk")]


def test_a_researcher_is_made_and_sets_a_password(api, ann):
    made = send(api, "", {"name": "cleo"}, 201)
    assert (made["name"], made["role"], made["state"], made["has_token"]) == (
        "cleo", "researcher", "no_password", False,
    )  # fmt: skip
    answer = api.post(f"/api/v1/users/{made['id']}/link/")
    assert "no-store" in answer.headers["Cache-Control"]
    link = re.sub(r"^https?://[^/]+", "", answer.json()["link"])
    cleo = Client()
    place = cleo.get(link, follow=True).redirect_chain[-1][0]
    assert cleo.post(place, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert get(api, f"{made['id']}/")["state"] == "open"
    assert actions() == [("account.created", "cleo"), ("account.link", "cleo"), ("account.password", "cleo")]
    assert AuditEvent.objects.order_by("pk").first().actor == ann


def test_accounts_are_listed_as_on_the_page(api, bob):
    zoe = User.objects.create_user("zoe", is_staff=True)
    User.objects.filter(username="bob").update(is_active=False)
    found = get(api, limit=2)
    assert found["count"] == 3 and [one["name"] for one in found["results"]] == ["ann", "zoe"]
    assert [one["state"] for one in get(api, offset=2)["results"]] == ["closed"]
    assert [one["id"] for one in get(api, name="zoe")["results"]] == [zoe.pk]
    assert get(api, name="nobody")["results"] == [] and get(api, "999/", 404)["status"] == 404
    get(api, limit="many", status=400)
    assert not AuditEvent.objects.exists(), "looking at the list is no event"
    assert api.get("/api/v1/").json()["users"].endswith("/users/")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"name": "a b"}, 400), ({"name": "x" * 151}, 400), ({"name": "ANN"}, 409),
        ({"name": "dan", "role": "owner"}, 400), ({"name": ["dan"]}, 400), ({"name": "<b>"}, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_an_account(api, body, status):
    answer = send(api, "", body, status)
    assert answer["status"] == status and (answer.get("remedy") or answer["errors"])
    assert User.objects.count() == 1 and not AuditEvent.objects.exists()


def test_made_once_however_often_it_is_sent(api, settings):
    key = {"Idempotency-Key": "make-cleo-once"}
    first, again = (send(api, "", {"name": "cleo"}, 201, **key) for _ in range(2))
    assert first == again and User.objects.filter(username="cleo").count() == 1
    send(api, "", {"name": "cleo"}, 409)


def test_nothing_secret_is_kept_for_a_key(api, bob, tmp_path):
    """A link and a token are made anew each time, and lie in no file."""
    key = {"Idempotency-Key": "a-secret-of-bob"}
    link = send(api, f"{bob.pk}/link/", **key)["link"]
    first, second = (send(api, f"{bob.pk}/token/", **key)["token"] for _ in range(2))
    assert Token.objects.get().key == second != first
    texts = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert not any(secret in text for secret in (link, first, second) for text in texts)
    assert not any(first in str(one.data) or link in str(one.data) for one in AuditEvent.objects.all())


def test_roles_change_as_on_the_page(api, ann, bob):
    assert send(api, f"{bob.pk}/role/", {"role": "admin"})["role"] == "admin"
    assert "already" in send(api, f"{bob.pk}/role/", {"role": "admin"}, 409)["detail"]
    assert send(api, f"{bob.pk}/role/", {"role": "king"}, 400)["errors"]["role"]
    assert "own account" in send(api, f"{ann.pk}/role/", {"role": "researcher"}, 409)["detail"]
    assert send(api, f"{bob.pk}/role/", {"role": "researcher"})["role"] == "researcher"
    assert actions() == [("account.role", "bob")] * 2


def test_nobody_shuts_out_the_last_administrator_or_rises(api, ann, bob):
    assert "own account" in send(api, f"{ann.pk}/state/", {"state": "closed"}, 409)["detail"]
    eve = User.objects.create_user("eve", is_staff=True)
    low = client_of(eve)
    for part, body in (
        ("role/", {"role": "researcher"}), ("state/", {"state": "closed"}), ("link/", {}), ("token/", {}),
    ):  # fmt: skip
        assert "more rights" in send(low, f"{ann.pk}/{part}", body, 403)["detail"], part
    send(low, f"{bob.pk}/role/", {"role": "admin"})
    bob.refresh_from_db()
    assert bob.is_staff and not bob.is_superuser
    User.objects.filter(username="ann").update(is_active=False)
    User.objects.filter(username="bob").update(is_active=False)
    assert send(low, f"{eve.pk}/state/", {"state": "closed"}, 409)
    assert User.objects.get(username="eve").is_active


def test_a_closed_account_has_no_token_and_no_link(api, bob):
    token = send(api, f"{bob.pk}/token/")["token"]
    his = {"HTTP_AUTHORIZATION": f"Token {token}"}
    assert Client().get("/api/v1/campaigns/", **his).status_code == 200
    assert send(api, f"{bob.pk}/state/", {"state": "closed"})["state"] == "closed"
    assert Client().get("/api/v1/campaigns/", **his).status_code == 401
    for part, body in (("state/", {"state": "closed"}), ("link/", {}), ("token/", {}), ("token/revoke/", {})):
        send(api, f"{bob.pk}/{part}", body, 409)
    assert send(api, f"{bob.pk}/state/", {"state": "open"})["state"] == "open"
    send(api, f"{bob.pk}/state/", {"state": "open"}, 409)
    send(api, f"{bob.pk}/state/", {"state": "ajar"}, 400)
    send(api, f"{bob.pk}/token/")
    assert send(api, f"{bob.pk}/token/revoke/")["has_token"] is False


def test_a_lock_out_is_told_and_ended(api, bob, settings):
    settings.AXES_FAILURE_LIMIT = 2
    for _ in range(3):
        Client().post("/login/", {"username": "bob", "password": "wrong"})
    locked = get(api, f"{bob.pk}/")
    assert locked["state"] == "locked_out" and locked["locked_until"]
    assert send(api, f"{bob.pk}/unlock/")["state"] == "open"
    send(api, f"{bob.pk}/unlock/", status=409)


def test_others_get_in_nowhere(api, bob):
    his = client_of(bob)
    get(his, status=403)
    get(his, f"{bob.pk}/", 403)
    send(his, "", {"name": "mine", "role": "admin"}, 403)
    for part in ("role/", "state/", "unlock/", "link/", "token/", "token/revoke/"):
        send(his, f"{bob.pk}/{part}", {"role": "admin", "state": "open"}, 403)
        assert APIClient().post(f"/api/v1/users/{bob.pk}/{part}").status_code == 401
    assert "users" not in his.get("/api/v1/").json()
    assert not AuditEvent.objects.exists() and User.objects.count() == 2
