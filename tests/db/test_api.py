"""The API, version 1."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_throttle():
    cache.clear()


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


@pytest.fixture
def campaign(ann):
    found = make_campaign(name="harbour", n_segments=5, owner=ann)
    answer_all(found)
    return found


@pytest.fixture
def api(ann):
    client = APIClient()
    answer = client.post("/api/v1/token/", {"username": "ann", "password": "harbour-ann"})
    client.credentials(HTTP_AUTHORIZATION=f"Token {answer.json()['token']}")
    return client


def strict(response):
    def constant(text):
        raise AssertionError(f"{text} in JSON")

    return json.loads(response.content, parse_constant=constant)


def test_without_a_token_everything_is_closed(campaign):
    for path in ("", f"{campaign.key}/", f"{campaign.key}/scores/", f"{campaign.key}/judgements/"):
        response = Client().get(f"/api/v1/campaigns/{path}")
        assert response.status_code == 401, path
        assert response["Content-Type"] == "application/problem+json"
        assert response.json()["status"] == 401


def test_a_stranger_sees_nothing_of_it(campaign):
    client = APIClient()
    client.force_login(User.objects.create_user("bob", password="harbour-bob"))
    assert client.get("/api/v1/campaigns/").json()["results"] == []
    for path in ("", "scores/", "judgements/"):
        response = client.get(f"/api/v1/campaigns/{campaign.key}/{path}")
        assert response.status_code == 404
        assert response["Content-Type"] == "application/problem+json"


def test_campaigns_are_listed_with_progress(api, campaign):
    (row,) = strict(api.get("/api/v1/campaigns/"))["results"]
    assert (row["name"], row["n_assigned"], row["n_done"]) == ("harbour", 20, 20)
    one = strict(api.get(row["url"]))
    assert one.pop("agreement")["n_several"] > 0 and one == row
    assert row["scale"] == [1, 100]


def test_scores_are_those_of_the_command(api, campaign, capsys):
    call_command("score_campaign", "harbour", "--format", "json", "--seed", "3")
    printed = json.loads(capsys.readouterr().out)
    assert strict(api.get(f"/api/v1/campaigns/{campaign.key}/scores/", {"seed": "3"})) == printed


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"resamples": "1e9"}, "2 to 100,000"),
        ({"clusters": "loose"}, "strict, wmt"),
        ({"sede": "1"}, "no option"),
        ({"hypothesis": "A>B"}, "two of the systems"),
    ],
)
def test_wrong_options_are_400_with_the_reason(api, campaign, query, wanted):
    response = api.get(f"/api/v1/campaigns/{campaign.key}/scores/", query)
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    assert wanted in response.json()["detail"]


def test_scores_of_nothing_are_409(api, ann):
    empty = make_campaign(name="empty", owner=ann)
    response = api.get(f"/api/v1/campaigns/{empty.key}/scores/")
    assert response.status_code == 409
    assert "no judgements yet" in response.json()["detail"]


def test_judgements_come_in_pages_with_z(api, campaign):
    first = strict(api.get(f"/api/v1/campaigns/{campaign.key}/judgements/", {"limit": "15"}))
    assert (first["count"], len(first["results"])) == (20, 15)
    rest = strict(api.get(first["next"]))["results"]
    rows = first["results"] + rest
    assert len({row["judgement"] for row in rows}) == 20
    own = [row["z"] for row in rows if row["rater"] == "R1"]
    assert sum(own) == pytest.approx(0, abs=1e-8)
    assert rows[0]["left"] in (["OP"], ["BT"])
    assert rows[0]["submitted_at"].endswith("Z")
    assert rows[0]["z_options"] == "population:all"
    bad = api.get(f"/api/v1/campaigns/{campaign.key}/judgements/", {"population": "odd"})
    assert bad.status_code == 400


def test_a_wrong_password_gets_no_token_and_guessing_is_slowed_down(ann):
    client = APIClient()
    answers = [
        client.post("/api/v1/token/", {"username": "ann", "password": f"guess {n}"}) for n in range(11)
    ]
    assert {answer.status_code for answer in answers[:9]} == {400}
    assert answers[9].status_code == answers[10].status_code == 429
    assert answers[0]["Content-Type"] == "application/problem+json"
    assert "token" not in answers[0].json()


def test_an_unknown_address_is_problem_json():
    response = Client().get("/api/v1/nothing/")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
