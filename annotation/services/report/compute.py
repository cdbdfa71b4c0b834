"""Compute the report of a campaign: scores, and the parts that stand beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.contrib.auth.models import AnonymousUser, User

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.records import Comparisons, comparisons_read
from annotation.services.report import checks, ratings
from annotation.services.report.again import judged_again
from annotation.services.report.data import RatedData, answers_read, rated_read
from annotation.services.report.raters import profiles
from annotation.services.report.store import part_find, part_ready
from annotation.services.scoring import campaign_score
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.agreement import comparison_agreement, rating_agreement
from annotation.stats.mixed import MixedOptions, fit_mixed
from annotation.stats.mixed_compare import compare_with_z
from annotation.stats.options import ScoreOptions
from annotation.stats.preference import rank_systems, score_comparisons
from annotation.stats.records import RatingTable
from annotation.stats.robustness import leave_one_out
from annotation.stats.score import score_ratings
from annotation.stats.standardise import POPULATIONS

Row = dict[str, Any]
QUICK_RATINGS = 4000
"""Ratings up to which the mixed model is fitted while the page waits."""

AGREEMENT_RESAMPLES = 500
FEW_DRAWS = 2


@dataclass(frozen=True)
class Report:
    """What a report is written from.

    Attributes:
        campaign: what was judged.
        options: how it is scored.
        scores: the result of scoring by system.
        conditions: the same by condition, None when there is one condition only.
        parts: what stands beside the scores; a part that cannot be computed is {"refused": why}.
        mixed: the mixed model, None while nobody has asked for it.
    """

    campaign: Campaign
    options: ScoreOptions
    scores: Row
    conditions: Row | None
    parts: Row
    mixed: Row | None

    @property
    def rated(self) -> bool:
        """Tell whether judgements are scores rather than preferences."""
        return PROTOCOLS[self.campaign.protocol].record == "rating"

    @property
    def scale(self) -> tuple[float, float]:
        """Return the lowest and highest score."""
        return self.campaign.scale_low, self.campaign.scale_high


def campaign_report(
    *,
    campaign: Campaign,
    options: ScoreOptions,
    user: User | AnonymousUser | None = None,
    heavy: bool = False,
) -> Report:
    """Return the report of a campaign as it stands; each part is computed once for the same judgements.

    Args:
        campaign: what to report.
        options: as for scoring; conditions are shown apart whatever they say.
        user: who asks.
        heavy: fit the mixed model to a large campaign too (half a minute for 25,000 ratings).

    Raises:
        Conflict: there are no judgements yet.
        BadInput: the options do not fit the campaign.
    """
    plain = replace(options, by_condition=False)
    scores = campaign_score(campaign=campaign, options=plain, user=user).result or {}
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    conditions = None
    if _may_have_conditions(campaign):
        by_condition = replace(options, by_condition=True)
        apart = campaign_score(campaign=campaign, options=by_condition, user=user).result or {}
        conditions = apart if _n_conditions(apart) > 1 else None
    reader = _Reader(campaign, plain, scores)
    parts = part_ready(campaign, plain, "core", reader.rated_parts if rated else reader.preference_parts)
    mixed = None
    if rated:
        mixed = part_find(campaign, plain, "mixed")
        n_ratings = sum(row["n_judgements"] for row in scores["systems"])
        if mixed is None and (heavy or n_ratings <= QUICK_RATINGS):
            mixed = part_ready(campaign, plain, "mixed", reader.mixed_part)
    return Report(campaign, plain, scores, conditions, parts, mixed)


def _may_have_conditions(campaign: Campaign) -> bool:
    """Tell whether a campaign has several inputs, test sets, directions or references."""
    inputs = campaign.outputs.order_by().values("testset_id", "input_version_id").distinct()
    contexts = (
        campaign.items.counted().order_by().values("segment__direction", "context_version_id").distinct()
    )
    return inputs.count() > 1 or contexts.count() > 1


def _n_conditions(scores: Row) -> int:
    keys = ("testset", "input", "reference", "direction")
    return len({tuple(row[key] for key in keys) for row in scores["systems"]})


def or_why(compute: Callable[[], Any]) -> Any:
    """Return what is computed, or {"refused": why} when the numbers do not allow it."""
    try:
        found = compute()
    except ValueError as error:
        return {"refused": str(error)}
    try:
        json.dumps(found, allow_nan=False)
    except ValueError:
        return {"refused": "a number of this part is not finite, there are too few judgements for it"}
    return found


@dataclass
class _Reader:
    """Computes the parts of one campaign; the judgements are read once, when a part needs them."""

    campaign: Campaign
    options: ScoreOptions
    scores: Row
    data: RatedData | None = None

    def rated_data(self) -> RatedData:
        """Return the ratings, read once."""
        if self.data is None:
            self.data = rated_read(self.campaign, self.options)
        return self.data

    def rated_parts(self) -> Row:
        """Compute what stands beside the scores of a campaign of ratings."""
        data, scale = self.rated_data(), (self.campaign.scale_low, self.campaign.scale_high)
        rng = np.random.default_rng(self.options.seed)
        order = [row["system"] for row in self.scores["systems"]]
        table = data.ratings.table
        return {
            "raters": profiles(data.answers, scale, POPULATIONS[self.options.population]),
            "distributions": ratings.distributions(data, scale, order),
            "progress": ratings.progress(data),
            "apart": or_why(lambda: ratings.items_apart(data, scale)),
            "agreement": or_why(lambda: rating_agreement(table, data.z, rng, AGREEMENT_RESAMPLES)),
            "again": or_why(lambda: judged_again(data.judged, self.options)),
            "holds": or_why(lambda: self._leave_out(data.scored)),
            "reliability": or_why(lambda: checks.reliability(data, scale)),
            "everybody": or_why(lambda: rated_by_everybody(data.judged, self.options)),
            "outlook": or_why(lambda: checks.outlooks(data, self.scores)),
        }

    def _leave_out(self, table: RatingTable) -> Row:
        documents = {
            unit: str(name) for unit, name in zip(table.segments, table.documents, strict=True) if name
        }
        return leave_one_out(table, documents, self.options.population, self.options.repeats)

    def mixed_part(self) -> Row:
        """Fit the mixed model and compare it with the scores."""
        table = self.rated_data().scored
        chosen = MixedOptions(scale="z", population=self.options.population)
        model = or_why(lambda: fit_mixed(table, chosen))
        if "refused" in model:
            return dict(model)
        return dict(model) | {"comparison": or_why(lambda: compare_with_z(model, self.scores))}

    def preference_parts(self) -> Row:
        """Compute what stands beside the scores of a campaign of preferences."""
        found = comparisons_read(self.campaign)
        rng = np.random.default_rng(self.options.seed)
        answers = answers_read(self.campaign)
        shown = found.all_shown()
        return {
            "raters": profiles(answers, (0.0, 1.0), AVERAGED_KINDS),
            "agreement": or_why(lambda: comparison_agreement(shown, rng, AGREEMENT_RESAMPLES)),
            "holds": or_why(lambda: preference_holds(found, self.scores)),
            "everybody": or_why(lambda: preferred_by_everybody(found)),
        }


def rated_by_everybody(table: RatingTable, options: ScoreOptions) -> list[Row] | None:
    """Score as if nobody had been excluded; None when nobody is."""
    if not any(table.excluded_by):
        return None
    return list(score_ratings(replace(table, excluded_by=()), options)["systems"])


def preferred_by_everybody(found: Comparisons) -> list[Row] | None:
    """Score preferences as if nobody had been excluded; None when nobody is."""
    shown = found.all_shown()
    if not any(one.excluded_by for one in shown):
        return None
    few = ScoreOptions(resamples=FEW_DRAWS, preference_resamples=FEW_DRAWS)
    kept = [one._replace(excluded_by="") for one in shown]
    return list(score_comparisons(kept, found.all_identical(), few)["systems"])


def preference_holds(found: Comparisons, scores: Row) -> Row:
    """Score again with each rater left out: win rates, and whether the order of systems stays."""
    order = [row["system"] for row in scores["systems"]]
    shown, identical = found.all_shown(), found.all_identical()
    raters = sorted({one.rater for one in shown if not one.excluded_by})
    rows = []
    for rater in raters if len(raters) > 1 else ():
        own = rank_systems([one for one in shown if one.rater != rater], identical)
        rates = {row["system"]: row["win_rate"] for row in own}
        again = [row["system"] for row in own]
        rows.append({"left_out": rater, "order": again, "same": again == order, "rates": rates})
    return {"order": order, "rows": rows}
