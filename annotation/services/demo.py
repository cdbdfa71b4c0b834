"""The demo study: our own sentences, simulated raters, finished and half-finished campaigns."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.models import Campaign, Participation, Study
from annotation.services.campaigns import CampaignOptions, campaign_close, campaign_create, campaign_draft
from annotation.services.demo_accounts import demo_account
from annotation.services.demo_raters import PEOPLE, Closeness, closeness, rate_by_habit
from annotation.services.selection import selection_load
from annotation.services.studies import study_researchers_change
from evalplatform.errors import Conflict
from mtcore.metrics.scoring import ScoringOptions
from mtcore.models import TestSet
from mtcore.services.diversity import DiversityOptions, diversity_keep, diversity_origins_measure
from mtcore.services.diversity_origins import origins_of_testsets
from mtcore.services.metric_outputs import Selection as OutputSelection
from mtcore.services.metric_outputs import outputs_score
from mtcore.services.metric_scoring import MetricOptions
from mtcore.services.outputs import output_create, output_draft
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.texts import NamedText
from mtcore.services.versions import version_original

STUDY = "Harbour news"
TESTSETS = {"direct": "harbour-news-direct", "reverse": "harbour-news-reverse"}
SYSTEMS = {"OP": "OP", "BT": "BT"}
RESEARCHER, ADMIN = "researcher", "admin"
FOLDER = Path(__file__).resolve().parent.parent / "demo"
PROTOCOLS = {
    "source_da": "source-based",
    "reference_da": "reference-based",
    "pairwise_fluency": "fluency",
}
SEED = 2020


@dataclass(frozen=True)
class Demo:
    """What the demo holds: accounts by role with their passwords, and its campaigns."""

    accounts: dict[str, tuple[User, str]]
    campaigns: tuple[Campaign, ...]
    created: bool


def demo_load() -> Demo:
    """Load the demo study, or find it as it was left; passwords of its own accounts are new each time.

    Everything a person did in the demo stays, and so do accounts that it did not make. The whole study is
    written in one transaction.

    Raises:
        Conflict: somebody has a study of the demo's name.
    """
    with transaction.atomic():
        accounts = {role: demo_account(role, admin=role == ADMIN) for role in (RESEARCHER, ADMIN)}
        owner, _ = accounts[RESEARCHER]
        known = Study.objects.filter(name=STUDY).first()
        if known is None:
            _load_study(owner)
        elif not TestSet.objects.filter(name__in=TESTSETS.values()).exists():
            raise Conflict(
                f"There is a study “{STUDY}” that is not the demo’s.",
                "Rename it, or load the demo into another DATA_DIR.",
            )
        elif not Study.objects.visible_to(owner).filter(pk=known.pk).exists():
            study_researchers_change(study=known, add=[owner.username])
    campaigns = Campaign.objects.filter(study__name=STUDY).order_by("pk")
    return Demo(accounts, tuple(campaigns), known is None)


def demo_guest(campaign: Campaign) -> Participation:
    """Return the participation whose link the demo shows: the first rater with something left to do."""
    waiting = campaign.participations.with_progress().exclude(state=Participation.State.LEFT)
    rows = [row for row in waiting if row.n_done < row.n_assigned]  # type: ignore[attr-defined]
    return rows[0] if rows else waiting[0]


def _load_study(owner: User) -> None:
    quality: dict[str, float] = {}
    for direction, name in TESTSETS.items():
        quality |= _load_testset(direction, name)
    Study.objects.create(
        name=STUDY,
        owner=owner,
        description="An invented study: two invented systems, invented news, simulated raters.",
    )
    start = timezone.now().replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=3)
    _score_texts()
    # Half-finished campaigns come last, so that they stand first in lists.
    for number, (protocol, words, finished) in enumerate(_campaigns()):
        _load_campaign(number, protocol, words, finished, owner, quality, start + timedelta(hours=number))


def _campaigns() -> Iterator[tuple[str, str, bool]]:
    for finished in (True, False):
        for protocol, words in PROTOCOLS.items():
            yield protocol, words, finished


def _score_texts() -> None:
    """Score the outputs and measure their diversity: what the tables of the study hold."""
    options = MetricOptions(metrics=("bleu", "chrf", "ter"), scoring=ScoringOptions(resamples=0))
    for name in TESTSETS.values():
        outputs_score(testset=name, selection=OutputSelection(), options=options)
    origins = origins_of_testsets(list(TESTSETS.values()), [])
    chosen = DiversityOptions(language="ru", source_language="en", intervals=False, resamples=0)
    report = diversity_origins_measure(origins=origins, options=chosen)
    diversity_keep(report=report, origins=origins, options=chosen, name=STUDY)


def _rows(direction: str) -> list[dict[str, str]]:
    with (FOLDER / f"{direction}.tsv").open(encoding="utf-8", newline="\n") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _load_testset(direction: str, name: str) -> Closeness:
    """Import one test set and both outputs; return how close each text is to its reference."""
    rows = _rows(direction)

    def column(column: str, called: str) -> NamedText:
        return NamedText(called, f"{direction}.tsv", tuple(row[column] for row in rows))

    source = column("source", "source")
    testset, _ = testset_create(
        testset_draft(
            name=name,
            languages="en-ru",
            sources=[source],
            references=[column("reference", "reference")],
            direction=direction,
            documents=column("document", "documents"),
        )
    )
    for system, kind in SYSTEMS.items():
        draft = output_draft(system=system, text=column(system, system), source=source, kind=kind)
        output_create(draft, testset=testset, input_version=version_original(testset, "source"))
    return {row[system]: closeness(row["reference"], row[system]) for row in rows for system in SYSTEMS}


def _load_campaign(
    number: int,
    protocol: str,
    words: str,
    finished: bool,
    owner: User,
    quality: Closeness,
    start: datetime,
) -> None:
    options = CampaignOptions(
        name=f"{STUDY}, {words}" + ("" if finished else ", half done"),
        protocol=protocol,
        raters=tuple(person.name for person in PEOPLE),
        judgements=3,
        seed=SEED + number,
        study=STUDY,
    )
    selection = selection_load(
        testsets=list(TESTSETS.values()),
        systems=list(SYSTEMS),
        needs_reference=protocol == "reference_da",
    )
    campaign = campaign_create(draft=campaign_draft(options=options, selection=selection), owner=owner)
    participations = campaign.participations.select_related("rater", "campaign").order_by("pk")
    for place, (participation, person) in enumerate(zip(participations, PEOPLE, strict=True)):
        rate_by_habit(
            participation=participation,
            person=person,
            quality=quality,
            share=1.0 if finished else 0.5,
            start=start + timedelta(minutes=7 * place),
            rng=np.random.default_rng([SEED, number, place]),
        )
    Campaign.objects.filter(pk=campaign.pk).update(opened_at=start)
    campaign.refresh_from_db()
    if finished:
        campaign_close(campaign=campaign, actor=owner)
