"""fairseq for real, where it takes longer than the contract allows: parity, bad days, options of recipes."""

import json
import math
import re
import signal
import subprocess
from dataclasses import replace
from os import kill
from pathlib import Path

import pytest
import sacrebleu

from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.fairseq_commands import Place, eval_lm_command, generate_command, train_command
from mtcore.engines.fairseq_log import in_order, read_hypotheses
from mtcore.engines.fairseq_prepare import DATA
from mtcore.engines.fairseq_train import CHECKPOINTS, LAST
from mtcore.engines.recipe import Decoding
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models import text_of
from tests.engine_material import SETUP, Stopped, desk, small_pairs, small_recipe, small_texts, trained

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not FairseqEngine(SETUP).is_available(), reason="fairseq is absent: run make mt"),
]
ENGINE = FairseqEngine(SETUP)
GERMAN = [german for german, _ in small_pairs(8, seed=9)]


def both_texts(tmp_path, *, both=True):
    return (
        small_texts(tmp_path / "train", 120, both=both),
        small_texts(tmp_path / "valid", 20, seed=2, both=both),
    )


def train_all(tmp_path, recipe, work, *, engine=ENGINE, both=True):
    prepared = engine.prepare(*both_texts(tmp_path, both=both), recipe, work)
    return prepared, engine.train(prepared, recipe, work)


def translated(bundles, tmp_path, name, **figures):
    lines = ENGINE.translate(bundles, GERMAN, replace(Decoding(beam=2), **figures), desk(tmp_path / name))
    return [line.text for line in lines]


@pytest.mark.parametrize("cutoffs", [(), (8, 14)])
def test_our_scores_are_those_of_fairseq(tmp_path, cutoffs):
    recipe = small_recipe("tiny-lm", updates=20)
    recipe = replace(recipe, model=replace(recipe.model, adaptive_input=cutoffs))
    work = desk(tmp_path / "run")
    prepared, bundle = train_all(tmp_path, recipe, work, both=False)
    lines = (tmp_path / "valid" / "text.en").read_text().split("\n")[:-1]
    ours = ENGINE.score(bundle, lines, work)
    work.command(eval_lm_command(SETUP, prepared.folder / DATA, bundle.path("checkpoint")))
    theirs = re.search(r"Loss \(base 2\): ([\d.]+), Perplexity", "\n".join(work.rundir.tail(40)))
    mean = -sum(one.log_probability for one in ours) / sum(one.n_tokens for one in ours) / math.log(2)
    assert mean == pytest.approx(float(theirs[1]), abs=2e-3)


def test_our_translations_are_those_of_fairseqs_own_generate(tmp_path):
    recipe, work = small_recipe(updates=60, validate_bleu=True), desk(tmp_path / "run")
    prepared, bundle = train_all(tmp_path, recipe, work)
    lines = (tmp_path / "valid" / "text.de").read_text().split("\n")[:-1]
    ours = [line.text for line in ENGINE.translate([bundle], lines, recipe.decoding, work)]
    recipe = replace(recipe, decoding=replace(recipe.decoding, batch_sentences=1))
    before = work.rundir.log.stat().st_size
    work.command(generate_command(SETUP, prepared.folder / DATA, [bundle.path("checkpoint")], recipe))
    log = work.rundir.log.read_bytes()[before:].decode().split("\n")
    theirs = [text_of(one.text, "subword-nmt") for one in in_order(read_hypotheses(log), len(lines))]
    assert ours == theirs
    greedy = [line.text for line in ENGINE.translate([bundle], lines, replace(recipe.decoding, beam=1), work)]
    references = (tmp_path / "valid" / "text.en").read_text().split("\n")[:-1]
    told, losses = work.values("valid_bleu"), work.values("valid_nll_loss")
    best = sacrebleu.corpus_bleu(greedy, [references]).score
    assert told[losses.index(min(losses))] == pytest.approx(best, abs=0.01)


def test_a_killed_training_with_a_damaged_checkpoint_ends_as_an_undisturbed_one(tmp_path):
    recipe = small_recipe(updates=120, validate_every=20)
    _, whole = train_all(tmp_path, recipe, desk(tmp_path / "whole"))
    work = desk(tmp_path / "run")

    def kill_it(this):
        if (this.values("update") or [0])[-1] >= 50 and this.rundir.child.exists():
            kill(json.loads(this.rundir.child.read_text())["group"], signal.SIGKILL)
        return False

    work.stop_when = kill_it
    with pytest.raises(EngineError, match="killed"):
        train_all(tmp_path, recipe, work)
    work.stop_when = lambda this: False
    last = work.rundir.work / CHECKPOINTS / LAST
    last.write_bytes(last.read_bytes()[:-2000])
    _, bundle = train_all(tmp_path, recipe, work)
    assert any("Going on from checkpoint_" in line for line in work.rundir.log.read_text().split("\n"))
    assert translated([bundle], tmp_path, "a") == translated([whole], tmp_path, "b")
    assert bundle.facts["updates"] == 120


def test_patience_counts_over_a_stop(tmp_path):
    """A rate of nearly nothing learns nothing: after the first validation, so many more end the training."""
    recipe = small_recipe(updates=400, validate_every=10, patience=6, learning_rate=1e-12, warmup=0)
    recipe = replace(recipe, training=replace(recipe.training, schedule="fixed"))
    _, whole = train_all(tmp_path, recipe, desk(tmp_path / "whole"))
    work = desk(tmp_path / "run", stop_when=lambda this: len(this.values("valid_loss")) >= 3)
    with pytest.raises(Stopped):
        train_all(tmp_path, recipe, work)
    work.stop_when = lambda this: False
    _, bundle = train_all(tmp_path, recipe, work)
    assert bundle.facts["updates"] == whole.facts["updates"] < 200


def test_a_loss_that_is_no_number_is_said(tmp_path):
    recipe = small_recipe(updates=50, learning_rate=1e30, warmup=0)
    recipe = replace(recipe, training=replace(recipe.training, schedule="fixed"))
    with pytest.raises(EngineError, match="no finite number") as caught:
        train_all(tmp_path, recipe, desk(tmp_path / "run"))
    assert "training.learning_rate" in caught.value.remedy


def test_memory_that_runs_out_is_said(tmp_path):
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nulimit -v 2500000\nexec {SETUP.mt_python} "$@"\n')
    wrapper.chmod(0o755)
    recipe = small_recipe(updates=50)
    recipe = replace(recipe, model=replace(recipe.model, embedding=2048, feed_forward=32_768))
    with pytest.raises(EngineError, match="ran out of memory") as caught:
        train_all(tmp_path, recipe, desk(tmp_path / "run"), engine=FairseqEngine(Setup(wrapper)))
    assert "training.max_tokens" in caught.value.remedy


def test_an_interpreter_deleted_in_mid_run_is_said_and_nothing_is_lost(tmp_path):
    wrapper = tmp_path / "python"
    text = f'#!/bin/sh\nexec {SETUP.mt_python} "$@"\n'
    wrapper.write_text(text)
    wrapper.chmod(0o755)
    engine, recipe, work = FairseqEngine(Setup(wrapper)), small_recipe(updates=60), desk(tmp_path / "run")

    def remove(this):
        if this.values("update"):
            wrapper.unlink(missing_ok=True)
        return False

    work.stop_when = remove
    with pytest.raises(EngineError, match="FAIRSEQ_PYTHON") as caught:
        train_all(tmp_path, recipe, work, engine=engine)
    assert "make mt" in caught.value.remedy and not work.rundir.has_result
    wrapper.write_text(text)
    wrapper.chmod(0o755)
    work.stop_when = lambda this: False
    assert train_all(tmp_path, recipe, work, engine=engine)[1].facts["updates"] == 60


def test_separate_pieces_averaged_checkpoints_and_an_ensemble(tmp_path):
    recipe = small_recipe(updates=60, size=70)
    recipe = replace(
        recipe,
        subwords=replace(recipe.subwords, tool="sentencepiece", joint=False),
        model=replace(recipe.model, share="decoder"),
        decoding=replace(recipe.decoding, average=2),
    )
    bundles = []
    for seed in (1, 2):
        seeded = replace(recipe, training=replace(recipe.training, seed=seed))
        bundles.append(train_all(tmp_path, seeded, desk(tmp_path / f"seed{seed}"))[1])
    assert {"subwords.de", "subwords.en", "dictionary.de", "dictionary.en"} <= set(bundles[0].files)
    assert len(bundles[0].facts["averaged"]) == 2
    texts = [
        translated(chosen, tmp_path, str(n)) for n, chosen in enumerate([bundles[:1], bundles[1:], bundles])
    ]
    assert texts[0] != texts[1] and all(len(found) == len(GERMAN) and all(found) for found in texts)
    assert translated(bundles, tmp_path, "top", sampling=True, beam=1, top_k=3) != texts[2]


def test_models_that_cut_words_differently_are_no_ensemble(tmp_path, tmp_path_factory):
    one = trained("transformer", tmp_path_factory.getbasetemp() / "engines")
    other = train_all(tmp_path, small_recipe(updates=3, size=20), desk(tmp_path / "run"))[1]
    with pytest.raises(EngineError, match="is not the dictionary"):
        translated([one, other], tmp_path, "both")


@pytest.mark.parametrize(("attention", "tool", "share"), [("dot", "none", 0.35), ("mlp", "subword-nmt", 0.6)])
def test_an_lstm_learns(tmp_path, attention, tool, share):
    """At this size fairseq's dot product learns the language and hardly looks at the source; MLP does."""
    recipe = small_recipe("tiny-lstm", updates=500, validate_every=250)
    recipe = replace(
        recipe,
        training=replace(recipe.training, schedule="fixed"),
        model=replace(recipe.model, attention=attention),
        subwords=replace(recipe.subwords, tool=tool),
    )
    work = desk(tmp_path / "run")
    _, bundle = train_all(tmp_path, recipe, work)
    english = [text for _, text in small_pairs(8, seed=9)]
    right = [
        ours == theirs
        for line, text in zip(translated([bundle], tmp_path, "a"), english, strict=True)
        for ours, theirs in zip(line.split(), text.split(), strict=False)
    ]
    assert sum(right) / len(right) > share


def test_two_processes_train_together_and_stop_with_a_checkpoint(tmp_path):
    recipe, work = small_recipe(updates=2000, validate_every=500), desk(tmp_path / "run")
    prepared = ENGINE.prepare(*both_texts(tmp_path), recipe, work)
    save = work.rundir.work / CHECKPOINTS
    command = train_command(SETUP, prepared.folder / DATA, save, recipe, ["de", "en"], Place(processes=2))
    assert "torch.distributed.run" in command and "gloo" in command
    work.stop_when = lambda this: any('"num_updates": "10' in line for line in this.lines)
    with pytest.raises(Stopped):
        work.command(command)
    assert (save / LAST).exists()
    state = subprocess.run(
        [
            SETUP.mt_python,
            "-c",
            "import argparse, sys, torch; torch.serialization.add_safe_globals([argparse.Namespace]); "
            "print(torch.load(sys.argv[1])['optimizer_history'][-1]['num_updates'])",
            str(save / LAST),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(state.stdout) >= 100
    assert "training on 2 devices" in Path(work.rundir.log).read_text()
