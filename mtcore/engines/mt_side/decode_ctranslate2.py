"""Translate lines of pieces with a converted model: `python decode_ctranslate2.py JOB.json`.

JOB has what `decode_fairseq.py` reads, and besides: model (a folder), compute_type, threads, max_positions.
Output, progress and going on after a stop are the same. A batch has lines of one length only, so that neither
padding nor the limit of a translation depends on a line's neighbours.

A sample is drawn block by block, each with a seed and threads of its own: a block that was interrupted is
drawn again, the same way.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import sys
import time
from collections.abc import Iterator
from multiprocessing import cpu_count
from pathlib import Path
from typing import Any

import ctranslate2
from decode_fairseq import batches, whole_lines

CUBLAS = "libcublas.so.12"
BLOCK = 4000
"""Lines of a block; of a sample it has a seed of its own."""


def main(arguments: list[str]) -> int:
    """Do the job of a file."""
    job = json.loads(Path(arguments[0]).read_text("utf-8"))
    lines = [line.split(" ") for line in Path(job["input"]).read_text("utf-8").split("\n")[:-1]]
    output = Path(job["output"])
    done = whole_lines(output)
    progress = Progress(len(lines), len(done))
    if not job["sampling"]:
        translator = load(job, 0)
    with output.open("a", encoding="utf-8", newline="\n") as file:
        for number, start in enumerate(range(0, len(lines), BLOCK)):
            block = list(range(start, min(start + BLOCK, len(lines))))
            if done.issuperset(block):
                continue
            if job["sampling"]:
                translator = load(job, job["seed"] * 1_000_003 + number + 1)
            for batch, answers in translated(translator, job, lines, block):
                for line, answer in zip(batch, answers, strict=True):
                    if line not in done:
                        text, score = answer
                        row = {"id": line, "text": " ".join(text), "score": score}
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")
                        done.add(line)
                        progress.add(len(text))
                file.flush()
                progress.say()
    progress.say(last=True)
    return 0


def load(job: dict[str, Any], seed: int) -> ctranslate2.Translator:
    """Load the model; the seed counts for the threads that it starts."""
    ctranslate2.set_random_seed(seed % 2**31)
    device = "cuda" if not job["cpu"] and can_use_device() else "cpu"
    # A device that cannot be used leaves all processors to us, or as many as the worker leaves to commands.
    threads = job["threads"] if job["cpu"] or device == "cuda" else max(job["threads"], cpu_count())
    threads = job["most_threads"] or threads
    side_by_side = (
        1 if device == "cuda" or job["sampling"] else max(1, threads // 2 if threads > 2 else threads)
    )
    return ctranslate2.Translator(
        job["model"],
        device=device,
        compute_type=compute_type(job["compute_type"], device),
        inter_threads=side_by_side,
        intra_threads=max(1, threads // side_by_side),
    )


def can_use_device() -> bool:
    """Tell whether there is an accelerator with what CTranslate2 needs on it; say what is missing."""
    if not ctranslate2.get_cuda_device_count():
        print("CTranslate2 sees no accelerator: it decodes on the CPU.", flush=True)
        return False
    beside = Path(ctranslate2.__file__).parents[1] / "nvidia" / "cublas" / "lib" / CUBLAS
    for name in (CUBLAS, str(beside)):
        with contextlib.suppress(OSError):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            return True
    print(
        f"CTranslate2 finds no {CUBLAS}: it decodes on the CPU. Install nvidia-cublas-cu12 in the training "
        "environment, or set decoding.engine = fairseq.",
        flush=True,
    )
    return False


def compute_type(wanted: str, device: str) -> str:
    """Choose how to calculate where nothing was said."""
    if wanted != "auto":
        return wanted
    if device == "cpu":
        return "float32"
    able = ctranslate2.get_supported_compute_types(device)
    return "float16" if "float16" in able else "float32"


def translated(
    translator: ctranslate2.Translator, job: dict[str, Any], lines: list[list[str]], block: list[int]
) -> Iterator[tuple[list[int], list[tuple[list[str], float]]]]:
    """Give the batches of a block with (pieces, score) of each line, as they are done."""
    waiting = []
    for batch in batches([len(lines[line]) for line in block], job["batch"], equal=True):
        numbers = [block[place] for place in batch]
        waiting.append((numbers, ask(translator, job, [lines[line] for line in numbers])))
    for numbers, answers in waiting:
        yield numbers, [best(answer.result()) for answer in answers]


def ask(translator: ctranslate2.Translator, job: dict[str, Any], lines: list[list[str]]) -> Any:
    """Start the translation of lines of one length; fairseq's limit counts the end of the line too."""
    longest = int(job["length_a"] * (len(lines[0]) + 1) + job["length_b"])
    options: dict[str, Any] = {
        "max_decoding_length": max(1, min(longest, job["max_positions"] - 1)),
        "max_input_length": 0,
        "return_scores": True,
        "length_penalty": job["length_penalty"],
        "asynchronous": True,
    }
    if job["sampling"]:
        options |= {
            "beam_size": 1, "num_hypotheses": job["beam"], "sampling_topk": job["top_k"],
            "sampling_temperature": job["temperature"],
        }  # fmt: skip
    else:
        options["beam_size"] = job["beam"]
    return translator.translate_batch(lines, **options)


def best(answer: Any) -> tuple[list[str], float]:
    """Return the pieces and the score of the best hypothesis."""
    pairs = list(zip(answer.hypotheses, answer.scores, strict=True))
    return max(pairs, key=lambda pair: pair[1])


class Progress:
    """Say a few times a minute how far it is."""

    def __init__(self, of: int, done: int) -> None:
        self.of, self.done, self.pieces = of, done, 0
        self.began = self.said = time.monotonic()

    def add(self, pieces: int) -> None:
        """Count a line."""
        self.done += 1
        self.pieces += pieces

    def say(self, *, last: bool = False) -> None:
        """Say it, when it is time."""
        now = time.monotonic()
        if last or now - self.said > 1.0:
            self.said = now
            rate = self.pieces / max(1e-9, now - self.began)
            print(
                json.dumps({"decoded": self.done, "of": self.of, "pieces_per_second": round(rate, 1)}),
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
