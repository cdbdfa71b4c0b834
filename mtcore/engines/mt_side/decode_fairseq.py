"""Translate lines of pieces with one fairseq model or an ensemble: `python decode_fairseq.py JOB.json`.

JOB has: checkpoints, data (a folder with the dictionaries), source, target, input (a line a sentence, none
blank), output (a JSON object a line: {"id", "text", "score"}, in any order), and the decoding's figures.
A batch holds lines of one length: fairseq allows a translation as many pieces as the longest line of its
batch calls for, so a line among others would not be translated as alone. What is in the output already is
kept: a batch is always the same lines, with a seed of its own, so that an interrupted decoding ends as an
undisturbed one. Progress goes to standard output as {"decoded": n, "of": n}, after a line that says how many
pieces of the input the model does not know: {"unknown": n, "pieces": n}.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairseq_repairs import repair

_WINDOW = 20_000
"""Lines that are sorted by length together."""
_BATCH_PIECES = 16_000


def main(arguments: list[str]) -> int:
    """Do the job of a file."""
    job = json.loads(Path(arguments[0]).read_text("utf-8"))
    repair()
    import fairseq_lstm  # noqa: F401 (a kind of model that is ours)
    import torch
    from fairseq import checkpoint_utils

    lines = Path(job["input"]).read_text("utf-8").split("\n")[:-1]
    models, _, task = checkpoint_utils.load_model_ensemble_and_task(
        job["checkpoints"],
        arg_overrides={"data": job["data"], "source_lang": job["source"], "target_lang": job["target"]},
    )
    on_device = torch.cuda.is_available() and not job["cpu"]
    for model in models:
        model.eval()
        if on_device:
            model.half().cuda() if job["half"] else model.cuda()
        model.prepare_for_inference_(_Config(job))
    encoded = [task.source_dictionary.encode_line(line, add_if_not_exist=False).long() for line in lines]
    unknown = sum(int((one == task.source_dictionary.unk()).sum()) for one in encoded)
    print(json.dumps({"unknown": unknown, "pieces": sum(len(one) - 1 for one in encoded)}), flush=True)
    generator = _generator(job, models, task.target_dictionary)
    decode(job, task, models, generator, encoded, on_device)
    return 0


class _Config:
    """What `prepare_for_inference_` asks for."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.generation = self
        self.no_beamable_mm = False
        self.beam = job["beam"]
        self.print_alignment = None


def _generator(job: dict[str, Any], models: list[Any], dictionary: Any) -> Any:
    from fairseq import search
    from fairseq.sequence_generator import SequenceGenerator

    strategy = search.Sampling(dictionary, job["top_k"] or -1, -1.0) if job["sampling"] else None
    return SequenceGenerator(
        models, dictionary, beam_size=job["beam"], max_len_a=job["length_a"], max_len_b=job["length_b"],
        len_penalty=job["length_penalty"], temperature=job["temperature"], search_strategy=strategy,
    )  # fmt: skip


def decode(
    job: dict[str, Any], task: Any, models: list[Any], generator: Any, encoded: list[Any], on_device: bool
) -> None:
    """Translate batch by batch and write what came out."""
    import torch
    from fairseq import utils

    output, done = Path(job["output"]), whole_lines(Path(job["output"]))
    began, n_pieces = time.monotonic(), 0
    with output.open("a", encoding="utf-8", newline="\n") as file, torch.no_grad():
        for number, batch in enumerate(batches([len(one) for one in encoded], job["batch"], equal=True)):
            if done.issuperset(batch):
                continue
            utils.set_torch_seed((job["seed"] * 1_000_003 + number) % 2**31)
            sample = task.build_dataset_for_inference(
                [encoded[line] for line in batch], [len(encoded[line]) for line in batch]
            )
            sample = sample.collater([sample[index] for index in range(len(batch))])
            order = sample["id"].tolist()
            if on_device:
                sample = utils.move_to_cuda(sample)
            for index, found in zip(order, task.inference_step(generator, models, sample), strict=True):
                best = found[0]
                pieces = task.target_dictionary.string(best["tokens"].int().cpu())
                n_pieces += len(best["tokens"])
                line = {"id": batch[index], "text": pieces, "score": float(best["score"])}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            done.update(batch)
            rate = n_pieces / max(1e-9, time.monotonic() - began)
            print(
                json.dumps({"decoded": len(done), "of": len(encoded), "pieces_per_second": rate}), flush=True
            )


def batches(lengths: list[int], size: int, *, equal: bool) -> Iterator[list[int]]:
    """Cut line numbers into batches of like or equal lengths, `size` lines at most."""
    for start in range(0, len(lengths), _WINDOW):
        window = range(start, min(start + _WINDOW, len(lengths)))
        batch: list[int] = []
        for line in sorted(window, key=lambda one: (lengths[one], one)):
            is_full = len(batch) >= size or (len(batch) + 1) * lengths[line] > _BATCH_PIECES
            if batch and (is_full or (equal and lengths[line] != lengths[batch[0]])):
                yield batch
                batch = []
            batch.append(line)
        yield batch


def whole_lines(path: Path) -> set[int]:
    """Return the ids that an earlier attempt wrote, after cutting off a last line that is not whole."""
    if not path.exists():
        return set()
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        path.write_bytes(whole)
    return {json.loads(line)["id"] for line in whole.decode("utf-8").split("\n") if line}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
