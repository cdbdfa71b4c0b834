"""The z of every system and segment with some ratings left out, from sums instead of from the start.

The z of a rating is (x − m) / s with its rater's mean m and spread s, so the sum of z in a cell (system,
segment) is Σ_r (X_r − N_r m_r) / s_r, where X_r and N_r are the sum and number of the rater's ratings in the
cell. Leaving ratings out changes the few numbers m, s of raters, or removes cells; X and N stay.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from annotation.stats.aggregate import AVERAGED_KINDS, listed_entries
from annotation.stats.records import BoolArray, FloatArray, IntArray, RatingTable
from annotation.stats.standardise import CONSTANT_TOLERANCE, POPULATIONS, of_kinds

ROUNDING = 1e-11
"""A rest of a sum of squares below this share of the whole is 0."""

Documents = Mapping[tuple[str, Hashable], str]


class LeftOut(NamedTuple):
    """What is left out, and the z of what stays.

    Attributes:
        name: of the rater, document or condition.
        z: mean z per system and segment [E, S], nan where there is none.
        n_judgements: ratings that left the averages.
    """

    name: str
    z: FloatArray
    n_judgements: int


@dataclass(frozen=True, eq=False)
class _Cells:
    """Sums per cell and rater.

    Attributes:
        total: sum of scores [E·S, R].
        count: number of ratings [E·S, R].
    """

    total: Any
    count: Any


class Leaver:
    """Ratings by system, ready for parts of them to be left out.

    Attributes:
        systems: names of what is ranked [E]; what only quality control is credited to is not among them.
        z: mean z per system and segment with nothing left out [E, S].
    """

    def __init__(self, table: RatingTable, population: str = "all", repeats: str = "flat") -> None:
        """Sum the ratings.

        Args:
            table: the ratings; systems are ranked over all their conditions.
            population: as for `standardise`.
            repeats: as for `aggregate`.
        """
        self.table = table = table.canonical()
        self.repeats = repeats
        listed = listed_entries(table)
        self.systems = sorted({table.entries[place].system for place in np.flatnonzero(listed).tolist()})
        code = {name: place for place, name in enumerate(self.systems)}
        self.system_of = np.array([code.get(entry.system, -1) for entry in table.entries], dtype=np.int64)
        kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
        self.counted = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater]
        self.in_population = of_kinds(table.kind, POPULATIONS[population])
        self.cells = self._sum(np.ones(len(table.credit_rating), dtype=bool))
        self.mean, self.scale = self._scale(self.in_population)
        self.z = self._z(self.cells, self.mean, self.scale)

    def group_sizes(self, documents: Documents) -> dict[str, int]:
        """Return how many raters, documents and conditions there are at most to leave out."""
        conditions = {entry.condition for entry in self.table.entries}
        return {
            "rater": len(self.table.raters),
            "document": len(set(self._document_names(documents)) - {""}),
            "condition": len(conditions),
        }

    def raters(self) -> Iterator[LeftOut]:
        """Leave out each rater whose ratings have a z and count; nobody else's z changes by that."""
        counted = np.bincount(self.table.rater[self.counted], minlength=len(self.table.raters))
        for rater in np.flatnonzero((counted > 0) & np.isfinite(self.scale)):
            scale = self.scale.copy()
            scale[rater] = np.nan
            z = self._z(self.cells, self.mean, scale)
            yield LeftOut(self.table.raters[int(rater)], z, int(counted[rater]))

    def documents(self, documents: Documents) -> Iterator[LeftOut]:
        """Leave out each document; the means and spreads of its raters are taken without it."""
        names = sorted(set(self._document_names(documents)) - {""})
        code = {name: place for place, name in enumerate(names)} | {"": -1}
        of_segment = np.array([code[name] for name in self._document_names(documents)], dtype=np.int64)
        of_rating = of_segment[self.table.segment]
        n, mean, squares = self._moments_without(of_rating, len(names), self.in_population)
        counted = np.bincount(of_rating[self.counted & (of_rating >= 0)], minlength=len(names))
        for place, name in enumerate(names):
            if counted[place]:
                scale = _spread(n[:, place], mean[:, place], squares[:, place])
                z = self._z(self.cells, mean[:, place], scale)
                z[:, of_segment == place] = np.nan
                yield LeftOut(name, z, int(counted[place]))

    def conditions(self) -> Iterator[LeftOut]:
        """Leave out each condition (test set, input, reference, direction) that ratings are credited to."""
        labels = {entry.condition: " · ".join(filter(None, entry.condition)) for entry in self.table.entries}
        known = sorted((condition for condition in labels if labels[condition]), key=lambda c: labels[c])
        code = {condition: place for place, condition in enumerate(known)}
        of_entry = np.array([code.get(entry.condition, -1) for entry in self.table.entries], dtype=np.int64)
        of_credit = of_entry[self.table.credit_entry]
        counted = self.counted[self.table.credit_rating]
        for place in np.unique(of_credit[counted & (of_credit >= 0)]):
            stays = of_credit != place
            credited = np.zeros(len(self.table.score), dtype=bool)
            credited[self.table.credit_rating] = True
            kept = ~credited
            kept[self.table.credit_rating[stays]] = True
            mean, scale = self._scale(self.in_population & kept)
            z = self._z(self._sum(stays), mean, scale)
            yield LeftOut(labels[known[place]], z, int(np.count_nonzero(self.counted & ~kept)))

    def _document_names(self, documents: Documents) -> list[str]:
        return [documents.get(segment, "") for segment in self.table.segments]

    def _sum(self, credit_stays: BoolArray) -> _Cells:
        """Sum the counted ratings by cell and rater; two credits of a rating to one system are one."""
        table = self.table
        chosen = credit_stays & self.counted[table.credit_rating]
        n_systems, n_segments, n_raters = len(self.systems), len(table.segments), len(table.raters)
        key = table.credit_rating[chosen] * n_systems + self.system_of[table.credit_entry[chosen]]
        unique = np.unique(key)
        row, system = unique // n_systems, unique % n_systems
        where = (system * n_segments + table.segment[row], table.rater[row])
        shape = (n_systems * n_segments, n_raters)
        total = sparse.coo_array((table.score[row], where), shape=shape).tocsr()
        count = sparse.coo_array((np.ones(len(row)), where), shape=shape).tocsr()
        if self.repeats == "within_rater_first":
            total.data = total.data / count.data
            count.data = np.ones_like(count.data)
        return _Cells(total, count)

    def _z(self, cells: _Cells, mean: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the mean z of each cell [E, S]; raters whose scale is nan give none."""
        active = np.isfinite(scale)
        inverse = np.where(active, 1 / np.where(active, scale, 1.0), 0.0)
        total = cells.total @ inverse - cells.count @ (inverse * np.where(active, mean, 0.0))
        count = cells.count @ active.astype(np.float64)
        z = np.where(count > 0, total / np.maximum(count, 1.0), np.nan)
        return z.reshape(len(self.systems), len(self.table.segments))

    def _scale(self, chosen: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return each rater's mean and sd over the chosen ratings [R], sd nan where there is no spread."""
        nothing = np.full(len(chosen), -1, dtype=np.int64)
        n, mean, squares = self._moments_without(nothing, 1, chosen)
        return mean[:, 0], _spread(n[:, 0], mean[:, 0], squares[:, 0])

    def _moments_without(
        self, group: IntArray, size: int, counted: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return n, mean and sum of squared deviations of each rater without each group [R, size].

        Args:
            group: of each rating [n]; a rating of no group (−1) is never left out.
            size: number of groups.
            counted: the ratings that make a rater's mean and spread [n].
        """
        rater, n_raters = self.table.rater, len(self.table.raters)
        weights = counted.astype(np.float64)
        n_all = np.bincount(rater, weights, minlength=n_raters)
        centre = np.bincount(rater, weights * self.table.score, minlength=n_raters) / np.maximum(n_all, 1)
        away = self.table.score - centre[rater]
        inside = counted & (group >= 0)
        key = rater[inside] * size + group[inside]
        whole = _power_sums(rater[counted], away[counted], n_raters)[:, :, None]
        n, first, second = whole - _power_sums(key, away[inside], n_raters * size).reshape(3, n_raters, size)
        shift = first / np.maximum(n, 1)
        squares = second - n * shift**2
        return n, centre[:, None] + shift, np.where(squares > ROUNDING * whole[2], squares, 0.0)


def _power_sums(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the number, sum and sum of squares of the values of each code [3, size]."""
    return np.stack([np.bincount(codes, values**power, minlength=size) for power in (0, 1, 2)])


def _spread(n: FloatArray, mean: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the sample sd [R], nan for fewer than two ratings and for constant ones."""
    sd = np.sqrt(squares / np.maximum(n - 1, 1))
    flat = (n < 2) | (sd <= CONSTANT_TOLERANCE * np.maximum(1.0, np.abs(mean)))
    return np.where(flat, np.nan, sd)
