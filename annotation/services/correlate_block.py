"""One campaign in one direction against one choice of references: every row that is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from annotation.models import Campaign
from annotation.services.correlate_apart import apart_rows, cloud_draw
from annotation.services.correlate_layout import Laid, apart, apart_units
from annotation.services.correlate_options import CorrelateOptions
from annotation.services.correlate_pairs import human_p_values, metric_p_values, pair_rows
from annotation.services.correlate_people import People
from annotation.stats.correlation import kendall, pearson, spearman, williams_test
from annotation.stats.pair_intervals import order_agreement, pair_mean, soft_agreement
from annotation.stats.records import FloatArray
from annotation.stats.segment_agreement import (
    SegmentAgreement,
    difference_p,
    preference_agreement,
    segment_agreement,
)

Row = dict[str, Any]
WIDE = 99.0
"""A scale at least this wide is one of 100 points."""


def threshold_of(campaign: Campaign, options: CorrelateOptions) -> float:
    """Return the difference that counts for the Kendall-like coefficient, in points of the raw scale."""
    if options.threshold is not None:
        return options.threshold
    width = campaign.scale_high - campaign.scale_low
    return 25.0 if WIDE <= width <= WIDE + 1 else width / 4


class Block:
    """One campaign in one direction against one choice of references."""

    def __init__(
        self,
        people: People,
        laid: Sequence[Laid],
        options: CorrelateOptions,
        found: Row,
        orders: dict[tuple[str, str], list[FloatArray]],
    ) -> None:
        self.people, self.laid, self.options, self.found, self.orders = people, laid, options, found, orders
        self.threshold = threshold_of(people.campaign, options)
        self.rng = np.random.default_rng(options.seed)

    def write(self) -> None:
        """Add this block's rows to what is found."""
        self.found["points"] += [self._point(place) for place in range(len(self.people.points))]
        if "system" in self.options.levels:
            self._systems()
        if "segment" in self.options.levels:
            self._segments()
            self.found["segments"] += [
                row for one in self.laid for row in apart_rows(self.people, one, self.options.listed)
            ]
            if self.options.cloud and self.people.preferences is None:
                seed = int(self.rng.integers(2**63))
                self.found["clouds"] += [
                    cloud_draw(self.people, one, self.options.cloud, np.random.default_rng(seed))
                    for one in self.laid
                    if not one.facts.reason
                ]

    def _head(self, level: str) -> Row:
        return {
            "campaign": self.people.campaign.name,
            "protocol": self.people.campaign.protocol,
            "level": level,
            "direction": self.people.direction,
        }

    def _unit(self, level: str) -> str:
        if self.people.preferences is not None:
            return self.people.unit if level == "system" else "preferences"
        return ("mean " if level == "system" else "") + ("raw score" if self.options.raw else "z")

    def _row(self, level: str, one: Laid) -> Row:
        facts = one.facts
        return self._head(level) | {
            "human": self._unit(level),
            "reference": facts.reference or None,
            "metric": facts.name,
            "title": facts.title,
            "higher_is_better": facts.higher_is_better,
            "reason": facts.reason,
            "signature": facts.signature,
        }

    def _point(self, place: int) -> Row:
        people = self.people
        point = people.points[place]
        return {
            "campaign": people.campaign.name,
            "direction": people.direction,
            "system": point.system,
            **{key: getattr(point, key) for key in ("testset", "input", "reference")},
            "point_direction": point.direction,
            "condition": people.labels[place] or None,
            "metric_reference": next((one.facts.reference for one in self.laid if one.facts.reference), None),
            "human": people.human[place],
            "n_human_segments": int((~np.isnan(people.cells[place])).sum()),
            "metrics": {
                _named(one): {"value": one.values[place], "n_segments": one.n_segments[place]}
                for one in self.laid
            },
        }

    def _systems(self) -> None:
        people = self.people
        soft = people.human.size > 1 and any(not one.facts.reason for one in self.laid)
        seeds = self.rng.integers(2**63, size=2)
        p_human = human_p_values(people, int(seeds[0]), self.options.resamples) if soft else None
        for one in self.laid:
            both = np.isfinite(one.human) & np.isfinite(one.values)
            h, m = one.human[both], one.oriented[both]
            groups = np.array(people.groups, dtype=object)[both]
            order = order_agreement(h, m, [str(group) for group in groups]) if len(h) else np.zeros((0, 0))
            estimates = {
                "pearson": pearson(h, m),
                "spearman": spearman(h, m),
                "kendall": kendall(h, m),
                "pairwise_accuracy": pair_mean(order),
            }
            if p_human is not None and not one.facts.reason:
                p_metric = metric_p_values(people, one, int(seeds[1]), self.options.resamples)
                soft_table = soft_agreement(p_human, p_metric, people.groups)
                estimates["soft_pairwise_accuracy"] = pair_mean(soft_table[np.ix_(both, both)])
                self.found["pairs"] += pair_rows(people, one, p_human, p_metric, self.options.resamples)
            self.orders.setdefault((people.direction, one.facts.name), []).append(order)
            left_out = [point.system for point, is_in in zip(people.points, both, strict=True) if not is_in]
            self.found["results"].append(
                self._row("system", one)
                | {
                    "n": int(both.sum()),
                    "n_segments": int(sum(np.array(one.n_segments)[both])),
                    "estimates": {name: own.as_dict() for name, own in estimates.items()},
                    "left_out": list(dict.fromkeys(left_out)),
                    "failures": {name: why for name, why in one.facts.failures.items() if name in left_out},
                }
            )
        self._williams("system", [(one, one.human, one.oriented) for one in self.laid], {})

    def _segments(self) -> None:
        people, usable = self.people, [one for one in self.laid if not one.facts.reason]
        agreed = self._agreements(usable)
        for one in self.laid:
            own = agreed.get(_named(one))
            estimates = {} if own is None else own.estimates
            self.found["results"].append(
                self._row("segment", one)
                | {
                    "n": 0 if own is None else own.n,
                    "n_segments": 0 if own is None else own.n_segments,
                    "estimates": {name: found.as_dict() for name, found in estimates.items()},
                    "left_out": [],
                    "failures": {},
                }
                | ({} if own is None else {"epsilon": own.epsilon})
                | ({"threshold": self.threshold} if people.preferences is None else {})
            )
        if people.preferences is None:
            draws = {name: own.draws for name, own in agreed.items()}
            columns = [(one, people.cells.ravel(), one.oriented_scores.ravel()) for one in usable]
            self._williams("segment", columns, draws)

    def _agreements(self, usable: Sequence[Laid]) -> dict[str, SegmentAgreement]:
        people, options = self.people, self.options
        if not usable:
            return {}
        seed = np.random.default_rng(int(self.rng.integers(2**63)))
        if people.preferences is not None:
            pairs, columns = people.preferences.pairs, people.preferences.columns
            differences = [
                one.oriented_scores[pairs[:, 0], columns] - one.oriented_scores[pairs[:, 1], columns]
                for one in usable
            ]
            found = preference_agreement(
                people.preferences.net, differences, columns, people.strata, seed, options.resamples
            )
        else:
            groups = people.groups
            found = segment_agreement(
                apart(groups, people.cells),
                [apart(groups, one.oriented_scores) for one in usable],
                people.strata,
                seed,
                units=apart_units(groups, len(people.segments)),
                ranked=apart(groups, people.raw),
                threshold=self.threshold,
                resamples=options.resamples,
            )
        return {_named(one): own for one, own in zip(usable, found, strict=True)}

    def _williams(
        self, level: str, columns: Sequence[tuple[Laid, FloatArray, FloatArray]], draws: dict[str, FloatArray]
    ) -> None:
        """Test every two metrics; both are taken over what both have."""
        for (a, h, x), (b, _same, y) in combinations(columns, 2):
            if a.facts.reason or b.facts.reason:
                continue
            both = np.isfinite(h) & np.isfinite(x) & np.isfinite(y)
            found = williams_test(h[both], x[both], y[both])
            row = self._head(level) | {"first": a.facts.name, "second": b.facts.name}
            row |= {"reference": a.facts.reference or b.facts.reference or None} | found.as_dict()
            if draws:
                row["p_bootstrap"] = difference_p(draws[_named(a)], draws[_named(b)])
            self.found["williams"].append(row)


def _named(one: Laid) -> str:
    return one.facts.name
