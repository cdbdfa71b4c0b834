"""The pages on which a study is made, shared, described and filled."""

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.urls import reverse

from annotation.models import AuditEvent, Campaign, Study
from annotation.services.study_members import study_add
from mtcore.models import System
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db
NOTHING = {"description": "", "researchers": "", "campaigns": "", "raters": "", "testsets": "", "systems": ""}


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def ben():
    return User.objects.create_user("ben")


@pytest.fixture
def study(ann):
    return Study.objects.create(name="Both ways", owner=ann)


def manage(user, study, status=302, **given):
    """Send the form; return what is said then, or the page that refuses it."""
    answer = client_of(user).post(reverse("study_manage", args=[study.pk]), NOTHING | given)
    assert answer.status_code == status, answer.content.decode()
    study.refresh_from_db()
    if status == 302:
        return " ".join(str(one) for one in get_messages(answer.wsgi_request))
    return answer.content.decode()


def test_a_study_is_made_and_is_whose_who_made_it(ann):
    client = client_of(ann)
    page = client.get(reverse("studies")).content.decode()
    assert reverse("study_new") in page and "manage.py" not in page
    answer = client.post(reverse("study_new"), {"name": "Both ways", "description": "Does BT help?"})
    made = Study.objects.get()
    assert answer.status_code == 302
    assert answer.headers["Location"] == reverse("study_manage", args=[made.pk])
    assert (made.name, made.description, made.owner) == ("Both ways", "Does BT help?", ann)
    assert AuditEvent.objects.get(action="study.created").actor == ann
    page = client.get(reverse("studies")).content.decode()
    assert reverse("study_manage", args=[made.pk]) in page


@pytest.mark.parametrize("name", ["", "a|b", "x" * 121, "Both ways"])
def test_a_name_that_cannot_be_is_refused_beside_its_field(ann, study, name):
    answer = client_of(ann).post(reverse("study_new"), {"name": name, "description": "kept"})
    page = answer.content.decode()
    assert answer.status_code == 400 and "errorlist" in page and "kept" in page
    assert "manage.py" not in page and Study.objects.count() == 1


def test_who_the_study_is_shared_with_sees_it_and_cannot_manage_it(ann, ben, study):
    manage(ann, study, researchers="ben\r\n", description="Does BT help?\r\nAt all?")
    assert study.description == "Does BT help?\nAt all?"
    assert list(study.researchers.all()) == [ben]
    client = client_of(ben)
    assert client.get(reverse("study_report", args=[study.pk])).status_code == 200
    page = client.get(reverse("studies")).content.decode()
    assert "Both ways" in page and reverse("study_manage", args=[study.pk]) not in page
    assert client.get(reverse("study_manage", args=[study.pk])).status_code == 403
    manage(ben, study, 403, researchers="ann")
    report = client_of(ann).get(reverse("study_report", args=[study.pk])).content.decode()
    assert "Manage the study" in report
    assert '<input type="checkbox" name="leaving" value="ben"' in page_of(ann, study)
    assert manage(ann, study, description=study.description, leaving=["ben"]) == "Who sees the study is kept."
    assert not study.researchers.exists()
    assert client.get(reverse("study_report", args=[study.pk])).status_code == 404
    events = AuditEvent.objects.order_by("pk").values_list("action", "actor__username")
    assert list(events) == [
        ("study.described", "ann"), ("study.researchers", "ann"), ("study.researchers", "ann"),
    ]  # fmt: skip


def page_of(user, study):
    return client_of(user).get(reverse("study_manage", args=[study.pk])).content.decode()


def test_campaigns_move_with_their_raters_and_test_sets_and_systems_are_added(ann, study):
    first = make_campaign(name="by source", owner=ann)
    second = make_campaign(name="by reference", owner=ann)
    System.objects.create(name="Quay")
    manage(ann, study, campaigns="by source")
    page = manage(ann, study, 400, campaigns="by reference", systems="Quay", description="new")
    assert "Choose whether they are the same people." in page and "--same-raters" not in page
    assert "by reference" in page and study.description == "" and not study.systems.exists()
    said = manage(ann, study, campaigns="by reference", systems="Quay", raters="same")
    assert "“by reference” moved here from the study “by reference”." in said
    assert "Systems added: 1." in said and "The study knew these raters: “R1”" in said
    assert set(study.campaigns.all()) == {first, second}
    assert study.raters.count() == 3
    assert [one.name for one in study.systems.all()] == ["Quay"]
    page = page_of(ann, study)
    assert "by reference, by source" in page
    assert manage(ann, study, systems="Quay") == "In the study already: “Quay”."


def extended(study):
    """Give the study a test set and a system of a campaign of its own, and others that nothing judges."""
    make_campaign(name="harbour", n_segments=3, owner=study.owner, study=study.name, systems=("OP", "BT"))
    other = make_campaign(name="elsewhere", n_segments=3, owner=study.owner, systems=("Old",))
    study_add(study=study, testsets=["elsewhere"], systems=["Old"])
    return other


def members(study):
    return (
        sorted(study.testsets.values_list("name", flat=True)),
        sorted(study.systems.values_list("name", flat=True)),
    )


def test_test_sets_and_systems_are_taken_out_by_every_door(ann, study):
    extended(study)
    page = page_of(ann, study)
    assert 'name="testsets_out" value="elsewhere"' in page and 'name="systems_out" value="Old"' in page
    assert 'value="harbour"' not in page and 'value="OP"' not in page
    said = manage(ann, study, testsets_out=["elsewhere"], systems_out=["Old"])
    assert "No longer in the study: “elsewhere”, “Old”." in said
    assert members(study) == (["harbour"], ["BT", "OP"])
    event = AuditEvent.objects.get(action="study.reduced")
    assert event.actor == ann and event.data["testsets"] == ["elsewhere"]
    study_add(study=study, testsets=["elsewhere"], systems=["Old"])
    assert "“Old”" in run("remove_from_study", study.name, "--system", "Old")[0]
    answer = client_of(ann).post(
        reverse("api_study_members_remove", args=[study.pk]), {"testsets": ["elsewhere"]}, "application/json"
    )
    assert answer.json() == {"testsets": ["elsewhere"], "systems": []}
    assert members(study) == (["harbour"], ["BT", "OP"])


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        (
            {"testsets": ["elsewhere", "harbour"]},
            409,
            "“harbour” is judged in the study's campaigns: “harbour”.",
        ),
        ({"systems": ["Old", "OP"]}, 409, "“OP” is judged"),
        ({"systems": ["Old", "Nobody"]}, 404, "has no system “Nobody”"),
        ({}, 400, "Nothing to take out was named."),
    ],
)
def test_what_campaigns_judge_or_nothing_is_called_is_not_taken_out(ann, ben, study, given, status, words):
    extended(study)
    before = members(study)
    address = reverse("api_study_members_remove", args=[study.pk])
    answer = client_of(ann).post(address, given, "application/json")
    assert answer.status_code == status and words in answer.json()["detail"]
    study.researchers.add(ben)
    assert client_of(ben).post(address, {"systems": ["Old"]}, "application/json").status_code == 403
    refused_page = manage(ann, study, 400, testsets_out=["harbour"])
    assert "errorlist" in refused_page
    assert members(study) == before and not AuditEvent.objects.filter(action="study.reduced").exists()


def test_raters_are_kept_apart_when_it_is_said(ann, study):
    for name in ("one", "two"):
        make_campaign(name=name, owner=ann)
    manage(ann, study, campaigns="one")
    manage(ann, study, campaigns="two", raters="separate")
    assert study.raters.count() == 6 and study.raters.filter(name="R1 (two)").exists()


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("researchers", "ben\nnobody", "There is no user “nobody”."),
        ("researchers", "ann", "“ann” owns the study already."),
        ("campaigns", "theirs", "There is no campaign “theirs”."),
        ("testsets", "none", "There is no test set “none”."),
        ("systems", "none", "There is no system “none”."),
        ("raters", "maybe", "Select a valid choice"),
        ("leaving", "ann", "Select a valid choice"),
    ],
)
def test_one_wrong_name_and_nothing_is_written(ann, ben, study, field, text, words):
    make_campaign(name="theirs", owner=User.objects.create_user("eve"))
    given = {"description": "new", "researchers": "ben"} | {field: text}
    page = manage(ann, study, 400, **given)
    assert words in page and "Nothing was written." in page
    assert study.description == "" and not study.researchers.exists()
    assert not AuditEvent.objects.filter(study=study).exists()


def test_campaigns_of_somebody_else_do_not_move(ann, ben, study):
    theirs = make_campaign(name="theirs", owner=ben)
    theirs.study.researchers.add(ann)
    assert "This is for the owner of the study." in manage(ann, study, 400, campaigns="theirs")
    assert Campaign.objects.get().study_id == theirs.study_id
    assert "<b>Campaigns:</b> –<" in page_of(ann, study)


def test_who_comes_and_goes_at_once_is_asked_about(ann, ben, study):
    study.researchers.add(ben)
    assert "added and removed at once" in manage(ann, study, 400, researchers="ben", leaving=["ben"])


def test_nothing_changed_is_said_and_not_in_the_trail(ann, study):
    assert manage(ann, study) == "Nothing was changed."
    assert not AuditEvent.objects.filter(action__startswith="study.").exists()


def test_names_are_text_on_the_page(ann):
    study = Study.objects.create(name="<b>A</b>", description="<i>B</i>", owner=ann)
    page = page_of(ann, study) + client_of(ann).get(reverse("studies")).content.decode()
    assert "<b>A</b>" not in page and "<i>B</i>" not in page


def test_studies_of_others_are_not_there(ann, ben, study):
    assert client_of(ben).get(reverse("study_manage", args=[study.pk])).status_code == 404
    root = User.objects.create_user("root", is_staff=True)
    assert manage(root, study, researchers="ben") == "Who sees the study is kept."


def test_what_somebody_else_described_meanwhile_is_not_written_over(ann, study):
    """Two browsers have the page open; the one that only shares must not take back what the other wrote."""
    Study.objects.filter(pk=study.pk).update(description="First.")
    User.objects.create_user("cleo")
    client = client_of(ann)
    first = client.get(reverse("study_manage", args=[study.pk])).context["form"].initial
    assert manage(ann, study, **(NOTHING | first | {"description": "Second."})) == "The description is kept."
    shared = NOTHING | first | {"researchers": "cleo"}
    assert manage(ann, study, **shared) == "Who sees the study is kept."
    assert study.description == "Second." and study.researchers.count() == 1
    late = NOTHING | first | {"description": "Third.", "leaving": ["cleo"]}
    page = manage(ann, study, 409, **late)
    assert study.description == "Second." and study.researchers.count() == 1
    assert "changed meanwhile: “Second.”" in page and ">\nThird.</textarea>" in page
    assert 'name="seen" value="Second."' in page and 'value="cleo"' in page and "checked" in page
    manage(ann, study, **(late | {"seen": "Second."}))
    assert study.description == "Third." and not study.researchers.exists()
