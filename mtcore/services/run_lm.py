"""The runner that scores text with a language model: a score a line in a file, perplexities in the result."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from math import exp, inf
from pathlib import Path
from typing import Any

from django.conf import settings

from evalplatform.words import counted
from mtcore.corpora.corpus_lines import TextFiles
from mtcore.engines.base import Scored
from mtcore.engines.bundle import bundle_open
from mtcore.engines.errors import EngineError
from mtcore.models import Run, SystemOutput
from mtcore.services.corpora import corpus_files, corpus_find
from mtcore.services.lm_texts import VOCABULARY
from mtcore.services.run_context import Outcome, RunContext, run_directory
from mtcore.services.run_training import bundle_facts, chosen_engine
from mtcore.services.texts import lines_sha256
from mtcore.services.versions import testset_find, version_find, version_lines

SCORES = "scores.tsv"
HEADER = "line\tlog_probability\ttokens\twords\n"


def lm_score_run(context: RunContext) -> Outcome:
    """Score text; options from `lm_score`. Lines without text have no score and are counted."""
    options = context.options
    model = Run.objects.get(pk=options["lm_run"])
    lines = text_of(options)
    bundle = bundle_open(run_directory(model.pk).result)
    engine = chosen_engine("scores", str(bundle.facts["kind"]), options["engine"])
    context.rundir.say(f"engine: {engine.signature()}")
    asked = [number for number, line in enumerate(lines) if line.strip()]
    if not asked:
        raise EngineError("There is no line with text to score.", "Give another text.")
    context.report(0.0, f"scoring {counted(len(asked), 'line')}")
    if not context.rundir.has_result:
        scored = engine.score(bundle, [lines[number] for number in asked], context)
        if len(scored) != len(asked):
            raise EngineError(f"{engine.name} scored {len(scored):,} of {len(asked):,} lines.")
        with context.rundir.staged() as folder:
            _write(folder / SCORES, asked, scored)
    summary = summarise(_read(context.rundir.result / SCORES))
    words = vocabulary(model.pk)
    facts = {
        "lm": model.name, "lm_run": model.pk, "language": model.options["language"],
        "lm_checkpoint_sha256": bundle_facts(bundle)["checkpoint_sha256"], "engine": engine.signature(),
        "text": {name: value for name, value in options.items() if name not in ("lm", "lm_run", "engine")},
        "text_sha256": lines_sha256(lines), "lines": len(lines), "blank": len(lines) - len(asked),
        "unit": f"subword ({bundle.facts.get('subwords', 'as the model cuts them')}), one end a line",
        "scores": SCORES, **summary, **unknown_words([lines[number] for number in asked], words),
    }  # fmt: skip
    return Outcome(facts)


def text_of(options: Any) -> list[str]:
    """Return the lines that are to be scored."""
    if "kept" in options:
        lines = list(TextFiles([Path(settings.DATA_DIR) / options["kept"]]))
        digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode("utf-8")).hexdigest()
        if digest != options["sha256"]:
            raise EngineError(f"The copy of {options['file']} has changed.", "Launch it anew from the file.")
        return lines
    if "corpus" in options:
        language = Run.objects.get(pk=options["lm_run"]).options["language"]
        return list(TextFiles([corpus_files(corpus_find(options["corpus"]))[language]]))
    if "version" in options:
        return version_lines(version_find(testset_find(options["testset"]), options["version"]))
    output = SystemOutput.objects.get(pk=options["output"])
    return list(output.lines.order_by("segment__position").values_list("text", flat=True))


def summarise(scored: Sequence[Scored]) -> dict[str, Any]:
    """Return the sums over lines, and perplexities a subword and a word (the end of a line counts in both).

    Both are exp(−Σ ln p / N): a subword N is the tokens, ends included; a word N is words and ends (as
    engines count them), so that models with other subwords compare.
    """
    total = sum(one.log_probability for one in scored)
    tokens, ended = sum(one.n_tokens for one in scored), sum(one.n_words for one in scored)
    words = ended - len(scored)
    return {
        "log_probability": total,
        "tokens": tokens,
        "words": words,
        "perplexity_subword": _perplexity(total, tokens),
        "perplexity_word": _perplexity(total, ended),
        "perplexity_word_without_ends": _perplexity(total, words),
    }


def vocabulary(lm_run: int) -> frozenset[str]:
    """Return the words the model has seen, split at blanks; empty when that is not known."""
    path = run_directory(lm_run).root / "work" / "texts" / VOCABULARY
    return frozenset(path.read_text("utf-8").split("\n")) - {""} if path.is_file() else frozenset()


def unknown_words(lines: Sequence[str], words: frozenset[str]) -> dict[str, Any]:
    """Return how many words the model has never seen as a whole, their share, and how many words it knows."""
    if not words:
        return {"oov": None, "oov_rate": None, "vocabulary": None}
    n = sum(len(line.split()) for line in lines)
    oov = sum(word not in words for line in lines for word in line.split())
    return {"oov": oov, "oov_rate": oov / n if n else 0.0, "vocabulary": len(words)}


def _perplexity(total: float, n: int) -> float | None:
    """Return exp(−total/n), None where it is beyond all numbers."""
    try:
        value = exp(-total / n) if n else inf
    except OverflowError:
        return None
    return None if value == inf else value


def _write(place: Path, numbers: Sequence[int], scored: Sequence[Scored]) -> None:
    rows = (
        f"{number + 1}\t{one.log_probability!r}\t{one.n_tokens}\t{one.n_words}\n"
        for number, one in zip(numbers, scored, strict=True)
    )
    place.write_text(HEADER + "".join(rows), "utf-8", newline="\n")


def _read(place: Path) -> list[Scored]:
    rows = [row.split("\t") for row in place.read_text("utf-8").split("\n")[1:] if row]
    return [Scored(float(row[1]), int(row[2]), int(row[3])) for row in rows]
