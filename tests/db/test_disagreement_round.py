"""The disagreement round on constructed campaigns: exactly the right items, for the right raters, once."""

import uuid
import zipfile
from collections import Counter

import pytest
from django.db.models import Count, F, Q

from annotation.models import Assignment, AuditEvent, Item
from annotation.services.judging import judgement_save
from annotation.services.rounds import round_assign, round_draft
from annotation.services.scoring import campaign_score, options_read
from annotation.services.withdrawal import rater_withdraw
from evalplatform.errors import Conflict
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.rating import rater_client, send_form

pytestmark = pytest.mark.django_db
# Scores of the three raters of each item, and whether `range` and `pairwise` (30 points) ask for it again.
TRIPLES = [
    ((50, 50, 50), False, False),
    ((40, 55, 70), False, False),  # exactly 30 apart: agreement
    ((40, 55, 71), True, False),
    ((10, 10, 90), True, False),
    ((10, 41, 72), True, True),
    ((10, 40, 71), True, False),  # one gap is exactly 30
    ((1, 50, 100), True, True),
    ((69, 70, 99), False, False),
]


def answer(assignment, score):
    participation = assignment.participation
    if participation.consented_at is None:
        participation.consented_at = "2027-01-01T00:00Z"
        participation.save()
    judgement_save(
        participation=participation,
        assignment_key=assignment.key,
        client_key=uuid.uuid4().hex,
        answers={"score": score},
    )


def open_of(item, round_=1):
    found = Assignment.objects.filter(item=item, state="open", round=round_)
    return list(found.select_related("participation__campaign", "participation__rater").order_by("pk"))


def judged(raters=6, *, name="demo", systems=("OP",), triples=TRIPLES, **more):
    """Make a campaign of one system whose items get the scores above, in order of their ids."""
    campaign = make_campaign(
        n_segments=len(triples), raters=raters, judgements=3, systems=systems, name=name, **more
    )
    for item, (scores, *_) in zip(campaign.items.order_by("pk"), triples, strict=True):
        for assignment, score in zip(open_of(item), scores, strict=True):
            answer(assignment, score)
    return campaign


def expected(campaign, place):
    items = campaign.items.order_by("pk")
    return {item.pk for item, triple in zip(items, TRIPLES, strict=True) if triple[place]}


def again(campaign):
    return Assignment.objects.filter(item__campaign=campaign, round=2)


def check_counts(campaign):
    """The counters agree with the rows, and no rater has an item twice in a round."""
    live = Count("assignments", filter=~Q(assignments__state="released"))
    assert not campaign.items.annotate(live=live).exclude(live=F("given")).exists()
    rows = Assignment.objects.live().filter(item__campaign=campaign)
    assert not rows.values("item", "participation", "round").annotate(n=Count("pk")).filter(n__gt=1).exists()
    assert not rows.values("participation", "position").annotate(n=Count("pk")).filter(n__gt=1).exists()


@pytest.mark.parametrize(("place", "reading"), [(1, "range"), (2, "pairwise")])
@pytest.mark.parametrize("treatment", ["replace", "pool"])
def test_exactly_the_right_items_come_back_for_both_readings_and_treatments(place, reading, treatment):
    campaign = judged()
    campaign.settings = {"reading": reading, "treatment": treatment}
    campaign.save()
    before = dict(Assignment.objects.values_list("pk", "state"))
    draft = round_draft(campaign=campaign)
    assert set(draft.apart) == expected(campaign, place) and not again(campaign).exists()
    result = round_assign(campaign=campaign)
    assert set(again(campaign).values_list("item", flat=True)) == expected(campaign, place)
    assert Counter(Counter(again(campaign).values_list("item", flat=True)).values()) == {
        3: len(expected(campaign, place))
    }
    assert set(Item.objects.filter(wanted=6, given=6).values_list("pk", flat=True)) == expected(
        campaign, place
    )
    assert result.reading == reading and result.treatment == treatment
    assert {pk: before[pk] for pk in before} == dict(
        Assignment.objects.filter(pk__in=before).values_list("pk", "state")
    )
    for one in again(campaign).select_related("item"):
        assert not Assignment.objects.filter(item=one.item, participation=one.participation, round=1).exists()
    check_counts(campaign)


def test_no_item_comes_back_twice_and_what_is_late_comes_later():
    triples = [*TRIPLES[:3], *TRIPLES[4:5]]
    campaign = make_campaign(n_segments=4, raters=6, judgements=3, systems=("OP",))
    items = list(campaign.items.order_by("pk"))
    for item, (scores, *_) in zip(items[:3], triples[:3], strict=True):
        for assignment, score in zip(open_of(item), scores, strict=True):
            answer(assignment, score)
    late = open_of(items[3])
    for assignment, score in zip(late[:2], (10, 90), strict=True):
        answer(assignment, score)
    first = round_assign(campaign=campaign)
    assert first.apart == (items[2].pk,) and first.waiting == 1
    assert round_assign(campaign=campaign).apart == () and again(campaign).count() == 3
    for assignment in open_of(items[2], 2):
        answer(assignment, 1 if assignment.pk % 2 else 100)  # they differ again: there is no third round
    answer(late[2], 50)
    last = round_assign(campaign=campaign)
    assert last.apart == (items[3].pk,) and last.already == 1
    assert again(campaign).count() == 6
    check_counts(campaign)
    assert AuditEvent.objects.filter(action="round.assigned").count() == 2, "what found nothing is no round"


def test_before_the_first_judgements_nothing_is_said_to_have_been_checked():
    make_campaign(n_segments=2, raters=4, judgements=3, systems=("OP",), name="early")
    said = " ".join(run("disagreement_round", "early"))
    assert "No item could be checked yet." in said and "of 0 items" not in said
    assert "2 items still wait" in said


def test_too_few_new_raters_means_the_same_ones_and_is_said():
    campaign = judged(raters=5)
    out, _ = run("disagreement_round", "demo")
    assert "5 of 8 items are to be judged again" in out and "5 go to the raters who judged them before" in out
    for one in again(campaign):
        assert Assignment.objects.filter(item=one.item, participation=one.participation, round=1).exists()
    check_counts(campaign)
    event = AuditEvent.objects.get(action="round.assigned")
    assert event.data["same_raters"] == 5 and event.data["new_raters"] == 0


def test_who_has_left_or_is_excluded_gets_nothing():
    campaign = judged(raters=8)
    campaign.participations.filter(rater__name="R1").update(state="left")
    campaign.participations.filter(rater__name="R2").update(excluded_by="careless")
    round_assign(campaign=campaign)
    names = set(again(campaign).values_list("participation__rater__name", flat=True))
    assert names and not names & {"R1", "R2"}


def test_judgements_of_excluded_raters_do_not_send_an_item_back():
    campaign = judged(raters=3, triples=[((10, 90, 20), True, True)])
    item = campaign.items.get()
    odd = item.assignments.get(judgements__score=90)
    assert round_draft(campaign=campaign).apart == (item.pk,)
    odd.participation.excluded_by = "clicks anything"
    odd.participation.save()
    assert round_draft(campaign=campaign).apart == ()
    assert round_draft(campaign=campaign, reading="pairwise").unread == 1


def test_loads_of_the_extra_round_are_even_and_finished_raters_go_on():
    triples = [((10, 50, 100), True, True)] * 12
    campaign = judged(raters=8, triples=triples)
    assert set(campaign.participations.values_list("state", flat=True)) == {"finished"}
    round_assign(campaign=campaign)
    loads = Counter(Assignment.objects.live().values_list("participation", flat=True))
    assert max(loads.values()) - min(loads.values()) <= 1
    assert set(campaign.participations.values_list("state", flat=True)) == {"active"}
    row = campaign.participations.first()
    assert row.settings["more_after"] == row.assignments.filter(state="done").count()


def test_other_kinds_of_items_do_not_come_back():
    campaign = judged()
    Item.objects.filter(pk__in=expected(campaign, 2)).update(kind="bad_reference")
    draft = round_draft(campaign=campaign)
    assert set(draft.apart) == expected(campaign, 1) - expected(campaign, 2)


@pytest.mark.parametrize(("treatment", "means"), [("replace", 60.0), ("pool", 50.0)])
def test_scores_follow_the_treatment_by_hand(treatment, means):
    """First 10, 40, 70 (mean 40), then 50, 60, 70 (mean 60): replaced 60, pooled 50."""
    campaign = judged(triples=[((10, 40, 70), True, False), ((50, 50, 50), False, False)])
    campaign.settings = {"treatment": treatment}
    campaign.save()
    before = campaign_score(campaign=campaign, options=options_read(campaign, {})).result
    assert before["systems"][0]["raw_mean"] == pytest.approx((40 + 50) / 2)
    item = Item.objects.get(pk=round_assign(campaign=campaign).apart[0])
    for assignment, score in zip(open_of(item, 2), (50, 60, 70), strict=True):
        answer(assignment, score)
    run_ = campaign_score(campaign=campaign, options=options_read(campaign, {}))
    assert run_.result["systems"][0]["raw_mean"] == pytest.approx((means + 50) / 2)
    assert f"disagreement:{treatment}" in run_.signature
    assert any("judged again" in note for note in run_.result["notes"])
    none = campaign_score(campaign=campaign, options=options_read(campaign, {"disagreement": "none"}))
    assert none.result["systems"][0]["raw_mean"] == pytest.approx((40 + 50) / 2)


def test_a_campaign_closed_meanwhile_gets_no_extra_round():
    campaign = judged()
    run("close_campaign", "demo")
    assert campaign.state == "open"  # as it was read before
    with pytest.raises(Conflict, match="is closed"):
        round_assign(campaign=campaign)
    assert not Assignment.objects.filter(round=2).exists() and not Item.objects.filter(wanted__gt=3).exists()


def test_who_leaves_in_the_extra_round_is_replaced():
    campaign = judged(raters=8)
    round_assign(campaign=campaign)
    leaver = again(campaign).values_list("participation__rater__name", flat=True).first()
    n = again(campaign).filter(participation__rater__name=leaver).count()
    result = rater_withdraw(campaign=campaign, rater=leaver)
    assert sum(result.given.values()) == n == result.released
    assert again(campaign).exclude(state="released").count() == 15
    check_counts(campaign)


def test_new_raters_take_what_leaving_left_short_in_the_extra_round():
    campaign = judged(raters=6, triples=TRIPLES[4:7])
    assert round_assign(campaign=campaign).n_judgements == 9
    for leaver in ("R1", "R2", "R3"):
        rater_withdraw(campaign=campaign, rater=leaver)
    again = Item.objects.filter(wanted=6)
    lacking = 18 - sum(again.values_list("given", flat=True))
    assert lacking > 0
    _, err = run("add_raters", "demo", "Zoe", "Yan", "Xia")
    assert "Note" not in err
    assert not again.exclude(given=6).exists()
    added = Assignment.objects.filter(participation__rater__name__in=["Zoe", "Yan", "Xia"])
    assert set(added.values_list("round", flat=True)) == {2} and added.count() == lacking
    assert not added.values("item").annotate(n=Count("participation", distinct=True)).filter(n__gt=3).exists()


def test_what_cannot_be_done_is_said():
    judged()
    make_campaign("pairwise_fluency", name="pairs")
    make_campaign(name="two", judgements=2)
    assert "asks for preferences" in refused("disagreement_round", "pairs")
    assert "three judgements an item, here are 2" in refused(
        "disagreement_round", "two", "--reading", "pairwise"
    )
    assert "cannot be used" in refused("disagreement_round", "demo", "--points", "nan")
    run("close_campaign", "demo")
    assert "is closed" in refused("disagreement_round", "demo")
    out, err = run("disagreement_round", "demo", "--dry-run")
    assert "5 of 8 items" in out and "nothing was written" in err


def test_the_page_shows_what_would_come_back_and_its_button_does_it(client, admin_user):
    campaign = judged()
    client.force_login(admin_user)
    url = f"/campaigns/{campaign.key}/disagreement/"
    page = client.get(url).content.decode()
    assert "5 of 8 items are to be judged again" in page and "Give out 5 items again" in page
    assert not again(campaign).exists()
    page = client.post(url, follow=True).content.decode()
    assert again(campaign).count() == 15
    assert "5 items given out again" in page and "5 to new raters, 0 to the same ones" in page
    assert "Give out" not in client.get(url).content.decode()


def test_who_had_finished_is_told_of_more_items_until_the_next_answer():
    campaign = judged()
    participation = again_from_the_start(campaign)
    browser = rater_client(participation)
    page = browser.get(f"/rate/{campaign.key}/").content.decode()
    assert "some more items have come for you" in page
    assert "round" not in page and "again" not in page.split("<form")[0].lower()
    send_form(browser, campaign)
    left = participation.assignments.filter(state="open").count()
    page = browser.get(f"/rate/{campaign.key}/").content.decode() if left else ""
    assert "some more items have come" not in page


def again_from_the_start(campaign):
    """Give out the round; return a rater with two items of it or more."""
    round_assign(campaign=campaign)
    return max(campaign.participations.all(), key=lambda row: row.assignments.filter(round=2).count())


def test_strangers_cannot_start_a_round(client, django_user_model):
    campaign = judged()
    client.force_login(django_user_model.objects.create_user("stranger"))
    assert client.post(f"/campaigns/{campaign.key}/disagreement/").status_code == 404
    assert not again(campaign).exists()


def test_the_report_says_what_was_done_and_the_package_agrees(client, admin_user, tmp_path):
    campaign = judged(triples=[((10, 40, 70), True, False), ((50, 60, 55), False, False)])
    campaign.settings = {"treatment": "pool"}
    campaign.save()
    item = Item.objects.get(pk=round_assign(campaign=campaign).apart[0])
    for assignment, score in zip(open_of(item, 2), (50, 60, 70), strict=True):
        answer(assignment, score)
    client.force_login(admin_user)
    page = client.get(f"/campaigns/{campaign.key}/report/").content.decode()
    assert "1 item on which raters differed was judged again: 3 first and 3 new judgements" in page
    assert "First and new judgements count together" in page and "1 to raters who had not had them" in page
    table = client.get(f"/campaigns/{campaign.key}/report/again.csv").content.decode()
    first, counted = ((40 + 55) / 2, (50 + 55) / 2)
    assert f"OP,{first:g},{counted:g}" in table.replace(".0,", ",")
    package = tmp_path / "study.zip"
    run("export_study", "demo", "--output", package)
    run("verify_study", package)
    with zipfile.ZipFile(package) as files:
        scores = [name for name in files.namelist() if name.endswith("scores/standard.json")]
        assert scores and all("disagreement:pool" in files.read(name).decode() for name in scores)
