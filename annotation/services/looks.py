"""Look at a running campaign and keep the error of all looks together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.records import ratings_read
from annotation.services.scoring import campaign_treatment
from annotation.services.sealing import seal_check
from annotation.stats.aggregate import Averages, aggregate
from annotation.stats.rounds import table_counted
from annotation.stats.sequential import Look, SequentialError, look, paired_z, verdict
from annotation.stats.standardise import standardise
from evalplatform.errors import BadInput, Conflict

ACTION = "campaign.looked"
#: Errors that boundaries can be found for.
LEAST_ALPHA, MOST_ALPHA = 1e-6, 0.5
VERDICTS = {
    "stop": "they differ: the campaign may stop",
    "go_on": "not decided: go on",
    "no_difference": "no difference found",
}


@dataclass(frozen=True)
class PairLook:
    """What a look says of two systems; `z` is None where it cannot be computed, and `words` says why."""

    system_a: str
    system_b: str
    n_segments: int
    z: float | None
    verdict: str
    words: str


@dataclass(frozen=True)
class CampaignLook:
    """A look: how much was in, the boundary of each pair, the looks before it, and what it says.

    Attributes:
        number: 1 for the first.
        n_done: judgements that were in.
        n_planned: judgements that were planned then.
        level: error of one pair over all looks, alpha divided by the number of pairs.
    """

    number: int
    n_done: int
    n_planned: int
    alpha: float
    level: float
    spending: str
    current: Look
    previous: tuple[Look, ...]
    pairs: tuple[PairLook, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as strict JSON."""
        return {
            "look": self.number,
            "n_judgements": self.n_done,
            "n_planned": self.n_planned,
            "alpha": self.alpha,
            "level_per_pair": self.level,
            "spending": self.spending,
            **self.current.as_row(),
            "previous": [one.as_row() for one in self.previous],
            "pairs": [vars(pair) for pair in self.pairs],
        }


@dataclass(frozen=True)
class TakenLook:
    """A look that was taken; `by` is "" for the command line, numbers are judgements."""

    number: int
    at: datetime
    by: str
    n_done: int
    n_planned: int
    alpha: float
    spending: str


def looks_taken(campaign: Campaign) -> list[TakenLook]:
    """Return the looks that were taken at a campaign, the first one first."""
    events = AuditEvent.objects.filter(campaign=campaign, action=ACTION).select_related("actor")
    return [
        TakenLook(
            number=number,
            at=event.at,
            by=event.actor.get_username() if event.actor else "",
            n_done=int(event.data["n_judgements"]),
            n_planned=int(event.data["n_planned"]),
            alpha=float(event.data["alpha"]),
            spending=str(event.data["spending"]),
        )
        for number, event in enumerate(events.order_by("pk"), start=1)
    ]


def too_late(campaign: Campaign) -> bool:
    """Tell whether nobody looks any more: the campaign is closed, or its judgements were imported."""
    return campaign.mode == Campaign.Mode.IMPORTED or campaign.state == Campaign.State.CLOSED


def campaign_look(
    *,
    campaign: Campaign,
    alpha: float = 0.05,
    spending: str = "obrien_fleming",
    seen: int | None = None,
    actor: User | None = None,
) -> CampaignLook:
    """Look at the differences between systems now; the look is recorded, for later ones pay for it.

    Looking again before new judgements came in shows the same look and costs nothing. Each pair of systems
    gets alpha divided by the number of pairs (Bonferroni), spent over the looks as the share of planned
    judgements grows. What a look has spent stays spent when more is planned later.

    Args:
        campaign: at which.
        alpha: the error of all looks together.
        spending: how it is spent.
        seen: how many looks whoever asks knows of; None for all there are.
        actor: who looks; None for the command line.

    Raises:
        BadInput: the campaign has preferences, or options differ from those of the first look.
        Conflict: nothing has been judged, there is one system, all information was in at the last look,
            results are sealed, the campaign is closed or was imported, or more looks were taken than seen.
    """
    if PROTOCOLS[campaign.protocol].record != "rating":
        raise BadInput("Looks are for ratings, and these are preferences.", "Use score_campaign.")
    seal_check(campaign)
    _check_running(campaign)
    if not LEAST_ALPHA <= alpha <= MOST_ALPHA:
        raise BadInput(f"An error of {alpha} cannot be used.", f"Give {LEAST_ALPHA:f} to {MOST_ALPHA}.")
    averages = _averages(campaign)
    pairs = list(combinations(np.flatnonzero(averages.listed).tolist(), 2))
    if not pairs:
        raise Conflict("Two systems with judgements are needed for a look.", "Wait for more answers.")
    with transaction.atomic():
        _check_running(Campaign.objects.select_for_update().get(pk=campaign.pk))
        progress = Campaign.objects.with_progress().get(pk=campaign.pk)
        done, planned = int(progress.n_done), int(progress.n_assigned)  # type: ignore[attr-defined]
        events = list(AuditEvent.objects.filter(campaign=campaign, action=ACTION).order_by("pk"))
        _check_same(events, alpha, spending)
        stages = [_Stage.of(event, len(pairs)) for event in events]
        is_new = not stages or done > stages[-1].n_done
        if is_new and seen is not None and seen != len(events):
            raise Conflict(
                _("Another look was taken since this page was shown, and more judgements came in after it."),
                _("One more costs again. Press the button once more if you want it."),
            )
        if is_new:
            stages.append(_Stage(done, planned, len(pairs)))
        looks = _boundaries(stages, alpha, spending)
        if is_new:
            AuditEvent.note(
                ACTION,
                campaign=campaign,
                study=campaign.study,
                actor=actor,
                n_judgements=done,
                n_planned=planned,
                n_pairs=len(pairs),
                alpha=alpha,
                spending=spending,
            )
    *previous, current = looks
    now = stages[-1]
    return CampaignLook(
        number=len(looks),
        n_done=now.n_done,
        n_planned=now.n_planned,
        alpha=alpha,
        level=alpha / now.n_pairs,
        spending=spending,
        current=current,
        previous=tuple(previous),
        pairs=tuple(_pair(averages, a, b, current) for a, b in pairs),
    )


@dataclass(frozen=True)
class _Stage:
    """How far a campaign was at a look: judgements in and planned, pairs that shared the error."""

    n_done: int
    n_planned: int
    n_pairs: int

    @classmethod
    def of(cls, event: AuditEvent, n_pairs: int) -> _Stage:
        """Return that of a look that was taken; early ones did not note their pairs."""
        data = event.data
        return cls(int(data["n_judgements"]), int(data["n_planned"]), int(data.get("n_pairs", n_pairs)))


def _check_running(campaign: Campaign) -> None:
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(
            f"The judgements of “{campaign.name}” were imported: none are waited for.", "Use score_campaign."
        )
    if campaign.state == Campaign.State.CLOSED:
        raise Conflict(_("“%(name)s” is closed.") % {"name": campaign.name}, _("Open it first."))


def _averages(campaign: Campaign) -> Averages:
    table = ratings_read(campaign).table
    if not len(table.score):
        raise Conflict(f"Campaign “{campaign.name}” has no judgements yet.", "Look when there are some.")
    table = table_counted(table, campaign_treatment(campaign)).by_system().canonical()
    return aggregate(table, standardise(table).z, disagreement="pool")


def _check_same(events: list[AuditEvent], alpha: float, spending: str) -> None:
    for event in events[:1]:
        if (event.data["alpha"], event.data["spending"]) != (alpha, spending):
            raise BadInput(
                f"The first look was taken with an error (alpha) of {event.data['alpha']:g}, spent as "
                f"{event.data['spending']}; later ones must keep to it.",
                "Give the same options.",
            )


def _boundaries(stages: list[_Stage], alpha: float, spending: str) -> list[Look]:
    """Return every look by the plan of its own time; judgements are the information they share."""
    looks: list[Look] = []
    unit = stages[0].n_planned
    try:
        for one in stages:
            share, known = one.n_done / one.n_planned, one.n_done / unit
            looks.append(look(share, looks, alpha / one.n_pairs, spending, information=known))
    except SequentialError as error:
        raise Conflict(f"No further look is possible: {error}.", "Report the last one.") from error
    return looks


def _pair(averages: Averages, a: int, b: int, current: Look) -> PairLook:
    names = averages.entries[a].system, averages.entries[b].system
    differences = averages.z[a] - averages.z[b]
    n = int(np.count_nonzero(~np.isnan(differences)))
    try:
        z = paired_z(differences)
    except SequentialError as error:
        return PairLook(*names, n, None, "go_on", f"{error}")
    if z < 0:
        names, z = names[::-1], -z
    found = verdict(current, z)
    return PairLook(*names, n, z, found, VERDICTS[found])
