"""Train a Transformer and decode with it on an accelerator, and say how fast that is: `tests/gpu/run.sh`.

The task is a made-up language pair (each word turned round), so that nothing has to be downloaded and it can
be told whether something was learned. `--cpu` tries the script itself without a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from mtcore.engines.base import Texts
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.fairseq_environment import environment
from mtcore.engines.recipe import Model, Recipe, Subwords, Training
from mtcore.engines.recipe_files import recipe_find
from mtcore.engines.registry import engines_for
from mtcore.engines.setup import Setup
from tests.engine_material import SETUP, Desk, desk

BIG = Model(embedding=512, feed_forward=2048, heads=8, dropout=0.1)
SMALL = Model(encoder_layers=1, decoder_layers=1, embedding=32, feed_forward=64, heads=2, dropout=0.0)


def main(arguments: list[str]) -> int:
    """Measure; exits with 0 also when it skips."""
    given = options(arguments)
    setup = Setup(Path(os.environ.get("FAIRSEQ_PYTHON") or SETUP.mt_python))
    found = environment(setup, devices=True)
    if found.problem:
        return skip(found.problem)
    if not given.cpu and not found.devices:
        return skip(f"torch {found.version('torch')} sees no GPU here (CUDA {found.cuda or 'not built in'})")
    cards = [] if given.cpu else list(found.devices)
    print("machine:", json.dumps(cards) if cards else "CPU", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="gpu-"))
    try:
        return measure(setup, folder, given, cards)
    except EngineError as error:
        print(f"failed: {error}")
        return 1
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--lines", type=int, default=2_000, help="to decode")
    parser.add_argument("--precision", default="auto", help="auto, fp16, bf16 or fp32")
    parser.add_argument("--cpu", action="store_true", help="try the script with a tiny model, without a GPU")
    parser.add_argument("--keep", action="store_true", help="leave the folder of the run")
    return parser.parse_args(arguments)


def skip(why: str) -> int:
    """Say why nothing is measured."""
    print(f"skipped: {why}")
    return 0


def measure(setup: Setup, folder: Path, given: argparse.Namespace, cards: list[Any]) -> int:
    """Train, decode and print; 1 when nothing was learned."""
    engine, recipe = FairseqEngine(setup), recipe_for(given, len(cards))
    train, valid = texts(folder / "train", given.pairs, 1), texts(folder / "valid", 200, 2)
    work = desk(folder / "run", device="cuda:0" if cards else "")
    timed("prepare", lambda: engine.prepare(train, valid, recipe, work))
    prepared = engine.prepare(train, valid, recipe, work)
    bundle = timed("train", lambda: engine.train(prepared, recipe, work))
    rates = sorted(work.values("wps"))
    say("train", precision=bundle.facts["precision"], updates=bundle.facts["updates"],
        tokens_per_second=round(rates[len(rates) // 2]) if rates else None,
        valid=bundle.facts["valid"], command=bundle.facts["command"])  # fmt: skip
    lines = (folder / "valid" / "text.xx").read_text("utf-8").split("\n")[:-1]
    lines = (lines * (given.lines // len(lines) + 1))[: given.lines]
    share = 0.0
    for other in engines_for("decodes", "transformer", setup):
        if other.is_available():
            decoding = desk(folder / other.name, device=work.device)
            share = max(share, decode(other, bundle, lines, recipe, decoding))
    perplexities = work.values("valid_ppl")
    learned = perplexities[-1] < perplexities[0]
    say("result", perplexities=perplexities, words_right=round(share, 3), learned=learned)
    return 0 if learned else 1


def decode(engine: Any, bundle: Any, lines: list[str], recipe: Recipe, work: Desk) -> float:
    """Decode by beam and by sampling; return the share of words that are right by beam."""
    began = time.monotonic()
    found = engine.translate([bundle], lines, recipe.decoding, work)
    seconds = time.monotonic() - began
    right = of = 0
    for line, one in zip(lines, found, strict=True):
        wanted, got = other_side(line).split(), one.text.split()
        right += sum(ours == theirs for ours, theirs in zip(wanted, got, strict=False))
        of += len(wanted)
    words = sum(len(one.text.split()) for one in found)
    say(engine.name, beam=recipe.decoding.beam, lines_per_second=round(len(lines) / seconds, 1),
        words_per_second=round(words / seconds), words_right=round(right / of, 3),
        tokens_per_second_without_start=round((work.values("pieces_per_second") or [0.0])[-1]))  # fmt: skip
    began = time.monotonic()
    sampled = engine.translate([bundle], lines, replace(recipe.decoding, beam=1, sampling=True), work)
    seconds = time.monotonic() - began
    say(engine.name, sampled=True, lines_per_second=round(len(sampled) / seconds, 1))
    return right / of


def recipe_for(given: argparse.Namespace, n_cards: int) -> Recipe:
    """Return what is trained: the base model on all accelerators, or a tiny one."""
    training = Training(
        learning_rate=0.0007, warmup=200, max_tokens=8000, max_updates=given.updates, keep_checkpoints=1,
        validate_every=max(1, given.updates // 2), devices=n_cards, precision=given.precision,
    )  # fmt: skip
    if not n_cards:
        training = replace(training, max_tokens=600, warmup=5, learning_rate=0.01)
    base = recipe_find("tiny-op")
    return replace(
        base, model=BIG if n_cards else SMALL, training=training,
        subwords=Subwords(size=2000 if n_cards else 50),
        decoding=replace(base.decoding, beam=4, batch_sentences=256),
    )  # fmt: skip


def texts(folder: Path, n: int, seed: int) -> Texts:
    """Write the two sides of a made-up pair."""
    folder.mkdir(parents=True)
    draw = random.Random(seed)
    words = [
        f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("na", "ri", "to", "se", "lu", "mi")
    ]
    lines = [" ".join(draw.choices(words, k=draw.randint(4, 14))) for _ in range(n)]
    paths = [folder / "text.xx", folder / "text.yy"]
    paths[0].write_text("".join(f"{line}\n" for line in lines), "utf-8")
    paths[1].write_text("".join(f"{other_side(line)}\n" for line in lines), "utf-8")
    return Texts("xx", "yy", paths[0], paths[1], n)


def other_side(line: str) -> str:
    """Translate: every word turned round."""
    return " ".join(word[::-1] for word in line.split())


def timed(name: str, do: Any) -> Any:
    """Do it and print how long it took."""
    began = time.monotonic()
    result = do()
    say(name, seconds=round(time.monotonic() - began, 1))
    return result


def say(what: str, **facts: Any) -> None:
    """Print a line of JSON."""
    print(json.dumps({"step": what, **facts}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
