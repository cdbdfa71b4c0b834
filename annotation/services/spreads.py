"""Read each rater's mean and spread, so that the z of an answer can be made when it passes by."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, QuerySet

from annotation.models import Campaign, Item, Judgement, Participation
from annotation.protocols import PROTOCOLS
from annotation.stats.standardise import POPULATIONS, is_flat, moments
from evalplatform.errors import BadInput

BATCH = 20_000
"""Judgements read together; raters with more are read one by one."""
PRECISION = 10.0**10
"""z is rounded to ten decimals, as numpy rounds."""
WITH_Z = frozenset(POPULATIONS["all"])

NOTHING = (np.nan, np.nan)


@dataclass(frozen=True)
class Spreads:
    """Mean and standard deviation of each participation that has a z, by its id."""

    moments: dict[int, tuple[float, float]]

    def z(self, participation: int, kind: str, score: float | None) -> float | None:
        """Return the z of a current answer as scoring makes it; None where it has none."""
        if score is None or kind not in WITH_Z:
            return None
        found = self.moments.get(participation)
        if found is None:
            return None
        mean, sd = found
        return round((score - mean) / sd * PRECISION) / PRECISION

    def z_of(
        self,
        participations: Sequence[int],
        kinds: Sequence[str],
        scores: Sequence[float | None],
        current: Sequence[bool],
    ) -> list[float | None]:
        """Return the z of several answers, None for those that `z` has none for or that are not current."""
        known, places = np.unique(np.array(participations, dtype=np.int64), return_inverse=True)
        means, sds = np.array([self.moments.get(pk, NOTHING) for pk in known.tolist()]).T[:, places]
        found = (np.array(scores, dtype=np.float64) - means) / sds
        z = np.rint(found * PRECISION) / PRECISION + 0.0  # no negative zero
        if not all(current) or not WITH_Z.issuperset(kinds):
            counted = [own and kind in WITH_Z for own, kind in zip(current, kinds, strict=True)]
            z[~np.array(counted, dtype=bool)] = np.nan
        if np.isnan(z).any():
            return [None if value != value else value for value in z.tolist()]
        return z.tolist()


def spreads_read(
    campaign: Campaign, population: str = "all", *, only: Collection[int] | None = None
) -> Spreads:
    """Read the current scores of a campaign, some raters at a time; a campaign of preferences has no z.

    Args:
        campaign: the campaign.
        population: the kinds of items that make mean and spread, a name in POPULATIONS.
        only: ids of the participations that are wanted; None: all.

    Raises:
        BadInput: an unknown population.
    """
    if population not in POPULATIONS:
        known = ", ".join(POPULATIONS)
        raise BadInput(f"Unknown population {population!r}, expected one of {known}.")
    found: dict[int, tuple[float, float]] = {}
    if PROTOCOLS[campaign.protocol].record == "rating":
        scores = Judgement.objects.current().filter(score__isnull=False).order_by("pk")
        kinds = POPULATIONS[population]
        if Item.objects.filter(campaign=campaign).exclude(kind__in=kinds).exists():
            scores = scores.filter(assignment__item__kind__in=kinds)
        for batch in _batches(campaign, only):
            found.update(_moments(scores.filter(assignment__participation__in=batch)))
    return Spreads(found)


def _batches(campaign: Campaign, only: Collection[int] | None) -> Iterator[list[int]]:
    """Yield participations whose assignments are about BATCH together."""
    wanted = Participation.objects.filter(campaign=campaign).order_by("pk")
    if only is not None:
        wanted = wanted.filter(pk__in=only)
    batch: list[int] = []
    size = 0
    for pk, n in wanted.annotate(n=Count("assignments")).values_list("pk", "n"):
        if batch and size + n > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(pk)
        size += n
    if batch:
        yield batch


def _moments(scores: QuerySet[Judgement]) -> Iterator[tuple[int, tuple[float, float]]]:
    rows = scores.values_list("assignment__participation_id", "score")
    read = np.fromiter(rows.iterator(), dtype=[("participation", np.int64), ("score", np.float64)])
    raters, codes = np.unique(read["participation"], return_inverse=True)
    n, mean, sd = moments(codes, read["score"], len(raters))
    columns = (raters.tolist(), mean.tolist(), sd.tolist(), is_flat(n, mean, sd).tolist())
    for participation, own_mean, own_sd, flat in zip(*columns, strict=True):
        if not flat:
            yield participation, (own_mean, own_sd)
