"""Runners that mix and split corpora: the steps between filtering and training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.models import Run
from mtcore.services.corpora import corpora_register, corpus_find, corpus_name_free
from mtcore.services.corpora_derive import Part, copies_check, corpus_mix, corpus_split
from mtcore.services.run_context import Outcome, RunContext
from mtcore.services.run_corpora import outcome_of, teller

VALID_PART = 50
"""One line in so many is held out to validate on,"""
MOST_VALID = 3_000
"""but no more than these."""


def mix_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door a name that is taken, and a mix of nothing; its corpora may be yet to come."""
    corpus_name_free(options["name"])
    if not options.get("parts"):
        raise BadInput("A mix needs at least one corpus.")
    for part in options["parts"]:
        copies_check(part["corpus"], part.get("copies", 1))


def corpora_mix_run(context: RunContext) -> Outcome:
    """Mix corpora; options: `name`, `parts` (corpus, copies, tag) and `languages`, their order."""
    parts = [
        Part(corpus_find(part["corpus"]), part.get("copies", 1), part.get("tag", ""))
        for part in context.options["parts"]
    ]
    total = sum(part.corpus.n_lines * part.copies for part in parts)
    tell = teller(context)
    return outcome_of(
        context,
        corpus_mix(
            name=context.options["name"],
            parts=parts,
            languages=context.options.get("languages", ()),
            watch=lambda n: tell(n / max(1, total), n),
            folder=f"run-{context.run_id}",
        ),
    )


def split_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door names that are taken."""
    for name in options["names"]:
        corpus_name_free(name)


def corpus_split_run(context: RunContext) -> Outcome:
    """Hold lines out of a corpus; options: `corpus`, `names` (rest, held out), `seed`, perhaps `held_out`."""
    options = context.options
    corpus = corpus_find(options["corpus"])
    if corpus.n_lines < 2:
        raise BadInput(f"“{corpus.name}” has one line only: nothing can be held out.", "Give more text.")
    held_out = options.get("held_out") or min(MOST_VALID, max(1, corpus.n_lines // VALID_PART))
    context.check()
    drafts = corpus_split(
        corpus=corpus,
        names=(options["names"][0], options["names"][1]),
        held_out=held_out,
        seed=options["seed"],
        folder=f"run-{context.run_id}",
    )
    context.report(1.0, f"{counted(held_out, 'line')} of {corpus.n_lines:,} held out")

    def register(run: Run) -> None:
        for corpus in corpora_register(drafts):
            corpus.run = run
            corpus.save(update_fields=["run"])

    made = [{"corpus": one.name, "lines": one.n_lines, "sha256": one.sha256} for one in drafts]
    return Outcome({"corpora": made}, register)
