"""What people said of the outputs of a campaign, laid out to be put beside metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.correlate_options import CorrelateOptions
from annotation.services.notation import Notations
from annotation.services.records import comparisons_read, ratings_read
from annotation.services.scoring import campaign_treatment
from annotation.services.sealing import seal_check
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.records import BoolArray, Comparison, Entry, FloatArray, IntArray, RatingTable
from annotation.stats.rounds import table_counted
from annotation.stats.standardise import of_kinds, standardise
from evalplatform.errors import Conflict

Place = tuple[str, str]
"""Test set and key of a segment."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What one entry (an output in its condition) was given, by segment.

    Attributes:
        entry: the output.
        point: code of the point it belongs to.
        columns: of the segments judged [c].
    """

    entry: Entry
    point: int
    columns: IntArray


@dataclass(frozen=True, eq=False)
class Preferences:
    """Comparisons: a row for each pair of points on a segment.

    Attributes:
        pairs: codes of the first and second point [P, 2].
        columns: code of the segment [P].
        net: how much more often the first was preferred, as a share of the comparisons [P].
    """

    pairs: IntArray
    columns: IntArray
    net: FloatArray


@dataclass(frozen=True, eq=False)
class People:
    """What people said in one direction of one campaign: N points over S segments.

    Attributes:
        campaign: where.
        direction: "all", "direct" or "reverse".
        points: what is scored: a system, or one in a condition.
        groups: condition of each point; only points of one group are put in order [N].
        labels: how each point's condition is written, "" where there is nothing to say [N].
        human: score of each point, nan where none [N].
        cells: mean of the judgements of each point and segment, nan where none [N, S]; of comparisons nan
            where not compared, else 0.
        raw: the same in points of the scale [N, S].
        entries: the outputs behind the points.
        segments: [S].
        strata: code of the test set of each segment [S].
        preferences: of comparisons, else None.
        unit: what human scores are called.
    """

    campaign: Campaign
    direction: str
    points: Sequence[Entry]
    groups: Sequence[str]
    labels: Sequence[str]
    human: FloatArray
    cells: FloatArray
    raw: FloatArray
    entries: Sequence[Cells]
    segments: Sequence[Place]
    strata: IntArray
    preferences: Preferences | None
    unit: str


def people_read(campaign: Campaign, options: CorrelateOptions) -> list[People]:
    """Read the judgements of a campaign, once for each direction that is wanted.

    Raises:
        Conflict: there are no judgements yet, none in a direction that is asked for, or they are sealed.
    """
    seal_check(campaign)
    notations = Notations.of_campaign(campaign)
    if PROTOCOLS[campaign.protocol].record == "rating":
        table = ratings_read(campaign).table
        known = {entry.direction or "" for entry in table.entries}
        z = standardise(table, options.population).z
        table = table_counted(table, campaign_treatment(campaign))
        made = [
            _rated(campaign, table, z, direction, options, notations)
            for direction in _directions(campaign, known, options)
        ]
    else:
        shown = comparisons_read(campaign).shown
        known = {condition[3] or "" for condition in shown}
        made = [
            _compared(campaign, shown, direction, options, notations)
            for direction in _directions(campaign, known, options)
        ]
    if not any(len(one.points) for one in made):
        raise Conflict(
            f"The campaign “{campaign.name}” has no judgements yet.",
            "Metrics can be put beside people once there are some.",
        )
    return [one for one in made if len(one.points)]


def _directions(campaign: Campaign, known: set[str], options: CorrelateOptions) -> list[str]:
    if not options.directions:
        both = sorted(known - {""}) if len(known) > 1 else []
        return ["all", *both]
    for asked in options.directions:
        if asked != "all" and asked not in known:
            told = " and ".join(sorted(known - {""})) or "of unknown direction"
            raise Conflict(
                f"“{campaign.name}” has no judgement of a {asked} segment.",
                f"Its segments are {told}: choose that, or leave the direction out.",
            )
    return list(dict.fromkeys(options.directions))


def _points(
    entries: Sequence[Entry], chosen: BoolArray, options: CorrelateOptions, notations: Notations
) -> tuple[list[Entry], IntArray, list[str]]:
    """Return the points, the point of each entry (−1: none in this direction), and their conditions."""
    if options.by == "condition":
        named = list(entries)
    else:
        named = [Entry(entry.system) for entry in entries]
    points = sorted(
        {one for one, is_chosen in zip(named, chosen, strict=True) if is_chosen},
        key=lambda one: (notations.place(*one.condition), one.system),
    )
    code = {point: place for place, point in enumerate(points)}
    codes = [code[one] if is_chosen else -1 for one, is_chosen in zip(named, chosen, strict=True)]
    labels = [notations.write(*point.condition) or point.direction or "" for point in points]
    return points, np.array(codes, dtype=np.int64), labels


def _in_direction(entries: Sequence[Entry], direction: str) -> BoolArray:
    return np.array([direction in ("all", entry.direction or "") for entry in entries], dtype=bool)


def _counted(table: RatingTable) -> BoolArray:
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    return of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater]


def _rated(
    campaign: Campaign,
    table: RatingTable,
    z: FloatArray,
    direction: str,
    options: CorrelateOptions,
    notations: Notations,
) -> People:
    counts = _counted(table)[table.credit_rating]
    judged = np.bincount(table.credit_entry[counts], minlength=len(table.entries)) > 0
    points, codes, labels = _points(
        table.entries, _in_direction(table.entries, direction) & judged, options, notations
    )
    used = counts & (codes[table.credit_entry] >= 0)
    row, entry = table.credit_rating[used], table.credit_entry[used]
    active, column = np.unique(table.segment[row], return_inverse=True)
    size = (len(points), len(active))
    once = np.unique(np.column_stack([row, codes[entry]]), axis=0, return_index=True)[1]
    cell = codes[entry[once]] * max(1, size[1]) + column[once]
    raw = _means(cell, table.score[row[once]], size)
    cells = raw if options.raw else _means(cell, z[row[once]], size)
    segments = [(testset, str(key)) for testset, key in (table.segments[code] for code in active)]
    own = [
        Cells(table.entries[code], int(codes[code]), np.unique(column[entry == code]))
        for code in np.unique(entry).tolist()
    ]
    return People(
        campaign, direction, points, _groups(points), labels, _row_means(cells), cells, raw, own, segments,
        _strata(segments), None, "raw mean" if options.raw else "mean z",
    )  # fmt: skip


def _means(cell: IntArray, values: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Return the mean of each cell over the values that are not nan [N, S]."""
    present = ~np.isnan(values)
    n = np.bincount(cell[present], minlength=size[0] * size[1])
    total = np.bincount(cell[present], weights=values[present], minlength=size[0] * size[1])
    return np.where(n > 0, total / np.maximum(n, 1), np.nan).reshape(size)


def _row_means(cells: FloatArray) -> FloatArray:
    present = ~np.isnan(cells)
    n = present.sum(axis=1)
    return np.where(n > 0, np.where(present, cells, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def _groups(points: Sequence[Entry]) -> list[str]:
    return ["\x1f".join(part or "" for part in point.condition) for point in points]


def _strata(segments: Sequence[Place]) -> IntArray:
    names = {name: code for code, name in enumerate(dict.fromkeys(testset for testset, _ in segments))}
    return np.array([names[testset] for testset, _ in segments], dtype=np.int64)


def _compared(
    campaign: Campaign,
    shown: dict[tuple[str | None, str | None, str | None, str | None], list[Comparison]],
    direction: str,
    options: CorrelateOptions,
    notations: Notations,
) -> People:
    kept = {
        condition: [one for one in rows if not one.excluded_by]
        for condition, rows in shown.items()
        if direction in ("all", condition[3] or "")
    }
    entries = list(
        dict.fromkeys(
            Entry(name, *condition)
            for condition, rows in kept.items()
            for one in rows
            for name in (*one.left, *one.right)
        )
    )
    points, codes, labels = _points(entries, np.ones(len(entries), dtype=bool), options, notations)
    place = {entry: int(code) for entry, code in zip(entries, codes, strict=True)}
    found = _pairs(kept, place)
    segments = list(dict.fromkeys(segment for _, segment in found))
    column = {segment: code for code, segment in enumerate(segments)}
    size = (len(points), len(segments))
    cells = np.full(size, np.nan)
    for (a, b), segment in found:
        cells[[a, b], column[segment]] = 0.0
    own: dict[Entry, set[int]] = {}
    for condition, rows in kept.items():
        for one in rows:
            at = column.get((one.testset, str(one.segment)))
            for name in (*one.left, *one.right):
                own.setdefault(Entry(name, *condition), set()).update([] if at is None else [at])
    preferences = Preferences(
        np.array([pair for pair, _ in found], dtype=np.int64).reshape(-1, 2),
        np.array([column[segment] for _, segment in found], dtype=np.int64),
        np.array([sum(nets) / len(nets) for nets in found.values()]),
    )
    judged = [
        Cells(entry, place[entry], np.array(sorted(columns), dtype=np.int64))
        for entry, columns in own.items()
    ]
    return People(
        campaign, direction, points, _groups(points), labels, _wins(kept, points, options), cells, cells,
        judged, segments, _strata(segments), preferences,
        "win rate" if options.raw else "expected wins",
    )  # fmt: skip


def _pairs(
    kept: dict[tuple[str | None, str | None, str | None, str | None], list[Comparison]],
    place: dict[Entry, int],
) -> dict[tuple[tuple[int, int], Place], list[int]]:
    """Return, by pair of points and segment, 1 for each preference of the first, −1 of the second."""
    found: dict[tuple[tuple[int, int], Place], list[int]] = {}
    for condition, rows in kept.items():
        for one in rows:
            outcome = {"left": 1, "right": -1, "equal": 0}[one.winner]
            sides = [[place[Entry(name, *condition)] for name in side] for side in (one.left, one.right)]
            crossed = {
                (min(a, b), max(a, b), outcome if a < b else -outcome) for a, b in product(*sides) if a != b
            }
            for a, b, value in crossed:
                found.setdefault(((a, b), (one.testset, str(one.segment))), []).append(value)
    return found


def _wins(
    kept: dict[tuple[str | None, str | None, str | None, str | None], list[Comparison]],
    points: Sequence[Entry],
    options: CorrelateOptions,
) -> FloatArray:
    """Return the expected wins of each point (raw: its win rate), nan where there are none."""
    chosen = ScoreOptions(resamples=2, preference_resamples=2)
    key = "win_rate" if options.raw else "expected_wins"
    values: dict[Entry, float | None] = {}
    if options.by == "condition":
        for condition, rows in kept.items():
            for row in score_comparisons(rows, options=chosen)["systems"]:
                values[Entry(row["system"], *condition)] = row[key]
    else:
        rows = [one for own in kept.values() for one in own]
        values = {
            Entry(row["system"]): row[key] for row in score_comparisons(rows, options=chosen)["systems"]
        }
    known = [values.get(point) for point in points]
    return np.array([np.nan if value is None else value for value in known], dtype=np.float64)


def pair_codes(people: People) -> list[tuple[int, int]]:
    """Return the pairs of points of one condition, as codes."""
    groups = people.groups
    return [(a, b) for a, b in combinations(range(len(groups)), 2) if groups[a] == groups[b]]
