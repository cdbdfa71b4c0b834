"""Runners that translate: a test set in every version of its source, and the parts of a corpus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from evalplatform.words import counted
from mtcore.corpora.corpus_lines import TextFiles
from mtcore.engines.base import Line
from mtcore.engines.errors import EngineError
from mtcore.engines.rundir import atomic_file, verify
from mtcore.models import Corpus, Run, TestSet, TextVersion
from mtcore.services.corpora import corpus_files, corpus_find, corpus_name_free, corpus_register
from mtcore.services.corpora_derive import corpus_back_translated
from mtcore.services.corpora_write import CorpusDraft, corpus_write
from mtcore.services.outputs import OutputDraft, output_create
from mtcore.services.run_context import Outcome, Parent, RunContext
from mtcore.services.run_corpora import teller
from mtcore.services.systems import system_trained
from mtcore.services.texts import NamedText, lines_sha256
from mtcore.services.translate_lines import Translator, line_counts, translate_lines, translator
from mtcore.services.versions import testset_find, version_find, version_lines

TEXT, LINES, PART = "text.txt", "lines.jsonl", "part.json"


def testset_translate_run(context: RunContext) -> Outcome:
    """Translate versions of a test set's source; options: `system`, `testset`, `inputs`, `engine`."""
    options = context.options
    testset = testset_find(options["testset"])
    versions = _versions(testset, options["inputs"])
    by = translator(options["system"], engine=options["engine"])
    context.rundir.say(f"engine: {by.engine.signature()}")
    made: dict[int, list[Line]] = {}
    for number, version in enumerate(versions):
        context.check()
        context.report(number / len(versions), f"translating {version.name} of {testset.name}")
        span = (number / len(versions), (number + 1) / len(versions))
        made[version.pk] = _version_translated(context, by, version, span)
    if not context.rundir.has_result:
        with context.rundir.staged() as folder:
            for version in versions:
                _write_lines(folder / f"{version.pk}.jsonl", made[version.pk])
    told = {version.name: line_counts(made[version.pk]) for version in versions}
    where = by.provenance()

    def register(run: Run) -> None:
        for version in versions:
            _register(run, by, testset, version, made[version.pk], {**where, **told[version.name]})

    return Outcome({"system": options["system"], "testset": testset.name, "outputs": told, **where}, register)


def shard_translate_run(context: RunContext) -> Outcome:
    """Translate one part of a corpus.

    Options: `system`, `corpus`, `language` (the side that is translated), `part` (from 0), `parts`,
    `decoding`, `engine`.
    """
    options = context.options
    corpus = corpus_find(options["corpus"])
    lines = part_lines(corpus, options["language"], options["part"], options["parts"])
    decoding = dict(options["decoding"])
    decoding["seed"] = decoding.get("seed", 1) * 100_003 + options["part"]  # no two parts draw alike
    by = translator(options["system"], engine=options["engine"], decoding=decoding)
    if not context.rundir.has_result:
        context.rundir.say(f"engine: {by.engine.signature()}")
        context.report(0.0, f"translating {counted(len(lines), 'line')}")
        made = translate_lines(context, by, lines) if lines else []
        with context.rundir.staged() as folder:
            (folder / TEXT).write_text("".join(f"{line.text}\n" for line in made), "utf-8", newline="\n")
            told = {"source_sha256": lines_sha256(lines), **line_counts(made)}
            (folder / PART).write_text(json.dumps(told), "utf-8")
    told = json.loads((context.rundir.result / PART).read_text("utf-8"))
    return Outcome({"part": options["part"], **told, "provenance": by.provenance()})


def join_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door a name that is taken."""
    corpus_name_free(options["name"])


def shards_join_run(context: RunContext) -> Outcome:
    """Put the parts of a corpus together, each held against its checksum and its own lines of the source.

    Options: `name`, `corpus`, `language` (that of the translation), `back` (put it before the text it was
    made from), `parts`.
    """
    options = context.options
    corpus = corpus_find(options["corpus"])
    parts = sorted(
        (one for one in context.parents if one.kind == "translate_shard"), key=lambda one: one.result["part"]
    )
    if [one.result["part"] for one in parts] != list(range(options["parts"])):
        raise EngineError(
            f"{len(parts)} of {options['parts']} parts of “{corpus.name}” are there.", "Resume the others."
        )
    joined = context.rundir.work / "joined.txt"
    totals = _join(context, corpus, parts, joined)
    draft = _draft(context, corpus, joined, {**parts[0].result["provenance"], **totals})

    def register(run: Run) -> None:
        corpus_register(draft, run=run)

    result = {"corpus": draft.name, "lines": draft.n_lines, "sha256": draft.sha256, **totals}
    return Outcome({**result, "report": dict(draft.report)}, register)


def part_lines(corpus: Corpus, language: str, part: int, parts: int) -> list[str]:
    """Return one of so many parts of a corpus, in the order of its lines; parts differ by a line at most."""
    begin, end = (corpus.n_lines * number // parts for number in (part, part + 1))
    return list(islice(TextFiles([corpus_files(corpus)[language]]), begin, end)) if end > begin else []


def _versions(testset: TestSet, inputs: Sequence[str]) -> list[TextVersion]:
    if inputs:
        return [version_find(testset, f"source:{name}", side="source") for name in inputs]
    return list(testset.versions.filter(side="source").order_by("position", "pk"))


def _version_translated(
    context: RunContext, by: Translator, version: TextVersion, span: tuple[float, float]
) -> list[Line]:
    """Translate a version, or read what an earlier attempt has made of the same text by the same means."""
    lines, part = version_lines(version), f"input-{version.pk}"
    key = hashlib.sha256(json.dumps([by.provenance(), lines_sha256(lines)]).encode()).hexdigest()
    kept = context.rundir.work / f"{part}-{key[:16]}.jsonl"
    if kept.is_file():
        return _read_lines(kept)
    made = translate_lines(context, by, lines, part=part, span=span)
    _write_lines(kept, made)
    return made


def _register(
    run: Run,
    by: Translator,
    testset: TestSet,
    version: TextVersion,
    made: Sequence[Line],
    where: dict[str, Any],
) -> None:
    text = NamedText(by.trained.name, f"run {run.pk}", tuple(line.text for line in made))
    draft = OutputDraft(
        by.trained.name, "", text, (), statuses=tuple(line.status for line in made), provenance=where
    )
    output, created = output_create(draft, testset=testset, input_version=version)
    if created:
        output.run = run
        output.save(update_fields=["run"])


def _join(context: RunContext, corpus: Corpus, parts: Sequence[Parent], place: Path) -> dict[str, Any]:
    """Write the parts one after the other; return how many lines of which status there are."""
    language = system_trained(parts[0].result["provenance"]["system"]).source_language
    sources = iter(TextFiles([corpus_files(corpus)[language]]))
    statuses: dict[str, int] = {}
    counts = {"unknown_words": 0, "translated_words": 0}
    tell = teller(context)
    n = 0
    with atomic_file(place) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        for one in parts:
            for line in _part_checked(one, sources):
                file.write(line + "\n")
                n += 1
            tell(n / max(1, corpus.n_lines), n)
            for name, count in one.result["statuses"].items():
                statuses[name] = statuses.get(name, 0) + count
            counts = {name: count + one.result[name] for name, count in counts.items()}
    if n != corpus.n_lines:
        raise EngineError(f"The parts have {n:,} lines, “{corpus.name}” has {corpus.n_lines:,}.")
    return {"translated": n, "statuses": statuses, "shards": len(parts), **counts}


def _part_checked(one: Parent, sources: Iterator[str]) -> list[str]:
    """Return the lines of a part, after holding it against its checksums and against its source."""
    verify(one.rundir.result)
    lines = list(TextFiles([one.rundir.result / TEXT])) if one.result["lines"] else []
    named = f"Part {one.result['part'] + 1} (run {one.id})"
    if len(lines) != one.result["lines"]:
        raise EngineError(f"{named} has {len(lines):,} lines, not {one.result['lines']:,}.")
    if lines_sha256(list(islice(sources, len(lines)))) != one.result["source_sha256"]:
        raise EngineError(
            f"{named} was made from other lines than those that stand there.",
            "The corpus has changed meanwhile: launch the translation anew under another name.",
        )
    return lines


def _draft(context: RunContext, corpus: Corpus, joined: Path, where: dict[str, Any]) -> CorpusDraft:
    options, tell = context.options, teller(context)

    def watch(n: int) -> None:
        tell(n / max(1, corpus.n_lines), n)

    folder = f"run-{context.run_id}"
    if options["back"]:
        return corpus_back_translated(
            name=options["name"],
            corpus=corpus,
            language=options["language"],
            output=joined,
            provenance=where,
            watch=watch,
            folder=folder,
        )
    return corpus_write(
        name=options["name"],
        kind=Corpus.Kind.MONOLINGUAL,
        languages=[options["language"]],
        pairs=((line, line) for line in TextFiles([joined])),
        report=lambda: {"made_by": "translation", **where},
        parents=[corpus],
        watch=watch,
        folder=folder,
    )


def _write_lines(place: Path, lines: Sequence[Line]) -> None:
    with atomic_file(place) as draft:
        draft.write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines), "utf-8", newline="\n")


def _read_lines(place: Path) -> list[Line]:
    return [Line(**json.loads(line)) for line in place.read_text("utf-8").split("\n") if line]
