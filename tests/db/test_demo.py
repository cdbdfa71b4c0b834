"""The command demo keeps its hands off accounts and studies of people, and can be run again and again."""

import re

import pytest
from django.contrib.auth.models import User

from annotation.models import Study
from annotation.services import demo
from tests.factories.commands import refused, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Leave the campaigns out: accounts are looked at here."""
    monkeypatch.setattr(demo, "_campaigns", lambda: iter(()))
    monkeypatch.setattr(demo, "_score_texts", lambda: None)


def printed() -> dict[str, str]:
    """Run the demo; return passwords by the user they are printed for."""
    out, _ = run("demo", "--no-serve")
    return dict(re.findall(r"user (\S+), password (\S+)", out))


def works(accounts: dict[str, str]) -> bool:
    people = {one.username: one for one in User.objects.filter(is_active=True)}
    return all(people[name].check_password(password) for name, password in accounts.items())


def test_a_new_installation_has_researcher_and_admin_whose_passwords_are_new_each_time():
    first = printed()
    assert list(first) == ["researcher", "admin"] and works(first)
    second = printed()
    assert list(second) == list(first) and works(second) and not works(first)
    assert User.objects.get(username="admin").is_superuser
    assert not User.objects.get(username="researcher").is_staff
    assert User.objects.count() == 2


def test_accounts_of_people_stay_as_they_are():
    User.objects.create_superuser("admin", password="mine-alone")
    User.objects.create_user("Researcher", password="also-mine")
    User.objects.create_user("demo-researcher", password="third", first_name="Ada")
    before = list(User.objects.values())
    for _ in range(2):
        accounts = printed()
        assert list(accounts) == ["demo-researcher-2", "demo-admin"] and works(accounts)
        own = User.objects.filter(username__in=accounts).order_by("pk")
        assert [(one.is_staff, one.is_superuser) for one in own] == [(False, False), (True, True)]
        assert list(User.objects.exclude(username__in=accounts).values()) == before
    out, _ = run("demo", "--no-serve")
    assert "an account called admin was there before and is left as it is" in out


@pytest.mark.parametrize("change", [{"username": "ada"}, {"is_active": False}, {"is_superuser": False}])
def test_an_account_of_the_demo_that_somebody_made_theirs_is_left_alone(change):
    printed()
    User.objects.filter(username="admin").update(**change)
    before = User.objects.values().get(pk=User.objects.get(**change, first_name="Admin").pk)
    again = printed()
    assert works(again) and "researcher" in again
    assert User.objects.values().get(pk=before["id"]) == before


def test_a_new_account_of_the_demo_sees_its_study():
    printed()
    User.objects.filter(username="researcher").update(username="ada")
    User.objects.create_user("researcher", password="mine")
    assert list(printed()) == ["demo-researcher", "admin"]
    study = Study.objects.get(name=demo.STUDY)
    assert study.owner.username == "ada"
    assert [one.username for one in study.researchers.all()] == ["demo-researcher"]


def test_a_study_of_the_same_name_that_is_not_the_demos_is_left_alone():
    study = Study.objects.create(name=demo.STUDY)
    assert "that is not the demo’s" in refused("demo", "--no-serve")
    assert not study.researchers.exists() and not User.objects.exists()
