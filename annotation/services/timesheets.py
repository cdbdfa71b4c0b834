"""Timesheets: how long raters worked and how many items they answered, by day and campaign.

All answers of a rater in a study are laid out together, so that a moment counts once even when two campaigns
were open side by side, and the hours of the campaigns sum to the rater's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from django.utils import timezone

from annotation.formats.write import Stream, Value, write_csv
from annotation.models import Campaign, Judgement, Rater
from annotation.models.assignment import PRACTICE_ROUND
from annotation.stats.worktime import (
    Answered,
    by_day,
    hours_and_minutes,
    hundredths,
    hundredths_by_line,
    whole_minutes,
    work_of,
)

COLUMNS = ("rater", "campaign", "day", "work", "items", "corrections", "minutes", "hours", "duration")
CHUNK = 5000


@dataclass(frozen=True)
class Line:
    """A day of a rater in a campaign.

    Attributes:
        rater: the rater's name.
        campaign: the campaign's name.
        day: in the site's time zone.
        practice: practice and calibration, which stand apart from rating.
        items: items answered for the first time.
        corrections: answers that changed an earlier one.
        minutes: active time, in whole minutes; one for anything shorter.
        hours: the same in hours with two decimals, so rounded that the lines of a sheet sum to its hours.
    """

    rater: str
    campaign: str
    day: date
    practice: bool
    items: int
    corrections: int
    minutes: int
    hours: float

    @property
    def work(self) -> str:
        """What was done."""
        return "practice" if self.practice else "rating"

    @property
    def duration(self) -> str:
        """The time in hours and minutes."""
        return hours_and_minutes(self.minutes)


@dataclass(frozen=True)
class Sheet:
    """The days of a rater in order; sums are those of the whole minutes shown."""

    rater: str
    lines: tuple[Line, ...]

    @property
    def items(self) -> int:
        """Items answered, practice left out."""
        return sum(line.items for line in self.lines if not line.practice)

    @property
    def n_days(self) -> int:
        """Days with work on them."""
        return len({line.day for line in self.lines})

    @property
    def minutes(self) -> int:
        """Active time, practice included."""
        return sum(line.minutes for line in self.lines)

    @property
    def practice_minutes(self) -> int:
        """Active time of practice alone."""
        return sum(line.minutes for line in self.lines if line.practice)

    @property
    def hours(self) -> float:
        """The time in hours, two decimals."""
        return hundredths(self.minutes) / 100

    @property
    def duration(self) -> str:
        """The time in hours and minutes."""
        return hours_and_minutes(self.minutes)

    @property
    def practice_duration(self) -> str:
        """The time of practice in hours and minutes."""
        return hours_and_minutes(self.practice_minutes)


class _Row(NamedTuple):
    rater: str
    campaign: str
    round: int
    is_correction: int | None
    shown_at: datetime | None
    submitted_at: datetime
    active_ms: int | None


def rater_timesheet(*, rater: Rater, campaign: Campaign | None = None) -> Sheet:
    """Return a rater's days in one campaign, or in all of the study."""
    rows = list(_rows(rater_ids=[rater.pk]))
    return _sheet(rater.name, rows, None if campaign is None else campaign.name)


def campaign_timesheets(*, campaign: Campaign, rater: str = "") -> list[Sheet]:
    """Return the days of every rater of a campaign (or of one, by name) in it, in order of names."""
    taking_part = campaign.participations.order_by("rater__name").values_list("rater_id", "rater__name")
    if rater:
        taking_part = taking_part.filter(rater__name=rater)
    names = dict(taking_part)
    rows = _rows(rater_ids=list(names), study_id=campaign.study_id)
    found = {
        name: _sheet(name, list(own), campaign.name) for name, own in groupby(rows, lambda row: row.rater)
    }
    return [found.get(name, Sheet(name, ())) for name in names.values()]


def timesheet_csv(sheets: Iterable[Sheet], stream: Stream, *, spreadsheet: bool = False) -> None:
    """Write days as CSV, a line each; the flavours are those of `write_csv`."""
    rows = (_cells(line) for sheet in sheets for line in sheet.lines)
    write_csv(rows, COLUMNS, stream, spreadsheet=spreadsheet)


def timesheet_json(sheets: Iterable[Sheet]) -> str:
    """Return raters with their totals and days as JSON."""
    found = [
        {
            "rater": sheet.rater, "items": sheet.items, "minutes": sheet.minutes, "hours": sheet.hours,
            "practice_minutes": sheet.practice_minutes,
            "days": [_day(line) for line in sheet.lines],
        }
        for sheet in sheets
    ]  # fmt: skip
    zone = timezone.get_default_timezone_name()
    return json.dumps({"time_zone": zone, "raters": found}, ensure_ascii=False, allow_nan=False, indent=1)


def _day(line: Line) -> dict[str, Value]:
    return asdict(line) | {"day": line.day.isoformat(), "work": line.work}


def _cells(line: Line) -> tuple[Value, ...]:
    return (
        line.rater, line.campaign, line.day.isoformat(), line.work, line.items, line.corrections,
        line.minutes, line.hours, line.duration,
    )  # fmt: skip


def _rows(*, rater_ids: Sequence[int], study_id: int | None = None) -> Iterator[_Row]:
    """Read what raters sent, corrections too, by rater."""
    found = Judgement.objects.filter(submitted_at__isnull=False)
    if study_id is None:
        found = found.filter(assignment__participation__rater__in=rater_ids)
    else:
        found = found.filter(assignment__participation__rater__study=study_id)
    rows = found.order_by("assignment__participation__rater__name", "submitted_at", "pk").values_list(
        "assignment__participation__rater__name", "assignment__participation__campaign__name",
        "assignment__round", "supersedes_id", "shown_at", "submitted_at", "active_ms",
    )  # fmt: skip
    return (_Row._make(row) for row in rows.iterator(CHUNK))


def _sheet(rater: str, rows: Sequence[_Row], campaign: str | None) -> Sheet:
    """Lay out everything a rater did, and keep the days of one campaign or of all."""
    zone = timezone.get_default_timezone()
    pieces = work_of([Answered(row.shown_at, row.submitted_at, row.active_ms) for row in rows])
    times: dict[tuple[date, str, bool], int] = defaultdict(int)
    counts: dict[tuple[date, str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for row, own in zip(rows, pieces, strict=True):
        if campaign is not None and row.campaign != campaign:
            continue
        practice = row.round == PRACTICE_ROUND
        day = row.submitted_at.astimezone(zone).date()
        counts[day, row.campaign, practice][row.is_correction is not None] += 1
        for day, milliseconds in by_day(own, zone).items():
            times[day, row.campaign, practice] += milliseconds
    keys = sorted({*times, *counts})
    minutes = [whole_minutes(times[key]) for key in keys]
    lines = []
    for key, worked, hours in zip(keys, minutes, hundredths_by_line(minutes), strict=True):
        items, corrections = counts[key]
        lines.append(Line(rater, key[1], key[0], key[2], items, corrections, worked, hours / 100))
    return Sheet(rater, tuple(lines))
