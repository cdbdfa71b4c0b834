"""Make corpora from corpora: filtered, split, mixed, back-translated; each knows what it was made from."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput
from mtcore.corpora import language_id
from mtcore.corpora.corpus_lines import Pair, TextFiles, side_by_side
from mtcore.corpora.filters import (
    DUPLICATE,
    FilterOptions,
    FilterReport,
    drop_blank,
    filter_pairs,
    make_filters,
)
from mtcore.corpora.line_keys import without_repeats
from mtcore.engines.recipe import MOST_COPIES
from mtcore.models import Corpus
from mtcore.services.corpora import corpus_files, corpus_languages, corpus_name_free
from mtcore.services.corpora_import import test_segments_known
from mtcore.services.corpora_places import DRAFT, draft_folder
from mtcore.services.corpora_write import (
    CorpusDraft,
    Watch,
    corpus_write,
    draft_discard,
    watched,
)
from mtcore.services.texts import as_bad_input


@dataclass(frozen=True)
class Part:
    """A corpus in a mix: how often it is there, and what stands before each of its source lines (a tag)."""

    corpus: Corpus
    copies: int = 1
    tag: str = ""


def corpus_filter(
    *,
    corpus: Corpus,
    name: str,
    options: FilterOptions,
    drop_test_segments: bool = True,
    watch: Watch = lambda _n: None,
    folder: str = "",
) -> CorpusDraft:
    """Write what the filters leave of a corpus, with a report of what each removed.

    Args:
        corpus: what to filter.
        name: the new corpus's name, which must be free.
        options: see there.
        drop_test_segments: remove the segments of all test sets, too.
        watch: called with the number of lines read.
        folder: see `corpus_write`.

    Raises:
        BadInput: nothing is left, or a language cannot be identified.
        Conflict: the name is taken.
    """
    corpus_name_free(name)
    tags = corpus_languages(corpus)
    keys = frozenset(test_segments_known()) if drop_test_segments else frozenset()
    report = FilterReport()
    with as_bad_input():
        filters = make_filters(
            options, source=tags[0], target=tags[1] if len(tags) > 1 else "", test_keys=keys
        )
    with _scratch(folder) as scratch:
        left: Iterable[Pair] = filter_pairs(watched(corpus_pairs(corpus), watch), filters, report)
        if options.duplicates:
            left = without_repeats(left, scratch, lambda n: _removed(report, n))
        return corpus_write(
            name=name,
            kind=corpus.kind,
            languages=tags,
            pairs=left,
            report=lambda: {
                "made_by": "filter",
                "options": asdict(options),
                "language_identifier": language_id.signature() if options.language else "",
                **report.as_dict(),
            },
            parents=[corpus],
            folder=folder,
        )


def corpus_split(
    *, corpus: Corpus, names: tuple[str, str], held_out: int, seed: int, folder: str = ""
) -> tuple[CorpusDraft, CorpusDraft]:
    """Split a corpus into the rest and a random part of `held_out` lines, both in their old order.

    `folder` is what those of the two begin with; see `corpus_write`.

    Raises:
        BadInput: the part is not smaller than the whole, or both names are the same.
        Conflict: a name is taken.
    """
    if not 0 < held_out < corpus.n_lines:
        raise BadInput(
            f"{held_out:,} lines cannot be held out of {corpus.n_lines:,}.",
            "Give a number from 1 to one less than there are.",
        )
    if names[0] == names[1]:
        raise BadInput(f"Both parts are to be called “{names[0]}”.", "Give each a name of its own.")
    for name in names:
        corpus_name_free(name)
    chosen = frozenset(random.Random(seed).sample(range(corpus.n_lines), held_out))  # nosec B311 # noqa: S311 (no secret)

    def part(name: str, held: bool) -> CorpusDraft:
        lines = (pair for at, pair in enumerate(corpus_pairs(corpus)) if (at in chosen) is held)
        report = {
            "made_by": "split",
            "held_out": held_out,
            "seed": seed,
            "part": "held out" if held else "rest",
        }
        place = f"{folder}-{'held' if held else 'rest'}" if folder else ""
        return corpus_write(
            name=name,
            kind=corpus.kind,
            languages=corpus_languages(corpus),
            pairs=lines,
            report=lambda: report,
            parents=[corpus],
            folder=place,
        )

    rest = part(names[0], False)
    try:
        return rest, part(names[1], True)
    except BaseException:
        draft_discard(rest)
        raise


def corpus_mix(
    *,
    name: str,
    parts: Sequence[Part],
    languages: Sequence[str] = (),
    watch: Watch = lambda _n: None,
    folder: str = "",
) -> CorpusDraft:
    """Put corpora one after the other, each as often as it says, with its tag before every source line.

    Args:
        name: the new corpus's name, which must be free.
        parts: what to mix.
        languages: the order of the two sides; parts that have them the other way round are turned. By default
            all parts must have the order of the first.
        watch: called with the number of lines written.
        folder: see `corpus_write`.

    Raises:
        BadInput: no part, parts in different languages, or a number of copies that is not 1–MOST_COPIES.
        Conflict: the name is taken.
    """
    corpus_name_free(name)
    if not parts:
        raise BadInput("A mix needs at least one corpus.")
    first = tuple(languages) or corpus_languages(parts[0].corpus)
    for part in parts:
        own = corpus_languages(part.corpus)
        if sorted(own) != sorted(first) or (own != first and not languages):
            raise BadInput(
                f"“{part.corpus.name}” is in {'-'.join(own)}, the mix in {'-'.join(first)}.",
                "Mix corpora of the same languages in the same order.",
            )
        copies_check(part.corpus.name, part.copies)
    kinds = {part.corpus.kind for part in parts}
    return corpus_write(
        name=name,
        kind=kinds.pop() if len(kinds) == 1 else Corpus.Kind.PARALLEL,
        languages=first,
        pairs=(pair for part in parts for pair in _copies(part, first)),
        report=lambda: {
            "made_by": "mix",
            "parts": [{"corpus": p.corpus.name, "copies": p.copies, "tag": p.tag} for p in parts],
        },
        parents=[part.corpus for part in parts],
        watch=watch,
        folder=folder,
    )


def copies_check(corpus: str, copies: int) -> None:
    """Refuse a number of copies that no mix needs.

    Raises:
        BadInput: it is not 1–MOST_COPIES.
    """
    if not 1 <= copies <= MOST_COPIES:
        raise BadInput(
            f"“{corpus}” is to be there {copies:,} times.", f"Give a number from 1 to {MOST_COPIES:,}."
        )


def corpus_back_translated(
    *,
    name: str,
    corpus: Corpus,
    language: str,
    output: Path,
    provenance: dict[str, Any] | None = None,
    watch: Watch = lambda _n: None,
    folder: str = "",
) -> CorpusDraft:
    """Put a translation of monolingual text before it: a synthetic corpus whose target side people wrote.

    Lines without text, or whose translation is empty, are left out and counted.

    Args:
        name: the new corpus's name, which must be free.
        corpus: the monolingual text that was translated.
        language: tag of the language it was translated into.
        output: the translation, a line a line.
        provenance: what made it (system, checkpoint, sampling …), for the report.
        watch: called with the number of lines read.
        folder: see `corpus_write`.

    Raises:
        BadInput: the output has not as many lines as the corpus; the message has both numbers.
        Conflict: the name is taken.
    """
    corpus_name_free(name)
    (written,) = corpus_languages(corpus)
    report = FilterReport()
    with as_bad_input():
        translated = TextFiles([output])
        pairs = side_by_side(TextFiles([corpus_files(corpus)[written]]), translated)
        left = drop_blank(watched(pairs, watch), report, ("empty source", "empty output"))
        return corpus_write(
            name=name,
            kind=Corpus.Kind.SYNTHETIC,
            languages=(language, written),
            pairs=((made, original) for original, made in left),
            report=lambda: {"made_by": "back-translation", **(provenance or {}), **report.as_dict()},
            parents=[corpus],
            folder=folder,
        )


def corpus_pairs(corpus: Corpus) -> Iterator[Pair]:
    """Read the lines of a corpus; of a text in one language, each twice."""
    files = list(corpus_files(corpus).values())
    if len(files) == 1:
        return ((text, text) for text in TextFiles(files))
    return side_by_side(TextFiles(files[:1]), TextFiles(files[1:]))


def _copies(part: Part, languages: Sequence[str]) -> Iterator[Pair]:
    turned = corpus_languages(part.corpus) != tuple(languages)
    for _ in range(part.copies):
        for one, other in corpus_pairs(part.corpus):
            source, target = (other, one) if turned else (one, other)
            yield (f"{part.tag} {source}" if part.tag else source), target


def _removed(report: FilterReport, n: int) -> None:
    report.removed[DUPLICATE] = n
    report.kept -= n


@contextmanager
def _scratch(name: str) -> Iterator[Path]:
    """Give an empty folder on the disk where corpora lie, and remove it at the end."""
    folder = draft_folder(f"{name or DRAFT}-scratch")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
