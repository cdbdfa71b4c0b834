"""Screens: what a rater's browser receives about assignments, and nothing else."""

from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Assignment, Campaign, ItemCandidate
from annotation.models.keys import public_key
from annotation.protocols.base import Screen, ShownItem
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import campaign_protocol
from annotation.services.prepared import Prepared
from mtcore.corpora.languages import direction, language_name, standard_tag
from mtcore.models import Segment, SegmentText


class Artist:
    """Draws the screens of one campaign in the language of the page."""

    def __init__(self, campaign: Campaign, assignments: Sequence[Assignment]) -> None:
        self._protocol = campaign_protocol(campaign)
        self._settings = CampaignSettings.of(campaign)
        self._candidates = _candidate_texts(assignments)
        has_context = self._protocol.context != "none"
        self._contexts = _context_texts(assignments) if has_context else {}
        reach = self._settings.context_segments if has_context else 0
        self._neighbours = _neighbours(assignments, reach)
        self._languages = languages_shown(campaign.source_language, campaign.target_language)

    def draw(self, assignment: Assignment, number: int, total: int) -> Screen:
        """Return the screen of an assignment: its texts in the order of this rater's sides."""
        item = assignment.item
        texts = self._candidates[item.pk]
        before, after = self._neighbours.get((item.context_version_id, item.segment_id), ((), ()))
        shown = ShownItem(
            context=self._contexts.get((item.context_version_id, item.segment_id), ""),
            candidates=tuple(reversed(texts) if assignment.swap else texts),
            before=before,
            after=after,
            **self._languages,
        )
        is_open = assignment.state == Assignment.State.OPEN
        current = None if is_open else next(iter(assignment.judgements.all()), None)
        return self._protocol.screen(
            assignment.key,
            shown,
            _,
            number=number,
            total=total,
            answer=None if current is None else answer_dict(current.score, current.choice),
            comment="" if current is None else current.comment,
            client_key=public_key(),
            done=current is not None,
            can_skip=self._settings.can_skip and current is None,
        )


def languages_shown(source: str, target: str) -> dict[str, str]:
    """Return what a screen says of its two languages, in the language of the page."""
    page = get_language() or "en"
    return {
        "source_language": standard_tag(source),
        "target_language": standard_tag(target),
        "source_name": language_name(source, page),
        "target_name": language_name(target, page),
        "source_dir": direction(source),
        "target_dir": direction(target),
    }


def _candidate_texts(assignments: Sequence[Assignment]) -> dict[int, list[str]]:
    """Return the texts to judge of each item, in their order."""
    items = {one.item_id for one in assignments}
    texts: dict[int, list[str]] = {item: [] for item in items}
    for item, text in _candidates_of(len(items)).all(*items):
        texts[item].append(text)
    return texts


@cache
def _candidates_of(n: int) -> Prepared[tuple[int, str]]:
    """Return the query of the texts to judge of n items."""

    def make(*items: int) -> QuerySet[Any, tuple[int, str]]:
        found = ItemCandidate.objects.filter(item__in=items).order_by("position")
        return found.values_list("item_id", "text")

    return Prepared(make, n)


def _context_texts(assignments: Sequence[Assignment]) -> dict[tuple[int | None, int], str]:
    """Return the texts the candidates are held against, by (version, segment)."""
    items = [assignment.item for assignment in assignments]
    versions = {item.context_version_id for item in items if item.context_version_id}
    segments = {item.segment_id for item in items}
    rows = _texts_of(len(versions), len(segments)).all(*versions, *segments) if versions else []
    return {(version, segment): text for version, segment, text in rows}


@cache
def _texts_of(n_versions: int, n_segments: int) -> Prepared[tuple[int, int, str]]:
    """Return the query of the texts of some segments in some versions."""

    def make(*keys: int) -> QuerySet[Any, tuple[int, int, str]]:
        found = SegmentText.objects.filter(version__in=keys[:n_versions], segment__in=keys[n_versions:])
        return found.values_list("version_id", "segment_id", "text")

    return Prepared(make, n_versions + n_segments)


def _neighbours(
    assignments: Sequence[Assignment], reach: int
) -> dict[tuple[int | None, int], tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the texts up to `reach` segments before and after in the same document, by (version, segment).

    They are of the version the item is held against; blank ones are left out.
    """
    items = [one.item for one in assignments if one.item.context_version_id and one.item.segment.document_id]
    if not items or not reach:
        return {}
    around = reduce(or_, (_around(item.segment, reach) for item in items))
    rows = (
        SegmentText.objects.filter(around, version__in={item.context_version_id for item in items})
        .order_by("segment__position")
        .values_list("version_id", "segment__document_id", "segment__position", "text")
    )
    texts: dict[tuple[int | None, int | None], list[tuple[int, str]]] = {}
    for version, document, position, text in rows:
        if text.strip():
            texts.setdefault((version, document), []).append((position, text))
    found = {}
    for item in items:
        here = item.segment.position
        near = texts.get((item.context_version_id, item.segment.document_id), [])
        found[item.context_version_id, item.segment_id] = (
            tuple(text for position, text in near if here - reach <= position < here),
            tuple(text for position, text in near if here < position <= here + reach),
        )
    return found


def _around(segment: Segment, reach: int) -> Q:
    return Q(
        segment__testset=segment.testset_id,
        segment__document=segment.document_id,
        segment__position__range=(segment.position - reach, segment.position + reach),
    )


def language_pair_label(campaign: Campaign) -> str:
    """Name the languages of a campaign in the language of the page, as "English → German"."""
    page = get_language() or "en"
    return _("%(source)s → %(target)s") % {
        "source": language_name(campaign.source_language, page),
        "target": language_name(campaign.target_language, page),
    }


def answer_dict(score: float | None, choice: str) -> dict[str, Any]:
    """Return an answer as the browser sends and receives it."""
    if score is not None:
        return {"score": int(score) if score == int(score) else score}
    return {"choice": choice}
