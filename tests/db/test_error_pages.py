"""Pages of errors: who is signed in finds the menu and the way back; others see no more than before."""

import json

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client, RequestFactory

from evalplatform import middleware

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    client = Client()
    client.force_login(User.objects.create_user("ann"))
    return client


def page(client, address="/nowhere/", referer="", method="get"):
    """Return the page of an error."""
    answer = getattr(client, method)(address, headers={"referer": referer} if referer else {})
    assert answer.status_code in (400, 404)
    return answer.content.decode()


def test_who_is_signed_in_has_the_menu_and_a_way_back(client):
    found = page(client)
    assert (
        'href="/studies/"' in found and "Sign out" in found and 'aria-current="true">Campaigns' not in found
    )
    assert '<a class="button main" href="/campaigns/">To the campaigns</a>' in found


@pytest.mark.parametrize(
    ("referer", "way"),
    [
        ("http://testserver/runs/?state=done#x", "/runs/?state=done"),
        ("http://elsewhere.example/runs/", "/campaigns/"),
        ("//elsewhere.example/runs/", "/campaigns/"),
        ("javascript:alert(1)", "/campaigns/"),
        ("http://[", "/campaigns/"),
        ("http://testserver/nowhere/", "/campaigns/"),
    ],
)
def test_the_way_leads_to_pages_of_ours_only(client, referer, way):
    assert f'<a class="button main" href="{way}">' in page(client, referer=referer)


def test_a_form_that_was_refused_leads_back_to_its_page(client):
    found = page(client, "/campaigns/none/add-raters", "http://testserver/campaigns/none/", "post")
    assert 'href="/campaigns/none/">Back to where you came from</a>' in found


def test_who_is_not_signed_in_sees_no_menu():
    found = page(Client(), referer="http://testserver/runs/")
    assert "Sign out" not in found and "/campaigns/" not in found and "/runs/" not in found


def test_errors_of_ours_ask_nobody_who_that_is():
    class Away:
        @property
        def is_authenticated(self) -> bool:
            raise OperationalError

    request = RequestFactory().get("/nowhere/")
    request.user = Away()
    assert middleware.server_error(request).status_code == 500
    assert "Sign out" not in middleware.page_not_found(request).content.decode()


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_the_address_of_a_button_says_where_to_press_it(client, method):
    """Who signs in anew after a button was pressed comes back to its address, which takes forms only."""
    answer = getattr(client, method)(
        "/campaigns/none/state", headers={"referer": "http://testserver/login/?next=/campaigns/none/state"}
    )
    found = answer.content.decode()
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert "This address takes POST" in found and "use its buttons" in found
    assert '<a class="button main" href="/campaigns/">To the campaigns</a>' in found


def test_every_error_says_what_to_do(client):
    request = RequestFactory().get("/api/x/")
    for answer in (
        middleware.permission_denied(request),
        middleware.bad_request(request),
        client.get("/campaigns/none/state", headers={"accept": "application/json"}),
    ):
        told = json.loads(answer.content)
        assert told["detail"] and told["remedy"], told


@pytest.mark.parametrize(
    ("method", "address", "status", "more"),
    [
        ("get", "/api/v1/campaigns/none/", 404, {}),
        ("get", "/api/v1/campaigns/none/scores/", 404, {}),
        ("get", "/api/v1/nowhere/", 404, {}),
        ("get", "/api/v1/runs/", 403, {}),
        ("delete", "/api/v1/campaigns/", 405, {}),
        ("post", "/api/v1/studies/", 415, {"content_type": "application/xml", "data": "<a/>"}),
        ("post", "/api/v1/studies/", 400, {"content_type": "application/json", "data": "{"}),
        ("post", "/api/v1/studies/", 400, {"content_type": "application/json", "data": '{"nme": "x"}'}),
        ("post", "/api/v1/token/", 400, {"content_type": "application/json", "data": "{}"}),
    ],
)
def test_errors_of_the_api_say_what_to_do(client, method, address, status, more):
    answer = getattr(client, method)(address, **more)
    told = answer.json()
    assert answer.status_code == told["status"] == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert told["detail"] and told["remedy"] and "matches the given query" not in told["detail"]


def test_who_sends_no_token_is_told_how(db):
    told = Client().get("/api/v1/campaigns/").json()
    assert told["status"] == 401 and "Authorization: Token" in told["remedy"]
