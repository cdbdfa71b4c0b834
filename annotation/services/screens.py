"""Screens: what a rater's browser receives about assignments, and nothing else."""

from collections.abc import Sequence

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Assignment, Campaign
from annotation.models.keys import public_key
from annotation.protocols.base import Screen, ShownItem
from annotation.services.judging import answer_dict
from annotation.services.participation import campaign_protocol
from mtcore.corpora.languages import direction, language_name, standard_tag
from mtcore.models import SegmentText


class Artist:
    """Draws the screens of one campaign in the language of the page."""

    def __init__(self, campaign: Campaign, assignments: Sequence[Assignment]) -> None:
        self._protocol = campaign_protocol(campaign)
        self._contexts = _context_texts(assignments) if self._protocol.context != "none" else {}
        page = get_language() or "en"
        self._languages = {
            "source_language": standard_tag(campaign.source_language),
            "target_language": standard_tag(campaign.target_language),
            "source_name": language_name(campaign.source_language, page),
            "target_name": language_name(campaign.target_language, page),
            "source_dir": direction(campaign.source_language),
            "target_dir": direction(campaign.target_language),
        }

    def draw(self, assignment: Assignment, number: int, total: int) -> Screen:
        """Return the screen of an assignment: its texts in the order of this rater's sides."""
        item = assignment.item
        texts = [candidate.text for candidate in item.candidates.all()]
        shown = ShownItem(
            context=self._contexts.get((item.context_version_id, item.segment_id), ""),
            candidates=tuple(reversed(texts) if assignment.swap else texts),
            **self._languages,
        )
        current = next(iter(assignment.judgements.all()), None)
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
        )


def _context_texts(assignments: Sequence[Assignment]) -> dict[tuple[int | None, int], str]:
    """Return the texts the candidates are held against, by (version, segment)."""
    items = [assignment.item for assignment in assignments]
    rows = SegmentText.objects.filter(
        version__in={item.context_version_id for item in items if item.context_version_id},
        segment__in={item.segment_id for item in items},
    ).values_list("version_id", "segment_id", "text")
    return {(version, segment): text for version, segment, text in rows}


def language_pair_label(campaign: Campaign) -> str:
    """Name the languages of a campaign in the language of the page, as "English → German"."""
    page = get_language() or "en"
    return _("%(source)s → %(target)s") % {
        "source": language_name(campaign.source_language, page),
        "target": language_name(campaign.target_language, page),
    }
