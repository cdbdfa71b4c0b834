"""Lists of the API refuse what they do not know, so that a typing error never reads as an answer."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from mtcore.models import TestSet
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db
AT_LEAST = {
    "/api/v1/audit/", "/api/v1/campaigns/", "/api/v1/campaigns/{key}/audit/",
    "/api/v1/campaigns/{key}/judgements/", "/api/v1/campaigns/{key}/raters/", "/api/v1/corpora/",
    "/api/v1/runs/", "/api/v1/studies/", "/api/v1/systems/", "/api/v1/testsets/",
    "/api/v1/testsets/{id}/metrics/", "/api/v1/testsets/{id}/outputs/", "/api/v1/users/",
}  # fmt: skip


@pytest.fixture
def root():
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def campaign():
    found = make_campaign(name="harbour", n_segments=3)
    answer_all(found)
    return found


def lists():
    """Return the parameters of each list operation by its path."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    found = {path: one["get"].get("parameters", []) for path, one in paths.items() if "get" in one}
    return {path: own for path, own in found.items() if {"limit", "offset"} <= {one["name"] for one in own}}


def test_every_list_refuses_unknown_names_and_choices_and_takes_what_its_schema_names(root, campaign):
    found = lists()
    assert set(found) >= AT_LEAST
    testset = TestSet.objects.get()
    for path, parameters in found.items():
        address = path.replace("{key}", campaign.key).replace("{id}", str(testset.pk))
        answer = root.get(address, {"nmae": "x"})
        assert answer.status_code == 400 and "“nmae”" in answer.json()["detail"], path
        asked = [one for one in parameters if one["in"] == "query"]
        assert all(one["name"] in answer.json()["remedy"] for one in asked), path
        for one in asked:
            if choices := one["schema"].get("enum"):
                answer = root.get(address, {one["name"]: "bogus"})
                assert answer.status_code == 400 and "bogus" in answer.json()["detail"], path
                assert root.get(address, {one["name"]: choices[0]}).status_code == 200, path
        assert root.get(address, {"limit": 1, "offset": 0}).status_code == 200, path


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"rater": "Nobody"}, 404, "“Nobody”"),
        ({"system": "XX"}, 404, "“XX”"),
        ({"prefers": "XX"}, 404, "“XX”"),
        ({"testset": "nowhere"}, 404, "“nowhere”"),
        ({"low": "60", "high": "40"}, 400, "60, is above the highest, 40"),
        ({"low": "high"}, 400, "no score"),
    ],
)
def test_judgements_of_nobody_are_not_an_empty_list(root, campaign, query, status, words):
    answer = root.get(f"/api/v1/campaigns/{campaign.key}/judgements/", query)
    assert answer.status_code == status and words in answer.json()["detail"]
    known = {"rater": "R1", "system": "BT", "testset": "harbour", "low": "1", "high": "1"}
    assert root.get(f"/api/v1/campaigns/{campaign.key}/judgements/", known).status_code == 200
