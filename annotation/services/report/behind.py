"""What numbers are made from: the judgements of a campaign, or of campaigns that were scored together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from annotation.protocols import PROTOCOLS
from annotation.services.records import Comparisons, ratings_read
from annotation.services.report.ratings import counted
from annotation.services.report.tables import Column
from annotation.services.score_compute import table_with_others
from annotation.services.scoring import campaign_score, records_read, scope_others
from annotation.services.study_scores import (
    facts_of,
    group_judged,
    judged_read,
    spread_only,
    study_score,
)
from annotation.stats.options import ScoreOptions
from annotation.stats.records import FloatArray, IntArray, RatingTable
from annotation.stats.score import table_scored
from annotation.stats.standardise import standardise
from evalplatform.errors import NotFound

Row = dict[str, Any]
Part = tuple[Campaign, RatingTable | Comparisons]
JOIN = ", "


@dataclass(frozen=True, eq=False)
class Behind:
    """Scores, and what they were made from.

    Attributes:
        result: the scores of the campaign, or of the group of a study.
        options: how they were made.
        campaigns: those that were scored together.
        parts: what was judged in these, and in others whose ratings only make the raters' mean and spread.
        records: all of it together, as it was scored.
    """

    result: Row
    options: ScoreOptions
    campaigns: Sequence[Campaign]
    parts: Sequence[Part]
    records: RatingTable | Comparisons

    @property
    def scale(self) -> tuple[float, float]:
        """Return the lowest and the highest score."""
        return self.campaigns[0].scale_low, self.campaigns[0].scale_high

    @property
    def is_rated(self) -> bool:
        """Tell whether people gave scores."""
        return PROTOCOLS[self.campaigns[0].protocol].record == "rating"

    @cached_property
    def table(self) -> RatingTable:
        """Return the ratings as they were scored."""
        assert isinstance(self.records, RatingTable)  # noqa: S101 (whoever asks knows)
        return table_scored(self.records, self.options)

    @cached_property
    def z(self) -> FloatArray:
        """Return the z of each rating [n], nan where there is none."""
        return standardise(self.table, self.options.population).z

    def rows_of_judgements(self, ids: IntArray) -> IntArray:
        """Return the rows of the ratings that come from judgements, by test set and segment.

        Args:
            ids: of judgements [n]; one that stands there twice has two rows.
        """
        order = np.argsort(self.table.origins, kind="stable")
        return self._in_order(order[np.searchsorted(self.table.origins[order], ids)])

    @cached_property
    def part(self) -> IntArray:
        """Return the part of each rating [n]."""
        ids = [table.origins for _, table in self.tables()]
        whose = np.repeat(np.arange(len(ids)), [len(one) for one in ids])
        every = np.concatenate(ids)
        order = np.argsort(every, kind="stable")
        found: IntArray = whose[order][np.searchsorted(every[order], self.table.origins)]
        return found

    def tables(self) -> Iterator[tuple[Campaign, RatingTable]]:
        """Yield the campaigns with their ratings."""
        for campaign, records in self.parts:
            if isinstance(records, RatingTable):
                yield campaign, records

    def rows_of(self, system: str, condition: Mapping[str, str]) -> IntArray:
        """Return the rows of the ratings that count for a system, by test set and segment."""
        table = self.table
        wanted = np.array(
            [
                entry.system == system
                and all((getattr(entry, key) or "") == value for key, value in condition.items())
                for entry in table.entries
            ],
            dtype=bool,
        )
        rows = np.unique(table.credit_rating[wanted[table.credit_entry]])
        return self._in_order(rows[counted(table)[rows]])

    def _in_order(self, rows: IntArray) -> IntArray:
        table = self.table

        def place(row: int) -> tuple[tuple[str, int, str], int]:
            return natural(*table.segments[int(table.segment[row])]), int(table.origins[row])

        return np.array(sorted(rows.tolist(), key=place), dtype=np.int64)

    def systems_of(self, row: int) -> list[str]:
        """Return the systems that a rating was given to, also where it only makes its rater's spread."""
        table = list(self.tables())[int(self.part[row])][1]
        own = int(np.searchsorted(table.origins, self.table.origins[row]))
        start = np.searchsorted(table.credit_rating, [own, own + 1])
        codes = table.credit_entry[start[0] : start[1]]
        return list(dict.fromkeys(table.entries[code].system for code in codes))

    def campaign_cell(self, rows: IntArray) -> Row:
        """Return the cell that names the campaigns of some ratings, the first being opened."""
        own = [self.parts[code][0] for code in np.unique(self.part[rows]).tolist()]
        return {"campaign": JOIN.join(one.name for one in own), "campaign_key": own[0].key}

    def campaign_columns(self, rows: Sequence[Row], *, opens: bool = True) -> list[Column]:
        """Return the column that names the campaign of each row; none where there is one campaign."""
        if len(self.campaigns) < 2 and len({row["campaign"] for row in rows}) < 2:
            return []
        return [Column("campaign", _("Campaign"), "text", 0, "campaign" if opens else "")]

    def mean(self, rows: IntArray, values: FloatArray) -> float | None:
        """Return the mean of some ratings of one text, None without any; repeats as the options have it."""
        known = ~np.isnan(values)
        rows, values = rows[known], values[known]
        if not len(rows):
            return None
        if self.options.repeats == "flat":
            return float(values.mean())
        raters = self.table.rater[rows]
        return float(np.mean([values[raters == one].mean() for one in np.unique(raters)]))


def natural(testset: str, key: object) -> tuple[str, int, str]:
    """Return what sorts segments as people count them: 2 before 10."""
    words = str(key)
    return testset, int(words) if words.isascii() and words.isdigit() and len(words) < 19 else 0, words


def campaign_behind(campaign: Campaign, options: ScoreOptions) -> Behind:
    """Return the scores of a campaign with what they were made from.

    Raises:
        Conflict: there are no judgements yet, or they are sealed.
    """
    result = campaign_score(campaign=campaign, options=options).result or {}
    records = records_read(campaign)
    parts: list[Part] = [(campaign, records)]
    if options.scope == "study" and isinstance(records, RatingTable):
        others = [(one, ratings_read(one).table) for one in scope_others(campaign)]
        records = table_with_others(records, [table for _, table in others])
        parts += others
    return Behind(result, options, [campaign], parts, records)


def group_behind(study: Study, options: ScoreOptions, key: str) -> Behind:
    """Return the scores of a group of a study with what they were made from.

    Args:
        study: the study.
        options: how it is scored.
        key: of any campaign of the group.

    Raises:
        NotFound: the study has no judgements of such a campaign.
        Conflict: the study has no judgements yet, or some are sealed.
    """
    result = study_score(study=study, options=options).result or {}
    campaigns = {one.name: one for one in study.campaigns.order_by("name")}
    groups = [one for one in result["groups"] if key in {campaigns[name].key for name in one["campaigns"]}]
    if not groups:
        raise NotFound(_("The report has no such number."), _("Open it from the report again."))
    judged = [(facts_of(one), judged_read(one)) for one in campaigns.values()]
    filled = [(facts, one) for facts, one in judged if not one.is_empty]
    own = [(facts, one) for facts, one in filled if facts.name in groups[0]["campaigns"]]
    used = own + (spread_only(own[0][0], filled) if options.scope == "study" else [])
    return Behind(
        groups[0],
        options,
        [campaigns[facts.name] for facts, _one in own],
        [(campaigns[facts.name], one.records) for facts, one in used],
        group_judged(own, filled, options).records,
    )
