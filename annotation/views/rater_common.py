"""What the rater's pages share: their heading, which page comes next, and taking an answer sent by a form."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from django.views.decorators.http import require_http_methods

from annotation.models import Campaign, Participation
from annotation.services.eligibility import form_pending
from annotation.services.judging import Saved, answer_key, judgement_save
from annotation.services.participation import participation_progress, practice_pending
from annotation.services.screens import language_pair_label

page_methods = require_http_methods(["GET", "HEAD", "POST"])


def heading(campaign: Campaign) -> dict[str, Any]:
    """Return what stands at the head of every page."""
    return {"campaign_name": campaign.name, "language_pair_label": language_pair_label(campaign)}


def page_before(participation: Participation) -> str:
    """Return the name of the page that comes before rating; "" when there is none left."""
    if form_pending(participation):
        return "profile"
    if participation.consented_at is None:
        return "consent"
    return "practice" if practice_pending(participation) else ""


def page_next(participation: Participation) -> str:
    """Return the name of the page a rater is led to: one before rating, rating, or the last one."""
    if participation.campaign.state == Campaign.State.CLOSED:
        return "finish"
    before = page_before(participation)
    if before:
        return before
    progress = participation_progress(participation)
    return "rate" if progress.left or not progress.total else "finish"


def sent_answer(request: HttpRequest) -> tuple[dict[str, str], str]:
    """Return the answer and the comment of a form."""
    answers = {name: request.POST[name] for name in ("score", "choice") if name in request.POST}
    return answers, request.POST.get("comment", "").replace("\r\n", "\n")


def save_answer(request: HttpRequest, participation: Participation) -> Saved:
    """Store the answer of a form.

    Raises:
        BadInput: it cannot be taken; the page comes back with the message.
    """
    answers, comment = sent_answer(request)
    assignment = request.POST.get("assignment", "")
    key = answer_key(
        participation=participation,
        assignment_key=assignment,
        page_key=request.POST.get("client_key", ""),
        answer=json.dumps([answers, comment], sort_keys=True),
    )
    return judgement_save(
        participation=participation,
        assignment_key=assignment,
        client_key=key,
        answers=answers,
        comment=comment,
    )
