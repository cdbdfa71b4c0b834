"""The command lines of fairseq for a recipe: pure, so that they can be shown before anything runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtcore.engines.recipe import LM, LSTM, Model, Recipe, Training
from mtcore.engines.setup import MT_SIDE, Setup

LAUNCHER = "launch_fairseq.py"
USER_DIR = MT_SIDE / "fairseq_lstm"
JOINED_WORDS = "joined_words"
"""The launcher's name for what takes our joiners out of a text."""
FP32, FP16, BF16 = "fp32", "fp16", "bf16"
MAX_POSITIONS = 1024
"""Pieces of the longest line, its end counted."""
_PORT = 29_500


@dataclass(frozen=True)
class Place:
    """Where a training runs.

    Attributes:
        devices: accelerators on each machine; 0 for the CPU.
        machines: how many machines train together.
        host: of several machines, the name of the one the others meet at.
        precision: "fp32", "fp16" or "bf16".
        processes: of a training on CPUs, how many share it (each a part of every batch).
    """

    devices: int = 0
    machines: int = 1
    host: str = ""
    precision: str = FP32
    processes: int = 1


def preprocess_command(
    setup: Setup, texts: Path, target: Path, recipe: Recipe, languages: Sequence[str], workers: int = 1
) -> list[str]:
    """Return the command that makes dictionaries and binary files of pieces.

    Args:
        setup: where the training environment is.
        texts: a folder with `train.pieces.<language>` and `valid.pieces.<language>`.
        target: where the binary files go.
        recipe: whose dictionaries are joint or not.
        languages: source and target, or the one of a language model.
        workers: processes.
    """
    command = [
        *setup.script(LAUNCHER), "preprocess", "--destdir", str(target), "--workers", str(workers),
        "--thresholdsrc", str(recipe.subwords.min_count),
    ]  # fmt: skip
    if len(languages) == 1:
        (language,) = languages
        files = {name: str(texts / f"{name}.pieces.{language}") for name in ("train", "valid")}
        return [*command, "--only-source", "--trainpref", files["train"], "--validpref", files["valid"]]
    command += [
        "--source-lang", languages[0], "--target-lang", languages[1],
        "--trainpref", str(texts / "train.pieces"), "--validpref", str(texts / "valid.pieces"),
        "--thresholdtgt", str(recipe.subwords.min_count),
    ]  # fmt: skip
    return [*command, "--joined-dictionary"] if recipe.subwords.joint else command


def train_command(
    setup: Setup, data: Path, save: Path, recipe: Recipe, languages: Sequence[str], place: Place
) -> list[str]:
    """Return the command that trains, on as many machines and devices as the place has.

    Of several machines each runs this very command, with `data` and `save` on a disk they share.
    """
    return [
        *_launcher(setup, place),
        "train",
        str(data),
        *_task(recipe, languages),
        *_model(recipe),
        *_learning(recipe),
        *_rhythm(recipe.training, save),
        *_validation_bleu(recipe),
        "--best-checkpoint-metric",
        best_metric(recipe),
        *_precision(place),
    ]


def generate_command(
    setup: Setup, data: Path, checkpoints: Sequence[Path], recipe: Recipe, subset: str = "valid"
) -> list[str]:
    """Return fairseq's own command that translates a binarised subset; for comparison with our decoding."""
    decoding = recipe.decoding
    command = [
        *setup.script(LAUNCHER), "generate", str(data), "--path", ":".join(map(str, checkpoints)),
        "--gen-subset", subset, "--beam", str(decoding.beam), "--lenpen", str(decoding.length_penalty),
        "--max-len-a", str(decoding.length_a), "--max-len-b", str(decoding.length_b),
        "--batch-size", str(decoding.batch_sentences), "--required-batch-size-multiple", "1",
        "--no-progress-bar",
    ]  # fmt: skip
    return [*command, *_user_dir(recipe.model)]


def eval_lm_command(setup: Setup, data: Path, checkpoint: Path, subset: str = "valid") -> list[str]:
    """Return fairseq's own command that scores a binarised subset, sentence by sentence."""
    return [
        *setup.script(LAUNCHER), "eval-lm", str(data), "--path", str(checkpoint), "--gen-subset", subset,
        "--sample-break-mode", "eos", "--max-tokens", "4000", "--no-progress-bar",
    ]  # fmt: skip


def _launcher(setup: Setup, place: Place) -> list[str]:
    processes = place.devices or place.processes
    if processes <= 1 and place.machines <= 1:
        return setup.script(LAUNCHER)
    torchrun = [str(setup.mt_python), "-m", "torch.distributed.run", "--nproc_per_node", str(processes)]
    if place.machines > 1:
        meeting = f"{place.host or 'HOST'}:{_PORT}"
        torchrun += [
            "--nnodes", str(place.machines), "--rdzv_backend", "c10d", "--rdzv_endpoint", meeting,
            "--rdzv_id", "training",
        ]  # fmt: skip
    else:
        torchrun += ["--standalone"]
    return [*torchrun, setup.script(LAUNCHER)[1]]


def _task(recipe: Recipe, languages: Sequence[str]) -> list[str]:
    if recipe.kind == LM:
        return [
            "--task", "language_modeling", "--sample-break-mode", "eos",
            "--tokens-per-sample", str(MAX_POSITIONS),
        ]  # fmt: skip
    return ["--task", "translation", "--source-lang", languages[0], "--target-lang", languages[1]]


def _model(recipe: Recipe) -> list[str]:
    model = recipe.model
    if recipe.kind == LM:
        return _language_model(model)
    return _lstm(model) if model.architecture == LSTM else _transformer(model)


def _transformer(model: Model) -> list[str]:
    return [
        "--arch", "transformer", *_dropouts(model), *_shared(model),
        *_both("layers", model.encoder_layers, model.decoder_layers),
        *_both("embed-dim", model.embedding), *_both("ffn-embed-dim", model.feed_forward),
        *_both("attention-heads", model.heads),
        *(["--encoder-normalize-before", "--decoder-normalize-before"] if model.norm_first else []),
        "--max-source-positions", str(MAX_POSITIONS), "--max-target-positions", str(MAX_POSITIONS),
    ]  # fmt: skip


def _lstm(model: Model) -> list[str]:
    """Give a bidirectional encoder half the width a direction: both together have the decoder's."""
    encoder = model.embedding // 2 if model.bidirectional else model.embedding
    arguments = [
        *_user_dir(model), "--arch", "lstm_mlp" if model.attention == "mlp" else "lstm",
        "--dropout", str(model.dropout), *_shared(model), *_both("embed-dim", model.embedding),
        *_both("hidden-size", encoder, model.embedding),
        *_both("layers", model.encoder_layers, model.decoder_layers),
        "--decoder-out-embed-dim", str(model.embedding),
    ]  # fmt: skip
    return [*arguments, "--encoder-bidirectional"] if model.bidirectional else arguments


def _language_model(model: Model) -> list[str]:
    arguments = [
        "--arch", "transformer_lm", *_dropouts(model), "--decoder-layers", str(model.decoder_layers),
        "--decoder-embed-dim", str(model.embedding), "--decoder-ffn-embed-dim", str(model.feed_forward),
        "--decoder-attention-heads", str(model.heads),
        "--decoder-input-dim", str(model.embedding), "--decoder-output-dim", str(model.embedding),
    ]  # fmt: skip
    if not model.adaptive_input:
        shared = ["--share-decoder-input-output-embed"] if model.share != "none" else []
        return arguments + shared + (["--decoder-normalize-before"] if model.norm_first else [])
    cutoffs = ",".join(str(int(one)) for one in model.adaptive_input)
    arguments += [
        "--adaptive-input", "--adaptive-input-cutoff", cutoffs, "--adaptive-softmax-cutoff", cutoffs,
        "--adaptive-softmax-dropout", str(model.dropout), "--decoder-normalize-before",
        "--no-decoder-final-norm",
    ]  # fmt: skip
    return arguments + (["--tie-adaptive-weights", "--tie-adaptive-proj"] if model.share != "none" else [])


def _dropouts(model: Model) -> list[str]:
    return [
        "--dropout", str(model.dropout), "--attention-dropout", str(model.attention_dropout),
        "--activation-dropout", str(model.activation_dropout),
    ]  # fmt: skip


def _shared(model: Model) -> list[str]:
    return {
        "all": ["--share-all-embeddings"], "decoder": ["--share-decoder-input-output-embed"], "none": [],
    }[model.share]  # fmt: skip


def _both(name: str, encoder: int, decoder: int | None = None) -> list[str]:
    other = encoder if decoder is None else decoder
    return [f"--encoder-{name}", str(encoder), f"--decoder-{name}", str(other)]


def _user_dir(model: Model) -> list[str]:
    is_ours = model.architecture == LSTM and model.attention == "mlp"
    return ["--user-dir", str(USER_DIR)] if is_ours else []


def best_metric(recipe: Recipe) -> str:
    """Return what tells the best checkpoint and counts for patience: what the perplexity is made from."""
    return "loss" if _is_adaptive(recipe) else "nll_loss"


def _is_adaptive(recipe: Recipe) -> bool:
    return recipe.kind == LM and bool(recipe.model.adaptive_input)


def _learning(recipe: Recipe) -> list[str]:
    training = recipe.training
    arguments = [
        "--optimizer", training.optimiser, "--lr", repr(recipe.highest_rate),
        "--weight-decay", str(training.weight_decay), "--clip-norm", str(training.clip_norm),
        *_schedule(training),
    ]  # fmt: skip
    if training.optimiser == "adam" and training.betas:
        arguments += ["--adam-betas", f"({', '.join(map(str, training.betas))})"]
    if _is_adaptive(recipe):
        return [*arguments, "--criterion", "adaptive_loss"]
    smoothing = ["--label-smoothing", str(training.label_smoothing)]
    return [*arguments, "--criterion", "label_smoothed_cross_entropy", *smoothing]


def _schedule(training: Training) -> list[str]:
    warmup = ["--warmup-updates", str(training.warmup)]
    first = ["--warmup-init-lr", "1e-07"] if training.warmup else []
    if training.schedule == "cosine":
        period = max(1, training.max_updates - training.warmup)
        return ["--lr-scheduler", "cosine", *warmup, *first, "--lr-period-updates", str(period)]
    if training.schedule == "fixed":
        return ["--lr-scheduler", "fixed", *warmup]
    return ["--lr-scheduler", "inverse_sqrt", "--warmup-updates", str(max(1, training.warmup)), *first]


def _rhythm(training: Training, save: Path) -> list[str]:
    every = training.validate_every
    arguments = [
        "--seed", str(training.seed), "--update-freq", str(max(1, training.update_frequency)),
        "--save-dir", str(save), "--log-format", "json", "--log-interval", str(log_interval(training)),
        "--no-progress-bar", "--skip-invalid-size-inputs-valid-test",
    ]  # fmt: skip
    if every:
        arguments += [
            "--validate-interval-updates", str(every), "--save-interval-updates", str(every),
            "--keep-interval-updates", str(max(1, training.keep_checkpoints)), "--no-epoch-checkpoints",
            "--validate-interval", "1000000", "--save-interval", "1000000",
        ]  # fmt: skip
    else:
        arguments += ["--keep-last-epochs", str(max(1, training.keep_checkpoints))]
    for name, value in {
        "--max-tokens": training.max_tokens, "--batch-size": training.max_sentences,
        "--max-update": training.max_updates, "--max-epoch": training.max_epochs,
        "--patience": training.patience,
    }.items():  # fmt: skip
        if value:
            arguments += [name, str(value)]
    return arguments


def _validation_bleu(recipe: Recipe) -> list[str]:
    """Let it tell BLEU of plain text: subwords undone by fairseq, our joiners by the launcher."""
    if not recipe.training.validate_bleu or recipe.kind == LM:
        return []
    decoding = recipe.decoding
    search = {"beam": 1, "max_len_a": decoding.length_a, "max_len_b": decoding.length_b}
    arguments = ["--eval-bleu", "--eval-bleu-args", json.dumps(search), "--eval-bleu-detok", JOINED_WORDS]
    pieces = {"subword-nmt": "@@ ", "sentencepiece": "sentencepiece"}.get(recipe.subwords.tool)
    return [*arguments, "--eval-bleu-remove-bpe", pieces] if pieces else arguments


def log_interval(training: Training) -> int:
    """Return how many updates apart lines of progress are: about a hundred lines, at most 100 apart."""
    return max(1, min(100, (training.max_updates or 10_000) // 100))


def _precision(place: Place) -> list[str]:
    arguments = ["--ddp-backend", "legacy_ddp"]
    if not place.devices:
        arguments += ["--cpu", "--num-workers", "0", "--required-batch-size-multiple", "1"]
    if place.precision in (FP16, BF16):
        arguments.append(f"--{place.precision}")
    if max(place.devices, place.processes) > 1 or place.machines > 1:
        arguments += ["--distributed-backend", "nccl" if place.devices else "gloo"]
    return arguments
