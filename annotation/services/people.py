"""Who has come how far before rating, for the coordinator: form, refusal, practice, calibration."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Campaign, Participation
from annotation.services.eligibility import ADMITTED, REFUSED, asks_form, missing, needs
from annotation.services.participation import has_practice
from annotation.services.practice_items import CALIBRATION, PRACTICE


@dataclass(frozen=True)
class Person:
    """One rater before the first item. Results are (as expected, of how many); None before the end."""

    name: str
    is_refused: bool
    missing: tuple[str, ...]
    form: str
    admitted: str
    has_consented: bool
    practice: tuple[int, int] | None
    calibration: tuple[int, int] | None


@dataclass(frozen=True)
class People:
    """What a campaign asks before rating, and how far everybody has come."""

    needs: tuple[str, ...]
    has_form: bool
    has_practice: bool
    has_calibration: bool
    rows: tuple[Person, ...]

    @property
    def n_refused(self) -> int:
        """How many lack a language and were not let in."""
        return sum(row.is_refused for row in self.rows)


def people_read(campaign: Campaign) -> People | None:
    """Return how far raters have come; None for a campaign that asks nothing before rating."""
    if not asks_form(campaign) and not has_practice(campaign):
        return None
    rows = campaign.participations.select_related("rater").order_by("pk")
    return People(
        needs=tuple(need.words() for need in needs(campaign)),
        has_form=asks_form(campaign),
        has_practice=bool(campaign.settings.get(PRACTICE)),
        has_calibration=bool(campaign.settings.get(CALIBRATION)),
        rows=tuple(_person(row) for row in rows),
    )


def _person(row: Participation) -> Person:
    decided = row.eligibility
    state = decided.get("state")
    words = _("refused") if state == REFUSED else _("filled in") if decided.get("filled") else ""
    return Person(
        name=row.rater.name,
        is_refused=state == REFUSED,
        missing=tuple(need.words() for need in missing(row)),
        form=words,
        admitted=str(decided.get("why", "")) if state == ADMITTED else "",
        has_consented=row.consented_at is not None,
        practice=_result(row, PRACTICE),
        calibration=_result(row, CALIBRATION),
    )


def _result(row: Participation, stage: str) -> tuple[int, int] | None:
    found = row.settings.get(stage)
    return (found["inside"], found["n"]) if found else None
