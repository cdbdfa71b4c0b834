"""The list of campaigns costs as much more as there is more in them, not the square of it."""

import pytest
from django.db import connection

from annotation.models import Campaign
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


def steps():
    """Count the steps of SQLite's machine that reading the list takes."""
    counted = 0

    def one_more():
        nonlocal counted
        counted += 1

    connection.connection.set_progress_handler(one_more, 10)
    try:
        found = list(Campaign.objects.with_progress().values_list("n_assigned", "n_done"))
    finally:
        connection.connection.set_progress_handler(None, 10)
    return counted, found


@pytest.mark.skipif(connection.vendor != "sqlite", reason="it counts the steps of SQLite")
def test_the_list_grows_with_what_is_in_it():
    small = make_campaign(name="small", n_segments=10, raters=2, judgements=2)
    answer_all(small)
    few, found = steps()
    assert found == [(40, 40)]
    Campaign.objects.all().delete()
    answer_all(make_campaign(name="large", n_segments=80, raters=2, judgements=2, systems=("A", "B")))
    many, found = steps()
    assert found == [(320, 320)]
    assert many < 12 * few, f"eight times as much took {many / few:.0f} times the steps"


def test_progress_of_plans_and_pools():
    answer_all(make_campaign(name="plan", n_segments=3, raters=3, judgements=2), share=0.5)
    make_campaign(name="pool", n_segments=4, raters=3, judgements=3, pool=True, systems=("A", "B"))
    make_campaign(name="empty", n_segments=2, raters=2, judgements=1, systems=("C", "D"))
    found = {one.name: (one.n_assigned, one.n_done) for one in Campaign.objects.with_progress()}
    assert found["plan"][0] == 12 and 0 < found["plan"][1] < 12
    assert found["pool"] == (24, 0) and found["empty"] == (4, 0)
