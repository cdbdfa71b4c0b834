"""A rater's hours and mirror: the same numbers on the page, in the file and in the command; blind as ever."""

import csv
import io
import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from annotation.models import Assignment, AuditEvent, Campaign, Item, Judgement, Participation
from annotation.services.judging import judgement_save
from annotation.services.timesheets import campaign_timesheets, rater_timesheet
from tests.factories.commands import refused, run
from tests.factories.rating import answer, keys, participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def rate(rater, n=None, *, score=lambda number: 50, seconds=90, start=START, shown_ahead=600):
    """Let a rater answer; each answer comes `seconds` after the one before and took as long."""
    for number, key in enumerate(keys(rater)[:n]):
        judgement_save(
            participation=rater,
            assignment_key=key,
            client_key=f"{rater.pk}-{number:08d}",
            answers={"score": score(number)},
        )
        at = start + timedelta(seconds=seconds * (number + 1))
        Judgement.objects.filter(assignment__key=key).update(
            shown_at=at - timedelta(seconds=shown_ahead), submitted_at=at, active_ms=seconds * 1000
        )


def lines(sheet):
    return [(str(line.day), line.campaign, line.work, line.items, line.minutes) for line in sheet.lines]


def test_days_and_items_of_a_rater():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    rate(rater, 4)
    Judgement.objects.filter(assignment__key=keys(rater)[3]).update(
        submitted_at=START + timedelta(days=1), active_ms=10**9, shown_at=START
    )
    sheet = rater_timesheet(rater=rater.rater, campaign=campaign)
    assert lines(sheet) == [
        ("2026-03-02", "Shop windows", "rating", 3, 5),  # 4.5 minutes
        ("2026-03-03", "Shop windows", "rating", 1, 15),  # a claim of eleven days counts 15 minutes
    ]
    assert (sheet.items, sheet.minutes, sheet.duration, sheet.hours) == (4, 20, "0:20", 0.33)


def test_days_begin_at_midnight_of_the_site(settings):
    settings.TIME_ZONE = "Asia/Kolkata"
    campaign = rating_campaign()
    rater = participation_of(campaign)
    rate(rater, 1, seconds=600, start=datetime(2026, 3, 2, 18, 25, tzinfo=UTC))  # five minutes to midnight
    assert [(str(d), i, m) for d, _, _, i, m in lines(rater_timesheet(rater=rater.rater))] == [
        ("2026-03-02", 0, 5),
        ("2026-03-03", 1, 5),
    ]


def test_a_client_clock_wrong_by_years_changes_nothing():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    browser.get(f"/rate/{campaign.key}/screens?n=3")
    for number, said in enumerate(("1999-01-01T00:00:00Z", "2126-01-01T00:00:00Z", "no time", None)):
        sent = answer(
            browser, campaign, keys(rater)[number], f"key-{number:08d}", shown_at=said, active_ms=10**11
        )
        assert sent.status_code == 200
    assert rater_timesheet(rater=rater.rater).minutes <= 1


def test_forged_claims_for_answers_sent_within_seconds_are_no_days_work():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    Assignment.objects.update(shown_at=datetime.now(UTC) - timedelta(hours=8))
    for number, key in enumerate(keys(rater)):
        assert answer(browser, campaign, key, f"key-{number:08d}", active_ms=10**9).status_code == 200
    for score in range(10):
        again = {"answers": {"score": 60 + score}, "active_ms": 10**9}
        assert answer(browser, campaign, keys(rater)[0], f"again-{score:08d}", **again).status_code == 200
    assert 30 <= rater_timesheet(rater=rater.rater).minutes <= 31


def test_nothing_bounds_a_claim_about_a_screen_that_was_never_served():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    answer(rater_client(rater), campaign, keys(rater)[5], active_ms=10**9)
    assert Judgement.objects.get().active_ms is None
    assert rater_timesheet(rater=rater.rater).minutes == 0


def test_corrections_count_as_time_and_not_as_items():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    rate(rater, 2)
    judgement_save(
        participation=rater, assignment_key=keys(rater)[0], client_key="again-0001", answers={"score": 9}
    )
    Judgement.objects.current().filter(score=9).update(
        shown_at=START, submitted_at=START + timedelta(minutes=30), active_ms=60_000
    )
    (line,) = rater_timesheet(rater=rater.rater).lines
    assert (line.items, line.corrections, line.minutes) == (2, 1, 4)


def test_practice_is_work_and_stands_apart():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    Assignment.objects.filter(key=keys(rater)[0]).update(round=0)
    rate(rater, 2)
    sheet = rater_timesheet(rater=rater.rater)
    assert [(line.work, line.items, line.minutes) for line in sheet.lines] == [
        ("rating", 1, 2),
        ("practice", 1, 2),
    ]
    assert (sheet.items, sheet.minutes, sheet.practice_minutes) == (1, 4, 2)


def test_two_campaigns_side_by_side_count_once():
    """Complaint of other tools: three-hour times and sums above the day. A moment belongs to one answer."""
    one = rating_campaign()
    other = rating_campaign("reference_da", name="Ferries")
    Campaign.objects.filter(pk=other.pk).update(study=one.study)
    first = participation_of(one)
    second = participation_of(other)
    Participation.objects.filter(pk=second.pk).update(rater=first.rater)
    second = Participation.objects.get(pk=second.pk)
    rate(first, 3, shown_ahead=90)
    rate(second, 3, shown_ahead=90)
    both = rater_timesheet(rater=first.rater)
    assert (
        len(both.lines) == 2 and 4 <= both.minutes <= 6
    )  # 4.5 minutes passed, in two lines of whole minutes
    alone = [rater_timesheet(rater=first.rater, campaign=campaign) for campaign in (one, other)]
    assert sum(sheet.minutes for sheet in alone) == both.minutes
    assert [sheet.lines for sheet in alone] == [
        tuple(line for line in both.lines if line.campaign == campaign.name) for campaign in (one, other)
    ]
    assert campaign_timesheets(campaign=one, rater="R1") == [alone[0]]


def test_page_file_and_command_say_the_same():
    campaign = rating_campaign(name="=Shop")
    rater = participation_of(campaign)
    rate(rater)
    browser = rater_client(rater)
    Campaign.objects.update(state="closed")
    sheet = rater_timesheet(rater=rater.rater, campaign=campaign)
    page = browser.get(f"/rate/{campaign.key}/timesheet/")
    assert page.status_code == 200 and page.context["sheet"] == sheet and "0:12" in page.content.decode()
    exact = browser.get(f"/rate/{campaign.key}/timesheet.csv")
    assert "attachment" in exact.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(exact.content.decode())))
    assert [
        (row["campaign"], row["day"], row["items"], row["minutes"], row["hours"], row["duration"])
        for row in rows
    ] == [("=Shop", "2026-03-02", "8", "12", "0.2", "0:12")]
    spreadsheet = browser.get(f"/rate/{campaign.key}/timesheet.csv?flavour=spreadsheet&campaigns=all").content
    assert spreadsheet.startswith(b"\xef\xbb\xbf") and b"'=Shop" in spreadsheet
    assert browser.get(f"/rate/{campaign.key}/timesheet.csv?flavour=pdf").status_code == 400
    printed = run("timesheet", "=Shop", "--rater", "R1", "--format", "csv")[0]
    assert printed == exact.content.decode()
    found = json.loads(run("timesheet", "=Shop", "--format", "json")[0])
    assert [(one["rater"], one["minutes"], one["items"]) for one in found["raters"]] == [
        ("R1", 12, 8),
        ("R2", 0, 0),
    ]
    table = run("timesheet", "=Shop")[0]
    assert "R1: 0:12 h, 8 items" in table and "All 2 raters: 0:12 h, 8 items" in table
    assert "All" not in run("timesheet", "=Shop", "--rater", "R1")[0]
    assert "no rater “R9”" in refused("timesheet", "=Shop", "--rater", "R9")


def test_decimal_hours_sum_to_what_stands_below_them(admin_client):
    campaign = rating_campaign()
    for rater, seconds in zip(campaign.participations.order_by("pk"), (590, 550), strict=False):
        rate(rater, 8, seconds=seconds, shown_ahead=seconds)
        for place, key in enumerate(keys(rater)[:8]):  # two a day: 20 minutes, of which each is .33 hours
            at = START + timedelta(days=place // 2, seconds=seconds * (place % 2 + 1))
            Judgement.objects.filter(assignment__key=key).update(
                shown_at=at - timedelta(seconds=seconds), submitted_at=at
            )
    rows = list(csv.DictReader(io.StringIO(run("timesheet", campaign.name, "--format", "csv")[0])))
    sheets = campaign_timesheets(campaign=campaign)
    for sheet in sheets:
        own = [row for row in rows if row["rater"] == sheet.rater]
        assert sum(round(100 * float(row["hours"])) for row in own) == round(100 * sheet.hours)
        assert abs(sheet.hours - sheet.minutes / 60) < 0.005
    one = next(sheet for sheet in sheets if sheet.minutes == 80)
    assert [line.hours for line in one.lines] == [0.33, 0.34, 0.33, 0.33] and one.hours == 1.33
    page = admin_client.get(campaign.get_absolute_url()).content.decode()
    together = sum(round(100 * float(row["hours"])) for row in rows) / 100
    assert f'<td class="n">{together:.2f}</td>' in page.partition('id="hours"')[2].partition("<tfoot>")[2]


def test_the_menu_and_the_last_page_lead_to_hours_and_mirror():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    hours, mirror = f'href="/rate/{campaign.key}/timesheet/"', f'href="/rate/{campaign.key}/mirror/"'
    assert hours in browser.get(f"/rate/{campaign.key}/").content.decode()
    rate(rater)
    page = browser.get(f"/rate/{campaign.key}/finish").content.decode()
    assert hours in page and mirror not in page
    Campaign.objects.update(state="closed")
    page = browser.get(f"/rate/{campaign.key}/finish").content.decode()
    assert hours in page and mirror in page


def test_the_coordinator_sees_the_same_hours(admin_client, django_user_model):
    campaign = rating_campaign()
    rate(participation_of(campaign))
    page = admin_client.get(f"/campaigns/{campaign.key}/")
    assert [(s.rater, s.minutes) for s in page.context["hours"]["sheets"]] == [("R1", 12)]
    assert page.context["hours"]["together"] == "0:12" and "0:12" in page.content.decode()
    sent = admin_client.get(f"/campaigns/{campaign.key}/timesheet.csv").content.decode()
    assert sent == run("timesheet", campaign.name, "--format", "csv")[0]
    by_command, by_page = AuditEvent.objects.filter(action="hours.exported")
    assert (by_page.actor.username, by_command.data) == ("admin", {"command": "timesheet"})
    assert admin_client.get(f"/campaigns/{campaign.key}/timesheet.csv?flavour=x").status_code == 400
    admin_client.force_login(django_user_model.objects.create_user("stranger"))
    assert admin_client.get(f"/campaigns/{campaign.key}/timesheet.csv").status_code == 404


def test_hours_are_ones_own():
    campaign = rating_campaign()
    rate(participation_of(campaign, "R2"))
    browser = rater_client(participation_of(campaign, "R1"))
    assert browser.get(f"/rate/{campaign.key}/timesheet/").context["sheet"].minutes == 0
    for path in ("timesheet/", "timesheet.csv", "mirror/"):
        assert (
            rater_client(participation_of(rating_campaign(name=path)))
            .get(f"/rate/{campaign.key}/{path}")
            .status_code
            == 401
        )


# The mirror


def closed(raters=5, **more):
    campaign = rating_campaign(raters=raters, systems=("QXZVKWJPMTBRHLDN", "VBNQWXZKJHGFDPLM"), **more)
    items = list(Item.objects.filter(campaign=campaign).order_by("pk"))
    Item.objects.filter(pk=items[6].pk).update(kind="repeat", repeat_of=items[0])
    Item.objects.filter(pk=items[7].pk).update(kind="bad_reference", paired_with=items[1])
    for number in range(raters):
        rate(participation_of(campaign, f"R{number + 1}"), score=lambda n, number=number: 10 * n + number + 1)
    Campaign.objects.update(state="closed")
    return campaign


def test_the_mirror_shows_repeats_scale_and_the_others_as_a_group():
    campaign = closed()
    page = rater_client_of_closed(campaign, "R1").get(f"/rate/{campaign.key}/mirror/")
    mirror = page.context["mirror"]
    assert mirror.n == 8 and mirror.use.bars == (1,) * 8 + (0, 0) and mirror.use.mean == 36
    assert (mirror.repeats.n, mirror.repeats.same, mirror.repeats.difference) == (1, 0, 60)
    assert mirror.others.n == 4 and mirror.others.use.mean == pytest.approx(38.5)
    assert mirror.others.use.sd == pytest.approx(mirror.use.sd)
    assert mirror.others.distance == pytest.approx(2.5) and mirror.others.n_items == 8
    html = page.content.decode()
    for word in ("QXZVKWJPMTBRHLDN", "VBNQWXZKJHGFDPLM", "bad_reference", "reference", ">R2", ">R3"):
        assert word not in html
    assert html.count("<tr>") == 11 and "<svg" in html


def test_the_mirror_knows_of_items_that_came_back_in_an_extra_round():
    campaign = closed(raters=5)
    rater = participation_of(campaign, "R1")
    scores = (3, 31)  # the first item was rated 1, and 61 as a repeat; the second one 11
    Campaign.objects.update(state="open")
    for place, (item, score) in enumerate(zip(campaign.items.order_by("pk")[:2], scores, strict=True)):
        again = Assignment.objects.create(item=item, participation=rater, round=2, position=100 + place)
        judgement_save(
            participation=rater,
            assignment_key=again.key,
            client_key=uuid.uuid4().hex,
            answers={"score": score},
        )
    page = rater_client_of_closed(campaign, "R1").get(f"/rate/{campaign.key}/mirror/")
    repeats = page.context["mirror"].repeats
    assert (repeats.n, repeats.same) == (2, 0)
    assert repeats.difference == pytest.approx(((60 + 2 + 58) / 3 + 20) / 2)
    assert "You answered 2 items more than once" in page.content.decode()


def rater_client_of_closed(campaign, name):
    """Open the invitation while the campaign is open, as the rater did."""
    Campaign.objects.update(state="open")
    browser = rater_client(participation_of(campaign, name))
    Campaign.objects.update(state="closed")
    return browser


def test_two_others_would_be_somebody():
    campaign = closed(raters=3)
    page = rater_client_of_closed(campaign, "R1").get(f"/rate/{campaign.key}/mirror/")
    assert page.context["mirror"].others is None and "three other raters" in page.content.decode()


def test_no_mirror_while_answers_can_be_influenced():
    campaign = rating_campaign()
    browser = rater_client(participation_of(campaign))
    for state in ("open", "paused"):
        Campaign.objects.update(state=state)
        page = browser.get(f"/rate/{campaign.key}/mirror/")
        assert page.status_code == 409 and "when the campaign is closed" in page.content.decode()


def test_the_mirror_of_preferences():
    campaign = rating_campaign("pairwise_fluency", raters=4, n_segments=4)
    items = list(Item.objects.filter(campaign=campaign).order_by("pk"))
    Item.objects.filter(pk=items[3].pk).update(kind="repeat", repeat_of=items[0])
    Assignment.objects.filter(item=items[3]).update(swap=True)
    for number in range(1, 5):
        rater = participation_of(campaign, f"R{number}")
        for place, choice in enumerate(("left", "equal", "right", "right")):
            judgement_save(
                participation=rater,
                assignment_key=keys(rater)[place],
                client_key=f"{number}-{place:08d}",
                answers={"choice": choice},
            )
    page = rater_client_of_closed(campaign, "R1").get(f"/rate/{campaign.key}/mirror/")
    mirror = page.context["mirror"]
    assert mirror.use.bars == (1, 1, 2) and mirror.others.use.bars == (3, 3, 6)
    assert (mirror.repeats.n, mirror.repeats.same) == (1, 1)  # the sides were swapped: the same text won


def test_a_mirror_of_nothing():
    campaign = rating_campaign()
    page = rater_client_of_closed(campaign, "R1").get(f"/rate/{campaign.key}/mirror/")
    assert page.status_code == 200 and "answered nothing" in page.content.decode()
