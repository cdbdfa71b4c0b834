"""A key that is no field is refused by name in every write of the API: it would change nothing in silence."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import QueryDict

from annotation.api.requests import NewCampaignSerializer
from annotation.models import Study
from annotation.services.campaign_settings import CampaignSettings
from mtcore.models import Run
from tests.factories.api import client_of
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    cache.clear()


@pytest.fixture
def root():
    client = client_of("root")
    User.objects.filter(username="root").update(is_staff=True)
    return client


def bodies(schema):
    """Give label, content types and schema of the body of every write that has one."""
    parts = schema["components"]["schemas"]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            for kind, one in content.items():
                name = one["schema"].get("$ref", "").rpartition("/")[2]
                yield f"{method} {path}", kind, parts.get(name, one["schema"])


def test_the_schema_closes_the_body_of_every_write(root):
    schema = root.get("/api/v1/schema/?format=json").json()
    found = list(bodies(schema))
    opened = {label for label, _, body in found if body.get("additionalProperties") is not False}
    assert opened <= {"post /api/v1/token/"} and len(found) > 60
    part = schema["components"]["schemas"]["Part"]
    assert part["additionalProperties"] is False, "what is inside a body, too"


@pytest.mark.parametrize(
    ("address", "body", "key", "words"),
    [
        ("launch/train/", {"name": "x", "corpora": ["p"], "recipe": "tiny-op", "change": {}}, "change",
         "Did you mean “changes”?"),
        ("launch/train/", {"name": "x", "settings": ["training.max_updates=3"]}, "settings", "There are: "),
        ("studies/", {"name": "new", "descripton": "…"}, "descripton", "“description”"),
        ("corpora/mix/", {"name": "m", "parts": [{"corpus": "a", "copys": 2}]}, "parts", "copys"),
        ("runs/", {"kind": "sleep", "opts": {}}, "opts", "“options”"),
        ("campaigns/KEY/links/", {"rater": "R1"}, "rater", "nothing is said here"),
        ("campaigns/KEY/state/", {"state": "closed", "State": "open"}, "State", "“state”"),
        ("campaigns/KEY/raters/exclude/", {"rater": "R1", "reason": "x", "why": "y"}, "reason", "There are"),
    ],
)  # fmt: skip
def test_unknown_keys_are_refused_and_nothing_is_done(root, address, body, key, words):
    campaign = make_campaign(name="harbour", n_segments=3, owner=User.objects.get(username="root"))
    n_studies = Study.objects.count()
    answer = root.post(f"/api/v1/{address.replace('KEY', campaign.key)}", body, format="json")
    assert answer.status_code == 400, answer.json()
    assert words in str(answer.json()["errors"][key])
    campaign.refresh_from_db()
    assert campaign.state == "open" and not Run.objects.exists() and Study.objects.count() == n_studies


def test_queries_may_hold_what_is_not_known(root):
    campaign = make_campaign(name="harbour", n_segments=3, owner=User.objects.get(username="root"))
    assert root.get(f"/api/v1/campaigns/{campaign.key}/plan/?flavour=exact&_=1").status_code == 200


def test_a_key_that_failed_may_be_sent_again(root):
    headers = {"Idempotency-Key": "12345678"}
    wrong = root.post("/api/v1/studies/", {"name": "s", "x": 1}, format="json", headers=headers)
    right = root.post("/api/v1/studies/", {"name": "s"}, format="json", headers=headers)
    assert (wrong.status_code, right.status_code) == (400, 201)


def test_what_a_form_leaves_out_is_no_answer(root):
    """A form without a box that is needed would else read as a no, and switch joining off."""
    made = make_campaign(name="Quay", settings=CampaignSettings(joins=True))
    address = f"/api/v1/campaigns/{made.key}/joining/"
    refused = root.post(address, {}, format="multipart")
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["joins"]
    made.refresh_from_db()
    assert made.settings["joins"] is True
    assert root.post(address, {"joins": "false"}, format="multipart").json()["joins"] is False
    found = NewCampaignSerializer(data=QueryDict("name=Pier&protocol=source_da"))
    assert found.is_valid() and found.validated_data["opened"] is True


def test_what_is_refused_is_called_as_the_api_calls_it(root):
    """Services speak of options of commands; the fields of the body stand in their place at every address."""
    study = Study.objects.create(name="Both ways")
    empty = root.post(f"/api/v1/studies/{study.pk}/members/", {}, format="json").json()
    assert empty["remedy"] == "Give “campaigns”, “testsets” or “systems”."
    made = make_campaign(name="Quay")
    gone = root.get(f"/api/v1/campaigns/{made.key}/links/?rater=nobody").json()
    assert gone["status"] == 404 and "--rater" not in gone["remedy"] and "“rater”" in gone["remedy"]


@pytest.mark.parametrize("query", ["raters=R1", "rater=", "name=R1", "rater=nobody"])
def test_links_of_everybody_are_not_ended_by_a_slip(root, query):
    made = make_campaign(name="Quay", raters=("R1", "R2"))
    address = f"/api/v1/campaigns/{made.key}/links/"
    before = root.get(address).json()
    assert root.post(f"{address}?{query}").status_code in (400, 404)
    assert root.get(address).json() == before
    (one,) = root.post(f"{address}?rater=R1").json()
    now = root.get(address).json()
    assert one == now[0] != before[0] and now[1] == before[1]
