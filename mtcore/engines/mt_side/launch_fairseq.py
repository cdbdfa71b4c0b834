"""Run one of fairseq's own programs, repaired: `python launch_fairseq.py PROGRAM ARGUMENTS …`.

PROGRAM is preprocess, train, generate, interactive, validate or eval-lm, with the arguments of
`fairseq-PROGRAM`. It can stand in the place of a script under torch's launcher:
`torchrun … launch_fairseq.py train …`.

Training gets four things that fairseq lacks: a SIGTERM ends it after the running update with a checkpoint
(exit code 143); patience counts over an interruption; the checkpoint of an interval is kept also when it
falls on the end of an epoch; and `--eval-bleu-detok joined_words`, which takes our joiners out of a text.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairseq_repairs import repair

PROGRAMS = {name: f"fairseq_cli.{name.replace('-', '_')}" for name in (
    "preprocess", "train", "generate", "interactive", "validate", "eval-lm")}  # fmt: skip
STOPPED = 143
_JOINER = "\uffed"
_EVERY = 10
"""Updates between two questions to the other processes whether one of them was asked to stop."""


def main(arguments: list[str]) -> int:
    """Run the program; the name of an unknown one ends with 2."""
    if not arguments or arguments[0] not in PROGRAMS:
        print(f"error: name a program: {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    program, *rest = arguments
    sys.argv = [f"fairseq-{program}", *rest]
    repair()
    module = importlib.import_module(PROGRAMS[program])
    if program == "train":
        _register_joining()
        _prepare_training(module)
    module.cli_main()
    return 0


def _register_joining() -> None:
    """Tell fairseq how words and signs that were taken apart come together again (as `join_words` does)."""
    from fairseq.data.encoders import register_tokenizer

    @register_tokenizer("joined_words", dataclass=None)
    class JoinedWords:
        def __init__(self, *_: Any) -> None:
            pass

        def encode(self, text: str) -> str:
            return text

        def decode(self, text: str) -> str:
            joined = text.replace(f" {_JOINER}", "").replace(f"{_JOINER} ", "")
            return joined.replace(_JOINER, "")


class _Stop:
    asked = False


def _prepare_training(program: Any) -> None:
    """Wrap what trains an epoch and what validates and saves in fairseq's training program."""
    signal.signal(signal.SIGTERM, lambda *_: setattr(_Stop, "asked", True))
    train, save, early = program.train, program.validate_and_save, program.should_stop_early
    past = _Past()

    def train_epoch(cfg: Any, trainer: Any, task: Any, epoch_itr: Any) -> Any:
        updates, most = trainer.get_num_updates(), cfg.optimization.max_update
        if past.open(cfg, trainer, early) or 0 < most <= updates:
            # An earlier process came to the end and was killed before it could say so.
            print(
                f"train_inner | {json.dumps({'epoch': epoch_itr.epoch, 'num_updates': updates})}", flush=True
            )
            return [None], True
        return train(cfg, trainer, task, epoch_itr)

    def validate_and_save(
        cfg: Any, trainer: Any, task: Any, epoch_itr: Any, valid_subsets: list[str], end_of_epoch: bool
    ) -> Any:
        answer = save(cfg, trainer, task, epoch_itr, valid_subsets, end_of_epoch)
        past.note(trainer, answer[0][0])
        _keep_interval(cfg.checkpoint, trainer, epoch_itr, end_of_epoch)
        if not answer[1] and _should_stop(trainer):
            program.checkpoint_utils.save_checkpoint(cfg.checkpoint, trainer, epoch_itr, None)
            print(f"stopped after update {trainer.get_num_updates()}, checkpoint kept", flush=True)
            os._exit(STOPPED)
        return answer

    program.train, program.validate_and_save = train_epoch, validate_and_save


class _Past:
    """The validations so far, in a file beside the checkpoints: patience goes on counting after a resume."""

    def __init__(self) -> None:
        self.path = Path()
        self.losses: dict[int, float] = {}
        self.is_open = False

    def open(self, cfg: Any, trainer: Any, early: Callable[..., bool]) -> bool:
        """Read what was noted before, once; tell whether patience is at its end.

        What was noted after the checkpoint that the training goes on from has been lost.
        """
        if self.is_open:
            return False
        self.is_open = True
        self.path = Path(cfg.checkpoint.save_dir) / "validations.json"
        try:
            noted = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            noted = {}
        self.losses = {int(at): loss for at, loss in noted.items() if int(at) <= trainer.get_num_updates()}
        ends = [early(cfg, loss) for _, loss in sorted(self.losses.items())]
        return any(ends)

    def note(self, trainer: Any, loss: float | None) -> None:
        """Note a validation."""
        if loss is None:
            return
        self.losses[trainer.get_num_updates()] = float(loss)
        if trainer.data_parallel_rank == 0:
            draft = self.path.with_suffix(".tmp")
            draft.write_text(json.dumps(self.losses), "utf-8")
            draft.replace(self.path)


def _keep_interval(cfg: Any, trainer: Any, epoch_itr: Any, end_of_epoch: bool) -> None:
    """Keep the checkpoint of an interval that fell on the end of an epoch, as those of others are kept."""
    updates = trainer.get_num_updates()
    if (
        not end_of_epoch
        or not cfg.save_interval_updates
        or updates % cfg.save_interval_updates
        or not updates
    ):
        return
    if trainer.data_parallel_rank != 0:
        return
    folder = Path(cfg.save_dir)
    place = folder / f"checkpoint_{epoch_itr.epoch}_{updates}.pt"
    last = folder / "checkpoint_last.pt"
    if last.is_file() and not place.exists():
        draft = place.with_suffix(".tmp")
        shutil.copyfile(last, draft)
        draft.replace(place)


def _should_stop(trainer: Any) -> bool:
    """Tell whether a SIGTERM came; with several processes all of them agree on one update."""
    import torch

    if trainer.data_parallel_world_size == 1:
        return _Stop.asked
    if trainer.get_num_updates() % _EVERY:
        return False
    flag = torch.tensor([int(_Stop.asked)], device=trainer.device)
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag.item())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
