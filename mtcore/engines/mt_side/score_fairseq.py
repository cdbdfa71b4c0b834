"""Score lines of pieces under a fairseq language model: `python score_fairseq.py JOB.json`.

JOB has: checkpoint, data (a folder with the dictionary), input (a line a sentence, blank ones too), output
(a JSON object a line: {"id", "log_probability", "pieces", "unknown"}), cpu, half. Every line begins after the
end of a sentence, and its own end counts. A line longer than the model is scored in windows, each after the
last piece of the one before.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from decode_fairseq import batches, whole_lines
from fairseq_repairs import repair

_BATCH_LINES = 128


def main(arguments: list[str]) -> int:
    """Do the job of a file."""
    job = json.loads(Path(arguments[0]).read_text("utf-8"))
    repair()
    import torch
    from fairseq import checkpoint_utils
    from fairseq.sequence_scorer import SequenceScorer

    lines = Path(job["input"]).read_text("utf-8").split("\n")[:-1]
    models, _, task = checkpoint_utils.load_model_ensemble_and_task(
        [job["checkpoint"]], arg_overrides={"data": job["data"]}
    )
    on_device = torch.cuda.is_available() and not job["cpu"]
    for model in models:
        model.eval()
        if on_device:
            model.half().cuda() if job["half"] else model.cuda()
    dictionary = task.source_dictionary
    scorer = SequenceScorer(dictionary, softmax_batch=8192)
    encoded = [dictionary.encode_line(line, add_if_not_exist=False).long() for line in lines]
    longest = min(models[0].max_positions(), 1024)
    score(job, models, scorer, encoded, longest, dictionary, on_device)
    return 0


def score(
    job: dict[str, Any],
    models: list[Any],
    scorer: Any,
    encoded: list[Any],
    longest: int,
    dictionary: Any,
    on_device: bool,
) -> None:
    """Score batch by batch and write what came out."""
    import torch
    from fairseq import utils

    output = Path(job["output"])
    done = whole_lines(output)
    with output.open("a", encoding="utf-8", newline="\n") as file, torch.no_grad():
        for batch in batches([len(one) for one in encoded], _BATCH_LINES, equal=False):
            if done.issuperset(batch):
                continue
            sums = dict.fromkeys(batch, 0.0)
            windows = [
                (line, start) for line in batch for start in range(0, max(1, len(encoded[line])), longest)
            ]
            for at in range(0, len(windows), _BATCH_LINES):
                some = windows[at : at + _BATCH_LINES]
                sample = _sample(some, encoded, longest, dictionary)
                if on_device:
                    sample = utils.move_to_cuda(sample)
                for (line, _), found in zip(some, scorer.generate(models, sample), strict=True):
                    sums[line] += float(found[0]["positional_scores"].double().sum())
            for line in batch:
                unknown = int((encoded[line] == dictionary.unk()).sum())
                row = {
                    "id": line,
                    "log_probability": sums[line],
                    "pieces": len(encoded[line]),
                    "unknown": unknown,
                }
                file.write(json.dumps(row) + "\n")
            file.flush()
            done.update(batch)
            print(json.dumps({"scored": len(done), "of": len(encoded)}), flush=True)


def _sample(
    windows: list[tuple[int, int]], encoded: list[Any], longest: int, dictionary: Any
) -> dict[str, Any]:
    """Make a batch: a piece is predicted from those before it, the first from an end or the piece before."""
    import torch

    targets = [encoded[line][start : start + longest] for line, start in windows]
    width = max(len(one) for one in targets)
    target = torch.full((len(targets), width), dictionary.pad(), dtype=torch.long)
    source = torch.full((len(targets), width), dictionary.pad(), dtype=torch.long)
    for row, ((line, start), one) in enumerate(zip(windows, targets, strict=True)):
        target[row, : len(one)] = one
        source[row, 0] = encoded[line][start - 1] if start else dictionary.eos()
        source[row, 1 : len(one)] = one[:-1]
    lengths = torch.tensor([len(one) for one in targets])
    return {"net_input": {"src_tokens": source, "src_lengths": lengths}, "target": target}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
