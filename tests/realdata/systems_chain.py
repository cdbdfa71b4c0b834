"""Systems, language models and tables from real text, by the platform's own commands.

    python -m tests.realdata.systems_chain FOLDER [PART …]

trains on the shared texts (Multi30k, news), in a data folder that is made, and leaves there what it found
(`found.json`) and the tables of a study. The same command again goes on where it stopped. Its parts (`alone`:
two systems to measure; `pair`: OP, BT, language models, tables) need nothing of each other: in folders of
their own they may run side by side. `--smoke` does the same with hardly any text and four updates a
model, in a few minutes: does it hang together?
"""

import gzip
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import django

from tests.paths import DATA

if __name__ == "__main__":
    FOLDER = Path(sys.argv[1])
    (FOLDER / "data").mkdir(parents=True, exist_ok=True)
    os.environ.pop("DATABASE_URL", None)
    os.environ |= {"DATA_DIR": str(FOLDER / "data"), "DJANGO_SETTINGS_MODULE": "evalplatform.settings"}
    django.setup()

from django.core.management import call_command

PARTS = ("alone", "pair")
TRANSFORMER_BLEU, LSTM_BLEU = 20, 10
"""At least so many on test_2016_flickr, German to English."""
CAPTIONS, NEWS, MONO = DATA / "parallel" / "multi30k", DATA / "parallel", DATA / "mono"
PAIRS = 12_000
"""So many captions are parallel; the German side of the others is the text that is translated back."""
LM_CAPTIONS = 6_000
"""So many of the others' English sides are translated by both systems for the language models."""

_SMALL = [
    "subwords.size=3000", "model.embedding=128", "model.feed_forward=512", "model.dropout=0.1",
    "model.norm_first=true", "training.learning_rate=0.003", "training.max_updates=700",
    "training.validate_every=100",
    "decoding.beam=4",
]  # fmt: skip
FIGURES = {
    "transformer": [
        "subwords.size=4000", "model.encoder_layers=3", "model.decoder_layers=3", "model.embedding=256",
        "model.feed_forward=512", "model.dropout=0.1", "model.norm_first=true",
        "training.learning_rate=0.002", "training.max_updates=800", "training.validate_every=100",
        "decoding.beam=4",
    ],
    "lstm": [
        "subwords.size=4000", "model.encoder_layers=1", "model.decoder_layers=1", "model.embedding=256",
        "training.learning_rate=0.003", "training.max_tokens=1000", "training.max_updates=1500",
        "training.validate_every=300", "decoding.beam=4",
    ],
    "pair": _SMALL,
    "lm": [
        "subwords.size=1000", "model.norm_first=true", "model.dropout=0.3", "training.max_updates=300",
        "training.validate_every=75",
    ],
}  # fmt: skip
"""What is changed in the tiny recipes."""
SMOKE_LINES = 200
SMOKE = [
    "training.max_updates=4", "training.validate_every=4", "training.max_tokens=300", "subwords.size=200",
    "model.embedding=32", "model.feed_forward=32", "decoding.beam=1",
]  # fmt: skip


class Chain:
    """A data folder, the commands that were given in it, and what they found."""

    def __init__(self, folder: Path, *, smoke: bool = False) -> None:
        self.folder = folder
        self.smoke = smoke
        self._known = folder / "found.json"
        self.found = json.loads(self._known.read_text()) if self._known.exists() else {}

    def figures(self, kind: str) -> list[str]:
        """Return what is changed in a recipe of a kind."""
        return [*FIGURES[kind], *SMOKE] if self.smoke else FIGURES[kind]

    def cut(self, path: Path) -> Path:
        """Return a file of the shared data, of which a smoke run has the first lines only."""
        if not self.smoke or path.is_relative_to(self.folder):
            return path
        short = self.folder / f"short-{path.name.removesuffix('.gz')}"
        short.write_text("".join(f"{line}\n" for line in _lines(path)[:SMOKE_LINES]), "utf-8")
        return short

    def run(self, *arguments: object) -> str:
        """Give one command; return what it printed."""
        name, *rest = (str(one) for one in arguments)
        print("$ manage.py", name, *rest, flush=True)
        out = StringIO()
        call_command(name, *rest, stdout=out)
        return out.getvalue()

    def once(self, what: str, *arguments: object, read=None) -> object:
        """Give a command whose result is not known yet; keep what `read` takes from its output."""
        if what not in self.found:
            began, spent = time.monotonic(), _processors()
            out = self.run(*arguments)
            took = [round(time.monotonic() - began, 1), round(_processors() - spent, 1)]
            print(f"  {took[0]:,.0f} s, {took[1]:,.0f} s of processors", flush=True)
            self.keep(f"{what} s", took)
            self.keep(what, read(out) if read else True)
        return self.found[what]

    def keep(self, what: str, value: object) -> None:
        self.found[what] = value
        self._known.write_text(json.dumps(self.found, indent=1, ensure_ascii=False))


def chain_run(folder: Path, parts: Sequence[str] = PARTS, *, smoke: bool = False) -> dict:
    """Do everything that is not done yet; return what was found.

    Args:
        folder: made where it is not there.
        parts: some of PARTS.
        smoke: so few lines and updates that nothing is learned: does it hang together?
    """
    chain = Chain(folder, smoke=smoke)
    chain.once("migrated", "migrate", "-v", 0)
    _texts(chain)
    if "alone" in parts:
        _alone(chain, "transformer", "tiny-op")
        _alone(chain, "lstm", "tiny-lstm")
    if "pair" in parts:
        _pair(chain)
        _models(chain)
        _tables(chain)
    return chain.found


def _texts(chain: Chain) -> None:
    german, english = (_lines(chain.cut(CAPTIONS / f"train.{tag}.gz")) for tag in ("de", "en"))
    n = PAIRS if not chain.smoke else SMOKE_LINES // 2
    parts = {
        "captions.de": german[:n], "captions.en": english[:n], "others.de": german[n:],
        "others.en": english[n : n + LM_CAPTIONS],
    }  # fmt: skip
    for name, lines in parts.items():
        (chain.folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    in_english, in_german = (chain.cut(CAPTIONS / f"test_2016_flickr.{tag}") for tag in ("en", "de"))
    direct, reverse = (f"newstest2014-{pair}." for pair in ("ende", "deen"))
    for name, languages, direction, source, reference, double in (
        ("flickr", "en-de", "direct", in_english, in_german, None),
        ("flickr.de", "de-en", "reverse", in_german, in_english, None),
        ("news-direct", "en-de", "direct", f"{direct}src.en", f"{direct}r1.de", f"source={direct}r1.r1.en"),
        ("news-reverse", "en-de", "reverse", f"{reverse}r1.en", f"{reverse}src.de", None),
    ):
        source, reference = (chain.cut(DATA / "nmt-bt" / one) for one in (source, reference))
        more = []
        if double:
            side, _, file = double.partition("=")
            more = ["--double-translation", f"{side}={chain.cut(DATA / 'nmt-bt' / file)}"]
        chain.once(
            name, "import_testset", name, "--languages", languages, "--direction", direction,
            "--source", source, "--reference", reference, *more,
        )  # fmt: skip
    corpora = {
        "all-captions": ("en-de", [CAPTIONS / "train.en.gz"], [CAPTIONS / "train.de.gz"]),
        "valid": ("en-de", [CAPTIONS / "val.en"], [CAPTIONS / "val.de"]),
        "parallel": (
            "en-de",
            [chain.folder / "captions.en", NEWS / "newstest2013" / "newstest2013.en",
             NEWS / "ntrex-news2019" / "newstest2019-src.eng.txt"],
            [chain.folder / "captions.de", NEWS / "newstest2013" / "newstest2013.de",
             NEWS / "ntrex-news2019" / "newstest2019-ref.deu.txt"],
        ),
        "to-back": ("de", [chain.folder / "others.de"], []),
        "english": ("en", [MONO / "en.txt", chain.folder / "others.en"], []),
        "german": ("de", [MONO / "de.txt"], []),
    }  # fmt: skip
    for name, (languages, source, target) in corpora.items():
        more = ["--target", *map(chain.cut, target)] if target else []
        chain.once(
            name, "import_corpus", name, "--languages", languages, "--source", *map(chain.cut, source), *more,
            "--test-segments", "drop",
        )  # fmt: skip


def _alone(chain: Chain, name: str, recipe: str) -> None:
    """Train a system from German to English on all captions, and score it."""
    chain.once(
        name, "train_system", name, "--recipe", recipe, "--corpus", "all-captions", "--valid", "valid",
        "--languages", "de-en", "--testset", "flickr.de", "--test-segments", "drop",
        "--set", *chain.figures(name),
    )  # fmt: skip
    chain.once(
        f"{name} BLEU", "score_outputs", "flickr.de", "--systems", name, "--metrics", "bleu",
        "--resamples", 0, "--format", "json", read=lambda out: json.loads(out)["results"][0]["value"],
    )  # fmt: skip


def _pair(chain: Chain) -> None:
    """Train OP and BT from English to German with equal updates; translate what their models learn from."""
    shared = [
        "--corpus", "parallel", "--valid", "valid", "--test-segments", "drop",
        "--testset", "flickr", "news-direct", "news-reverse", "--set", *chain.figures("pair"),
    ]  # fmt: skip
    chain.once("OP", "train_system", "OP", "--recipe", "tiny-op", "--languages", "en-de", *shared)
    chain.once(
        "BT", "train_system", "BT", "--recipe", "tiny-bt", "--languages", "en-de", "--mono", "to-back",
        *shared, "back_translation.upsample=1", "back_translation.shard_lines=6000",
    )  # fmt: skip
    for name in ("OP", "BT"):
        chain.once(
            f"english.{name}", "translate_corpus", name, "english", "--name", f"english.{name}", "--beam", 1
        )


def _models(chain: Chain) -> None:
    """Train a language model of natural text and one of each system's translations; score the references."""
    recipe = ["--recipe", "tiny-lm", "--set", *chain.figures("lm")]
    chain.once("natural-german", "train_lm", "natural-german", "--corpus", "german", *recipe)
    for name in ("OP", "BT"):
        chain.once(f"outputs-{name}", "train_lm", f"outputs-{name}", "--system", name, *recipe)
        for testset, version in (("flickr", "Y*"), ("news-direct", "Y*"), ("news-reverse", "Y")):
            chain.once(
                f"outputs-{name} {testset}", "score_lm", f"outputs-{name}", "--testset", testset,
                "--text-version", version, "--format", "json", read=_scored,
            )  # fmt: skip


def _tables(chain: Chain) -> None:
    """Score all outputs, ask for the verdict, and fill the study's tables."""
    for testset in ("flickr", "news-direct", "news-reverse"):
        chain.once(
            f"scores {testset}", "score_outputs", testset, "--metrics", "bleu,ppl",
            "--model", "ppl=run:natural-german", "--compare", "BT", "OP", "--format", "json", read=json.loads,
        )  # fmt: skip
    for testset in ("flickr", "news-direct"):
        chain.once(
            f"verdict {testset}", "fluency", testset, "--systems", "OP", "BT", "--lm", "run:natural-german",
            "--format", "table", read=_verdicts,
        )  # fmt: skip
    chain.once("study", "create_study", "Real text")
    chain.once(
        "members", "add_to_study", "Real text", "--testset", "flickr", "news-direct", "news-reverse",
        "--system", "OP", "BT",
    )  # fmt: skip
    for name, testsets in (("captions", ["flickr"]), ("news", ["news-direct", "news-reverse"])):
        chain.once(
            f"tables {name}", "report_study", "Real text", "--tables", "edunov-2,edunov-4,edunov-6",
            "--testset", *testsets, "--format", "markdown", read=str,
        )  # fmt: skip


def _scored(out: str) -> object:
    return json.loads(out[out.index("{") if out.lstrip().startswith("{") else out.index("[") :])


def _verdicts(out: str) -> list[str]:
    return re.findall(r"^Verdict: .*$", out, re.MULTILINE)


def _lines(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").split("\n")[:-1]


def _processors() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    NAMED = [part for part in PARTS if part in sys.argv]
    FOUND = chain_run(FOLDER, NAMED or PARTS, smoke="--smoke" in sys.argv)
    print(json.dumps(FOUND, indent=1, ensure_ascii=False))
