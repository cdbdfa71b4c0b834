"""Import corpora from files, packed files and folders; test segments in them are looked for first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput
from mtcore.corpora.corpus_lines import Pair, TextFiles, side_by_side
from mtcore.corpora.line_keys import loose_key
from mtcore.models import Corpus, SegmentText
from mtcore.services.corpora import corpus_name_free, tags_checked
from mtcore.services.corpora_write import CorpusDraft, corpus_write
from mtcore.services.texts import as_bad_input

TEST_SEGMENTS = ("refuse", "drop", "keep")
"""What happens to lines that are segments of a test set known here."""
_ENOUGH = 100

Progress = Callable[[float, int], None]
"""Called with the part of the bytes that has been read and the number of lines; may raise to stop."""


def corpus_import(
    *,
    name: str,
    languages: Sequence[str],
    sources: Sequence[str],
    targets: Sequence[str] = (),
    kind: str = "",
    test_segments: str = "refuse",
    progress: Progress = lambda _part, _lines: None,
    folder: str = "",
) -> CorpusDraft:
    """Read a corpus from files and write it where corpora lie; nothing is registered yet.

    Args:
        name: the corpus's name, which must be free.
        languages: (source, target) of parallel text, one of monolingual text.
        sources: files or folders of the first side; several are put one after the other. Of a folder, all the
            files; for parallel text given as a folder alone, the pairs in it that end in the two languages.
        targets: likewise for the other side.
        kind: "parallel", "monolingual" or "synthetic"; empty follows the number of languages.
        test_segments: one of TEST_SEGMENTS.
        progress: see Progress.
        folder: see `corpus_write`.

    Raises:
        BadInput: files are missing, damaged, no text, or do not stand side by side; or they hold test
        segments. Conflict: the name is taken.
    """
    tags = tags_checked(*languages)
    corpus_name_free(name)
    if test_segments not in TEST_SEGMENTS:
        raise BadInput(f"“{test_segments}” is no way to treat test segments.", "Give refuse, drop or keep.")
    with as_bad_input():
        ours, others = streams(tags, sources, targets)
    keys = _Overlap(test_segments_known() if test_segments != "keep" else {}, drop=test_segments == "drop")
    odd = _Odd()
    lines = side_by_side(ours, others) if others else ((text, text) for text in ours)

    def watch(n_lines: int) -> None:
        progress(ours.fraction, n_lines)

    return corpus_write(
        name=name,
        kind=kind or (Corpus.Kind.PARALLEL if others else Corpus.Kind.MONOLINGUAL),
        languages=tags,
        pairs=odd.look(keys.look(lines, name), name),
        report=lambda: {**_report(ours, others, test_segments, keys), **odd.report()},
        watch=watch,
        folder=folder,
    )


def streams(
    tags: Sequence[str], sources: Sequence[str], targets: Sequence[str]
) -> tuple[TextFiles, TextFiles | None]:
    """Open the texts of a corpus; the second is None for text in one language.

    Raises:
        BadInput: there are no files, or there is a side too many or too few.
    """
    if len(tags) == 1:
        if targets:
            raise BadInput("Text in one language has no target side.", "Give two languages, as in en-de.")
        return TextFiles(_files(sources)), None
    if not targets:
        pairs = [pair for path in sources for pair in _folder_pairs(Path(path), tags)]
        return TextFiles([one for one, _ in pairs]), TextFiles([other for _, other in pairs])
    return TextFiles(_files(sources)), TextFiles(_files(targets))


def test_segments_known() -> dict[int, str]:
    """Return the loose keys of all segments of all test sets, in every version, with the test set's name."""
    found: dict[int, str] = {}
    texts = SegmentText.objects.values_list("text", "version__testset__name")
    for text, testset in texts.iterator(chunk_size=10_000):
        key = loose_key(text)
        if key is not None:
            found.setdefault(key, testset)
    return found


class _Overlap:
    """Look for test segments in what passes, and count them."""

    def __init__(self, known: Mapping[int, str], *, drop: bool) -> None:
        self.known = known
        self.drop = drop
        self.n = 0
        self.first = ""

    def look(self, pairs: Iterable[Pair], name: str) -> Iterator[Pair]:
        """Pass pairs on; those with a test segment are left out, or all is refused at the end (or at 100)."""
        if not self.known:
            yield from pairs
            return
        for number, (source, target) in enumerate(pairs, start=1):
            testset = self._testset(source) or (self._testset(target) if target is not source else "")
            if not testset:
                yield source, target
                continue
            self.n += 1
            self.first = self.first or f"line {number:,} is in “{testset}”"
            if not self.drop and self.n >= _ENOUGH:
                break
        if self.n and not self.drop:
            raise BadInput(
                f"The corpus “{name}” holds {'at least ' if self.n >= _ENOUGH else ''}{self.n:,} "
                f"{'line' if self.n == 1 else 'lines'} with test segments: {self.first}. A system trained on "
                "them would be tested on what it has seen.",
                "Leave them out with --test-segments drop, or take them in with --test-segments keep.",
            )

    def _testset(self, text: str) -> str:
        key = loose_key(text)
        return self.known.get(key, "") if key is not None else ""


class _Odd:
    """Count pairs from which nothing is learnt: with a blank side, or with twice the same text."""

    def __init__(self) -> None:
        self.n = 0
        self.blank = 0
        self.same = 0

    def look(self, pairs: Iterable[Pair], name: str) -> Iterator[Pair]:
        """Pass all pairs on; refuse a corpus of nothing else."""
        for source, target in pairs:
            self.n += 1
            if not source.strip() or not target.strip():
                self.blank += 1
            elif source is not target and source == target:
                self.same += 1
            yield source, target
        if self.n and self.blank == self.n:
            raise BadInput(
                f"Every line of the corpus “{name}” is blank.", "Give the files that hold its text."
            )

    def report(self) -> dict[str, int]:
        """Return how many there are, where there are any."""
        found = {"blank": self.blank, "same_sides": self.same}
        return {name: n for name, n in found.items() if n}


def _report(ours: TextFiles, others: TextFiles | None, test_segments: str, found: _Overlap) -> dict[str, Any]:
    changed = ours.n_changed + (others.n_changed if others else 0)
    return {
        "made_by": "import",
        "files": [[path.name for path in side.paths] for side in (ours, others) if side],
        "read": ours.n_lines,
        "removed": {"test segment": found.n},
        "test_segments": test_segments,
        "carriage_returns": changed,
    }


def _files(paths: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        if path.is_dir() and not inside:
            raise BadInput(f"The folder {path} holds no file.", "Give files, or a folder with text in it.")
        found += inside or [path]
    if not found:
        raise BadInput("A corpus needs its text.", "Give files or folders.")
    return found


def _folder_pairs(folder: Path, tags: Sequence[str]) -> list[tuple[Path, Path]]:
    """Pair the files of a folder whose names differ in their language only: x.en and x.de, packed or not."""
    ours, others = (_by_stem(folder, tag) for tag in tags)
    alone = sorted({*ours} ^ {*others})
    if not ours or not others or alone:
        what = f"“{alone[0]}” is there in one language only" if alone else "there are none"
        raise BadInput(
            f"{folder} should hold files in pairs, as x.{tags[0]} and x.{tags[1]}: {what}.",
            "Give the files of both sides with --source and --target.",
        )
    return [(ours[stem], others[stem]) for stem in sorted(ours)]


def _by_stem(folder: Path, tag: str) -> dict[str, Path]:
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix().removesuffix(".gz")
        if path.is_file() and name.endswith(f".{tag}"):
            found[name.removesuffix(f".{tag}")] = path
    return found
