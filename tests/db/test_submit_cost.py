"""What an answer costs: few queries and few rows, however much a rater has to do."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Item, ItemCandidate
from annotation.services.prepared import Prepared
from tests.factories.rating import answer, keys, participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db
MOST = 12


def load(rater, n):
    """Give a rater more items like those there are, up to n assignments."""
    first = rater.assignments.order_by("position").first().item
    have = rater.assignments.count()
    items = Item.objects.bulk_create(
        Item(
            campaign=rater.campaign, segment=first.segment, wanted=1, given=1,
            context_version=first.context_version, input_version=first.input_version,
        )
        for _ in range(n - have)
    )  # fmt: skip
    ItemCandidate.objects.bulk_create(ItemCandidate(item=item, text=f"Text {item.pk}.") for item in items)
    Assignment.objects.bulk_create(
        Assignment(item=item, participation=rater, position=have + 1 + place)
        for place, item in enumerate(items)
    )


def cost(n, monkeypatch):
    """Return queries, and assignments read as objects, of each request of a rater with n assignments."""
    campaign = rating_campaign(name=f"load {n}", n_segments=5, raters=1)
    rater = participation_of(campaign)
    load(rater, n)
    browser = rater_client(rater)
    own = keys(rater)
    answer(browser, campaign, own[0], f"first-{n:08d}")
    read = []
    from_db = Assignment.from_db.__func__
    monkeypatch.setattr(
        Assignment, "from_db", classmethod(lambda cls, *a, **k: read.append(1) or from_db(cls, *a, **k))
    )
    asks = {
        "answer": lambda: answer(browser, campaign, own[1], f"second-{n:08d}"),
        "correction": lambda: answer(browser, campaign, own[1], f"third-{n:08d}", score=3),
        "screens": lambda: browser.get(f"/rate/{campaign.key}/screens?after={own[2]}&n=3"),
        "previous": lambda: browser.get(f"/rate/{campaign.key}/previous?before={own[2]}"),
        "page": lambda: browser.get(f"/rate/{campaign.key}/"),
    }
    found = {}
    for name, ask in asks.items():
        read.clear()
        with CaptureQueriesContext(connection) as queries:
            assert ask().status_code == 200
        found[name] = (len(queries), len(read))
    return found


def test_ten_or_two_thousand_assignments_cost_the_same(monkeypatch):
    """Complaint of other tools: 32 queries at the first answer of a task, 326 at its last."""
    few = cost(10, monkeypatch)
    assert cost(2000, monkeypatch) == few
    assert max(queries for queries, _ in few.values()) <= MOST
    assert few["answer"][0] + few["screens"][0] / 3 <= MOST  # the page fetches three screens at a time
    assert max(rows for _, rows in few.values()) <= 3


def test_a_prepared_query_is_run_with_other_values():
    rater = participation_of(rating_campaign())
    query = Prepared(
        lambda rater, position: Assignment.objects.filter(participation=rater, position=position)
    )
    own = {one.position: one for one in rater.assignments.all()}
    for position in (3, 1, 3):
        assert query.first(rater.pk, position) == own[position]
    assert query.all(rater.pk, 99) == [] and query.first(rater.pk, 99) is None
    with pytest.raises(ValueError, match="not used"):
        Prepared(lambda rater, unused: Assignment.objects.filter(participation=rater)).all(1, 2)


def test_sessions_are_djangos_own_and_end_when_they_end():
    rater = participation_of(rating_campaign())
    browser = rater_client(rater)
    page = f"/rate/{rater.campaign.key}/"
    assert browser.get(page).status_code == 200 and Session.objects.count() == 1
    row = Session.objects.get()
    assert browser.cookies["sessionid"].value == row.session_key
    Session.objects.update(expire_date=timezone.now())
    assert browser.get(page).status_code == 401
    Session.objects.update(expire_date=timezone.now() + timedelta(days=1))
    browser.cookies["sessionid"] = row.session_key  # it was taken away with the session
    assert browser.get(page).status_code == 200
    browser.cookies["sessionid"] = "nobody" * 5
    assert browser.get(page).status_code == 401
    assert Session.objects.count() == 1
