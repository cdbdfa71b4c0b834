"""What campaigns write for themselves is in no list and no choice, and is still there by its address."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.services.campaign_settings import CampaignSettings
from annotation.services.quality_draft import RESERVED
from mtcore.models import System, TestSet
from mtcore.models.system import CONTROL
from mtcore.views import launch
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def root():
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_names_for_quality_control_are_known_below():
    assert set(CONTROL) == set(RESERVED)


def test_practice_and_quality_control_are_in_no_list(root):
    make_campaign(
        "pairwise_fluency", name="pairs", n_segments=8,
        settings=CampaignSettings(bad_references=0.5, practice=2),
    )  # fmt: skip
    practice = TestSet.objects.get(name__contains=" · practice ")
    control = System.objects.get(name="bad reference")
    for address, name in (("testsets", practice.name), ("systems", control.name)):
        assert name not in root.get(f"/{address}/").content.decode()
        assert name not in [one["name"] for one in root.get(f"/api/v1/{address}/").json()["results"]]
    assert [name for name, _ in launch.testset_choices()] == ["pairs"]
    assert [name for name, _ in launch.system_choices()] == ["BT", "OP"]
    assert root.get(f"/testsets/{practice.pk}/").status_code == 200
    assert root.get(f"/api/v1/testsets/{practice.pk}/").status_code == 200
    assert root.get("/api/v1/testsets/", {"name": practice.name}).json()["count"] == 1


def test_a_system_of_such_a_name_that_translated_is_listed():
    make_campaign(name="odd")
    made = System.objects.get(name="OP")
    System.objects.filter(pk=made.pk).update(name="attention")
    assert "attention" in [name for name, _ in launch.system_choices()]
