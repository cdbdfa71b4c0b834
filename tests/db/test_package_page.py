"""The package of a study from its page: as by the API, names for the owner alone, nothing while sealed."""

import io
import zipfile

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import AuditEvent
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close
from annotation.services.studies import study_create
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def ben():
    return User.objects.create_user("ben")


@pytest.fixture
def campaign(ann, ben):
    found = make_campaign(name="harbour", raters=("Anastasia", "Bartholomew", "Cleo"), owner=ann)
    found.study.researchers.add(ben)
    answer_all(found)
    return found


def package(client, study, status=200, **options):
    answer = client.get(reverse("study_package", args=[study.pk]), options)
    assert answer.status_code == status, answer.content
    return answer


def files_of(answer):
    """Return the files of a package by name."""
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as made:
        return {name: made.read(name) for name in made.namelist()}


def test_the_page_offers_names_to_the_owner_alone(campaign, ann, ben):
    address = reverse("study_report", args=[campaign.study_id])
    page = client_of(ann).get(address).content.decode()
    assert "Get the package" in page and 'name="with_texts"' in page and 'name="identities"' in page
    page = client_of(ben).get(address).content.decode()
    assert "Get the package" in page and 'name="with_texts"' in page and 'name="identities"' not in page


def test_it_is_streamed_noted_and_the_same_as_by_the_api(campaign, ann, ben):
    answer = package(client_of(ben), campaign.study)
    assert answer.streaming and answer.headers["Content-Type"] == "application/zip"
    assert "harbour.zip" in answer.headers["Content-Disposition"]
    event = AuditEvent.objects.get(action="study.exported")
    assert event.actor == ben and event.data["identities"] is False and event.data["texts"] is False
    files = files_of(answer)
    assert b"Anastasia" not in b"".join(files.values()) and "manifest.json" in files
    by_api = client_of(ann).get(f"/api/v1/studies/{campaign.study_id}/package/")
    assert files_of(by_api) == files


def test_names_and_texts_come_when_they_are_asked_for(campaign, ann, ben):
    line = b"Anastasia"
    assert line in b"".join(files_of(package(client_of(ann), campaign.study, identities="on")).values())
    for wanted in ({}, {"identities": "false"}, {"identities": ""}):
        files = files_of(package(client_of(ann), campaign.study, **wanted))
        assert line not in b"".join(files.values()), wanted
    package(client_of(ben), campaign.study, 403, identities="on")
    without = files_of(package(client_of(ben), campaign.study))
    with_texts = files_of(package(client_of(ben), campaign.study, with_texts="on"))
    assert sum(map(len, with_texts.values())) > sum(map(len, without.values()))


def test_an_empty_study_and_one_of_others_have_none(campaign, ann):
    empty = study_create(name="empty", owner=ann)
    package(client_of(ann), empty, 400)
    stranger = User.objects.create_user("stranger")
    package(client_of(stranger), campaign.study, 404)
    assert not AuditEvent.objects.filter(action="study.exported").exists()


def test_while_a_campaign_is_sealed_there_is_none(ann):
    sealed = make_campaign(name="quiet", owner=ann, settings=CampaignSettings(sealed=True))
    answer_all(sealed)
    client, address = client_of(ann), reverse("study_report", args=[sealed.study_id])
    page = client.get(address).content.decode()
    assert "“quiet” is sealed until closing; the package" in page and "Get the package" not in page
    assert "sealed until closing" in package(client, sealed.study, 409).content.decode()
    assert not AuditEvent.objects.filter(action="study.exported").exists()
    campaign_close(campaign=sealed)
    assert "Get the package" in client.get(address).content.decode()
    assert files_of(package(client, sealed.study))
