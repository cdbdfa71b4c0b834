"""Pages of errors: who is signed in finds the menu and the way back; others see no more than before."""

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
