"""Passing an item over: only where allowed, once, and somebody else gets it."""

import pytest
from django.db.models import F

from annotation.models import Assignment, AuditEvent, Item, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.skipping import assignment_skip
from evalplatform.errors import BadInput, Conflict, NotFound
from tests.factories.campaigns import make_campaign
from tests.factories.rating import answer, participation_of, rater_client

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_stream")]


@pytest.fixture
def campaign():
    made = make_campaign(n_segments=8, raters=4, judgements=2)
    made.settings = {"can_skip": True}
    made.save()
    made.participations.update(consented_at="2027-01-01T00:00Z", state="active")
    return made


def first_of(campaign, name="R1"):
    return participation_of(campaign, name).assignments.order_by("position").first()


def skip(campaign, assignment, name="R1", **more):
    return assignment_skip(
        participation=participation_of(campaign, name), assignment_key=assignment.key, **more
    )


def test_somebody_who_has_not_had_it_gets_it_and_a_second_request_changes_nothing(campaign):
    assignment = first_of(campaign)
    browser = rater_client(participation_of(campaign))
    body = {"assignment": assignment.key, "reason": "I do not know this dialect."}
    for _ in range(2):
        reply = browser.post(f"/rate/{campaign.key}/skip", body, content_type="application/json")
        assert reply.status_code == 200 and reply.json()["skipped"]
        assert reply.json()["progress"] == {"done": 0, "left": 7, "total": 7}
    assignment.refresh_from_db()
    assert assignment.state == "released"
    holders = Assignment.objects.filter(item=assignment.item)
    assert holders.count() == 3 and holders.live().values("participation").distinct().count() == 2
    assert not holders.live().filter(participation=assignment.participation).exists()
    assert not Item.objects.exclude(given=F("wanted")).exists()
    event = AuditEvent.objects.get(action="assignment.skipped")
    assert event.data["reason"] == "I do not know this dialect." and event.data["moved"] == 1


def test_an_item_all_have_had_is_short_and_said(campaign, client, admin_user):
    assignment = first_of(campaign)
    for name in ("R1", "R2", "R3", "R4"):
        row = Assignment.objects.filter(
            item=assignment.item, participation__rater__name=name, state="open"
        ).first()
        if row is not None:
            skip(campaign, row, name)
    while row := Assignment.objects.filter(item=assignment.item, state="open").first():
        skip(campaign, row, row.participation.rater.name)
    item = Item.objects.get(pk=assignment.item_id)
    assert item.given == 0 and item.wanted == 2
    assert Assignment.objects.filter(item=item).count() == 4
    client.force_login(admin_user)
    page = client.get(f"/campaigns/{campaign.key}/").content.decode()
    assert "1 item lacks judgements" in page


def test_quality_control_stays_so_that_what_is_left_tells_nothing(campaign):
    assignment = first_of(campaign)
    own = participation_of(campaign).assignments.order_by("position")
    bad = own[3]
    Item.objects.filter(pk=bad.item_id).update(kind="bad_reference", paired_with=assignment.item)
    Assignment.objects.filter(item=bad.item).exclude(pk=bad.pk).delete()
    Item.objects.filter(pk=bad.item_id).update(given=1, wanted=1)
    done = skip(campaign, assignment)
    assert done.moved == 1 and done.progress.total == own.count() - 1
    assert Assignment.objects.live().get(item=bad.item).participation_id == bad.participation_id
    # Alone it may only go to who has its pair.
    assert skip(campaign, bad).moved == 1
    last = Assignment.objects.live().get(item=bad.item)
    assert Assignment.objects.live().filter(item=assignment.item, participation=last.participation).exists()


@pytest.mark.parametrize("pool", [False, True])
def test_every_skip_lowers_what_is_left_by_one_whatever_it_is(pool):
    settings = CampaignSettings(can_skip=True, bad_references=0.5, repeats=0.5)
    made = make_campaign(n_segments=12, raters=3, judgements=2, settings=settings, pool=pool)
    made.participations.update(consented_at="2027-01-01T00:00Z", state="active")
    participation = participation_of(made)
    browser = rater_client(participation)
    if pool:
        browser.get(f"/rate/{made.key}/screens")
    own = participation.assignments.open().select_related("item").order_by("position")
    last, kinds = own.count(), set()
    for row in list(own)[: 4 if pool else None]:
        kinds.add(row.item.kind)
        last -= 1
        assert skip(made, row).progress.left == last
    assert pool or {"system", "repeat", "bad_reference"} <= kinds


def test_a_finished_rater_who_gets_an_item_goes_on(campaign):
    Participation.objects.exclude(rater__name="R1").update(state="finished")
    skip(campaign, first_of(campaign))
    assert Participation.objects.filter(state="active").count() == 2


def test_what_is_refused(campaign):
    assignment, foreign = first_of(campaign), first_of(campaign, "R2")
    with pytest.raises(NotFound):
        skip(campaign, foreign)
    with pytest.raises(BadInput, match="5,000"):
        skip(campaign, assignment, reason="x" * 100_000)
    answer(rater_client(participation_of(campaign)), campaign, assignment.key)
    with pytest.raises(Conflict, match="answered"):
        skip(campaign, assignment)
    campaign.settings = {}
    campaign.save()
    with pytest.raises(Conflict, match="cannot be passed over"):
        skip(campaign, participation_of(campaign).assignments.order_by("position")[1])
    assert not AuditEvent.objects.filter(action="assignment.skipped").exists()
