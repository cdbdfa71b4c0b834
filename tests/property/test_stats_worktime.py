"""Hours of work: against a brute force, and the rules that must hold for any answers."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from annotation.stats.worktime import (
    EPOCH,
    MILLISECOND,
    Answered,
    Window,
    by_day,
    hours_and_minutes,
    hundredths,
    hundredths_by_line,
    lay_out,
    whole_minutes,
    window_of,
    work_of,
)

DAY = 24 * 3600 * 1000


@st.composite
def windows(draw, latest=14):
    start = draw(st.integers(0, latest))
    end = draw(st.integers(start, latest))
    return Window(start, end, draw(st.integers(0, latest)))


def total(pieces):
    return sum(end - begin for own in pieces for begin, end in own)


def most_work(given_windows):
    """Match units of work with moments inside their windows, by augmenting paths: slow and obvious."""
    units = [(one.start, one.end) for one in given_windows for _ in range(one.length)]
    holder = {}

    def place(unit, seen):
        for moment in range(*units[unit]):
            if moment not in seen:
                seen.add(moment)
                if moment not in holder or place(holder[moment], seen):
                    holder[moment] = unit
                    return True
        return False

    return sum(place(unit, set()) for unit in range(len(units)))


@given(st.lists(windows(), max_size=6))
def test_it_is_the_most_work_that_fits(some):
    assert total(lay_out(some)) == most_work(some)


@given(st.lists(windows(latest=60), max_size=12))
def test_pieces_lie_in_their_windows_and_never_overlap(some):
    pieces = lay_out(some)
    for one, own in zip(some, pieces, strict=True):
        assert sum(end - begin for begin, end in own) <= one.length
        assert all(one.start <= begin < end <= one.end for begin, end in own)
    flat = sorted(piece for own in pieces for piece in own)
    assert all(one[1] <= other[0] for one, other in pairwise(flat))


@given(st.lists(windows(latest=60), max_size=12), st.integers(-(10**12), 10**12))
def test_another_clock_changes_nothing(some, shift):
    moved = [Window(one.start + shift, one.end + shift, one.length) for one in some]
    assert total(lay_out(moved)) == total(lay_out(some))


@given(st.lists(windows(latest=60), max_size=8), windows(latest=60))
def test_more_answers_are_never_less_work(some, one):
    assert total(lay_out(some)) <= total(lay_out([*some, one])) <= total(lay_out(some)) + one.length


@given(st.lists(st.tuples(st.integers(0, 3 * DAY), st.integers(1, DAY)), max_size=5))
def test_days_sum_to_the_whole(spans):
    pieces = [(begin, begin + length) for begin, length in spans]
    for zone in (UTC, ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York")):
        days = by_day(pieces, zone)
        assert sum(days.values()) == sum(end - begin for begin, end in pieces)


def at(minute):
    return datetime(2026, 3, 2, 9, 0, tzinfo=UTC) + timedelta(minutes=minute)


def counted(*answers):
    return total(lay_out([window_of(one) for one in answers])) / 60_000


def test_lunch_does_not_count():
    """Served at nine, answered at one, two minutes active."""
    assert counted(Answered(at(0), at(240), 120_000)) == 2
    (piece,) = lay_out([window_of(Answered(at(0), at(240), 120_000))])[0]
    assert EPOCH + piece[0] * MILLISECOND == at(238)


def test_two_tabs_at_once_are_one_rater():
    same = Answered(at(0), at(3), 180_000)
    assert counted(same, same) == 3
    assert counted(Answered(at(0), at(3), 180_000), Answered(at(1), at(4), 180_000)) == 4


def test_ten_answers_given_offline_count_each():
    """All arrive in one second; their screens were served before, and so was their work done before."""
    assert counted(*[Answered(at(0), at(30) + timedelta(milliseconds=n), 60_000) for n in range(10)]) == 10


def test_a_browser_cannot_claim_more_than_there_was():
    assert counted(Answered(at(0), at(5), 10**9)) == 5
    assert counted(Answered(at(0), at(600), 10**9)) == 15
    assert counted(Answered(at(0), at(5), -7)) == 0
    assert counted(Answered(at(9), at(5), 60_000)) == 0  # a server clock set back


def test_without_a_count_a_page_left_open_counts_five_minutes():
    assert counted(Answered(at(0), at(2), None)) == 2
    assert counted(Answered(at(0), at(90), None)) == 5
    assert counted(Answered(None, at(90), None)) == 0
    assert counted(Answered(None, at(90), 60_000)) == 1


moments = st.integers(0, 400)


@given(st.lists(st.tuples(moments, moments, st.integers(0, 10**9)), min_size=1, max_size=12))
def test_no_claim_makes_more_work_than_the_server_saw(claims):
    """Forged lengths, screens served long before, corrections: bounded by the server's clock."""
    answers = [Answered(at(min(a, b)), at(max(a, b)), claim) for a, b, claim in claims]
    pieces = work_of(answers)
    flat = sorted(piece for own in pieces for piece in own)
    assert all(one[1] <= other[0] for one, other in pairwise(flat))
    for answer, own in zip(answers, pieces, strict=True):
        window = window_of(answer)
        assert all(window.start <= begin < end <= window.end for begin, end in own)
    signs = sorted({moment for a, b, _claim in claims for moment in (a, b)})
    bound = sum(min(30, later - sooner) for sooner, later in pairwise(signs))
    assert total(pieces) / 60_000 <= bound <= signs[-1] - signs[0]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 10**6)), max_size=8))
def test_without_long_silences_all_work_that_fits_counts(claims):
    answers = [Answered(at(min(a, b)), at(max(a, b)), claim) for a, b, claim in claims]
    assert total(work_of(answers)) == total(lay_out([window_of(one) for one in answers]))


def test_answers_that_arrive_at_once_after_a_silent_day_are_no_days_work():
    """Thirty screens served at nine, thirty claims of 15 minutes at five: half an hour, not 450 minutes."""
    sent = [Answered(at(0), at(480) + timedelta(milliseconds=n), 10**9) for n in range(30)]
    assert total(work_of(sent)) // 60_000 == 30
    again = [Answered(at(0), at(480) + timedelta(seconds=n), 10**9) for n in range(30, 60)]
    assert total(work_of([*sent, *again])) // 60_000 == 30  # corrections, sent again and again
    (latest, *_rest) = work_of([Answered(at(0), at(480), 60_000)])[0]
    assert latest == ((at(479) - EPOCH) // MILLISECOND, (at(480) - EPOCH) // MILLISECOND)


def test_midnight_parts_a_piece_where_the_site_is():
    begin = (datetime(2026, 3, 1, 18, 0, tzinfo=UTC) - EPOCH) // MILLISECOND
    days = by_day([(begin, begin + 3_600_000)], ZoneInfo("Asia/Kolkata"))
    assert days == {date(2026, 3, 1): 1_800_000, date(2026, 3, 2): 1_800_000}


def test_minutes_shown():
    assert [whole_minutes(ms) for ms in (0, 1, 29_999, 60_000, 89_999, 90_000)] == [0, 1, 1, 1, 1, 2]
    assert [hours_and_minutes(n) for n in (0, 5, 60, 125, 6000)] == ["0:00", "0:05", "1:00", "2:05", "100:00"]


@given(st.lists(st.integers(0, 3000), max_size=40))
def test_hundredths_of_an_hour_add_up_and_stay_near(minutes):
    lines = hundredths_by_line(minutes)
    assert sum(lines) == hundredths(sum(minutes))
    assert all(abs(line - own / 0.6) < 1 and line >= 0 for line, own in zip(lines, minutes, strict=True))
    assert [hundredths(n) for n in (0, 1, 20, 40, 60, 89)] == [0, 2, 33, 67, 100, 148]
