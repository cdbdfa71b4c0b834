"""Average checkpoints of fairseq, without what only training needs: `python average_fairseq.py TO FROM …`.

With one checkpoint this leaves out the state of the optimiser.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fairseq_repairs import allow_checkpoints

KEEP = ("args", "cfg", "model", "optimizer_history", "task_state")


def main(arguments: list[str]) -> int:
    """Write the average."""
    import torch

    allow_checkpoints()

    target, *sources = arguments
    sums: dict[str, Any] = {}
    first: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    for source in sources:
        state = torch.load(source, map_location="cpu")  # nosec B614 # made by the same run
        for name, values in state["model"].items():
            if name in sums:
                sums[name] += values.double()
            else:
                sums[name] = values.double() if len(sources) > 1 else values
        if not first:
            first = {name: state[name] for name in KEEP if name in state}
            kinds = {name: values.dtype for name, values in state["model"].items()}
    if len(sources) > 1:
        sums = {name: (values / len(sources)).to(kinds[name]) for name, values in sums.items()}
    first["model"] = sums
    first["last_optimizer_state"] = None
    first["extra_state"] = {}
    _forget_validation(first.get("cfg"))
    draft = Path(f"{target}.draft")
    torch.save(first, draft)
    draft.replace(target)
    n_parameters = sum(values.numel() for values in sums.values())
    print(f"{len(sources)} checkpoints → {target}, {n_parameters:,} parameters", flush=True)
    return 0


def _forget_validation(options: Any) -> None:
    """Take out that BLEU was told while training, so that any fairseq loads the model."""
    task = options.get("task") if isinstance(options, dict) else None
    if isinstance(task, dict) and task.get("eval_bleu"):
        task["eval_bleu"] = False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
