"""The fairseq engine as far as nothing is trained: command lines, its watch, checkpoints, its environment."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from mtcore.engines import fairseq_decode, fairseq_environment
from mtcore.engines.base import BLANK, FAILED, OK, TOO_LONG
from mtcore.engines.bundle import Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.fairseq_commands import Place, train_command
from mtcore.engines.fairseq_environment import environment, require_environment
from mtcore.engines.fairseq_run import device_numbers, run_step, training_place
from mtcore.engines.fairseq_train import (
    BEST,
    LAST,
    TrainingWatch,
    checkpoint_is_whole,
    choose_checkpoints,
    mend_checkpoints,
    update_of,
)
from mtcore.engines.recipe import Decoding
from mtcore.engines.recipe_files import recipe_find
from mtcore.engines.recipes import RECIPES
from mtcore.engines.setup import Setup
from tests.engine_material import desk, small_recipe

AT = '2026-11-30 03:11:25 | INFO | train_inner | {{"epoch": 1, "update": 0.5, "loss": "{loss}", "ppl": "9.1", "wps": "1200", "num_updates": "{n}", "lr": "0.001", "wall": "6"}}'  # fmt: skip # noqa: E501


def option(command, name):
    return command[command.index(name) + 1]


def command_of(name, place=None, **training):
    recipe = recipe_find(name)
    recipe = replace(recipe, training=replace(recipe.training, **training))
    languages = ["en"] if recipe.kind == "LM" else ["de", "en"]
    return train_command(
        Setup(Path("/mt/python")), Path("data"), Path("save"), recipe, languages, place or Place()
    )


@pytest.mark.parametrize("name", [name for name in RECIPES if "phrase" not in name])
def test_every_recipe_has_its_command(name):
    command = command_of(name)
    assert command[0] == "/mt/python" and command[1].endswith("launch_fairseq.py") and command[2] == "train"
    assert "--cpu" in command and all(isinstance(word, str) for word in command)
    assert len(command) == len([word for word in command if word])


def test_the_figures_of_the_papers_reach_the_command():
    big = command_of("edunov-op")
    assert option(big, "--encoder-ffn-embed-dim") == "4096" and option(big, "--update-freq") == "16"
    assert option(big, "--adam-betas") == "(0.9, 0.98)" and "--share-all-embeddings" in big
    base = command_of("vanmassenhove-transformer")
    assert float(option(base, "--lr")) == pytest.approx(2.0 * (512 * 8000) ** -0.5)
    assert option(base, "--patience") == "5" and option(base, "--best-checkpoint-metric") == "nll_loss"
    lstm = command_of("vanmassenhove-lstm")
    assert option(lstm, "--arch") == "lstm_mlp" and option(lstm, "--user-dir").endswith("fairseq_lstm")
    assert option(lstm, "--encoder-hidden-size") == "256" and "--encoder-bidirectional" in lstm
    assert option(lstm, "--batch-size") == "128" and "--max-tokens" not in lstm
    lm = command_of("edunov-lm")
    assert (
        option(lm, "--adaptive-input-cutoff") == "8000,16000" and option(lm, "--criterion") == "adaptive_loss"
    )
    assert option(lm, "--lr-period-updates") == "270000" and "--adam-betas" not in lm
    assert option(lm, "--decoder-input-dim") == option(lm, "--decoder-output-dim") == "1024"


def test_bleu_of_the_validation_text_is_in_the_command_where_it_is_wanted():
    assert "--eval-bleu" not in command_of("tiny-op")
    wanted = command_of("tiny-op", validate_bleu=True)
    assert json.loads(option(wanted, "--eval-bleu-args")) == {"beam": 1, "max_len_a": 1.3, "max_len_b": 8}
    assert option(wanted, "--eval-bleu-remove-bpe") == "@@ "
    assert "--eval-bleu" not in command_of("tiny-lm", validate_bleu=True)


def test_devices_and_machines_are_in_the_command():
    one = command_of("edunov-op", Place(devices=1, precision="bf16"))
    assert "--bf16" in one and "--cpu" not in one and "torch.distributed.run" not in one
    eight = command_of("edunov-op", Place(devices=8, precision="fp16"))
    assert eight[:3] == ["/mt/python", "-m", "torch.distributed.run"] and "--standalone" in eight
    assert option(eight, "--nproc_per_node") == "8" and option(eight, "--distributed-backend") == "nccl"
    many = command_of("edunov-op", Place(devices=8, machines=4, host="node1", precision="fp16"))
    assert option(many, "--nnodes") == "4" and option(many, "--rdzv_endpoint") == "node1:29500"


def test_commands_can_be_shown_before_anything_is_there():
    engine = FairseqEngine(Setup(Path("/mt/python")))
    shown = engine.shown_commands(recipe_find("edunov-op"), "en", "de")
    assert len(shown) == 2 and "torch.distributed.run" in shown[1] and "'(0.9, 0.98)'" in shown[1]


@pytest.fixture
def work(tmp_path):
    return desk(tmp_path / "run")


def test_progress_is_reported(work):
    watch = TrainingWatch(small_recipe(updates=100).training, work)
    watch.line(AT.format(loss="5.2", n=25))
    watch.line(
        '… | valid | {"epoch": 1, "valid_loss": "4.1", "valid_ppl": "17.1", "valid_bleu": "7.25", '
        '"valid_num_updates": "25"}'
    )
    progress, note, metrics = work.reports[0]
    assert progress == 0.25 and note == "update 25 of 100, 1,200 tokens a second" and metrics["loss"] == 5.2
    assert work.reports[1][2] == {"update": 25, "valid_loss": 4.1, "valid_ppl": 17.1, "valid_bleu": 7.25}
    assert watch.updates == 25 and watch.seconds == 6


@pytest.mark.parametrize("loss", ["nan", "inf"])
def test_a_loss_that_is_no_number_ends_the_training(work, loss):
    watch = TrainingWatch(small_recipe().training, work)
    watch.line(AT.format(loss="5.2", n=7))
    with pytest.raises(EngineError, match="no finite number any more after update 8") as caught:
        watch.line(AT.format(loss=loss, n=8))
    assert "training.learning_rate" in caught.value.remedy


def test_batches_that_never_fit_end_the_training(work):
    watch = TrainingWatch(small_recipe().training, work)
    for _ in range(9):
        watch.line("WARNING | attempting to recover from OOM in forward/backward pass")
    watch.line(AT.format(loss="5.2", n=1))
    for _ in range(9):
        watch.line("WARNING | attempting to recover from OOM in forward/backward pass")
    with pytest.raises(EngineError, match="Memory ran out in 10 batches after update 1") as caught:
        watch.line("WARNING | attempting to recover from OOM in forward/backward pass")
    assert "training.max_tokens" in caught.value.remedy


def checkpoint(path, text="weights"):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", text * 100)
    return path


def test_a_damaged_last_checkpoint_gives_way_to_the_newest_whole_one(tmp_path):
    for name in ("checkpoint_1_10.pt", "checkpoint_2_30.pt", "checkpoint_3_100.pt", BEST, LAST):
        checkpoint(tmp_path / name, name)
    (tmp_path / "checkpoint_last.pt.tmp").write_text("half")
    for name in (LAST, "checkpoint_3_100.pt"):
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) // 2])
    said = mend_checkpoints(tmp_path)
    assert (tmp_path / LAST).read_bytes() == (tmp_path / "checkpoint_2_30.pt").read_bytes()
    assert [line for line in said if "damaged" in line] and "checkpoint_2_30.pt" in said[-1]
    assert (
        not (tmp_path / "checkpoint_last.pt.tmp").exists() and not (tmp_path / "checkpoint_3_100.pt").exists()
    )
    assert mend_checkpoints(tmp_path) == []


def test_without_a_whole_checkpoint_the_training_begins_anew(tmp_path):
    (tmp_path / LAST).write_bytes(b"")
    assert mend_checkpoints(tmp_path) == [f"{LAST} is damaged and was put aside."]
    assert not list(tmp_path.glob("*.pt")) and not checkpoint_is_whole(tmp_path / LAST)


def test_a_changed_byte_is_seen(tmp_path):
    path = checkpoint(tmp_path / LAST)
    assert checkpoint_is_whole(path)
    data = bytearray(path.read_bytes())
    data[60] ^= 1
    path.write_bytes(bytes(data))
    assert not checkpoint_is_whole(path)


def test_the_newest_checkpoints_are_averaged(tmp_path):
    for name in ("checkpoint_1_10.pt", "checkpoint_2_30.pt", "checkpoint_3_100.pt", BEST, LAST):
        checkpoint(tmp_path / name)
    assert [path.name for path in choose_checkpoints(tmp_path, 1)] == [BEST]
    assert [update_of(path) for path in choose_checkpoints(tmp_path, 2)] == [30, 100]
    with pytest.raises(EngineError, match=r"5 checkpoints are to be averaged .* 3 were kept"):
        choose_checkpoints(tmp_path, 5)


def bundle_of(folder, **facts):
    """Return a bundle of whole words, whose checkpoint nobody opens."""
    folder.mkdir()
    files = {"checkpoint": "checkpoint.pt", "dictionary.de": "dict.de", "dictionary.en": "dict.en"}
    for name in (*files.values(), "manifest.json"):
        (folder / name).write_text(name)
    known = {"engine": "fairseq", "kind": "transformer", "subwords": "none"}
    return Bundle(folder, files, {**known, "source_language": "de", "target_language": "en", **facts})


def answering(rows):
    """Stand in the place of the decoder: what it was asked is known, what it writes is given."""

    def run_job(setup, work, script, job, place, what, on_line):
        Path(job["output"]).write_text("".join(json.dumps(row) + "\n" for row in rows))
        on_line('{"unknown": 1, "pieces": 4}')
        on_line('{"decoded": 2, "of": 2, "pieces_per_second": 9.0}')

    return run_job


def test_translations_stand_beside_their_lines(tmp_path, work, monkeypatch):
    rows = [
        {"id": number, "text": text, "score": -0.5} for number, text in ((2, "long"), (1, "two ￭."), (0, "￭"))
    ]
    monkeypatch.setattr(fairseq_decode, "run_job", answering(rows))
    lines = fairseq_decode.translate(
        Setup(tmp_path), [bundle_of(tmp_path / "b")], ["eins", " ", "zwei.", "x " * 1023, "x " * 1024],
        Decoding(), work,
    )  # fmt: skip
    assert [(line.text, line.status) for line in lines[:3]] == [("", FAILED), ("", BLANK), ("two.", OK)]
    assert [line.status for line in lines[3:]] == [OK, TOO_LONG]
    assert work.values("unknown_share") == [0.25] and "25%" in str(work.reports)


def test_fewer_translations_than_lines_are_an_error(tmp_path, work, monkeypatch):
    monkeypatch.setattr(fairseq_decode, "run_job", answering([{"id": 1, "text": "two", "score": -0.5}]))
    with pytest.raises(EngineError, match=r"1 of 3 lines were translated; those missing: 1, 3"):
        fairseq_decode.translate(
            Setup(tmp_path), [bundle_of(tmp_path / "b")], ["eins", "zwei", "drei"], Decoding(), work
        )


def test_a_device_is_used_where_the_model_was_trained_on_one(tmp_path, work):
    on_card = {"recipe": {"training": {"devices": 2}}}
    assert not fairseq_decode.on_device(bundle_of(tmp_path / "cpu"), work)
    assert fairseq_decode.on_device(bundle_of(tmp_path / "card", **on_card), work)


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return Setup(path)


def test_broken_interpreters_are_explained(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("text")
    assert "is not there" in environment(Setup(tmp_path / "nothing")).problem
    assert "is a folder" in environment(Setup(tmp_path)).problem
    assert "cannot be started" in environment(Setup(plain)).problem
    assert "did not answer" in environment(script(tmp_path / "hangs", "sleep 60"), timeout=0.5).problem
    assert (
        "no usable Python (exit code 3): sorry"
        in environment(script(tmp_path / "fails", "echo sorry >&2; exit 3")).problem
    )
    for place in (tmp_path, plain, tmp_path / "fails"):
        engine = FairseqEngine(Setup(place))
        assert not engine.is_available() and engine.signature() == "fairseq"


def test_an_interpreter_without_fairseq_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(fairseq_environment, "_KNOWN", {})
    said = json.dumps({"python": "3.11.7", "packages": {"torch": "2"}, "devices": [], "problem": ""})
    setup = script(tmp_path / "python", f"echo noise; echo '{said}'")
    assert not FairseqEngine(setup).is_available()
    with pytest.raises(EngineError, match="has no fairseq") as caught:
        require_environment(setup, "torch", "fairseq")
    assert "make mt" in caught.value.remedy and "FAIRSEQ_PYTHON" in caught.value.remedy


def test_an_interpreter_that_vanishes_is_named(tmp_path, work):
    setup = script(tmp_path / "python", f"rm {tmp_path}/python; exit 1")
    with pytest.raises(EngineError, match=r"python \(FAIRSEQ_PYTHON\) is missing") as caught:
        run_step(setup, work, [str(setup.mt_python)], "The training")
    assert "make mt" in caught.value.remedy
    with pytest.raises(EngineError, match="is missing"):
        run_step(setup, work, [str(setup.mt_python)], "The training")


def test_more_accelerators_than_there_are_are_refused(tmp_path, work, monkeypatch):
    card = {"name": "A card", "memory": 8 * 1024**3, "bf16": True}
    said = {"python": "3.11.7", "packages": {"torch": "2"}, "devices": [card, card], "problem": ""}
    setup = script(tmp_path / "python", f"echo '{json.dumps(said)}'")
    training = recipe_find("edunov-op").training
    with pytest.raises(EngineError, match="asks for 8 accelerators; 2 can be used here") as caught:
        training_place(setup, training, work, "here")
    assert "training.devices" in caught.value.remedy
    assert training_place(setup, replace(training, devices=2), work, "h") == Place(2, 1, "h", "bf16")
    work.device = "cuda:1"
    assert device_numbers("cuda:0,cuda:1") == device_numbers("0, 1") == ["0", "1"]
    with pytest.raises(EngineError, match="asks for 2 accelerators; 1 can be used"):
        training_place(setup, replace(training, devices=2), work, "h")
    assert training_place(setup, replace(training, devices=0), work, "").devices == 0


def test_phrases_are_not_for_fairseq(tmp_path, work):
    with pytest.raises(EngineError, match="no phrase-based"):
        FairseqEngine(Setup(tmp_path)).prepare(None, None, recipe_find("tiny-phrase"), work)
