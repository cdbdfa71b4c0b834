"""Write the text of a corpus: once, whole, counted; nothing is there before all of it is.

It lies in a folder of its own under DATA_DIR/corpora, one file a language (`text.en`), LF only, with a
manifest of checksums and a report. The folder appears by one rename; the row in the database follows.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.corpus_lines import Pair
from mtcore.corpora.names import check_name
from mtcore.engines.rundir import MANIFEST, RunDirError, publish, verify
from mtcore.models import Corpus
from mtcore.services.corpora_places import DRAFT, corpora_folder, draft_folder, made_forget, made_note
from mtcore.services.texts import as_bad_input

REPORT = "report.json"
WATCH_LINES = 5_000

Watch = Callable[[int], None]
"""Called every few thousand lines with their number so far; may raise to stop."""


@dataclass(frozen=True)
class CorpusDraft:
    """A corpus whose text is in place and that is not yet registered."""

    name: str
    kind: str
    languages: tuple[str, ...]
    folder: str
    n_lines: int
    sha256: str
    report: Mapping[str, Any]
    parents: Sequence[Corpus] = ()


@dataclass
class Counts:
    """Lines, and words and characters by language, of what was written."""

    lines: int = 0
    words: dict[str, int] = field(default_factory=dict)
    characters: dict[str, int] = field(default_factory=dict)


def corpus_write(
    *,
    name: str,
    kind: str,
    languages: Sequence[str],
    pairs: Iterable[Pair],
    report: Callable[[], Mapping[str, Any]],
    parents: Sequence[Corpus] = (),
    watch: Watch = lambda _n: None,
    folder: str = "",
) -> CorpusDraft:
    """Write the text of a corpus into a folder that appears whole, and count it.

    Args:
        name: its name.
        kind: as in Corpus.Kind.
        languages: one tag a side.
        pairs: its lines; of a text in one language only the first side is written.
        report: called at the end; what it says is kept with the counts.
        parents: the corpora it was made from.
        watch: see Watch.
        folder: its name under DATA_DIR/corpora; one that is there already is taken as it is, for a run that
            was interrupted after it had written everything.

    Raises:
        BadInput: the name is no name, or there is no line at all.
    """
    with as_bad_input():
        check_name(name, "corpus")
    place = corpora_folder() / (folder or uuid.uuid4().hex)
    if place.exists():
        _require_whole(place)
    else:
        staging = draft_folder(folder or DRAFT)
        try:
            with as_bad_input():
                counts = _write(pairs, staging, languages, watch)
            if not counts.lines:
                raise BadInput(
                    f"Nothing is left for the corpus “{name}”{_why(report())}.", "Change what removes it."
                )
            _note(staging, counts, report())
            if not folder:
                made_note(place.name)
            publish(staging, place)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            made_forget(place.name)
            raise
    return _draft_of(place, name=name, kind=kind, languages=tuple(languages), parents=parents)


def draft_discard(draft: CorpusDraft) -> None:
    """Remove the text of a corpus that will not be registered."""
    shutil.rmtree(corpora_folder() / draft.folder, ignore_errors=True)
    made_forget(draft.folder)


def text_file(tag: str) -> str:
    """Return the name of the file of a language."""
    return f"text.{tag}"


def watched(pairs: Iterable[Pair], watch: Watch) -> Iterator[Pair]:
    """Pass pairs on and call `watch` every few thousand of them."""
    for number, pair in enumerate(pairs):
        if number % WATCH_LINES == 0:
            watch(number)
        yield pair


def _require_whole(place: Path) -> None:
    try:
        verify(place)
    except RunDirError as error:
        raise Conflict(str(error), f"Remove the folder {place}, then resume the run.") from error


def _write(pairs: Iterable[Pair], folder: Path, languages: Sequence[str], watch: Watch) -> Counts:
    counts = Counts(words=dict.fromkeys(languages, 0), characters=dict.fromkeys(languages, 0))
    with ExitStack() as stack:
        files = [
            stack.enter_context((folder / text_file(tag)).open("w", encoding="utf-8", newline="\n"))
            for tag in languages
        ]
        for pair in watched(pairs, watch):
            counts.lines += 1
            for tag, file, text in zip(languages, files, pair, strict=False):
                file.write(text + "\n")
                counts.words[tag] += len(text.split())
                counts.characters[tag] += len(text)
    return counts


def _why(report: Mapping[str, Any]) -> str:
    removed = {name: n for name, n in report.get("removed", {}).items() if n}
    return f": {', '.join(f'{n:,} {name}' for name, n in removed.items())} removed" if removed else ""


def _note(folder: Path, counts: Counts, report: Mapping[str, Any]) -> None:
    """Write the report beside the text."""
    kept = {"lines": counts.lines, "words": counts.words, "characters": counts.characters, **report}
    (folder / REPORT).write_text(json.dumps(kept, ensure_ascii=False, indent=1), "utf-8")


def _draft_of(
    place: Path, *, name: str, kind: str, languages: tuple[str, ...], parents: Sequence[Corpus]
) -> CorpusDraft:
    """Describe a folder that is in place, from its own manifest and report."""
    report = json.loads((place / REPORT).read_text("utf-8"))
    sums = json.loads((place / MANIFEST).read_text("utf-8"))
    return CorpusDraft(
        name=name,
        kind=kind,
        languages=languages,
        folder=place.name,
        n_lines=report["lines"],
        sha256=corpus_sha256(sums, languages),
        report=report,
        parents=parents,
    )


def corpus_sha256(sums: Mapping[str, str], languages: Sequence[str]) -> str:
    """Return one digest for the texts of a corpus: its file's, or that of its files' digests in order."""
    texts = [sums[text_file(tag)] for tag in languages]
    return texts[0] if len(texts) == 1 else hashlib.sha256(" ".join(texts).encode()).hexdigest()
