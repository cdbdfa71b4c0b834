"""Score segments with unbabel-comet: JSON lines in, JSON lines out; the checkpoint is loaded once.

    python comet_runner.py --versions
    python comet_runner.py --model model.ckpt [--batch N] [--device cpu]

In:  {"sources": [text, …], "hypotheses": [text, …], "references": [text, …]}
Out: {"scores": [number, …]} or {"error": words}.
Runs in an environment of its own and knows nothing of the platform.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from answering import answer_lines, versions

PACKAGES = ("unbabel-comet", "torch", "transformers", "numpy")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--device", default="")
    options = parser.parse_args()
    if options.versions:
        print(json.dumps({"versions": versions(PACKAGES)}))
        return 0
    return answer_lines(
        lambda: load(options.model), lambda model, given: score(model, options, given), small_batch=4
    )


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


if __name__ == "__main__":
    sys.exit(main())
