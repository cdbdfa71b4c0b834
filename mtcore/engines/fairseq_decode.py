"""Translate and score with fairseq models: every line comes back, with what became of it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mtcore.corpora.subwords import unknown_warning
from mtcore.engines.base import BLANK, FAILED, TOO_LONG, Line, Scored, Work
from mtcore.engines.bundle import MANIFEST, Bundle, bundle_accepts
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq_commands import MAX_POSITIONS
from mtcore.engines.fairseq_run import run_job
from mtcore.engines.recipe import Decoding
from mtcore.engines.rundir import atomic_file, file_sha256
from mtcore.engines.setup import Setup
from mtcore.engines.subword_models import SUBWORDS, pieces_of, text_of, words_of


def translate(
    setup: Setup,
    bundles: Sequence[Bundle],
    lines: Sequence[str],
    decoding: Decoding,
    work: Work,
    *,
    script: str = "decode_fairseq.py",
    figures: Mapping[str, Any] | None = None,
) -> list[Line]:
    """Translate lines with a model or an ensemble; what an earlier attempt translated is not done again.

    Args:
        setup: where the training environment is.
        bundles: the models.
        lines: raw text.
        decoding: how.
        work: the run.
        script: the program that decodes pieces, of those in `mt_side`.
        figures: what else it is told.

    Raises:
        EngineError: models that do not belong together, or lines that did not come back.
    """
    if not bundles:
        raise EngineError("No model was given.", "Give at least one.")
    first = bundles[0]
    for other in bundles[1:]:
        require_same_pieces(first, other)
    source, target = str(first.facts["source_language"]), str(first.facts["target_language"])
    found = [Line("", BLANK)] * len(lines)
    folder = scratch(work, bundles, lines, {**asdict(decoding), "script": script, **(figures or {})})
    asked = [number for number, line in enumerate(lines) if words_of(line, str(first.facts["subwords"]))]
    pieces = pieces_of([lines[number] for number in asked], first, source, folder, setup=setup, work=work)
    fitting = []
    for number, line in zip(asked, pieces, strict=True):
        if line.count(" ") + 2 > MAX_POSITIONS:
            found[number] = Line("", TOO_LONG)
        else:
            fitting.append((number, line))
    job = {
        "checkpoints": [str(bundle.path("checkpoint")) for bundle in bundles],
        "source": source, "target": target, "half": True,
        "beam": max(1, decoding.beam), "sampling": decoding.sampling, "top_k": decoding.top_k,
        "temperature": decoding.temperature, "length_penalty": decoding.length_penalty,
        "length_a": decoding.length_a, "length_b": decoding.length_b,
        "batch": max(1, decoding.batch_sentences), "seed": decoding.seed,
        "most_threads": work.threads, **(figures or {}),
    }  # fmt: skip
    rows = _ask(setup, script, first, [line for _, line in fitting], job, folder, work, "translated")
    tool = str(first.facts["subwords"])
    for (number, _), row in zip(fitting, rows, strict=True):
        text = text_of(row["text"], tool)
        found[number] = Line(text, score=row["score"]) if text else Line("", FAILED)
    return found


def score(setup: Setup, bundle: Bundle, lines: Sequence[str], work: Work) -> list[Scored]:
    """Score lines with a language model; see `FairseqEngine.score`."""
    folder = scratch(work, [bundle], lines, {"score": True})
    language = str(bundle.facts["source_language"])
    pieces = pieces_of(lines, bundle, language, folder, setup=setup, work=work)
    job = {"checkpoint": str(bundle.path("checkpoint")), "half": False}
    rows = _ask(setup, "score_fairseq.py", bundle, pieces, job, folder, work, "scored")
    return [
        Scored(row["log_probability"], row["pieces"], len(line.split()) + 1)
        for line, row in zip(lines, rows, strict=True)
    ]


def require_same_pieces(first: Bundle, other: Bundle) -> None:
    """Refuse an ensemble of models that cut words differently or number pieces differently.

    Raises:
        BundleError: it names the file.
    """
    for role in first.files:
        if role.startswith(("dictionary", SUBWORDS)):
            bundle_accepts(first, role, other.path(role))


def scratch(work: Work, bundles: Sequence[Bundle], lines: Sequence[str], figures: dict[str, Any]) -> Path:
    """Return the folder of just this decoding: these models, these lines, these figures."""
    digest = hashlib.sha256(json.dumps(figures, sort_keys=True).encode())
    for bundle in bundles:
        digest.update(file_sha256(bundle.folder / MANIFEST).encode())
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    folder = work.rundir.work / f"decoding-{digest.hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    return folder


def on_device(bundle: Bundle, work: Work) -> bool:
    """Tell whether to use an accelerator if there is one: the run has its own, or the model was trained so.

    (A worker that was given no names of devices may use whatever its machine has.)
    """
    training = bundle.facts.get("recipe", {}).get("training", {})
    return bool(work.device or training.get("devices"))


def data_folder(bundle: Bundle, folder: Path) -> Path:
    """Return a folder with the dictionaries of a bundle under the names fairseq wants."""
    place = folder / "data"
    place.mkdir(exist_ok=True)
    target = str(bundle.facts["target_language"])
    for role in bundle.files:
        if role.startswith("dictionary."):
            language = role.partition(".")[2]
            name = f"dict.{language}.txt" if target else "dict.txt"
            with atomic_file(place / name) as draft:
                shutil.copyfile(bundle.path(role), draft)
    return place


def _ask(
    setup: Setup,
    script: str,
    bundle: Bundle,
    pieces: Sequence[str],
    job: dict[str, Any],
    folder: Path,
    work: Work,
    done: str,
) -> list[dict[str, Any]]:
    """Give lines of pieces to a script; return one row for each, in their order.

    Raises:
        EngineError: lines did not come back.
    """
    if not pieces:
        return []
    source, output = folder / "input.txt", folder / "output.jsonl"
    with atomic_file(source) as draft:
        draft.write_text("".join(f"{line}\n" for line in pieces), "utf-8", newline="\n")
    full = {
        **job, "data": str(data_folder(bundle, folder)), "input": str(source), "output": str(output),
        "cpu": not on_device(bundle, work),
    }  # fmt: skip
    what = "The translation" if done == "translated" else "The scoring"
    run_job(setup, work, script, full, folder / "job.json", what, _progress(work, done))
    rows: dict[int, dict[str, Any]] = {}
    for line in output.read_text("utf-8").split("\n")[:-1]:
        row = json.loads(line)
        rows[row["id"]] = row
    missing = [number + 1 for number in range(len(pieces)) if number not in rows]
    if missing or len(rows) != len(pieces):
        shown = ", ".join(f"{number:,}" for number in missing[:5]) + (" …" if len(missing) > 5 else "")
        raise EngineError(
            f"{len(rows):,} of {len(pieces):,} lines were {done}; those missing: {shown or 'none'}.",
            f"Look at the log, remove {folder} and run it again.",
        )
    return [rows[number] for number in range(len(pieces))]


def _progress(work: Work, done: str) -> Callable[[str], None]:
    def line(text: str) -> None:
        if not text.startswith("{"):
            return
        try:
            said = json.loads(text)
        except ValueError:
            return
        if said.get("pieces"):
            unknown, pieces = said["unknown"], said["pieces"]
            share = {"unknown_share": round(unknown / pieces, 4)}
            work.report(note=unknown_warning(unknown, pieces), metrics=share)
        count, of = said.get("decoded", said.get("scored")), said.get("of")
        if not of or count is None:
            return
        rate = said.get("pieces_per_second")
        speed = {"pieces_per_second": round(rate, 1)} if rate else None
        work.report(count / of, f"{count:,} of {of:,} lines {done}", speed)

    return line
