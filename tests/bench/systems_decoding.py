"""Decoding through the platform beside fairseq-generate, and back-translation by one worker and by two.

The texts are Multi30k (shared data). About forty minutes on two quiet cores.
"""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import sacrebleu

from mtcore.engines.fairseq_commands import generate_command
from mtcore.engines.fairseq_log import in_order, read_hypotheses
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models import text_of
from mtcore.engines.subword_models_split import split_words
from tests.bench.systems import BACK_LINES, CAPTIONS, MT_PYTHON, Manage, measured
from tests.bench.timing import Section, table
from tests.paths import ROOT

UPDATES = 400
"""Of the Transformer that decodes: enough that it says something."""
_LEARNED = {
    "subwords.size": "4000", "model.encoder_layers": "3", "model.decoder_layers": "3",
    "model.embedding": "256", "model.feed_forward": "512", "model.dropout": "0.1",
    "model.norm_first": "true", "training.learning_rate": "0.002", "training.max_updates": str(UPDATES),
    "training.validate_every": "200", "decoding.beam": "4",
}  # fmt: skip


def measure() -> Section:
    """Time the decoders and the shards."""
    return measured("Systems: decoders and shards", [_decoders, _shards])


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
