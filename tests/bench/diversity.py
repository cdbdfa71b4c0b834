"""Four measures of diversity of up to fifty million words, beside a plain implementation."""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from mtcore.corpora.stream import stream_blocks
from mtcore.diversity import measures_for
from mtcore.diversity.counting import count_words
from mtcore.diversity.profile import Profile
from mtcore.diversity.tokens import Given
from mtcore.diversity.vocabulary import Resources
from tests.bench.memory import grows_at_most, peak_bytes
from tests.bench.timing import Section, best, table
from tests.factories.diversity import plain_mtld, plain_stream
from tests.paths import ROOT

NAMES = ("ttr", "yule_i", "mtld", "lfp_b1", "lfp_b2", "lfp_b3")
SIZES = (1_000_000, 10_000_000, 50_000_000)
TYPES, LINE = 300_000, 20
FASTER, SLOWEST, MEMORY_RATIO = 4, 0.75, 2.0


def measure() -> Section:
    """Write texts of invented words, measure the first both ways and each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        files = {size: Path(folder) / f"{size}.txt" for size in SIZES}
        for size, file in files.items():
            write_text(file, size)
        small = files[SIZES[0]]
        text = small.read_text(encoding="utf-8")
        plain, expected = best(lambda: plain_measures(text), 2)
        ours, found = best(lambda: measures_of(small), 4)
        grown = {size: _worker(file) for size, file in files.items()}
    section = Section("Diversity of fifty million words", _text(plain, ours, grown))
    section.promise("the same numbers", bool(np.allclose(expected, found, rtol=1e-9)))
    section.promise(f"at least {FASTER} times the words a second of the plain one", plain >= FASTER * ours)
    middle, last = (grown[size] for size in SIZES[1:])
    section.promise(
        f"five times the text: at least {SLOWEST} of the words a second",
        last["tokens"] / last["processor"] >= SLOWEST * middle["tokens"] / middle["processor"],
    )
    section.promise(
        f"five times the text takes at most {MEMORY_RATIO:g} times the memory",
        grows_at_most(MEMORY_RATIO, middle["grown"], last["grown"]),
    )
    return section


def write_text(file: Path, size: int) -> None:
    """Write so many words, frequent as in language (Zipf), some with capitals, digits and marks."""
    rng = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxzäéß"))
    words = ["".join(rng.choice(letters, rng.integers(2, 9))) for _ in range(TYPES)]
    marks = ["", "", "", "", "", "", ",", "-1", ".", "’s"]
    words = [f"{word}{marks[place % len(marks)]}" for place, word in enumerate(words)]
    places = np.arange(1, TYPES + 1)
    bounds = np.cumsum(1 / (places + 2.7) ** 1.2)
    with file.open("w", encoding="utf-8") as out:
        for start in range(0, size, 500_000):
            n = min(500_000, size - start)
            drawn = np.searchsorted(bounds, rng.random(n) * bounds[-1]).tolist()
            for line in range(0, n, LINE):
                out.write(" ".join([words[place] for place in drawn[line : line + LINE]]) + "\n")


def measures_of(file: Path) -> list[float]:
    """Measure a file with ours, by one process."""
    profile = Profile("T", count_words(stream_blocks(file, Given.block_bytes), Given()), Resources())
    return [measure.compute(profile).value or 0.0 for measure in measures_for(NAMES, "biasmt")]


def plain_measures(text: str) -> list[float]:
    """Measure a text with `Counter`, and MTLD word by word as lexicalrichness does."""
    counts = Counter(text.split())
    n, types = sum(counts.values()), len(counts)
    squares = sum(count * count for count in counts.values())
    ranked = [count for _, count in counts.most_common()]
    bands = [sum(part) / n for part in (ranked[:1000], ranked[1000:2000], ranked[2000:])]
    return [types / n, types**2 / (squares - types), plain_mtld(plain_stream(text)), *bands]


def _text(plain: float, ours: float, grown: dict[int, dict[str, float]]) -> str:
    size = SIZES[0]
    rows = [
        [
            f"{found['tokens']:,.0f}", f"{found['types']:,.0f}", f"{found['processor']:.2f} s",
            f"{found['tokens'] / found['processor'] / 1e6:.1f} M", f"{found['grown'] / 2**20:,.0f} MiB",
        ]
        for found in grown.values()
    ]  # fmt: skip
    return (
        "TTR, Yule's I, MTLD and three bands, from the file to the numbers; processor time of one process. "
        "*Plain*: `Counter`, and MTLD as the package lexicalrichness computes it, written out here, for the "
        "package itself draws in some thirty others.\n\n"
        + table(
            ["words", "plain", "ours", "times as fast"],
            [
                [
                    f"{size:,}",
                    f"{size / plain / 1e6:.2f} M/s",
                    f"{size / ours / 1e6:.2f} M/s",
                    f"{plain / ours:.1f}",
                ]
            ],
        )
        + "\n\nEach text in a process of its own; memory is what it grew by at its peak.\n\n"
        + table(["words", "types", "time", "words a second", "memory"], rows)
    )


def _worker(file: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.diversity", str(file)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def work(file: Path) -> dict[str, float]:
    """Measure one file, after a word to load what is needed."""
    count_words([b"a b a\n"], Given())
    before, start = peak_bytes(), time.process_time()
    profile = Profile("T", count_words(stream_blocks(file, Given.block_bytes), Given()), Resources())
    for measure in measures_for(NAMES, "biasmt"):
        measure.compute(profile)
    took = time.process_time() - start
    grown = peak_bytes() - before
    return {"tokens": profile.tokens, "types": len(profile.counts), "processor": took, "grown": grown}


if __name__ == "__main__":
    print(json.dumps(work(Path(sys.argv[1]))))
