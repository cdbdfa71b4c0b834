"""Score text with a language model that was trained here: which text, and how the run is launched."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from evalplatform.errors import BadInput
from mtcore.corpora.languages import standard_tag
from mtcore.engines.rundir import atomic_file
from mtcore.models import Run, SystemOutput
from mtcore.services.corpora import corpus_find, corpus_languages
from mtcore.services.runs import run_launch
from mtcore.services.systems import lm_find, system_find
from mtcore.services.texts import text_read
from mtcore.services.versions import testset_find, version_find

SCORE_LM = "score_lm"


def lm_score(
    *,
    lm: str,
    text: str = "",
    system: str = "",
    testset: str = "",
    inputs: Sequence[str] = (),
    version: str = "",
    corpus: str = "",
    engine: str = "",
    requested_by: User | None = None,
) -> Run:
    """Score one text with a language model: a file, a system's output, a version of a test set, or a corpus.

    Args:
        lm: the model's name, or the number of the run that trained it.
        text: a file of plain or gzip text, a line a segment; it is copied.
        system: a system's output for `testset`.
        testset: with `system` or `version`.
        inputs: with `system`, the version of the source the output was made from; needed when there are
            several.
        version: a version of the test set's target side ("Y*", "ref").
        corpus: a corpus with text in the model's language.
        engine: what scores; by default the first that can.
        requested_by: who asks.

    Returns:
        The run; its result has perplexities a word and a subword, counts and the share of unknown words, and
        its folder a file with the score of every line.

    Raises:
        BadInput, NotFound, Conflict: something does not fit; nothing was launched.
    """
    model = lm_find(lm)
    if sum(map(bool, (text, system, version, corpus))) != 1:
        raise BadInput(
            "One text is scored at a time.",
            "Give a file, or a system or a version with its test set, or a corpus.",
        )
    language = model.options["language"]
    options: dict[str, Any] = {"lm": model.name, "lm_run": model.pk, "engine": engine}
    if text:
        options |= _kept(text)
    elif corpus:
        tags = corpus_languages(corpus_find(corpus))
        if language not in tags:
            raise BadInput(f"“{corpus}” is in {'-'.join(tags)}, the model in {language}.", "Take another.")
        options |= {"corpus": corpus}
    else:
        options |= _of_testset(testset, system, inputs, version, language)
    return run_launch(
        kind=SCORE_LM, name=model.name, options=options, queue=model.queue, requested_by=requested_by
    )


def _kept(path: str) -> dict[str, Any]:
    """Copy a file's lines where a worker finds them; the same text is kept once."""
    read = text_read(path)
    data = "".join(f"{line}\n" for line in read.lines).encode("utf-8")
    digest = hashlib.sha256(data).hexdigest()
    place = Path(settings.DATA_DIR) / "texts" / f"{digest}.txt"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(place) as draft:
            draft.write_bytes(data)
    return {"file": Path(path).name, "kept": f"texts/{digest}.txt", "sha256": digest}


def _of_testset(
    testset: str, system: str, inputs: Sequence[str], version: str, language: str
) -> dict[str, Any]:
    if not testset:
        raise BadInput("A system's output or a version belongs to a test set.", "Name it with --testset.")
    found = testset_find(testset)
    wanted = version_find(found, version) if version else None
    tag = found.source_language if wanted and wanted.side == "source" else found.target_language
    if standard_tag(tag) != standard_tag(language):
        raise BadInput(
            f"This text of “{testset}” is in {tag}, the model in {language}.", "Take another model."
        )
    if wanted:
        return {"testset": testset, "version": str(wanted)}
    system_find(system)
    outputs = SystemOutput.objects.filter(system__name=system, testset=found)
    if inputs:
        outputs = outputs.filter(
            input_version__in=[version_find(found, name, side="source") for name in inputs]
        )
    listed = list(outputs.select_related("input_version").order_by("pk"))
    if len(listed) != 1:
        made = ", ".join(one.input_version.name for one in listed) or "none"
        raise BadInput(
            f"“{system}” has {len(listed)} such outputs for “{testset}” (made from: {made}).",
            "Name one with --input, or translate the test set first.",
        )
    return {
        "testset": testset,
        "system": system,
        "input": listed[0].input_version.name,
        "output": listed[0].pk,
    }
