"""A rater's way through practice and calibration: items in order, what was expected, trying again.

Assignments of practice are of round 0, which nothing counts (`annotation.models.assignment`). They are made
when the rater comes to them, so that it does not matter when somebody joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from annotation.models import Assignment, Item, Judgement, Participation
from annotation.models.assignment import PRACTICE_ROUND
from annotation.protocols.base import Question, Screen
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import (
    campaign_protocol,
    has_practice,
    is_key,
    participation_remember,
)
from annotation.services.practice_items import CALIBRATION, PRACTICE, REASONS
from annotation.services.screens import Artist
from evalplatform.errors import Conflict, NotFound

_MARKDOWN = MarkdownIt("commonmark", {"html": False})
MOST_TRIES = 20


@dataclass(frozen=True)
class Step:
    """A practice or calibration item on the screen, and its place in its stage."""

    stage: str
    number: int
    total: int
    screen: Screen


@dataclass(frozen=True)
class Feedback:
    """An answer beside what is expected.

    `low`, `high` and `answer` are scores, and `places` their parts of the scale (0 to 100), where there is.
    """

    answer: str
    expected: str
    is_inside: bool
    why_html: str
    places: tuple[float, float, float] | None = None

    @property
    def width(self) -> float:
        """The part of the scale that is as expected; never so narrow that it cannot be seen."""
        return 0.0 if self.places is None else max(1.5, round(self.places[1] - self.places[0], 1))

    @property
    def mark(self) -> float:
        """Where the answer is marked, inside the scale."""
        return 0.0 if self.places is None else round(min(99.0, max(0.0, self.places[2] - 0.5)), 1)


class Practice:
    """The practice and calibration of one rater."""

    def __init__(self, participation: Participation) -> None:
        self.participation = participation
        self._campaign = participation.campaign
        self._settings = CampaignSettings.of(self._campaign)
        rows = Assignment.objects.practice().filter(participation=participation).order_by("position", "pk")
        current = Prefetch("judgements", Judgement.objects.current())
        self._rows = list(rows.select_related("item").prefetch_related(current))

    def next_step(self) -> Step | None:
        """Return the first item without an answer, or None at the end."""
        waiting = next((row for row in self._rows if row.state == Assignment.State.OPEN), None)
        return None if waiting is None else self._draw(waiting)

    def step(self, key: str) -> Step:
        """Return one of the items.

        Raises:
            NotFound: it is not one of this rater's.
        """
        return self._draw(self._row(key))

    def feedback(self, key: str) -> Feedback:
        """Return what was expected of an item of practice.

        Raises:
            NotFound: it is not one of this rater's.
            Conflict: it is not answered yet, or is one of calibration.
        """
        row = self._row(key)
        if row.item.group != PRACTICE or not row.judgements.all():
            raise Conflict(_("This item has no answer yet."), _("Answer it first."))
        return self._compare(row)

    def results(self, stage: str) -> list[tuple[Step, Feedback]]:
        """Return every answered item of a stage beside what was expected."""
        rows = [row for row in self._rows if row.item.group == stage and row.judgements.all()]
        return [(self._draw(row), self._compare(row)) for row in rows]

    @property
    def is_complete(self) -> bool:
        """Whether everything is answered."""
        return bool(self._rows) and all(row.state == Assignment.State.DONE for row in self._rows)

    @property
    def is_rated(self) -> bool:
        """Whether answers are scores, and not choices."""
        return campaign_protocol(self._campaign).record == "rating"

    def summary(self) -> dict[str, Any]:
        """Return what is kept of a finished practice: how many answers were as expected, by stage."""
        kept: dict[str, Any] = {}
        for stage in (PRACTICE, CALIBRATION):
            found = [
                (row, self._compare(row))
                for row in self._rows
                if row.item.group == stage and row.judgements.all()
            ]
            if found:
                inside = sum(feedback.is_inside for _row, feedback in found)
                kept[stage] = {"n": len(found), "inside": inside}
            if found and stage == CALIBRATION:
                kept[stage]["rows"] = [
                    {"answer": _value(row.judgements.all()[0])} | self._expected(row)
                    for row, _feedback in found
                ]
        return kept

    def _row(self, key: str) -> Assignment:
        found = next((row for row in self._rows if is_key(key) and row.key == key), None)
        if found is None:
            raise NotFound(_("There is no such item among yours."), _("Reload the page."))
        return found

    def _draw(self, row: Assignment) -> Step:
        if row.shown_at is None:
            Assignment.objects.filter(pk=row.pk, shown_at=None).update(shown_at=timezone.now())
        stage = row.item.group
        mates = [one for one in self._rows if one.item.group == stage]
        number = mates.index(row) + 1
        screen = Artist(self._campaign, [row]).draw(row, number, len(mates))
        return Step(stage, number, len(mates), screen)

    def _expected(self, row: Assignment) -> dict[str, Any]:
        """Return the part of what is expected that is no explanation."""
        expected = self._settings.expected[row.item.occurrence - 1]
        return {name: expected[name] for name in ("low", "high", "choice") if name in expected}

    def _compare(self, row: Assignment) -> Feedback:
        expected = self._settings.expected[row.item.occurrence - 1]
        why = expected.get("why") or _(REASONS.get(expected.get("reason", ""), ""))
        html = _MARKDOWN.render(why) if why else ""
        judgement = row.judgements.all()[0]
        if "choice" in expected:
            question = campaign_protocol(self._campaign).question(_)
            return Feedback(
                answer=_label(question, judgement.choice),
                expected=_label(question, expected["choice"]),
                is_inside=judgement.choice == expected["choice"],
                why_html=html,
            )
        score, low, high = judgement.score or 0.0, expected["low"], expected["high"]
        words = _("%(low)s to %(high)s") % {"low": low, "high": high} if low != high else str(low)
        places = tuple(self._place(value) for value in (low, high, score))
        return Feedback(
            answer=f"{score:g}",
            expected=words,
            is_inside=low <= score <= high,
            why_html=html,
            places=(places[0], places[1], places[2]),
        )

    def _place(self, score: float) -> float:
        low, high = self._campaign.scale_low, self._campaign.scale_high
        return round(100 * (score - low) / (high - low), 1)


def practice_begin(*, participation: Participation) -> None:
    """Give a rater the campaign's practice items; doing so again changes nothing."""
    if not has_practice(participation.campaign):
        return
    with transaction.atomic():
        Participation.objects.select_for_update().get(pk=participation.pk)
        if not Assignment.objects.practice().filter(participation=participation).exists():
            _assign(participation, None)


def practice_repeat(*, participation: Participation) -> None:
    """Begin practice anew; the earlier answers stay as they are. Calibration is not repeated.

    Raises:
        Conflict: the practice under way is not finished, or was repeated many times.
    """
    with transaction.atomic():
        Participation.objects.select_for_update().get(pk=participation.pk)
        own = Assignment.objects.filter(
            participation=participation, round=PRACTICE_ROUND, item__group=PRACTICE
        )
        if own.open().exists() or not own.exists():
            raise Conflict(_("Your practice is not finished yet."), _("Go on with it first."))
        tries = participation.campaign.settings.get("practice", 0)
        if not tries or own.count() >= MOST_TRIES * tries:
            raise Conflict(_("There is nothing to practise again."), _("Go on to rating."))
        own.filter(state=Assignment.State.DONE).update(state=Assignment.State.RELEASED)
        _assign(participation, PRACTICE)


def practice_finish(*, participation: Participation) -> None:
    """Let a rater who has answered everything go on to rating, and keep where they stand.

    The first calibration stays as it was; an answer changed after its result was seen tells nothing.

    Raises:
        Conflict: something is not answered yet.
    """
    practice = Practice(participation)
    if not practice.is_complete:
        raise Conflict(_("Your practice is not finished yet."), _("Go on with it first."))
    practice_record(participation=participation, practice=practice)
    participation_remember(participation, practised=True)


def practice_record(*, participation: Participation, practice: Practice) -> None:
    """Keep where a rater stands as soon as everything is answered, before any page tells how it went."""
    if practice.is_complete:
        kept = {
            k: v for k, v in practice.summary().items() if k == PRACTICE or k not in participation.settings
        }
        if any(participation.settings.get(name) != value for name, value in kept.items()):
            participation_remember(participation, **kept)


def _assign(participation: Participation, stage: str | None) -> None:
    items = Item.objects.filter(campaign=participation.campaign, kind=Item.Kind.PRACTICE, wanted=0)
    if stage is not None:
        items = items.filter(group=stage)
    Assignment.objects.bulk_create(
        Assignment(item=item, participation=participation, round=PRACTICE_ROUND, position=item.occurrence)
        for item in items.order_by("occurrence")
    )


def _value(judgement: Judgement) -> Any:
    return judgement.choice or judgement.score


def _label(question: Question, choice: str) -> str:
    return next((option.label for option in question.options if option.value == choice), choice)
