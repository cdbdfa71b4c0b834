"""Runners for corpora: the same services as in the foreground, with progress, cancelling and going on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.corpora.filters import FilterOptions
from mtcore.models import Run
from mtcore.services.corpora import corpus_find, corpus_name_free, corpus_register
from mtcore.services.corpora_derive import corpus_filter
from mtcore.services.corpora_import import corpus_import, streams
from mtcore.services.corpora_write import CorpusDraft, draft_discard
from mtcore.services.run_context import Outcome, RunContext, RunFailed
from mtcore.services.texts import as_bad_input

IMPORT_OPTIONS = ("languages", "sources", "targets", "kind", "test_segments")


def import_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door: a name that is taken, languages that are none, files that are not there."""
    corpus_name_free(options["name"])
    with as_bad_input():
        streams(options["languages"], options["sources"], options.get("targets", ()))


def corpus_import_run(context: RunContext) -> Outcome:
    """Import a corpus; options: `name` and those of `corpus_import`."""
    tell = teller(context)
    chosen = {key: context.options[key] for key in IMPORT_OPTIONS if key in context.options}
    return outcome_of(
        context,
        corpus_import(name=context.options["name"], **chosen, progress=tell, folder=f"run-{context.run_id}"),
    )


def filter_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door: an unknown corpus, a name that is taken, options that do not fit."""
    corpus_find(options["corpus"])
    corpus_name_free(options["name"])
    filter_options(options.get("filters", {}))


def corpus_filter_run(context: RunContext) -> Outcome:
    """Filter a corpus; options: `corpus`, `name`, `filters` (FilterOptions), `drop_test_segments`.

    In its place `test_segments` may be "drop", "keep", or "refuse": then the run fails when there are any.
    """
    corpus = corpus_find(context.options["corpus"])
    tell = teller(context)
    treated = context.options.get("test_segments", "")
    draft = corpus_filter(
        corpus=corpus,
        name=context.options["name"],
        options=filter_options(context.options.get("filters", {})),
        drop_test_segments=treated != "keep" if treated else context.options.get("drop_test_segments", True),
        watch=lambda n: tell(n / max(1, corpus.n_lines), n),
        folder=f"run-{context.run_id}",
    )
    found = draft.report["removed"].get("test segment", 0)
    if treated == "refuse" and found:
        draft_discard(draft)
        raise RunFailed(
            f"The corpus “{corpus.name}” holds {counted(found, 'line')} with segments of test sets. A system "
            "trained on them would be tested on what it has seen.",
            "Launch it anew, under another name, with these lines dropped or kept (--test-segments).",
        )
    return outcome_of(context, draft)


def filter_options(values: Mapping[str, Any]) -> FilterOptions:
    """Return the options of the filters.

    Raises:
        BadInput: an unknown name or an impossible value.
    """
    with as_bad_input():
        try:
            return FilterOptions(**values)
        except TypeError as error:
            raise BadInput(f"An option of the filters is wrong: {error}.") from error


def teller(context: RunContext) -> Callable[[float, int], None]:
    """Report lines a second, and stop when the run should."""
    began = time.monotonic()

    def tell(part: float, n_lines: int) -> None:
        context.check()
        seconds = time.monotonic() - began
        rate = {"lines_per_second": round(n_lines / seconds, 1)} if n_lines and seconds > 0 else {}
        context.report(min(part, 0.99), f"{counted(n_lines, 'line')} read", rate)

    return tell


def outcome_of(context: RunContext, draft: CorpusDraft) -> Outcome:
    context.report(1.0, f"{counted(draft.n_lines, 'line')} written")

    def register(run: Run) -> None:
        corpus_register(draft, run=run)

    result = {
        "corpus": draft.name,
        "lines": draft.n_lines,
        "sha256": draft.sha256,
        "report": dict(draft.report),
    }
    return Outcome(result, register)
