"""The text that a language model learns from, in files: corpora, or what a system has translated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput
from mtcore.corpora.corpus_lines import TextFiles
from mtcore.corpora.filters import FilterReport, filter_pairs, make_filters
from mtcore.engines.base import Texts
from mtcore.engines.recipe import Recipe
from mtcore.engines.rundir import atomic_file
from mtcore.models import Corpus, OutputSegment, SystemOutput
from mtcore.services.corpora import corpus_files, corpus_find, corpus_languages
from mtcore.services.texts import as_bad_input

HELD_OUT_EVERY = 50
"""Of every so many lines one is held out to validate on, when no corpus is named for that."""
FIRST_HELD_OUT = 19
MOST_HELD_OUT = 3_000
TRAIN, VOCABULARY = "train.txt", "vocabulary.txt"


def system_corpora(system: str) -> list[Corpus]:
    """Return the corpora that a system has translated."""
    return list(Corpus.objects.filter(report__made_by="translation", report__system=system).order_by("pk"))


def system_language(system: str) -> str:
    """Return the language a system translates into.

    Raises:
        BadInput: it has translated nothing yet, or into several languages.
    """
    tags = {tag for one in system_corpora(system) for tag in corpus_languages(one)} or set(
        SystemOutput.objects.filter(system__name=system).values_list("testset__target_language", flat=True)
    )
    if len(tags) != 1:
        raise BadInput(
            f"“{system}” has translated into {', '.join(sorted(tags)) or 'no language yet'}.",
            "Translate a corpus first (translate_corpus), or name the language." if not tags else "Name one.",
        )
    return tags.pop()


def lm_texts(options: Mapping[str, Any], recipe: Recipe, folder: Path) -> tuple[Texts, Texts, dict[str, Any]]:
    """Write train, valid and the words of train into a folder, or take them as they are there.

    Returns:
        What to learn from, what to validate on, and a report: lines, what the filters removed, sources with
        their checksums.

    Raises:
        BadInput: too little text is left.
    """
    language = options["language"]
    train, valid, done = folder / TRAIN, folder / "valid.txt", folder / "texts.json"
    if not done.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        sources = _sources(options)
        report = FilterReport()
        with as_bad_input():
            filters = make_filters(recipe.filters, source=language)
        kept = (one for one, _ in filter_pairs(((line, line) for line in _lines(options)), filters, report))
        counts = _write(kept, train, valid, hold_out=not options["valid"], vocabulary=folder / VOCABULARY)
        if options["valid"]:
            counts["valid"] = _copy(corpus_find(options["valid"]), language, valid)
        told = {"sources": sources, **counts, **report.as_dict()}
        with atomic_file(done) as draft:
            draft.write_text(json.dumps(told), "utf-8")
    told = json.loads(done.read_text("utf-8"))
    if not told["train"] or not told["valid"]:
        raise BadInput(
            f"{told['train']:,} lines are left to learn from and {told['valid']:,} to validate on.",
            "Give more text, or change what the recipe's filters remove.",
        )
    return (
        Texts(language, "", train, n_lines=told["train"]),
        Texts(language, "", valid, n_lines=told["valid"]),
        told,
    )


def _sources(options: Mapping[str, Any]) -> list[dict[str, Any]]:
    named = [corpus_find(name) for name in options["corpora"]] or system_corpora(options["system"])
    if named:
        return [{"name": one.name, "sha256": one.sha256, "lines": one.n_lines} for one in named]
    outputs = SystemOutput.objects.filter(system__name=options["system"]).select_related("testset")
    return [
        {
            "name": f"{one.testset.name} by {options['system']}",
            "sha256": one.sha256,
            "lines": one.lines.count(),
        }
        for one in outputs
    ]


def _lines(options: Mapping[str, Any]) -> Iterator[str]:
    named = [corpus_find(name) for name in options["corpora"]] or system_corpora(options["system"])
    for corpus in named:
        yield from TextFiles([corpus_files(corpus)[options["language"]]])
    if not named:
        lines = OutputSegment.objects.filter(output__system__name=options["system"], status="ok")
        yield from lines.order_by("output_id", "segment__position").values_list("text", flat=True)


def _write(
    lines: Iterator[str], train: Path, valid: Path, *, hold_out: bool, vocabulary: Path
) -> dict[str, int]:
    """Write what is learned from and what is held out; the words of the former, each once."""
    n_train = n_valid = 0
    words: set[str] = set()
    with train.open("w", encoding="utf-8", newline="\n") as ours, valid.open("w", encoding="utf-8") as held:
        for number, line in enumerate(lines):
            if hold_out and number % HELD_OUT_EVERY == FIRST_HELD_OUT and n_valid < MOST_HELD_OUT:
                held.write(line + "\n")
                n_valid += 1
            else:
                ours.write(line + "\n")
                words.update(line.split())
                n_train += 1
    with vocabulary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{word}\n" for word in sorted(words))
    return {"train": n_train, "valid": n_valid, "vocabulary": len(words)}


def _copy(corpus: Corpus, language: str, place: Path) -> int:
    n = 0
    with place.open("w", encoding="utf-8", newline="\n") as file:
        for line in TextFiles([corpus_files(corpus)[language]]):
            if line.strip():
                file.write(line + "\n")
                n += 1
    return n
