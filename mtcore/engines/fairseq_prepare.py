"""Bring texts into fairseq's form: words, subwords, dictionaries, binary files; each step is done once."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from multiprocessing import cpu_count
from pathlib import Path
from typing import Any

from mtcore.corpora.subwords import NONE
from mtcore.engines.base import Prepared, Texts, Work
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq_commands import preprocess_command
from mtcore.engines.fairseq_run import run_step
from mtcore.engines.recipe import LM, Recipe
from mtcore.engines.rundir import atomic_file, file_sha256
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models import SUBWORDS, subwords_encode, subwords_learn, write_words

FACTS = "prepared.json"
DATA = "data"
_MANY = 100_000


def prepare(setup: Setup, train: Texts, valid: Texts, recipe: Recipe, work: Work) -> Prepared:
    """Prepare texts in `work.rundir.work/prepared`; goes on after a stop, and is done once.

    Raises:
        EngineError: the texts cannot be used: no lines, sides of different length, too small a dictionary.
    """
    languages = _languages(train, valid, recipe)
    wanted = _fingerprint(train, valid, recipe, languages)
    folder = work.rundir.work / "prepared"
    facts = read_facts(folder)
    if facts.get("of") == wanted:
        return Prepared(folder, facts)
    part = work.rundir.work / f"prepared.{wanted[:12]}"
    part.mkdir(exist_ok=True)
    counts = _texts(setup, part, train, valid, recipe, languages, work)
    _binarise(setup, part, recipe, languages, work, counts["train_lines"])
    sizes = {name: _dictionary_size(part, name, languages) for name in languages}
    _check_cutoffs(recipe, min(sizes.values()))
    for name in ("train", "valid"):
        for language in languages:
            (part / f"{name}.words.{language}").unlink(missing_ok=True)
    facts = {"of": wanted, "languages": languages, "subwords": recipe.subwords.tool, "sizes": sizes, **counts}
    with atomic_file(part / FACTS) as draft:
        draft.write_text(json.dumps(facts, indent=1), "utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return Prepared(folder, facts)


def read_facts(folder: Path) -> dict[str, Any]:
    """Return what is known of prepared texts; empty when they are not whole."""
    try:
        found: dict[str, Any] = json.loads((folder / FACTS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def dictionary_path(folder: Path, language: str, languages: list[str]) -> Path:
    """Return the dictionary of a language in prepared texts."""
    name = "dict.txt" if len(languages) == 1 else f"dict.{language}.txt"
    return folder / DATA / name


def subword_files(folder: Path, recipe: Recipe, languages: list[str]) -> dict[str, Path]:
    """Return role → file of the subword models."""
    if recipe.subwords.tool == NONE:
        return {}
    if recipe.subwords.joint or len(languages) == 1:
        return {SUBWORDS: folder / SUBWORDS}
    return {f"{SUBWORDS}.{language}": folder / f"{SUBWORDS}.{language}" for language in languages}


def _languages(train: Texts, valid: Texts, recipe: Recipe) -> list[str]:
    if recipe.kind == LM:
        return [train.source_language]
    languages = [train.source_language, train.target_language]
    if train.target is None or valid.target is None:
        raise EngineError(
            "A translation model needs texts in two languages; one was given.", "Give both sides."
        )
    if languages[0] == languages[1]:
        raise EngineError(f"Source and target are both “{languages[0]}”.", "Give texts in two languages.")
    return languages


def _fingerprint(train: Texts, valid: Texts, recipe: Recipe, languages: list[str]) -> str:
    paths = [train.source, train.target, valid.source, valid.target]
    try:
        files = [file_sha256(path) for path in paths if path]
    except OSError as error:
        raise EngineError(
            f"{error.filename} cannot be read: {error.strerror}.", "Import the corpus again."
        ) from error
    told = json.dumps([files, asdict(recipe.subwords), languages, recipe.kind])
    return hashlib.sha256(told.encode()).hexdigest()


def _texts(
    setup: Setup, part: Path, train: Texts, valid: Texts, recipe: Recipe, languages: list[str], work: Work
) -> dict[str, int]:
    """Write words, learn subwords, write pieces; return the counts of lines."""
    tool = recipe.subwords.tool
    counts_file = part / "counts.json"
    if not counts_file.exists():
        counts: dict[str, int] = {}
        for name, texts in {"train": train, "valid": valid}.items():
            work.report(note=f"reading the {name} texts")
            counts |= _words(part, name, texts, tool, languages, work)
        with atomic_file(counts_file) as draft:
            draft.write_text(json.dumps(counts), "utf-8")
    for role, model in subword_files(part, recipe, languages).items():
        work.report(note=f"learning subwords ({tool}, {recipe.subwords.size:,})")
        own = [role.partition(".")[2]] if role != SUBWORDS else languages
        inputs = [part / f"train.words.{language}" for language in own]
        subwords_learn(inputs, model, tool=tool, size=recipe.subwords.size, setup=setup, work=work)
    for language in languages:
        work.report(note=f"cutting words into subwords ({language})")
        models = subword_files(part, recipe, languages)
        pairs = [
            (part / f"{name}.words.{language}", part / f"{name}.pieces.{language}")
            for name in ("train", "valid")
        ]
        path = models.get(f"{SUBWORDS}.{language}", models.get(SUBWORDS))
        subwords_encode(pairs, path, tool=tool, setup=setup, work=work)
    found: dict[str, int] = json.loads(counts_file.read_text("utf-8"))
    return found


def _words(
    part: Path, name: str, texts: Texts, tool: str, languages: list[str], work: Work
) -> Mapping[str, int]:
    sources = [texts.source] if len(languages) == 1 or texts.target is None else [texts.source, texts.target]
    sides = [
        (source, part / f"{name}.words.{language}")
        for source, language in zip(sources, languages, strict=True)
    ]
    label = "the training text" if name == "train" else "the validation text"
    kept, blank = write_words(sides, tool, work, name=label)
    if not kept:
        raise EngineError(
            f"{label.capitalize()} has no line with text on every side.", "Give a text with lines in it."
        )
    return {f"{name}_lines": kept, f"{name}_blank": blank}


def _binarise(
    setup: Setup, part: Path, recipe: Recipe, languages: list[str], work: Work, n_lines: int
) -> None:
    place, draft = part / DATA, part / f"{DATA}.draft"
    if place.exists():
        return
    work.report(note="making dictionaries and binary files")
    shutil.rmtree(draft, ignore_errors=True)
    workers = min(16, cpu_count()) if n_lines > _MANY else 1
    command = preprocess_command(setup, part, draft, recipe, languages, workers)
    run_step(setup, work, command, "Making binary files")
    draft.rename(place)


def _dictionary_size(part: Path, language: str, languages: list[str]) -> int:
    return dictionary_path(part, language, languages).read_text("utf-8").count("\n")


def _check_cutoffs(recipe: Recipe, size: int) -> None:
    cutoffs = recipe.model.adaptive_input if recipe.kind == LM else ()
    if cutoffs and (list(cutoffs) != sorted(set(cutoffs)) or cutoffs[-1] >= size or cutoffs[0] < 1):
        raise EngineError(
            f"model.adaptive_input is {list(cutoffs)}, but the dictionary has {size:,} entries.",
            "Give ascending cut-offs below that, a larger subwords.size, or [] for none.",
        )
