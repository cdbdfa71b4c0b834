"""How long a rater worked: time by the server's clock, without idleness, and never twice for one moment.

An answer has a window, from the first time its screen was served until the answer arrived, and a length: how
long the browser saw the rater active on it. Screens are served ahead and answers may arrive late, several at
once, so windows overlap. One person works on one thing at a time: the lengths are laid into their windows,
each as late as it can be, and of what does not fit side by side only what fits counts. That is the most work
that can have taken place inside the windows (Glover 1967: for windows, the greedy choice is the best one).

What a browser claims is bounded by what the server saw: a stretch in which no screen was served and no
answer arrived counts only at its end, and at most so long. Forty answers that arrive in one second after a
silent day are no day's work.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from typing import NamedTuple

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
Piece = tuple[int, int]
"""From, to: milliseconds since 1970."""


class Window(NamedTuple):
    """Work of some length that took place between two moments, all in milliseconds."""

    start: int
    end: int
    length: int


class Answered(NamedTuple):
    """When the screen of an answer was first served, when the answer arrived, and how long it took.

    The times are the server's; `active_ms` is the browser's count without idleness, None when there is none.
    """

    shown_at: datetime | None
    submitted_at: datetime
    active_ms: int | None


@dataclass(frozen=True)
class WorkRules:
    """What does not count.

    Attributes:
        longest: one answer counts at most this long, whatever the browser says.
        uncounted: without the browser's count an answer counts from when its page was served, at most this
            long.
        silence: a stretch without a sign of the rater at the server counts at most this long.
    """

    longest: timedelta = timedelta(minutes=15)
    uncounted: timedelta = timedelta(minutes=5)
    silence: timedelta = timedelta(minutes=30)


RULES = WorkRules()


def window_of(answer: Answered, rules: WorkRules = RULES) -> Window:
    """Return the window and the length of an answer; without a time of showing it took what was counted."""
    end = (answer.submitted_at - EPOCH) // MILLISECOND
    start = None if answer.shown_at is None else min(end, (answer.shown_at - EPOCH) // MILLISECOND)
    if answer.active_ms is not None:
        length = min(max(0, answer.active_ms), rules.longest // MILLISECOND)
    else:
        length = 0 if start is None else min(end - start, rules.uncounted // MILLISECOND)
    return Window(end - length if start is None else start, end, length)


def work_of(answers: Sequence[Answered], rules: WorkRules = RULES) -> list[list[Piece]]:
    """Return the pieces of time that count for each answer of one rater; no two pieces overlap.

    Never more than from the first screen served to the last answer received, whatever was claimed.
    """
    windows = [window_of(answer, rules) for answer in answers]
    silences = _Silences(answers, rules.silence // MILLISECOND)
    short = [Window(silences.leave_out(start), silences.leave_out(end), n) for start, end, n in windows]
    return [[part for piece in own for part in silences.put_back(piece)] for own in lay_out(short)]


class _Silences:
    """The parts of long silences that do not count, and the clock without them."""

    def __init__(self, answers: Iterable[Answered], longest: int) -> None:
        signs = {at for answer in answers for at in (answer.shown_at, answer.submitted_at) if at is not None}
        moments = sorted((at - EPOCH) // MILLISECOND for at in signs)
        left_out = [(one, other - longest) for one, other in pairwise(moments) if other - one > longest]
        self._starts = [start for start, _end in left_out]
        self._ends = [end for _start, end in left_out]
        self._before = [0]
        for start, end in left_out:
            self._before.append(self._before[-1] + end - start)
        self._short = [start - before for start, before in zip(self._starts, self._before, strict=False)]

    def leave_out(self, moment: int) -> int:
        """Return a moment by the clock that stands still in long silences."""
        n = bisect_right(self._starts, moment)
        inside = max(0, self._ends[n - 1] - moment) if n else 0
        return moment - self._before[n] + inside

    def put_back(self, piece: Piece) -> list[Piece]:
        """Return a piece by the usual clock, in parts where silences lie inside."""
        begin, end = piece
        cuts = self._short[bisect_right(self._short, begin) : bisect_left(self._short, end)]
        parts = pairwise((begin, *cuts, end))
        return [(self._back(start), self._back(start) + stop - start) for start, stop in reversed([*parts])]

    def _back(self, moment: int) -> int:
        return moment + self._before[bisect_right(self._short, moment)]


def lay_out(windows: Sequence[Window]) -> list[list[Piece]]:
    """Return the pieces of time that count for each window, latest first; no two pieces overlap.

    Going back in time, each moment belongs to the open window that began last and has work left.
    """
    pieces: list[list[Piece]] = [[] for _ in windows]
    coming = sorted(range(len(windows)), key=lambda number: windows[number].end)
    waiting: list[tuple[int, int, int]] = []
    now = windows[coming[-1]].end if coming else 0
    while coming or waiting:
        if not waiting:
            now = min(now, windows[coming[-1]].end)
        while coming and windows[coming[-1]].end >= now:
            number = coming.pop()
            heappush(waiting, (-windows[number].start, number, windows[number].length))
        start, number, left = heappop(waiting)
        begin = max(-start, now - left, windows[coming[-1]].end if coming else -start)
        if begin < now:
            pieces[number].append((begin, now))
            left -= now - begin
            now = begin
            if left > 0 and -start < now:
                heappush(waiting, (start, number, left))
    return pieces


def by_day(pieces: Iterable[Piece], zone: tzinfo) -> dict[date, int]:
    """Return the milliseconds on each day of a time zone; a piece over midnight counts on both days."""
    days: dict[date, int] = defaultdict(int)
    for begin, end in pieces:
        while begin < end:
            day = (EPOCH + begin * MILLISECOND).astimezone(zone).date()
            midnight = datetime.combine(day + timedelta(days=1), time(), zone)
            until = min(end, max(begin + 1, (midnight - EPOCH) // MILLISECOND))
            days[day] += until - begin
            begin = until
    return dict(days)


def whole_minutes(milliseconds: int) -> int:
    """Return the nearest number of minutes, one for anything shorter, so that sums of what is shown agree."""
    return 0 if milliseconds <= 0 else max(1, (milliseconds + 30_000) // 60_000)


def hundredths(minutes: int) -> int:
    """Return minutes as hundredths of an hour, rounded to the nearest (no minute lies halfway)."""
    return (minutes * 100 + 30) // 60


def hundredths_by_line(minutes: Sequence[int]) -> list[int]:
    """Return the hundredths of an hour of each line, so rounded that they sum to those of all minutes.

    What rounding took or gave goes on to the next line: each is within one hundredth of its minutes.
    """
    sums = [0, *accumulate(minutes)]
    return [hundredths(after) - hundredths(before) for before, after in pairwise(sums)]


def hours_and_minutes(minutes: int) -> str:
    """Write minutes as hours and minutes: 90 is 1:30."""
    return f"{minutes // 60}:{minutes % 60:02d}"
