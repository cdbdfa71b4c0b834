"""Score segments with unbabel-comet: JSON lines in, JSON lines out; the checkpoint is loaded once.

    python comet_runner.py --versions
    python comet_runner.py --model model.ckpt [--batch N] [--device cpu]

In:  {"sources": [text, …], "hypotheses": [text, …], "references": [text, …]}
Out: {"scores": [number, …]} or {"error": words}.
Runs in an environment of its own and knows nothing of the platform.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from os import dup, dup2, fdopen
from typing import Any

PACKAGES = ("unbabel-comet", "torch", "transformers", "numpy")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--device", default="")
    options = parser.parse_args()
    if options.versions:
        print(json.dumps({"versions": versions()}))
        return 0
    # What libraries print must not get between the answers.
    out = fdopen(dup(1), "w", encoding="ascii")
    dup2(2, 1)
    model: Any = None
    for line in sys.stdin:
        try:
            model = model or load(options.model)
            answer: dict[str, Any] = {"scores": score(model, options, json.loads(line))}
        except Exception as error:
            answer = {"error": words(error)}
        out.write(json.dumps(answer, allow_nan=False) + "\n")
        out.flush()
    return 0


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


def load(path: str) -> Any:
    from comet import load_from_checkpoint

    return load_from_checkpoint(path)


def score(model: Any, options: argparse.Namespace, given: dict[str, list[str]]) -> list[float]:
    import torch

    rows = zip(given["sources"], given["hypotheses"], given["references"], strict=True)
    samples = [{"src": source, "mt": hypothesis, "ref": reference} for source, hypothesis, reference in rows]
    gpus = 0 if options.device == "cpu" or not torch.cuda.is_available() else 1
    found = model.predict(samples, batch_size=options.batch, gpus=gpus, progress_bar=False)
    return [float(one) for one in found["scores"]]


def words(error: Exception) -> str:
    text = str(error).strip().split("\n")[0][:300]
    if "out of memory" in text:
        return "the accelerator ran out of memory: give a smaller batch (,batch=4) or device=cpu"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
