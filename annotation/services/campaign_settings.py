"""How a campaign treats its raters: all beside protocol, texts and plan, kept as JSON with the campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from annotation.models import Campaign
from annotation.services.people_settings import people_check
from annotation.stats.disagreement import POINTS
from evalplatform.errors import BadInput

#: Characters at an end of the scale: what a phone shows on two or three lines.
MOST_JOINS_AN_HOUR = 100_000
LONGEST_LABEL = 80


@dataclass(frozen=True)
class CampaignSettings:
    """Settings of a campaign, each with what it does when nothing is said.

    Attributes:
        segments: which segments of each test set were chosen (see `choose_segments`); "" for all.
        low_label: what the lowest score means, in the campaign's words; "" for the protocol's.
        high_label: the same for the highest score.
        bad_references: bad references for each system item, 0 to 1.
        repeats: repeats for each system item, 0 to 1.
        reference_as_system: show the reference as a hidden system.
        attention: attention items, each {"text", "low", "high"} or {"text", "choice"}.
        context_segments: how many segments of the same document are shown before and after.
        can_skip: raters may pass an item over.
        break_after: minutes of work after which a break is suggested; 0 for never.
        native: languages a rater must name as native: tags, "source" or "target".
        fluent: languages a rater must know fluently or better: tags, "source" or "target".
        asks_profile: raters fill in a form on languages and experience before they begin.
        practice: number of practice items.
        calibration: number of calibration items after practice.
        expected: what is expected of each of these, each {"low", "high"} or {"choice"}, with "why" in the
            researcher's words or "reason", the name of ours.
        guidelines: Markdown by language of the interface, beside the campaign's guidelines.
        joins: anybody with the joining link may take part (pool campaigns, panels).
        join_version: the joining links that work; it grows when the link is replaced.
        joins_an_hour: how many may join by that link in an hour; 0 for any number.
        return_url: where a panel takes raters back to; "{code}" stands for the completion code.
        lease_minutes: how long a rater of a pool campaign keeps an item without answering.
        most_items: how many items a rater of a pool campaign may take; 0 for no limit.
        reading: when an item is judged again: "range" or "pairwise".
        points: the difference in points above which it is.
        treatment: what becomes of the first judgements then: "replace" or "pool".
        sealed: nobody sees results before the campaign is closed (see `sealing`).
    """

    segments: str = ""
    low_label: str = ""
    high_label: str = ""
    bad_references: float = 0.0
    repeats: float = 0.0
    reference_as_system: bool = False
    attention: tuple[dict[str, Any], ...] = ()
    context_segments: int = 2
    can_skip: bool = False
    break_after: int = 50
    native: tuple[str, ...] = ()
    fluent: tuple[str, ...] = ()
    asks_profile: bool = False
    practice: int = 0
    calibration: int = 0
    expected: tuple[dict[str, Any], ...] = ()
    guidelines: dict[str, str] = field(default_factory=dict)
    joins: bool = False
    join_version: int = 1
    joins_an_hour: int = 200
    return_url: str = ""
    lease_minutes: int = 30
    most_items: int = 0
    reading: str = "range"
    points: float = POINTS
    treatment: str = "replace"
    sealed: bool = False

    @classmethod
    def of(cls, campaign: Campaign) -> CampaignSettings:
        """Read the settings of a campaign; what it does not say is as usual."""
        known = {
            one.name: campaign.settings[one.name] for one in fields(cls) if one.name in campaign.settings
        }
        lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        return cls(**known | lists)

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> CampaignSettings:
        """Make settings from what was said, leaving out what was not (None), and check them.

        Raises:
            BadInput: a value cannot be used.
        """
        made = cls(**{name: value for name, value in values.items() if value is not None})
        _check(made)
        return made

    def as_json(self) -> dict[str, Any]:
        """Return what differs from the usual, to be stored with the campaign."""
        usual = asdict(CampaignSettings())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


def _check(made: CampaignSettings) -> None:
    for name in ("low_label", "high_label"):
        label = getattr(made, name)
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise BadInput(
                f"“{label[:LONGEST_LABEL]}” cannot stand at an end of the scale.",
                f"Give up to {LONGEST_LABEL} characters in one line.",
            )
    for name in ("bad_references", "repeats"):
        share = getattr(made, name)
        if not 0 <= share <= 1:
            raise BadInput(f"{share:g} is no share of {name.replace('_', ' ')}.", "Give 0 to 1, as 0.1.")
    bounds = {
        "context_segments": (0, 10),
        "break_after": (0, 480),
        "practice": (0, 50),
        "calibration": (0, 50),
        "lease_minutes": (1, 1440),
        "most_items": (0, 100_000),
        "joins_an_hour": (0, MOST_JOINS_AN_HOUR),
    }
    for name, (low, high) in bounds.items():
        if not low <= getattr(made, name) <= high:
            raise BadInput(
                f"{getattr(made, name)} {name.replace('_', ' ')} cannot be used.", f"Give {low} to {high:,}."
            )
    if made.reading not in ("range", "pairwise"):
        raise BadInput(f"There is no reading “{made.reading}”.", "Choose range or pairwise.")
    if made.treatment not in ("replace", "pool"):
        raise BadInput(f"There is no treatment “{made.treatment}”.", "Choose replace or pool.")
    if not 0 <= made.points < float("inf"):
        raise BadInput(f"{made.points} points cannot be used.", "Give a number from 0 on.")
    people_check(made)
