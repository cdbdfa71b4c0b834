"""Phrase-based translation with Thot (sil-thot): alignment, phrases, n-grams, tuning, decoding.

Every stage is a process of its own under the platform's interpreter (`thot_child`), done once: a run that is
stopped goes on with the stage it was in, and tuning and decoding with the round or the line they were at.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from mtcore.corpora.subwords import unknown_warning
from mtcore.engines.base import FAILED, OK, Engine, Line, Prepared, Texts, Work
from mtcore.engines.bundle import MANIFEST, Bundle, bundle_open, bundle_write
from mtcore.engines.child import ChildFailed
from mtcore.engines.errors import EngineError
from mtcore.engines.phrase_tokens import words_versions
from mtcore.engines.recipe import PHRASE, Decoding, Recipe
from mtcore.engines.rundir import atomic_file, file_sha256

PACKAGE = "sil-thot"
CHECKPOINT = "checkpoint"
"""The role of the phrase table; Thot's other files have their own names for roles."""
_ROOT = Path(__file__).resolve().parents[2]
_FACTS = "prepared.json"
_PASSING = (".bestal", ".final")
"""Files of the training that translation does not need."""
UNTUNED = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)


class ThotEngine(Engine):
    """Trains and decodes phrase-based systems; the same seed gives the same system."""

    name: ClassVar[str] = "thot"
    trains: ClassVar[frozenset[str]] = frozenset({PHRASE})
    decodes: ClassVar[frozenset[str]] = frozenset({PHRASE})
    ensembles: ClassVar[bool] = False
    install_hint: ClassVar[str] = f"install the package {PACKAGE}: pip install {PACKAGE}"

    def is_available(self) -> bool:
        """Tell whether Thot and the cutter of words are installed beside the platform."""
        return find_spec("thot") is not None and find_spec("sacremoses") is not None

    def signature(self) -> str:
        """Return "thot 3.5.3, sacremoses 0.1.1"."""
        return ", ".join(f"{name} {known}" for name, known in _versions().items()) or self.name

    def prepare(self, train: Texts, valid: Texts, recipe: Recipe, work: Work) -> Prepared:
        """Cut both sides into words; pairs with a blank side or more than 200 words are left out and counted.

        Raises:
            EngineError: the recipe is of another kind, or the texts are not parallel.
        """
        self._require(recipe)
        if train.target is None or valid.target is None:
            raise EngineError("A phrase-based system learns from parallel text.", "Give both sides.")
        folder = work.rundir.work / f"prepared-{_fingerprint(train, valid)}"
        folder.mkdir(exist_ok=True)
        facts: dict[str, Any] = {
            "source_language": train.source_language,
            "target_language": train.target_language,
        }
        for name, texts in {"train": train, "valid": valid}.items():
            job = {
                "do": "cut", **facts, "source": str(texts.source), "target": str(texts.target),
                "to_source": str(folder / f"{name}.source"), "to_target": str(folder / f"{name}.target"),
            }  # fmt: skip
            work.report(note=f"cutting the {name} text into words")
            counts = self._stage(f"cut-{name}", job, folder, work, (0.0, 0.0))
            facts[name] = counts
        with atomic_file(folder / _FACTS) as draft:
            draft.write_text(json.dumps(facts), "utf-8")
        return Prepared(folder, facts)

    def train(self, prepared: Prepared, recipe: Recipe, work: Work) -> Bundle:
        """Align words both ways, collect phrases, count n-grams, tune; five stages, each done once."""
        if work.rundir.has_result:
            return bundle_open(work.rundir.result)
        self._require(recipe)
        began = time.monotonic()
        folder = prepared.folder / f"model-{_digest([recipe.model.alignment, recipe.model.order])}"
        folder.mkdir(exist_ok=True)
        found = self._stages(prepared, recipe, folder, work)
        seconds = _seconds(folder / "seconds.json", time.monotonic() - began)
        facts = {
            "engine": self.name, "kind": PHRASE, "source_language": prepared.facts["source_language"],
            "target_language": prepared.facts["target_language"], "recipe": asdict(recipe),
            "seed": recipe.training.seed, "versions": _versions(), "subwords": "none",
            "updates": found.get("tuning_rounds", 0), "alignment": recipe.model.alignment,
            "order": recipe.model.order, "train_lines": prepared.facts["train"]["pairs"],
            "texts": {name: prepared.facts[name] for name in ("train", "valid")},
            "training_seconds": round(seconds, 1), "weights": list(UNTUNED), **found,
        }  # fmt: skip
        files = {
            path.name: path
            for path in sorted(folder.iterdir())
            if path.name.startswith(("tm", "trg")) and path.suffix not in _PASSING
        }
        files[CHECKPOINT] = files.pop("tm.ttable")
        staging = Path(tempfile.mkdtemp(prefix=".staged-", dir=work.rundir.root))
        try:
            bundle_write(work.rundir.result, files, facts, staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        return bundle_open(work.rundir.result)

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        """Translate; a score is Thot's weighted sum, which compares translations of one line only.

        Raises:
            EngineError: an ensemble or sampling was asked for, or lines were lost.
        """
        bundle = _the_one(bundles)
        if decoding.sampling:
            raise EngineError(
                "A phrase-based system cannot sample: it searches for the best translation.",
                "Set decoding.sampling = false, or take a neural system.",
            )
        folder = work.rundir.work / f"decoding-{_decoding_digest(bundle, lines, decoding)}"
        folder.mkdir(exist_ok=True)
        with atomic_file(folder / "input.jsonl") as draft:
            draft.write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
        job = {
            "do": "decode", "table": str(bundle.path(CHECKPOINT)), "input": str(folder / "input.jsonl"),
            "output": str(folder / "output.jsonl"), "scratch": str(folder / "phrases"),
            "source_language": bundle.facts["source_language"],
            "target_language": bundle.facts["target_language"], "alignment": bundle.facts["alignment"],
            "weights": bundle.facts["weights"], "mask_unknown": decoding.mask_unknown,
        }  # fmt: skip
        self._stage("decode", job, folder, work, (0.0, 1.0))
        rows = [json.loads(line) for line in (folder / "output.jsonl").read_text("utf-8").split("\n")[:-1]]
        if len(rows) != len(lines):
            raise EngineError(
                f"{len(rows):,} of {len(lines):,} lines were translated.",
                f"Remove {folder} and run it again.",
            )
        _report_unknown(rows, work)
        return [_line(row) for row in rows]

    def _stages(self, prepared: Prepared, recipe: Recipe, folder: Path, work: Work) -> dict[str, Any]:
        source, target = (str(prepared.folder / f"train.{side}") for side in ("source", "target"))
        valid = {f"valid_{side}": str(prepared.folder / f"valid.{side}") for side in ("source", "target")}
        model = recipe.model
        jobs: list[tuple[str, float, dict[str, Any]]] = [
            ("align", 0.2, {
                "do": "align", "source": source, "target": target, "prefix": str(folder / "tm_invswm"),
                "alignment": model.alignment,
            }),
            ("align-inverse", 0.4, {
                "do": "align", "source": target, "target": source, "prefix": str(folder / "tm_swm"),
                "alignment": model.alignment,
            }),
            ("phrases", 0.6, {"do": "extract", "folder": str(folder)}),
            ("n-grams", 0.7, {
                "do": "language_model", "folder": str(folder), "target": target, "order": model.order,
                **valid,
            }),
        ]  # fmt: skip
        rounds, seed = recipe.training.tuning_iterations, recipe.training.seed
        if rounds:
            tuned = f"tuning-{rounds}-{seed}"
            jobs.append((tuned, 1.0, {
                "do": "tune", "table": str(folder / "tm.ttable"), "alignment": model.alignment,
                "state": str(folder / f"{tuned}.state.json"), "scratch": str(folder / "phrases-needed"),
                "rounds": rounds, "seed": seed, **valid,
            }))  # fmt: skip
        found: dict[str, Any] = {}
        begin = 0.0
        for name, end, job in jobs:
            found |= self._stage(name, job, folder, work, (begin, end))
            begin = end
        return found

    def _stage(
        self, name: str, job: Mapping[str, Any], folder: Path, work: Work, span: tuple[float, float]
    ) -> dict[str, Any]:
        """Do a stage unless it is done; its share of the progress is from `span[0]` to `span[1]`."""
        done = folder / f"done.{name}.json"
        if not done.exists():
            if not self.is_available():
                raise EngineError("Thot is not installed here.", self.install_hint)
            place = folder / f"job.{name}.json"
            with atomic_file(place) as draft:
                draft.write_text(json.dumps({**job, "done": str(done)}), "utf-8")

            def follow(line: str) -> None:
                said = _said(line)
                if said:
                    work.report(span[0] + (span[1] - span[0]) * said["progress"], said["note"])

            command = [sys.executable, "-m", "mtcore.engines.thot_child", str(place)]
            try:
                work.command(command, on_line=follow, variables={"PYTHONPATH": str(_ROOT)})
            except ChildFailed as error:
                message = error.message.partition("It said: error: ")[2] or error.message
                raise EngineError(f"Thot, {name}: {message}", error.remedy) from error
        facts: dict[str, Any] = json.loads(done.read_text("utf-8"))
        return facts

    def _require(self, recipe: Recipe) -> None:
        if recipe.model.architecture != PHRASE:
            raise EngineError(
                f"Thot trains phrase-based systems, not “{recipe.model.architecture}”.",
                'Set model.architecture = "phrase", or take the engine fairseq.',
            )
        if not self.is_available():
            raise EngineError("Thot is not installed here.", self.install_hint)


def _the_one(bundles: Sequence[Bundle]) -> Bundle:
    if len(bundles) != 1:
        raise EngineError(
            f"Thot translates with one system, not with {len(bundles)}.", "Set decoding.seeds = 1."
        )
    facts = bundles[0].facts
    if facts.get("engine") != ThotEngine.name or facts.get("kind") != PHRASE:
        raise EngineError(
            f"{bundles[0].folder} is a {facts.get('kind')} of the engine {facts.get('engine')}; "
            "Thot cannot translate with it.",
            "Give a phrase-based system.",
        )
    return bundles[0]


def _said(line: str) -> dict[str, Any] | None:
    if not line.startswith('{"progress"'):
        return None
    try:
        said: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return said


def _line(row: Mapping[str, Any]) -> Line:
    if row["status"] != OK:
        return Line("", row["status"])
    return Line(row["text"], score=row["score"]) if row["text"] else Line("", FAILED)


def _report_unknown(rows: Sequence[Mapping[str, Any]], work: Work) -> None:
    unknown = sum(row.get("unknown", 0) for row in rows)
    words = sum(row.get("words", 0) for row in rows)
    if words:
        share = {"unknown_share": round(unknown / words, 4)}
        work.report(note=unknown_warning(unknown, words), metrics=share)


def _versions() -> dict[str, str]:
    try:
        return {"thot": version(PACKAGE), **words_versions()}
    except PackageNotFoundError:
        return {}


def _fingerprint(train: Texts, valid: Texts) -> str:
    """Tell apart what was prepared from other texts."""
    told: list[Any] = [train.source_language, train.target_language]
    for path in (train.source, train.target, valid.source, valid.target):
        if path is not None and path.exists():
            told.append([str(path), path.stat().st_size, path.stat().st_mtime_ns])
    return _digest(told)


def _decoding_digest(bundle: Bundle, lines: Sequence[str], decoding: Decoding) -> str:
    texts = hashlib.sha256()
    for line in lines:
        texts.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return _digest([file_sha256(bundle.folder / MANIFEST), texts.hexdigest(), decoding.mask_unknown])


def _digest(told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def _seconds(path: Path, spent: float) -> float:
    """Add what this attempt took to what earlier ones did."""
    before = float(json.loads(path.read_text("utf-8"))) if path.exists() else 0.0
    with atomic_file(path) as draft:
        draft.write_text(json.dumps(before + spent), "utf-8")
    return before + spent
