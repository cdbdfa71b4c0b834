"""Learn and apply subwords, files in and files out, a line a sentence: `python subwords.py JOB.json`.

    {"do": "learn", "tool": "subword-nmt" | "sentencepiece", "inputs": [FILES], "model": FILE, "size": 32000}
    {"do": "encode", "tool": …, "model": FILE, "files": [[FROM, TO], …]}

Files are UTF-8 with LF ends. A file appears under its name only when it is whole.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

LEARN_FROM = 10_000_000
"""Lines that subwords are learned from, evenly spread, when there are more."""
_CHUNK = 20_000


def main(arguments: list[str]) -> int:
    """Do the job of a file."""
    job = json.loads(Path(arguments[0]).read_text("utf-8"))
    if job["do"] == "learn":
        learn(job["tool"], [Path(path) for path in job["inputs"]], Path(job["model"]), job["size"])
    else:
        for source, target in job["files"]:
            encode(job["tool"], Path(job["model"]), Path(source), Path(target))
    return 0


def learn(tool: str, inputs: list[Path], model: Path, size: int) -> None:
    """Learn a model from all the files together."""
    draft = model.with_name(f"{model.name}.draft")
    total = sum(1 for path in inputs for _ in read(path))
    lines = spread((line for path in inputs for line in read(path)), total)
    if tool == "subword-nmt":
        from subword_nmt.learn_bpe import learn_bpe

        with draft.open("w", encoding="utf-8", newline="\n") as file:
            learn_bpe(lines, file, size)
    else:
        import sentencepiece

        with draft.open("wb") as binary:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=lines, model_writer=binary, vocab_size=size, hard_vocab_limit=False,
                normalization_rule_name="identity", character_coverage=0.9999, num_threads=1,
                max_sentence_length=100_000, minloglevel=1,
            )  # fmt: skip
    draft.replace(model)
    print(f"{tool}: learned from {min(total, LEARN_FROM):,} of {total:,} lines", flush=True)


def spread(lines: Iterable[str], total: int) -> Iterator[str]:
    """Give all the lines, or `LEARN_FROM` of them, evenly spread."""
    if total <= LEARN_FROM:
        yield from lines
        return
    for number, line in enumerate(lines):
        if number * LEARN_FROM // total != (number + 1) * LEARN_FROM // total:
            yield line


def encode(tool: str, model: Path, source: Path, target: Path) -> None:
    """Cut every line of a file; with more lines than a chunk, on all processors."""
    draft = target.with_name(f"{target.name}.draft")
    lines = iter(read(source))
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        first = list(islice(lines, _CHUNK))
        if len(first) < _CHUNK:
            _start(tool, str(model))
            file.writelines(f"{line}\n" for line in _cut(first))
        else:
            with multiprocessing.Pool(os.cpu_count(), _start, (tool, str(model))) as pool:
                for done in pool.imap(_cut, chunks(first, lines)):
                    file.writelines(f"{line}\n" for line in done)
    draft.replace(target)


def chunks(first: list[str], lines: Iterator[str]) -> Iterator[list[str]]:
    """Give lists of lines."""
    while first:
        yield first
        first = list(islice(lines, _CHUNK))


_APPLY: list[Callable[[str], str]] = []


def _start(tool: str, model: str) -> None:
    if tool == "subword-nmt":
        from subword_nmt.apply_bpe import BPE

        with Path(model).open(encoding="utf-8") as codes:
            bpe = BPE(codes)
        _APPLY[:] = [lambda line: bpe.segment(line) if line else ""]
    else:
        import sentencepiece

        processor = sentencepiece.SentencePieceProcessor(model_file=model)
        _APPLY[:] = [lambda line: " ".join(processor.encode(line, out_type=str))]


def _cut(lines: list[str]) -> list[str]:
    apply = _APPLY[0]
    return [apply(line) for line in lines]


def read(path: Path) -> Iterator[str]:
    """Give the lines of a file, ended by LF only."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
