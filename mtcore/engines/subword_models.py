"""Subwords of an engine: learned from its texts, applied to what it reads, undone in what it writes.

Three ways: "subword-nmt" (BPE) and "none" take words and signs apart first (`subword_models_split`);
"sentencepiece" takes the line as it is. The libraries live in the training environment; whole files go there
and come back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from mtcore.corpora.stream import stream_blocks
from mtcore.corpora.subwords import NONE, SENTENCEPIECE, join_subwords, restore_specials
from mtcore.engines.base import Work
from mtcore.engines.bundle import Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.rundir import atomic_file
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models_split import clean_line, join_words, split_words

SCRIPT = "subwords.py"
SUBWORDS = "subwords"
"""The role of a joint model in a bundle; one of a side is "subwords.de"."""
_BLOCK = 8 * 1024**2
_CHECK_LINES = 50_000


def words_of(line: str, tool: str) -> str:
    """Return a line as the subword tool gets it."""
    return clean_line(line) if tool == SENTENCEPIECE else split_words(line)


def text_of(pieces: str, tool: str) -> str:
    """Return the text that pieces stand for."""
    joined = join_subwords(pieces, tool)
    return restore_specials(joined) if tool == SENTENCEPIECE else join_words(joined)


def file_lines(path: Path) -> Iterator[str]:
    """Give the lines of a text as every import reads them: plain or gzip, ended by LF only, CRLF folded."""
    for block in stream_blocks(path, _BLOCK):
        for line in block.decode("utf-8").split("\n")[:-1]:
            yield line.removesuffix("\r")


def write_words(
    sides: Sequence[tuple[Path, Path]], tool: str, work: Work, *, name: str = "the training text"
) -> tuple[int, int]:
    """Write files as the subword tool gets them, side by side; return (lines kept, lines blank and left out).

    Args:
        sides: (from, to) of each language; a line that is blank in one of them is left out in all.
        tool: the subword tool.
        work: asked whether to stop.
        name: what messages call the text.

    Raises:
        EngineError: the files have different numbers of lines; nothing is written then.
    """
    kept = blank = 0
    drafts = [target.with_name(f"{target.name}.draft") for _, target in sides]
    files = [draft.open("w", encoding="utf-8", newline="\n") for draft in drafts]
    try:
        for number, lines in enumerate(zip_longest(*(file_lines(source) for source, _ in sides))):
            if number % _CHECK_LINES == 0:
                work.check()
            if None in lines:
                raise EngineError(_uneven([source for source, _ in sides], name), "Align the two sides.")
            words = [words_of(line, tool) for line in lines]
            if all(words):
                kept += 1
                for file, line in zip(files, words, strict=True):
                    file.write(f"{line}\n")
            else:
                blank += 1
    except BaseException:
        for draft in drafts:
            draft.unlink(missing_ok=True)
        raise
    finally:
        for file in files:
            file.close()
    for draft, (_, target) in zip(drafts, sides, strict=True):
        draft.replace(target)
    return kept, blank


def _uneven(paths: Sequence[Path], name: str) -> str:
    counts = [sum(1 for _ in file_lines(path)) for path in paths]
    shown = " and ".join(f"{path.name} has {count:,}" for path, count in zip(paths, counts, strict=True))
    return f"The sides of {name} do not have the same number of lines: {shown}."


def subwords_learn(
    inputs: Sequence[Path], model: Path, *, tool: str, size: int, setup: Setup, work: Work
) -> None:
    """Learn a subword model from files of words, unless it is there."""
    if model.exists():
        return
    job = {
        "do": "learn",
        "tool": tool,
        "inputs": [str(path) for path in inputs],
        "model": str(model),
        "size": size,
    }
    _run(job, model.with_name(f"{model.name}.learn.json"), setup, work)


def subwords_encode(
    files: Iterable[tuple[Path, Path]], model: Path | None, *, tool: str, setup: Setup, work: Work
) -> None:
    """Cut the words of files into pieces, each (from, to); with the tool "none" pieces are the words.

    Raises:
        EngineError: a file came back with another number of lines.
    """
    pairs = [(source, target) for source, target in files if not target.exists()]
    if not pairs:
        return
    if tool == NONE or model is None:
        for source, target in pairs:
            with atomic_file(target) as draft:
                draft.write_bytes(source.read_bytes())
        return
    job = {
        "do": "encode",
        "tool": tool,
        "model": str(model),
        "files": [[str(one) for one in pair] for pair in pairs],
    }
    _run(job, pairs[0][1].with_name(f"{pairs[0][1].name}.encode.json"), setup, work)
    for source, target in pairs:
        given, got = line_count(source), line_count(target)
        if given != got:
            target.unlink()
            raise EngineError(f"Subwords made {got:,} lines of {given:,} in {source}.", "Look at the log.")


def pieces_of(
    lines: Sequence[str], bundle: Bundle, language: str, folder: Path, *, setup: Setup, work: Work
) -> list[str]:
    """Cut lines into the pieces of a bundle's model; as many come back, blank for blank.

    Args:
        lines: raw text.
        bundle: an engine with its subwords.
        language: the side the lines belong to.
        folder: scratch, kept between attempts; a folder of these lines alone.
        setup: where the training environment is.
        work: runs the tool.
    """
    tool = str(bundle.facts["subwords"])
    words = [words_of(line, tool) for line in lines]
    if tool == NONE:
        return words
    source, target = folder / "words.txt", folder / "pieces.txt"
    with atomic_file(source) as draft:
        draft.write_text("".join(f"{line}\n" for line in words), "utf-8", newline="\n")
    subwords_encode([(source, target)], subwords_path(bundle, language), tool=tool, setup=setup, work=work)
    return target.read_text("utf-8").split("\n")[:-1]


def subwords_path(bundle: Bundle, language: str) -> Path:
    """Return the subword model of one side of a bundle: its own, or the joint one."""
    own = f"{SUBWORDS}.{language}"
    return bundle.path(own if own in bundle.files else SUBWORDS)


def line_count(path: Path) -> int:
    """Count the lines of a file that we wrote, without holding it."""
    count = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            count += block.count(b"\n")
    return count


def _run(job: Mapping[str, object], place: Path, setup: Setup, work: Work) -> None:
    place.write_text(json.dumps(job), "utf-8")
    work.command([*setup.script(SCRIPT), str(place)])
