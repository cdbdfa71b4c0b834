"""Training and decoding through the platform beside the bare commands: wall time on a machine left alone.

The texts are Multi30k (shared data). Everything is done by `manage.py` in a data folder of its own; the bare
side gives fairseq's own commands for the same work. About half an hour on two quiet cores.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import sacrebleu

from mtcore.engines.fairseq_commands import Place, generate_command, preprocess_command, train_command
from mtcore.engines.fairseq_log import in_order, read_hypotheses
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models import text_of
from mtcore.engines.subword_models_split import split_words
from tests.bench.timing import Section, table
from tests.paths import DATA, ROOT

MT_PYTHON = ROOT / ".venv-mt" / "bin" / "python"
CAPTIONS = DATA / "parallel" / "multi30k"
SMALL_PAIRS, SMALL_UPDATES, TIMES = 4_000, 120, 3
UPDATES = 400
"""Of the Transformer that decodes: enough that it says something."""
BACK_LINES = 100_000
"""To be translated back: the captions, over and over."""
_SMALL = {"subwords.size": "2000", "training.max_updates": str(SMALL_UPDATES), "decoding.engine": "fairseq"}
_LEARNED = {
    "subwords.size": "4000", "model.encoder_layers": "3", "model.decoder_layers": "3",
    "model.embedding": "256", "model.feed_forward": "512", "model.dropout": "0.1",
    "model.norm_first": "true", "training.learning_rate": "0.002", "training.max_updates": str(UPDATES),
    "training.validate_every": "200", "decoding.beam": "4",
}  # fmt: skip


def measure() -> Section:
    """Time the pipeline, the decoders and the shards."""
    section = Section("Systems: the pipeline beside bare commands", "")
    if not CAPTIONS.is_dir() or not MT_PYTHON.is_file():
        section.text = "Not measured: the shared real data or the training environment (make mt) is absent."
        return section
    with tempfile.TemporaryDirectory() as name:
        place = Manage(Path(name))
        place.texts()
        parts = [_pipelines(place, section), _decoders(place, section), _shards(place, section)]
    section.text = "\n\n".join(parts)
    return section


class Manage:
    """A data folder of its own and the commands given in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        keep = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        own = {"DATA_DIR": str(folder / "data"), "FAIRSEQ_PYTHON": str(MT_PYTHON)}
        self.environment = keep | own | {"OMP_WAIT_POLICY": "PASSIVE"}  # for both sides alike

    def __call__(self, *arguments: object) -> str:
        return self.command([sys.executable, str(ROOT / "manage.py"), *map(str, arguments)])

    def command(self, command: list[str]) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def texts(self) -> None:
        """Import Multi30k: all of it, a small part, what is validated on, German to be translated, a test."""
        self("migrate", "-v", 0)
        for tag in ("de", "en"):
            lines = (
                gzip.decompress((CAPTIONS / f"train.{tag}.gz").read_bytes()).decode("utf-8").split("\n")[:-1]
            )
            for name, some in (("small", lines[:SMALL_PAIRS]), ("back", (lines * 4)[:BACK_LINES])):
                (self.folder / f"{name}.{tag}").write_text("".join(f"{one}\n" for one in some), "utf-8")
        pairs = {
            "all": [CAPTIONS / f"train.{tag}.gz" for tag in ("de", "en")],
            "small": [self.folder / f"small.{tag}" for tag in ("de", "en")],
            "valid": [CAPTIONS / f"val.{tag}" for tag in ("de", "en")],
        }
        for name, (german, english) in pairs.items():
            self(
                "import_corpus", name, "--languages", "de-en", "--source", german, "--target", english,
                "--test-segments", "keep",
            )  # fmt: skip
        self("import_corpus", "back", "--languages", "de", "--text", self.folder / "back.de")

    def train(self, name: str, recipe: str, corpus: str, figures: dict[str, str]) -> None:
        settings = [f"{key}={value}" for key, value in figures.items()]
        self(
            "train_system", name, "--recipe", recipe, "--corpus", corpus, "--valid", "valid",
            "--test-segments", "keep", "--set", *settings,
        )  # fmt: skip

    def runs(self, code: str) -> Any:
        """Evaluate an expression about runs and corpora in the platform's shell."""
        given = f"import json; from mtcore.models import Corpus, Run; print(json.dumps({code}))"
        return json.loads(self("shell", "-v0", "-c", given))


def _pipelines(place: Manage, section: Section) -> str:
    """Train the same small model through the platform and by bare commands, in turn."""
    recipe = recipe_set(recipe_find("tiny-op"), _SMALL)
    ours, bare = [], []
    for number in range(TIMES):
        began = time.monotonic()
        place.train(f"ours-{number}", "tiny-op", "small", _SMALL)
        ours.append(time.monotonic() - began)
        began = time.monotonic()
        _bare(place, recipe, place.folder / f"bare-{number}")
        bare.append(time.monotonic() - began)
    own, other = statistics.median(ours), statistics.median(bare)
    section.promise(
        f"the pipeline takes at most 1.10 times the bare commands, or 20 s more (median of {TIMES})",
        own <= 1.10 * other or own <= other + 20,
    )
    rows = [["ours", f"{own:.1f} s", f"{own / other:.2f}"], ["bare commands", f"{other:.1f} s", "1"]]
    return (
        f"A Transformer of {SMALL_UPDATES} updates on {SMALL_PAIRS:,} pairs, from texts to the model; wall "
        f"time, median of {TIMES} in turn. *Ours*: `train_system`, with filtering, checks, checksums and the "
        "start of the program. *Bare*: subword-nmt, then fairseq's preprocess and train, same options.\n\n"
        + table(["", "wall time", "times bare"], rows)
    )


def _bare(place: Manage, recipe, folder: Path) -> None:
    """Do the work of the small training by the tools' own commands."""
    folder.mkdir()
    setup, tool = Setup(MT_PYTHON), str(MT_PYTHON.parent / "subword-nmt")
    sources = {"train": place.folder / "small", "valid": CAPTIONS / "val"}
    for part, stem in sources.items():
        for tag in ("de", "en"):
            lines = Path(f"{stem}.{tag}").read_text("utf-8").split("\n")[:-1]
            (folder / f"{part}.{tag}").write_text("".join(f"{split_words(one)}\n" for one in lines), "utf-8")
    both = "".join((folder / f"train.{tag}").read_text("utf-8") for tag in ("de", "en"))
    (folder / "both").write_text(both, "utf-8")
    codes = str(folder / "codes")
    place.command(
        [tool, "learn-bpe", "-s", str(recipe.subwords.size), "-i", str(folder / "both"), "-o", codes]
    )
    for part in sources:
        for tag in ("de", "en"):
            pieces = str(folder / f"{part}.pieces.{tag}")
            place.command([tool, "apply-bpe", "-c", codes, "-i", str(folder / f"{part}.{tag}"), "-o", pieces])
    languages = ["de", "en"]
    place.command(preprocess_command(setup, folder, folder / "data", recipe, languages, os.cpu_count() or 1))
    place.command(train_command(setup, folder / "data", folder / "save", recipe, languages, Place()))


def _decoders(place: Manage, section: Section) -> str:
    """Decode the test with both engines; the model has learned."""
    recipe = recipe_set(recipe_find("tiny-op"), _LEARNED)
    place.train("learned", "tiny-op", "all", _LEARNED)
    number = place.runs('Run.objects.get(kind="train_model", name="learned").pk')
    run = place.folder / "data" / "runs" / str(number)
    test = {tag: CAPTIONS / f"test_2016_flickr.{tag}" for tag in ("de", "en")}
    reference = test["en"].read_text("utf-8").split("\n")[:-1]
    (place.folder / "flickr.de").write_bytes(test["de"].read_bytes())
    place("import_corpus", "flickr", "--languages", "de", "--text", test["de"], "--test-segments", "keep")
    setup, data = Setup(MT_PYTHON), place.folder / "generate"
    _binarise(place, run, test, data)
    greedy = replace(recipe, decoding=replace(recipe.decoding, batch_sentences=64))
    checkpoint = next((run / "result").glob("*.pt"))
    began = time.monotonic()
    said = place.command(generate_command(setup, data, [checkpoint], greedy, "test"))
    theirs = time.monotonic() - began
    hypotheses = in_order(read_hypotheses(said.split("\n")), len(reference))
    their_bleu = sacrebleu.corpus_bleu([text_of(one.text, "subword-nmt") for one in hypotheses], [reference])
    times, texts = {}, {}
    for name, engine in (("first", "ctranslate2"), ("ctranslate2", "ctranslate2"), ("fairseq", "fairseq")):
        place("translate_corpus", "learned", "flickr", "--name", f"flickr.{name}", "--engine", engine)
        shard = 'Run.objects.filter(kind="translate_shard").latest("pk")'
        times[name] = place.runs(f"({shard}.finished_at - {shard}.started_at).total_seconds()")
        path = place.runs(f'Corpus.objects.get(name="flickr.{name}").path')
        texts[name] = (place.folder / "data" / path / "text.en").read_text("utf-8").split("\n")[:-1]
    bleu = {name: sacrebleu.corpus_bleu(lines, [reference]).score for name, lines in texts.items()}
    section.promise(
        "CTranslate2 decodes at least twice as fast as fairseq-generate", 2 * times["ctranslate2"] <= theirs
    )
    section.promise("at the same BLEU (± 0.3)", abs(bleu["ctranslate2"] - their_bleu.score) <= 0.3)
    rows = [
        ["fairseq-generate", f"{theirs:.1f} s", f"{len(reference) / theirs:.0f}", f"{their_bleu.score:.2f}"],
        *(
            [
                f"ours, {name}",
                f"{times[name]:.1f} s",
                f"{len(reference) / times[name]:.0f}",
                f"{bleu[name]:.2f}",
            ]
            for name in ("fairseq", "ctranslate2")
        ),
    ]
    return (
        f"{len(reference):,} sentences (test_2016_flickr, de→en), beam {recipe.decoding.beam}, a "
        f"Transformer of 3 + 3 layers d256 after {UPDATES} updates; wall time with starting and loading. The "
        f"first use of a model by CTranslate2, which converts it, took {times['first']:.1f} s.\n\n"
        + table(["decoder", "wall time", "sentences/s", "BLEU"], rows)
    )


def _binarise(place: Manage, run: Path, test: dict[str, Path], data: Path) -> None:
    """Make the binary test that fairseq-generate reads, with the model's own subwords and dictionaries."""
    data.mkdir()
    tool, codes = str(MT_PYTHON.parent / "subword-nmt"), run / "work" / "prepared" / "subwords"
    for tag, path in test.items():
        lines = path.read_text("utf-8").split("\n")[:-1]
        (data / f"split.{tag}").write_text("".join(f"{split_words(one)}\n" for one in lines), "utf-8")
        pieces = str(data / f"pieces.{tag}")
        place.command([tool, "apply-bpe", "-c", str(codes), "-i", str(data / f"split.{tag}"), "-o", pieces])
    dictionaries = run / "work" / "prepared" / "data"
    place.command(
        [
            *Setup(MT_PYTHON).script("launch_fairseq.py"), "preprocess", "--source-lang", "de",
            "--target-lang", "en", "--testpref", str(data / "pieces"), "--destdir", str(data),
            "--srcdict", str(dictionaries / "dict.de.txt"), "--tgtdict", str(dictionaries / "dict.en.txt"),
        ]
    )  # fmt: skip


def _shards(place: Manage, section: Section) -> str:
    """Translate back with one worker and with two, a core each."""
    took = {}
    for workers in (1, 2):
        place(
            "translate_corpus", "learned", "back", "--name", f"back.{workers}", "--shards", 4, "--sample",
            "--no-wait",
        )  # fmt: skip
        began = time.monotonic()
        command = [sys.executable, str(ROOT / "manage.py"), "work", "--once", "--threads", "1"]
        started = [
            subprocess.Popen(
                command, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for _ in range(workers)
        ]
        for one in started:
            one.wait()
        took[workers] = time.monotonic() - began
    ratio = took[1] / took[2]
    section.promise("two workers take less time than one", ratio > 1)
    rows = [[str(n), f"{seconds:.1f} s", f"{took[1] / seconds:.2f}"] for n, seconds in took.items()]
    return (
        f"Sampled back-translation of {BACK_LINES:,} lines in 4 shards, joined in order; a core for each "
        "worker; wall time with the start of the workers.\n\n"
        + table(["workers", "wall time", "times as fast"], rows)
    )
