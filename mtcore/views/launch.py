"""Launch heavy work from a form: first what will happen is shown, then it is launched, once."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from evalplatform.errors import BadInput, Conflict, UserError
from evalplatform.people import user_of
from mtcore.engines.errors import EngineError
from mtcore.engines.recipes import RECIPES
from mtcore.forms.fields import HouseForm
from mtcore.forms.recipe import RecipeForm
from mtcore.models import Run, System, TestSet
from mtcore.services.pipeline import Pipeline, pipeline_launch, pipeline_runs
from mtcore.services.run_once import run_once
from mtcore.services.systems import TRAIN_MODEL
from mtcore.views.access import View, admin_page
from mtcore.views.plan import Plan, figures_of
from mtcore.views.words import state_of

_NOT_KEPT = ("csrfmiddlewaretoken", "step", "toml", "toml_text")


class Launch(ABC):
    """A kind of launch: its form, what it would do, and doing it.

    Attributes:
        title: of the page.
        lead: what it is, in a sentence.
        verb: of the button that launches.
    """

    title: str | Promise = ""
    lead: str | Promise = ""
    verb: str | Promise = ""
    back = "systems"
    can_measure = False

    def __init__(self, request: HttpRequest, **address: Any) -> None:
        self.request = request
        self.user = user_of(request)
        self.address = address

    @abstractmethod
    def form(self, data: Any, files: Any) -> HouseForm:
        """Return the form, filled or empty."""

    @abstractmethod
    def plan(self, form: Any) -> Plan:
        """Say what would happen; raises what the launch would raise."""

    @abstractmethod
    def launch(self, form: Any) -> tuple[Run, bool]:
        """Launch it; return the run to look at, and whether it is new."""

    def measure(self, form: Any) -> tuple[Run, bool]:
        """Launch what measures a little of it, where `can_measure`."""
        raise BadInput(_("There is nothing to measure here."), _("Use the buttons of the page."))


def launch_page(kind: type[Launch]) -> View:
    """Return the page of a kind of launch: form, preview, launch."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @admin_page
    def page(request: HttpRequest, **address: Any) -> HttpResponse:
        launch = kind(request, **address)
        posted = request.method == "POST"
        step = request.POST.get("step", "preview")
        data = request.POST.copy() if posted else None
        if data is not None and step == "forget":
            data["toml_text"] = ""
        form = launch.form(data, request.FILES if posted else None)
        if posted and step in ("preview", "launch", "measure") and form.is_valid():
            try:
                if step == "launch":
                    return _launched(request, launch.launch(form))
                if step == "measure":
                    return _launched(request, launch.measure(form))
                return _preview(request, launch, form)
            except EngineError as error:
                form.add_error(None, str(error))
            except UserError as error:
                form.refuse(error)
        return _asked(request, launch, form)

    page.__name__ = kind.__name__.lower()
    page.__doc__ = kind.__doc__
    return page


def _asked(request: HttpRequest, launch: Launch, form: HouseForm) -> HttpResponse:
    context = {"section": "systems", "launch": launch, "form": form, "address": launch.address}
    if isinstance(form, RecipeForm):
        context["figures"] = _shown_figures(form)
    return render(request, "mtcore/launch.html", context, status=form.status)


def _preview(request: HttpRequest, launch: Launch, form: HouseForm) -> HttpResponse:
    plan = launch.plan(form)
    kept = [
        (name, value) for name, values in request.POST.lists() if name not in _NOT_KEPT for value in values
    ]
    if isinstance(form, RecipeForm):
        kept.append(("toml_text", form.cleaned_data["toml_text"]))
    context = {"section": "systems", "launch": launch, "plan": plan, "kept": kept}
    context |= {"figures": figures_of(plan.recipe)} if plan.recipe else {}
    return render(request, "mtcore/launch_preview.html", context)


def _launched(request: HttpRequest, made: tuple[Run, bool]) -> HttpResponse:
    run, created = made
    said = (
        _("It is launched; run %(n)s is in the queue.")
        if created
        else _("It is run %(n)s already; here is how it stands.")
    )
    messages.success(request, said % {"n": run.pk})
    return redirect("run", pk=run.pk)


def _shown_figures(form: RecipeForm) -> dict[str, Any]:
    """Return the figures of the recipe that the form names, or of its first."""
    names = [name for name, _label in form.fields["recipe"].choices]  # type: ignore[attr-defined]
    chosen = form["recipe"].value()
    chosen = chosen if chosen in names else names[0]
    return {"recipe": RECIPES[chosen], "figures": figures_of(RECIPES[chosen])}


def launched_once(action: Callable[[], Run], *, kind: str, name: str) -> tuple[Run, bool]:
    """Launch one run; where one of its kind and name is at work, lead there instead of refusing the name.

    Raises:
        UserError: whatever the service refuses.
    """
    try:
        return run_once(action)
    except Conflict:
        alive = [Run.State.QUEUED, Run.State.RUNNING]
        found = Run.objects.filter(kind=kind, name=name, state__in=alive).order_by("pk").first()
        if found is None:
            raise
        return found, False


def pipeline_started(planned: Pipeline, user: User | None) -> tuple[Run, bool]:
    """Launch a planned pipeline, or let the same one go on; return its first run that has not succeeded."""
    known = bool(pipeline_runs(planned.system))
    runs = pipeline_launch(planned, requested_by=user).runs
    return next((run for run in runs if run.state != Run.State.SUCCEEDED), runs[-1]), not known


def known_already(*runs: Run) -> list[str]:
    """Say that what is to be launched is there, in one sentence; nothing when it is new."""
    found = Run.objects.filter(pk__in=[run.pk for run in runs]).order_by("-pk").first()
    if found is None:
        return []
    return [
        _("Run %(n)s is the same already (%(state)s): launched again it goes on; nothing is done twice.")
        % {"n": found.pk, "state": state_of(found)["words"]}
    ]


def command(name: str, /, *arguments: str, **options: Any) -> str:
    """Write a command as it is typed; what is empty is left out, lists are repeated words."""
    words = ["manage.py", name, *arguments]
    for option, value in options.items():
        flag = f"--{option.replace('_', '-')}"
        if isinstance(value, list | tuple):
            words += [flag, *map(str, value)] if value else []
        elif value not in ("", None, False):
            words += [flag] if value is True else [flag, str(value)]
    return shlex.join(words)


def testset_choices() -> list[tuple[str, str]]:
    """Return the test sets whose texts are known."""
    rows = TestSet.objects.listed().filter(texts_known=True).order_by("name")
    return [(one.name, f"{one.name} ({one.source_language}-{one.target_language})") for one in rows]


def trained_choices() -> list[tuple[str, str]]:
    """Return the systems whose models are being trained here or are done."""
    names = Run.objects.filter(kind=TRAIN_MODEL).values_list("options__system", flat=True).distinct()
    return [(name, name) for name in sorted({str(name) for name in names if name})]


def system_choices(*, with_outputs: bool = False) -> list[tuple[str, str]]:
    """Return the systems, all or those with outputs."""
    rows = System.objects.listed().order_by("name")
    if with_outputs:
        rows = rows.filter(outputs__isnull=False).distinct()
    return [(name, name) for name in rows.values_list("name", flat=True)]


def recipe_words(form: RecipeForm) -> dict[str, Any]:
    """Return the options of a command that say the same recipe."""
    given = form.cleaned_data
    if given["toml_text"]:
        return {"recipe": "FILE.toml", "set": given["settings"], "seed": given["seed"]}
    changed = [one for one in figures_of(form.made) if one["changed"]]
    figures = [f"{one['name']}={one['value']}".replace('"', "") for one in changed]
    return {"recipe": form.made.name, "set": figures, "seed": given["seed"]}
