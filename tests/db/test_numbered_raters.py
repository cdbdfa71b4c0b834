"""Raters that the platform numbered are never united, or kept apart, by a guess."""

import pytest

from annotation.models import Rater, Study
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _campaigns():
    for name in ("one", "two"):
        make_campaign(name=name, raters=("R1", "R2"))
    run("create_study", "S")


def test_somebody_has_to_say_who_numbered_raters_are():
    message = refused("add_to_study", "S", "--campaign", "one", "two")
    assert "R1, R2" in message and "--same-raters" in message and "--separate-raters" in message
    assert not Study.objects.get(name="S").campaigns.exists()


def test_numbered_raters_are_the_same_when_told():
    run("add_to_study", "S", "--campaign", "one", "two", "--same-raters")
    assert list(Rater.objects.order_by("name").values_list("name", flat=True)) == ["R1", "R2"]


def test_numbered_raters_are_others_when_told():
    run("add_to_study", "S", "--campaign", "one", "two", "--separate-raters")
    names = Rater.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["R1", "R1 (two)", "R2", "R2 (two)"]
