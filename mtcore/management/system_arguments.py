"""What the commands around systems share: recipes with some figures changed, waiting, saying how it went."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput, UserError
from mtcore.engines.recipe import Recipe, RecipeError
from mtcore.engines.recipe_files import recipe_find, recipe_read, recipe_set
from mtcore.models import Run
from mtcore.services.run_foreground import Foreground
from mtcore.services.runs import run_waits_for
from mtcore.services.texts import document_read


class RunsFailed(UserError):
    """Runs that were waited for and did not end well."""


def add_recipe_arguments(parser: CommandParser, *, default: str = "") -> None:
    """Declare --recipe, --set, --engine and --seed."""
    parser.add_argument(
        "--recipe", required=not default, default=default, metavar="NAME|FILE.toml",
        help="how it is made: a name (manage.py recipes lists them) or a file",
    )  # fmt: skip
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="FIGURE=VALUE",
        help="change single figures: --set training.max_updates=3000 decoding.beam=4",
    )  # fmt: skip
    parser.add_argument("--engine", default="", help="what does it; by default the first that can")
    parser.add_argument("--seed", type=int, help="in the place of the recipe's training.seed")


def add_wait_arguments(parser: CommandParser) -> None:
    """Declare --wait and --no-wait."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--wait", action="store_true", default=True,
        help="wait for the end and do the work here where no worker is there (default)",
    )  # fmt: skip
    group.add_argument("--no-wait", dest="wait", action="store_false", help="put it in the queue only")


def recipe_chosen(options: Mapping[str, Any]) -> Recipe:
    """Return the recipe of the arguments.

    Raises:
        BadInput: there is no such recipe or figure, or a value is impossible.
    """
    settings = {}
    for given in options["set"]:
        name, sign, value = given.partition("=")
        if not sign or not name.strip():
            raise BadInput(f"“--set {given}” changes nothing.", "Write it as training.max_updates=3000.")
        settings[name.strip()] = value.strip()
    wanted = options["recipe"]
    try:
        is_file = wanted.endswith(".toml") or "/" in wanted
        recipe = recipe_read(document_read(wanted)) if is_file else recipe_find(wanted)
        return recipe_set(recipe, settings)
    except RecipeError as error:
        raise BadInput(error.message, error.remedy) from error


def follow_runs(
    command: HouseCommand, runs: Sequence[Run], *, wait: bool, workers: int = 1, json: bool = False
) -> list[Run]:
    """Wait for runs, saying how they get on, or say what will become of them.

    What no worker does is done here, so many at a time as `workers` says. With `json`, what is said on the
    way goes to stderr.

    Raises:
        RunsFailed: one failed or was cancelled, or it was stopped before their end.
    """
    if not wait:
        waiting = next((words for run in runs if (words := run_waits_for(run))), "")
        command.stdout.write(f"In the queue; see: manage.py runs. {waiting}".rstrip())
        return list(runs)

    out = command.stderr if json else command.stdout

    def tell(text: str) -> None:
        out.write(text, style_func=str)
        out.flush()

    foreground = Foreground(runs, tell, workers=workers)
    with _stopped_by_signals(foreground):
        ended = foreground.follow()
    _require_success(ended)
    return ended


@contextmanager
def _stopped_by_signals(foreground: Foreground) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop what is followed while the block lasts (in the main thread)."""
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before[number] = signal.signal(number, lambda *_: foreground.stop())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _require_success(ended: Sequence[Run]) -> None:
    failed = [run for run in ended if run.state in (Run.State.FAILED, Run.State.CANCELLED)]
    if failed:
        first = failed[0]
        raise RunsFailed(
            f"Run {first.pk} ({first.kind} {first.name}) {first.get_state_display()}: {first.message}",
            f"Then: manage.py run_resume {ended[-1].pk}; what has succeeded is not done again.",
        )
    waiting = [run for run in ended if run.state != Run.State.SUCCEEDED]
    if waiting:
        raise RunsFailed(
            f"Stopped; {len(waiting)} of {len(ended)} runs are not done and stay in the queue.",
            "The same command goes on with them, and so does a worker (manage.py work); or cancel them "
            f"(manage.py run_cancel {waiting[0].pk} --children).",
        )
