"""Read what a report needs beside the scores: when, how fast and in which order answers came."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from annotation.models import Campaign, Item, Judgement
from annotation.services.records import CHUNK, Ratings, raters_read, ratings_read
from annotation.services.scoring import campaign_judged
from annotation.stats.description import longest_run
from annotation.stats.options import ScoreOptions
from annotation.stats.records import KIND_CODES, FloatArray, IntArray, RatingTable
from annotation.stats.rounds import table_counted
from annotation.stats.standardise import POPULATIONS, Standardised, of_kinds, standardise

SIDES = ("left", "equal", "right")


@dataclass(frozen=True, eq=False)
class Answers:
    """The current answers of a campaign, one row each, in order of their ids.

    Attributes:
        judgement: database ids [n].
        pair: database id of the item that an item was made from or repeats, else its own [n].
        rater: codes into `raters` [n].
        order: sequence of a rater's answers [n]: by round, then by position in the plan.
        seconds: time spent [n], nan where unknown.
        score: nan for preferences [n].
        side: code into `SIDES` of a preference, −1 for scores [n].
        kind: code into `KINDS` of the item [n].
        raters: names.
        excluded_by: reasons, "" where not excluded.
    """

    judgement: IntArray
    pair: IntArray
    rater: IntArray
    order: IntArray
    seconds: FloatArray
    score: FloatArray
    side: IntArray
    kind: IntArray
    raters: tuple[str, ...]
    excluded_by: tuple[str, ...]

    def rows_of(self, code: int) -> IntArray:
        """Return the rows of one rater in the order of answering."""
        rows = np.flatnonzero(self.rater == code)
        return rows[np.argsort(self.order[rows], kind="stable")]

    def run_of(self, code: int) -> int:
        """Return the longest run of one rater's equal answers."""
        rows = self.rows_of(code)
        values = np.where(self.side[rows] >= 0, self.side[rows].astype(np.float64), self.score[rows])
        return longest_run(values)


@dataclass(frozen=True, eq=False)
class RatedData:
    """A campaign of ratings.

    Attributes:
        ratings: the campaign's own, with their judgements; those that do not count by the treatment of items
            that were judged again are out of the averages [n].
        scored: the table that is scored; with scope study it also holds what its raters rated elsewhere.
        judged: the same before the treatment took ratings out of the averages.
        z: of the campaign's own ratings, as scoring makes it [n].
        answers: row by row of the campaign's own table.
    """

    ratings: Ratings
    scored: RatingTable
    judged: RatingTable
    z: FloatArray
    answers: Answers


def rated_read(campaign: Campaign, options: ScoreOptions) -> RatedData:
    """Read a campaign of ratings; z by the mean and spread that scoring with these options takes."""
    ratings, answers = ratings_read(campaign), answers_read(campaign)
    own = _take(answers, np.searchsorted(answers.judgement, ratings.judgements))
    judged = ratings.table
    if options.scope == "study":
        records = campaign_judged(campaign, options).records
        judged = records if isinstance(records, RatingTable) else judged
    found = standardise(judged, options.population)
    z = found.z if judged is ratings.table else _z_by(ratings.table, found)
    scored = table_counted(judged, options.disagreement)
    ratings = replace(ratings, table=table_counted(ratings.table, options.disagreement))
    return RatedData(ratings, scored, judged, z, own)


def _z_by(table: RatingTable, found: Standardised) -> FloatArray:
    """Return z by other means and spreads [n], nan for the kinds of items that never have one."""
    known = {one.rater: one for one in found.raters if not one.no_variance}
    mean = np.array(
        [known[name].mean if name in known else np.nan for name in table.raters], dtype=np.float64
    )
    sd = np.array([known[name].sd if name in known else np.nan for name in table.raters], dtype=np.float64)
    z: FloatArray = (table.score - mean[table.rater]) / sd[table.rater]
    z[~of_kinds(table.kind, POPULATIONS["all"])] = np.nan
    return z


def answers_read(campaign: Campaign) -> Answers:
    """Read the current answers with their times, by few queries whatever their number."""
    names = raters_read(campaign)
    rows = list(
        Judgement.objects.current()
        .of_campaign(campaign.pk)
        .order_by("pk")
        .values_list(
            "pk",
            "assignment__participation_id",
            "assignment__round",
            "assignment__position",
            "score",
            "choice",
            "active_ms",
            "assignment__item_id",
            "assignment__item__kind",
        )
        .iterator(CHUNK)
    )
    roots = _roots(campaign)
    present = sorted({row[1] for row in rows})
    code = {pk: number for number, pk in enumerate(present)}
    order = np.empty(len(rows), dtype=np.int64)
    order[sorted(range(len(rows)), key=lambda place: rows[place][2:4])] = np.arange(len(rows))
    seconds = [np.nan if row[6] is None else row[6] / 1000 for row in rows]
    return Answers(
        judgement=np.array([row[0] for row in rows], dtype=np.int64),
        pair=np.array([roots.get(row[7], row[7]) for row in rows], dtype=np.int64),
        rater=np.array([code[row[1]] for row in rows], dtype=np.int64),
        order=order,
        seconds=np.array(seconds, dtype=np.float64),
        score=np.array([np.nan if row[4] is None else row[4] for row in rows], dtype=np.float64),
        side=np.array([SIDES.index(row[5]) if row[5] else -1 for row in rows], dtype=np.int64),
        kind=np.array([KIND_CODES[row[8]] for row in rows], dtype=np.int64),
        raters=tuple(names[pk][0] for pk in present),
        excluded_by=tuple(names[pk][1] for pk in present),
    )


def _roots(campaign: Campaign) -> dict[int, int]:
    """Return the item that each repeat, reference and bad reference goes back to, by its id."""
    made = Item.objects.filter(campaign=campaign).exclude(paired_with=None, repeat_of=None).order_by()
    parents = {
        pk: paired or repeated
        for pk, paired, repeated in made.values_list("pk", "paired_with_id", "repeat_of_id").iterator(CHUNK)
    }
    return {pk: parents.get(parent, parent) for pk, parent in parents.items()}


def _take(answers: Answers, rows: IntArray) -> Answers:
    columns = {
        name: getattr(answers, name)[rows]
        for name in ("judgement", "pair", "rater", "order", "seconds", "score", "side", "kind")
    }
    return replace(answers, **columns)
