"""Cells of language models trained on a system's own outputs: how well they predict Y* and Y (Table 4)."""

from __future__ import annotations

from functools import cached_property
from math import exp
from typing import Any

from annotation.services.study_tables.cells import Cell, Link, Need, missing, printed
from annotation.services.study_tables.material import Material, Pair, Place, SystemRow
from annotation.services.study_tables.spec import Quantity
from mtcore.corpora.languages import standard_tag
from mtcore.models import Run, TextVersion
from mtcore.services.run_context import run_directory

SCORE_LM, TRAIN_LM = "score_lm", "train_lm"
DIRECTIONS = {"Y*": "direct", "Y": "reverse"}
"""Y* is the reference of text whose source was written first, Y that of text whose target was."""


class LmCells:
    """Finds perplexities of the references under models of systems' outputs."""

    def __init__(self, material: Material) -> None:
        self.material = material

    def cell(self, pair: Pair, version: str, row: SystemRow, quantity: Quantity) -> Cell:
        """Return the perplexity a word, line ends counted, over all test sets of the pair that have the text.

        Words are those between blanks: models with subwords of their own compare by no smaller unit.
        """
        system = row.of(pair)
        if system is None:
            return missing(f"no system “{row.label}” for {pair.tag}")
        model = self._model(system.name, pair.target)
        if model is None:
            return missing(
                f"no language model was trained on what “{system.name}” has translated",
                Need(
                    ("train_lm", "NAME"),
                    {"--system": (system.name,), "--recipe": ("edunov-lm",)},
                    system.name,
                ),
            )
        places = [
            (place, found[0])
            for place in pair.places.get(DIRECTIONS[version], ())
            if (found := place.find("target", version))
        ]
        if not places:
            languages = {"--languages": (pair.tag,), "--direction": (DIRECTIONS[version],)}
            return missing(
                f"no test set for {pair.tag} in the study has {version}",
                Need(("import_testset", "NAME"), languages, f"{pair.tag} {version}"),
            )
        return self._over(model, places, quantity)

    def _over(self, model: Run, places: list[tuple[Place, TextVersion]], quantity: Quantity) -> Cell:
        total, units, n_lines, behind = 0.0, 0, 0, []
        run = None
        for place, text in places:
            run = self._scored.get((model.pk, place.testset.name, str(text)))
            if run is None:
                options = {"--testset": (place.testset.name,), "--text-version": (text.name,)}
                return missing(
                    f"{text.name} of {place.testset.name} is not scored by the language model “{model.name}”",
                    Need(("score_lm", model.name), options),
                )
            sums = _sums(run, place)
            if sums is None:
                return missing(f"the scores of the lines of run {run.pk} are gone")
            total, units, n_lines = total + sums[0], units + sums[1], n_lines + sums[2]
            oov = (run.result or {}).get("oov_rate")
            told = "" if oov is None else f", {100 * oov:.1f} % unknown words"
            behind.append(
                f"perplexity a word (ends counted) of {text.name} of {place.testset.name} under the model "
                f"“{model.name}”{told}, run {run.pk}"
            )
        if not units or run is None:
            return missing("there is no line with text")
        try:
            value = exp(-total / units)
        except OverflowError:
            return missing("the perplexity is beyond all numbers")
        facts = run.result or {}
        signature = (
            f"unit:word|ends:counted|lm:{str(facts.get('lm_checkpoint_sha256', ''))[:16]}|"
            f"engine:{facts.get('engine', '')}|vocabulary:{facts.get('vocabulary')}"
        )
        return Cell(
            value, printed(value, quantity.digits, quantity.scale), tuple(behind), signature, n_lines,
            Link("run", run=run.pk),
        )  # fmt: skip

    def _model(self, system: str, language: str) -> Run | None:
        """Return the newest model trained on what a system has translated into a language."""
        return next(
            (
                run
                for run in self._models
                if run.options.get("system") == system
                and standard_tag(run.options.get("language", "")) == standard_tag(language)
            ),
            None,
        )

    @cached_property
    def _models(self) -> list[Run]:
        return list(Run.objects.filter(kind=TRAIN_LM, state=Run.State.SUCCEEDED).order_by("-pk"))

    @cached_property
    def _scored(self) -> dict[tuple[int, str, str], Run]:
        """Return the newest run that has scored a version of a test set, by model, test set and version."""
        found: dict[tuple[int, str, str], Run] = {}
        runs = Run.objects.filter(kind=SCORE_LM, state=Run.State.SUCCEEDED, options__has_key="version")
        for run in runs.order_by("pk"):
            options: dict[str, Any] = run.options
            found[options["lm_run"], options["testset"], options["version"]] = run
        return found


def _sums(run: Run, place: Place) -> tuple[float, int, int] | None:
    """Return Σ ln p, words and line ends, and lines with text, of the segments that are meant."""
    result = run.result or {}
    if place.positions is None:
        lines = result["lines"] - result["blank"]
        return result["log_probability"], result["words"] + lines, lines
    path = run_directory(run.pk).result / result["scores"]
    if not path.is_file():
        return None
    wanted = set(place.positions)
    total, units, lines = 0.0, 0, 0
    for row in path.read_text("utf-8").split("\n")[1:]:
        cells = row.split("\t")
        if len(cells) == 4 and int(cells[0]) - 1 in wanted:
            total, units, lines = total + float(cells[1]), units + int(cells[3]) + 1, lines + 1
    return total, units, lines
