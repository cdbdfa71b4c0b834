"""Practice and calibration: the rating page with what was expected after each answer, or at the end."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.models import Participation
from annotation.services.invitations import participation_check
from annotation.services.participation import consent_check, has_practice, participation_seen
from annotation.services.practice_items import CALIBRATION, PRACTICE
from annotation.services.practising import (
    Practice,
    Step,
    practice_begin,
    practice_finish,
    practice_record,
    practice_repeat,
)
from annotation.views.access import rater_page
from annotation.views.rater import page_config
from annotation.views.rater_common import (
    heading,
    page_before,
    page_methods,
    page_next,
    save_answer,
    sent_answer,
)
from evalplatform.errors import BadInput


@page_methods
@rater_page
def practice(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the next practice item, or where the rater stands; take an answer, go on, or begin again."""
    participation_check(participation)
    campaign = participation.campaign
    if page_before(participation) not in ("", "practice") or not has_practice(campaign):
        return redirect(page_next(participation), campaign.key)
    if request.method == "POST":
        return _act(request, participation)
    participation_seen(participation=participation)
    practice_begin(participation=participation)
    found = Practice(participation)
    step = found.next_step()
    if step is not None:
        return _item_page(request, participation, step)
    practice_record(participation=participation, practice=found)
    context = heading(campaign) | {
        "results": [(stage, found.results(stage)) for stage in (PRACTICE, CALIBRATION)],
        "is_rated": found.is_rated,
        "can_repeat": bool(campaign.settings.get(PRACTICE)),
        "guidelines_url": reverse("guidelines", args=[campaign.key]),
    }
    return render(request, "rater/practice_end.html", context)


def _act(request: HttpRequest, participation: Participation) -> HttpResponse:
    campaign = participation.campaign
    consent_check(participation)
    action = request.POST.get("action", "")
    if action == "begin":
        practice_finish(participation=participation)
        return redirect(page_next(participation), campaign.key)
    if action == "repeat":
        practice_repeat(participation=participation)
        return redirect("practice", campaign.key)
    step = Practice(participation).step(request.POST.get("assignment", ""))
    try:
        save_answer(request, participation)
    except BadInput as error:
        return _item_page(request, participation, step, error=error)
    if step.stage == PRACTICE:
        return redirect("practice_item", campaign.key, step.screen.key)
    return redirect("practice", campaign.key)


@require_safe
@rater_page
def practice_item(request: HttpRequest, participation: Participation, key: str) -> HttpResponse:
    """Show an answer to a practice item beside what is expected, and why."""
    participation_check(participation)
    consent_check(participation)
    campaign = participation.campaign
    found = Practice(participation)
    step = found.step(key)
    context = heading(campaign) | {
        "step": step,
        "screen": step.screen.as_dict(),
        "feedback": found.feedback(key),
        "is_rated": found.is_rated,
        "next_url": reverse("practice", args=[campaign.key]),
    }
    return render(request, "rater/practice_feedback.html", context)


def _item_page(
    request: HttpRequest, participation: Participation, step: Step, *, error: BadInput | None = None
) -> HttpResponse:
    """Draw an item to be answered; with an error, as it was sent."""
    shown = step.screen.as_dict()
    context: dict[str, Any] = heading(participation.campaign) | {
        "screen": shown,
        "step": step,
        "progress": {"done": step.number - 1, "left": step.total - step.number + 1, "total": step.total},
        "config": page_config(request, participation),
    }
    if error is not None:
        answers, comment = sent_answer(request)
        shown |= {"answer": answers or shown["answer"], "comment": comment}
        context["error"] = {"detail": error.message, "remedy": error.remedy}
    status = error.status if error is not None else 200
    return render(request, "rater/practice.html", context, status=status)
