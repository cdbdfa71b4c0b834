"""Accounts: made, changed and closed by administrators, on pages and by commands."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.authtoken.models import Token

from annotation.models import AuditEvent
from annotation.services.accounts import account_deactivate, account_role
from evalplatform.errors import BadInput, Conflict, NotAllowed
from evalplatform.logs import HideInvitations
from tests.factories.commands import run

pytestmark = pytest.mark.django_db
PASSWORD = "harbour-and-lighthouse"


@pytest.fixture(autouse=True)
def _quick(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ann():
    return User.objects.create_user("ann", is_staff=True, is_superuser=True)


@pytest.fixture
def bob():
    return User.objects.create_user("bob", password=PASSWORD)


@pytest.fixture
def browser(ann):
    return signed_in(ann)


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def change(browser, user, action, **more):
    return browser.post(f"/users/{user.pk}/change", {"action": action, **more})


def actions():
    return [(one.action, one.data.get("account")) for one in AuditEvent.objects.order_by("pk")]


def test_a_researcher_is_made_sets_a_password_and_signs_in(browser, ann):
    page = browser.post("/users/", {"name": "cleo", "role": "researcher"})
    assert page.status_code == 200 and "no-store" in page.headers["Cache-Control"]
    link = page.context["link"]
    assert link in page.content.decode() and not User.objects.get(username="cleo").has_usable_password()
    assert actions() == [("account.created", "cleo"), ("account.link", "cleo")]
    assert {one.actor for one in AuditEvent.objects.all()} == {ann}

    cleo = Client()
    form = cleo.get(re.sub(r"^https?://[^/]+", "", link), follow=True)
    place = form.redirect_chain[-1][0]
    assert link.rstrip("/").rpartition("/")[2] not in place, "the token stays out of the address"
    short = cleo.post(place, {"new_password1": "12345", "new_password2": "12345"})
    assert short.status_code == 200 and short.context["form"].errors
    assert cleo.post(place, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert AuditEvent.objects.first().actor.username == "cleo"
    assert cleo.post("/login/", {"username": "cleo", "password": PASSWORD}).status_code == 302
    assert cleo.get("/users/").status_code == 403
    again = Client().get(re.sub(r"^https?://[^/]+", "", link))
    assert "This link no longer works" in again.content.decode()


@pytest.mark.parametrize(
    ("name", "role", "status"),
    [
        ("", "researcher", 400), ("a b", "researcher", 400), ("x" * 151, "admin", 400),
        ("ANN", "researcher", 409), ("dan", "owner", 400), ("<b>", "admin", 400),
    ],
)  # fmt: skip
def test_what_cannot_be_an_account_is_refused_and_stays_in_the_form(browser, name, role, status):
    page = browser.post("/users/", {"name": name, "role": role})
    assert page.status_code == status and page.context["given"]["name"] == name
    assert User.objects.count() == 1 and not AuditEvent.objects.exists()


def test_roles_change_and_administrators_made_here_have_the_rights_of_their_maker(browser, bob):
    assert change(browser, bob, "role", role="admin").status_code == 302
    bob.refresh_from_db()
    assert bob.is_staff and bob.is_superuser
    assert signed_in(bob).get("/users/").status_code == 200
    assert change(browser, bob, "role", role="admin").status_code == 409
    assert change(browser, bob, "role", role="king").status_code == 400
    change(browser, bob, "role", role="researcher")
    bob.refresh_from_db()
    assert not bob.is_staff and not bob.is_superuser
    assert actions() == [("account.role", "bob")] * 2


def test_nobody_rises_above_the_own_rights(ann, bob):
    eve = User.objects.create_user("eve", is_staff=True)
    account_role(user=bob, role="admin", actor=eve)
    bob.refresh_from_db()
    assert bob.is_staff and not bob.is_superuser
    browser = signed_in(eve)
    for action in ("role", "deactivate", "link", "token"):
        assert change(browser, ann, action, role="researcher").status_code == 403, action
    assert "more rights" in browser.get(f"/users/{ann.pk}/").content.decode()
    with pytest.raises(NotAllowed):
        account_deactivate(user=ann, actor=eve)


def test_nobody_shuts_themselves_out_and_the_last_administrator_stays(browser, ann, bob):
    other = User.objects.create_user("eve", is_staff=True)
    assert change(browser, ann, "role", role="researcher").status_code == 409
    assert change(browser, ann, "deactivate").status_code == 409
    change(browser, other, "deactivate")
    for step in (
        lambda: account_deactivate(user=ann),
        lambda: account_role(user=ann, role="researcher"),
    ):
        with pytest.raises(Conflict, match="last administrator"):
            step()
    ann.refresh_from_db()
    assert ann.is_active and ann.is_staff
    with pytest.raises(BadInput):
        account_role(user=bob, role="")


def test_a_closed_account_has_no_session_no_token_and_no_link(browser, bob):
    token = change(browser, bob, "token").context["token"]
    his = signed_in(bob)
    asked = {"HTTP_AUTHORIZATION": f"Token {token}"}
    assert his.get("/campaigns/").status_code == 200
    assert Client().get("/api/v1/campaigns/", **asked).status_code == 200
    assert change(browser, bob, "deactivate").status_code == 302
    assert Client().get("/api/v1/campaigns/", **asked).status_code == 401
    assert his.get("/campaigns/").status_code == 302
    assert Client().post("/login/", {"username": "bob", "password": PASSWORD}).status_code == 200
    assert change(browser, bob, "link").status_code == 409
    assert change(browser, bob, "token").status_code == 409
    assert change(browser, bob, "deactivate").status_code == 409
    assert change(browser, bob, "reactivate").status_code == 302
    assert change(browser, bob, "reactivate").status_code == 409
    assert his.get("/campaigns/").status_code == 302, "old sessions do not come back"
    assert Client().post("/login/", {"username": "bob", "password": PASSWORD}).status_code == 302


def test_a_token_is_shown_once_and_kept_out_of_the_trail(browser, bob):
    page = change(browser, bob, "token")
    first = page.context["token"]
    assert first in page.content.decode()
    assert first not in browser.get(f"/users/{bob.pk}/").content.decode()
    second = change(browser, bob, "token").context["token"]
    assert Token.objects.get().key == second != first
    assert change(browser, bob, "revoke").status_code == 302
    assert change(browser, bob, "revoke").status_code == 409
    assert actions() == [("token.issued", "bob")] * 2 + [("token.revoked", "bob")]
    assert not any(first in str(one.data) or second in str(one.data) for one in AuditEvent.objects.all())


def test_a_lock_out_is_shown_and_ended(browser, bob, settings):
    settings.AXES_FAILURE_LIMIT = 2
    for _ in range(3):
        Client().post("/login/", {"username": "bob", "password": "wrong"})
    right = {"username": "bob", "password": PASSWORD}
    assert Client().post("/login/", right).status_code == 429
    assert "locked out" in browser.get("/users/").content.decode()
    assert "locked out until" in browser.get(f"/users/{bob.pk}/").content.decode()
    assert change(browser, bob, "unlock").status_code == 302
    assert Client().post("/login/", right).status_code == 302
    assert change(browser, bob, "unlock").status_code == 409
    assert change(browser, bob, "explode").status_code == 400


def test_everybody_changes_the_own_password(bob):
    his = signed_in(bob)
    other = signed_in(bob)
    assert "/password/" in his.get("/campaigns/").content.decode()
    new = {"new_password1": "quay-and-pier-77", "new_password2": "quay-and-pier-77"}
    assert his.post("/password/", {"old_password": "wrong", **new}).status_code == 200
    assert not AuditEvent.objects.exists()
    assert his.post("/password/", {"old_password": PASSWORD, **new}).status_code == 302
    assert his.get("/campaigns/").status_code == 200 and other.get("/campaigns/").status_code == 302
    assert (AuditEvent.objects.get().action, AuditEvent.objects.get().actor) == ("account.password", bob)


def test_commands_do_the_same(bob):
    link = run("create_account", "cleo", "--role", "admin", "--base-url", "https://eval.example")[0].strip()
    assert link.startswith("https://eval.example/password/")
    assert User.objects.get(username="cleo").is_superuser
    assert "bob\tresearcher\topen\t0\tno\tnever" in run("accounts")[0]
    assert run("change_account", "bob", "--role", "admin")[0].strip() == "“bob” is now: admin."
    token = run("change_account", "bob", "--new-token")[0].strip()
    assert Token.objects.get(user=bob).key == token
    assert "/password/" in run("change_account", "bob", "--password-link")[0]
    run("change_account", "bob", "--revoke-token")
    run("change_account", "cleo", "--close")
    assert "cleo\tadmin\tclosed" in run("accounts")[0]
    run("change_account", "cleo", "--open")
    assert AuditEvent.objects.first().data == {"account": "cleo", "command": "change_account"}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("create_account", "bob"), "already"), (("change_account", "nobody", "--open"), "no account"),
        (("change_account", "bob", "--unlock"), "No wrong password"), (("change_account", "bob"), "required"),
        (("create_account", "a/b"), "user name"), (("change_account", "bob", "--role", "king"), "king"),
    ],
)  # fmt: skip
def test_mistakes_at_the_command_are_one_line(bob, words, part):
    from django.core.management import CommandError

    with pytest.raises(CommandError, match=part):
        run(*words)


def test_links_to_passwords_stay_out_of_logs():
    import logging

    record = logging.LogRecord("x", 20, "", 1, '"GET /password/Mg/c0ffee-77/ HTTP/1.1" 302', None, None)
    HideInvitations().filter(record)
    assert "c0ffee" not in record.getMessage() and "/password/Mg/…" in record.getMessage()
