"""Judging: an answer becomes a judgement exactly once, whatever the network does."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, AuditEvent, Judgement, Participation
from annotation.models.assignment import PRACTICE_ROUND
from annotation.protocols.base import Answer, AnswerError
from annotation.services.invitations import CLOSED, is_over, participation_check
from annotation.services.participation import (
    Progress,
    begin_check,
    campaign_protocol,
    consent_check,
    is_endless,
    is_key,
    participation_progress,
    text_check,
)
from annotation.services.pool import Held, pool_held, pool_ready
from annotation.services.pool_leases import late_answer_place
from annotation.services.practising import Practice, practice_record
from annotation.services.prepared import Prepared
from annotation.services.screens import answer_dict
from evalplatform.errors import BadInput, Conflict, NotFound

_CLIENT_KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
_LARGEST_MS = 2_147_483_647
_MOST_LATE = 20
"""Different late answers to one item that are kept; nobody who works has so many."""
_ASSIGNMENT: Prepared[Assignment] = Prepared(
    lambda participation, key: (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("participation__campaign")
        .filter(participation=participation, key=key)
        .order_by()
    )
)
_JUDGEMENTS: Prepared[Judgement] = Prepared(
    lambda client_key, assignment: Judgement.objects.filter(
        Q(client_key=client_key) | Q(assignment=assignment, is_current=True)
    ).order_by()
)


@dataclass(frozen=True)
class Saved:
    """A stored answer; `repeated` when the same one had arrived before."""

    judgement: Judgement
    repeated: bool
    progress: Progress


def judgement_save(
    *,
    participation: Participation,
    assignment_key: str,
    client_key: str,
    answers: Mapping[str, Any],
    comment: str = "",
    active_ms: Any = None,
) -> Saved:
    """Store an answer, once; a later one to the same assignment supersedes it.

    An answer that comes again under its `client_key` is the same answer, even when the campaign has closed
    meanwhile; one that says what the current answer says changes nothing. Times are the server's: a screen
    counts as shown when it was first served. `active_ms` is the browser's claim, clipped to the time since.

    Raises:
        BadInput: the answer, comment or key is not one that can be taken.
        NotFound: the assignment is not this rater's.
        Conflict: the campaign is not open, the rater has left or not agreed, the assignment went to somebody
            else, or the key was used for another answer.
    """
    _check_form(client_key, comment)
    try:
        with transaction.atomic():
            assignment = _lock_assignment(participation, assignment_key)
            answer = _parse(assignment, answers)
            known, earlier = _stored(client_key, assignment)
            if known is not None:
                _check_repeat(known, assignment, answer, comment)
                return Saved(known, True, participation_progress(participation))
            _check_open(assignment)
            if earlier is not None and _says(earlier, answer, comment):
                return Saved(earlier, True, participation_progress(participation))
            judgement = _append(assignment, earlier, client_key, answer, comment, active_ms)
            held = pool_held(participation) if is_endless(participation) else None
            progress = Progress(held.done, held.live, True) if held else participation_progress(participation)
            is_practice = assignment.round == PRACTICE_ROUND
            if not is_practice and (progress.left or not progress.endless):
                _follow_progress(assignment.participation, progress)
    except IntegrityError as error:
        # The key is that of an answer to another item, perhaps one that arrived at this very moment.
        raise _key_taken() from error
    except AnswerTooLate:
        _keep_late(assignment, client_key, answer, comment)
        raise
    if is_practice:
        practice_record(participation=participation, practice=Practice(participation))
    elif held is not None:
        progress = _go_on(participation, held, progress)
    return Saved(judgement, False, progress)


def _go_on(participation: Participation, held: Held, progress: Progress) -> Progress:
    """See in a pool that there is more to come; who finds nothing has finished."""
    pool_ready(participation, soon=True, held=held)
    if progress.left:
        return progress
    progress = participation_progress(participation)
    _follow_progress(participation, progress)
    return progress


class AnswerTooLate(Conflict):
    """An answer to an item that went to somebody else, who has answered or reads it."""

    code = "late"


class AnswerAfterClosing(AnswerTooLate):
    """An answer that arrived when its campaign had closed."""

    code = CLOSED


def _keep_late(assignment: Assignment, client_key: str, answer: Answer, comment: str) -> None:
    """Keep an answer that cannot count now, once: nothing that a rater did is thrown away.

    Only what was read of it is kept, never what a browser sent beside.
    """
    participation = assignment.participation
    told = {"answers": answer_dict(answer.score, answer.choice), "comment": comment}
    with transaction.atomic():
        # A page that leaves and the page that follows send the same answer at the same moment.
        Participation.objects.select_for_update(of=("self",)).get(pk=participation.pk)
        kept = AuditEvent.objects.filter(
            participation=participation, action="answer.late", data__assignment=assignment.key
        )
        before = [one.data for one in kept.order_by("pk")[:_MOST_LATE]]
        is_known = any(one["client_key"] == client_key for one in before) or (
            bool(before) and told == {name: before[-1][name] for name in told}
        )
        if is_known or len(before) >= _MOST_LATE:
            return
        campaign = participation.campaign
        AuditEvent.note(
            "answer.late",
            participation=participation,
            campaign=campaign,
            study=campaign.study,
            assignment=assignment.key,
            client_key=client_key,
            **told,
        )


def _check_form(client_key: str, comment: str) -> None:
    if not isinstance(client_key, str) or not _CLIENT_KEY.fullmatch(client_key):
        raise BadInput(
            _("The answer came without a usable key (8 to 64 letters, digits, - or _)."),
            _("Reload the page."),
        )
    text_check(comment, name=_("The comment"))


def _lock_assignment(participation: Participation, key: str) -> Assignment:
    """Read the assignment and everything that decides whether it can be answered now."""
    assignment = _ASSIGNMENT.first(participation.pk, key) if is_key(key) else None
    if assignment is None:
        raise NotFound(_("There is no such item among yours."), _("Reload the rating page."))
    return assignment


def _stored(client_key: str, assignment: Assignment) -> tuple[Judgement | None, Judgement | None]:
    """Return the judgement that came under the key, and the one that counts for the assignment.

    An open assignment has none, and the database refuses a key that is another's.
    """
    if assignment.state == Assignment.State.OPEN:
        return None, None
    found = _JUDGEMENTS.all(client_key, assignment.pk)
    known = next((one for one in found if one.client_key == client_key), None)
    earlier = next((one for one in found if one.assignment_id == assignment.pk and one.is_current), None)
    return known, earlier


def _check_open(assignment: Assignment) -> None:
    """Make sure that the assignment can be answered now."""
    if assignment.round != PRACTICE_ROUND and is_over(assignment.participation):
        raise AnswerAfterClosing(
            _("The campaign closed before this answer arrived."),
            _("It is kept beside the results, for the people who run the campaign, and on this device."),
        )
    participation_check(assignment.participation)
    if assignment.round == PRACTICE_ROUND:
        consent_check(assignment.participation)
    else:
        begin_check(assignment.participation)
    if assignment.state == Assignment.State.RELEASED and not late_answer_place(assignment):
        raise AnswerTooLate(
            _("This item has been given to somebody else meanwhile. Your answer is kept beside the others."),
            _("Go on with the next one; your other answers are saved."),
        )


def _parse(assignment: Assignment, answers: Mapping[str, Any]) -> Answer:
    if not isinstance(answers, Mapping):
        raise BadInput(_("No answer was given."), _("Answer the question, then save."))
    try:
        return campaign_protocol(assignment.participation.campaign).parse(answers)
    except AnswerError as error:
        raise BadInput(_(error.msgid) % error.params) from error


def answer_key(*, participation: Participation, assignment_key: str, page_key: str, answer: str) -> str:
    """Return the key of an answer sent by a form, which cannot make a new key for a correction.

    The key follows from the page's key, the answer, and how many answers were corrected before it: a form
    sent twice is one answer, a form changed after going back is a correction, also back to an earlier value.
    """
    corrected = Judgement.objects.filter(
        assignment__participation=participation, assignment__key=assignment_key[:64], is_current=False
    ).count()
    return hashlib.sha256(json.dumps([page_key, answer, corrected]).encode()).hexdigest()


def _says(judgement: Judgement, answer: Answer, comment: str) -> bool:
    """Tell whether a judgement says just this."""
    return (judgement.score, judgement.choice, judgement.comment) == (answer.score, answer.choice, comment)


def _append(
    assignment: Assignment,
    earlier: Judgement | None,
    client_key: str,
    answer: Answer,
    comment: str,
    active_ms: Any,
) -> Judgement:
    """Write the judgement and close the assignment; an earlier judgement stays as history."""
    campaign = assignment.participation.campaign
    now = timezone.now()
    if earlier is not None:
        Judgement.objects.filter(pk=earlier.pk).update(is_current=False)
    has_score = answer.score is not None
    judgement = Judgement.objects.create(
        assignment=assignment,
        client_key=client_key,
        supersedes=earlier,
        score=answer.score,
        scale_low=campaign.scale_low if has_score else None,
        scale_high=campaign.scale_high if has_score else None,
        choice=answer.choice,
        answers=answer_dict(answer.score, answer.choice),
        comment=comment,
        shown_at=assignment.shown_at,
        submitted_at=now,
        active_ms=_clip(active_ms, assignment.shown_at, now),
    )
    if assignment.state == Assignment.State.OPEN:
        Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.OPEN).update(
            state=Assignment.State.DONE
        )
    return judgement


def _check_repeat(known: Judgement, assignment: Assignment, answer: Answer, comment: str) -> None:
    """Make sure that a known key comes with the answer it came with before."""
    if known.assignment_id != assignment.pk or not _says(known, answer, comment):
        raise _key_taken()


def _key_taken() -> Conflict:
    return Conflict(
        _("This answer carries the key of another one that is saved already."),
        _("Reload the page and answer again."),
    )


def _clip(active_ms: Any, shown_at: datetime | None, now: datetime) -> int | None:
    """Return a claimed duration inside [0, time since the screen was served].

    None when there is no claim, or when the screen was never served, so that nothing bounds one.
    """
    if isinstance(active_ms, bool) or not isinstance(active_ms, int | float) or active_ms != active_ms:
        return None
    if shown_at is None:
        return None
    longest = min(_LARGEST_MS, (now - shown_at).total_seconds() * 1000)
    return int(max(0, min(active_ms, longest)))


def _follow_progress(participation: Participation, progress: Progress) -> None:
    """Let the state follow the counts: finished when nothing is left, active again when something is."""
    state = Participation.State.ACTIVE if progress.left else Participation.State.FINISHED
    if participation.state != state:
        Participation.objects.filter(pk=participation.pk).exclude(state=Participation.State.LEFT).update(
            state=state
        )
