"""Addresses and forms with a NUL character, or too large, are refused with a page, whatever they lead to."""

from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Judgement
from evalplatform import middleware
from tests.factories.campaigns import make_campaign
from tests.factories.rating import participation_of, rater_client, rating_campaign, send_form

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "/campaigns/a%00b/report/",
        "/campaigns/x/segment/?testset=x&segment=%00",
        "/campaigns/?page=%00",
        "/r/%00/",
        "/nowhere%00/",
        "/static/%00.css",
    ],
)
def test_a_nul_is_refused(address):
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    response = client.get(address)
    assert response.status_code == 400
    assert "NUL" in response.content.decode()
    assert response.headers["Content-Security-Policy"]


def test_scripts_get_a_problem():
    response = Client().get("/api/%00", headers={"accept": "application/json"})
    assert response.status_code == 400
    assert response.json()["detail"] == "The address holds a NUL character."


FORMS = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")


def written(kind, name, value):
    """Return a form with one field."""
    if kind == FORMS[0]:
        return urlencode({name: value})
    return f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n--x--\r\n'


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/campaigns/{key}/hand-over", "rater"),
        ("/campaigns/{key}/admit", "rater"),
        ("/campaigns/{key}/forget/", "rater"),
        ("/campaigns/{key}/forget/", "a\0b"),
        ("/login/", "username"),
        ("/admin/auth/user/add/", "username"),
        ("/api/v1/token/", "username"),
        ("/api/v1/campaigns/", "settings.native"),
        ("/api/v1/campaigns/{key}/raters/admit/", "rater"),
    ],
)
def test_a_nul_in_a_form_is_refused(kind, address, field):
    campaign = make_campaign(n_segments=2)
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    sent = client.post(address.format(key=campaign.key), written(kind, field, "a\0b"), content_type=kind)
    assert sent.status_code == 400 and "NUL" in sent.content.decode()


def test_a_large_upload_is_read_only_for_those_who_may_send_it(monkeypatch):
    monkeypatch.setattr(middleware, "_length", lambda request: 10**9)
    body, address = written(FORMS[1], "campaign", "a\0b"), "/api/v1/campaigns/import/"
    assert Client().post(address, body, content_type=FORMS[1]).status_code == 401
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    sent = client.post(address, body, content_type=FORMS[1])
    assert sent.status_code == 400 and "NUL" in sent.json()["detail"]


def test_an_answer_with_a_nul_comes_back_and_is_not_lost():
    campaign = rating_campaign()
    browser = rater_client(participation_of(campaign))
    form, page = send_form(browser, campaign, comment="so far\0so good")
    html = page.content.decode()
    assert page.status_code == 400 and "so good" in html and 'value="64"' in html
    assert browser.post(f"/rate/{campaign.key}/", {**form, "assignment": "\0"}).status_code == 400
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "django_language", "messages"])
def test_a_cookie_may_hold_anything(name):
    cookie = f'{name}="\\000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"'
    for address in ("/login/", "/campaigns/", "/api/v1/"):
        assert Client(headers={"cookie": cookie}).get(address).status_code in (200, 302, 401)


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"raters": "x" * 6 * 2**20}, "at most 5 MB"),
        ({f"f{n}": "" for n in range(1001)}, "More than 1000 fields"),
    ],
)
@pytest.mark.parametrize("checks", [True, False])
def test_too_much_at_once_is_refused_with_the_limit(fields, limit, checks, caplog):
    campaign = make_campaign(n_segments=2)
    client = Client(enforce_csrf_checks=checks)
    client.cookies["csrftoken"] = "a" * 32
    client.force_login(User.objects.create_superuser("ann"))
    for kind in (FORMS[0], None):
        more = {"data": urlencode(fields), "content_type": kind} if kind else {"data": fields}
        sent = client.post(f"/campaigns/{campaign.key}/add-raters", **more)
        assert sent.status_code == 413 and limit in sent.content.decode()
    assert not [one for one in caplog.records if one.exc_info or one.levelname == "ERROR"]


def test_a_form_that_is_none_is_refused():
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    for address in ("/login/", "/api/v1/studies/"):
        sent = client.post(address, "nothing", content_type="multipart/form-data; boundary=")
        assert sent.status_code == 400
