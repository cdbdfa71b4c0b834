"""An address with a NUL character is refused with a page, whatever it leads to."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

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
