"""Corpora as people know them: registered by name, found, held against their checksums."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction

from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted
from mtcore.corpora.languages import check_tag, parse_pair
from mtcore.corpora.names import MAX_LENGTH, check_name, visible
from mtcore.engines.rundir import RunDirError, verify
from mtcore.models import Corpus, Run
from mtcore.services.corpora_places import made_forget
from mtcore.services.corpora_write import CorpusDraft, corpus_sha256, draft_discard, text_file
from mtcore.services.texts import as_bad_input


def corpus_register(draft: CorpusDraft, *, run: Run | None = None) -> tuple[Corpus, bool]:
    """Register a corpus that was written; return it and whether it is new.

    The same text under the same name is the same corpus; then the new folder is removed.

    Raises:
        Conflict: another corpus has this name.
    """
    found = _registered(draft, run)
    made_forget(draft.folder)
    return found


def _registered(draft: CorpusDraft, run: Run | None = None) -> tuple[Corpus, bool]:
    source, target = (*draft.languages, "")[:2]
    try:
        with transaction.atomic():
            corpus = Corpus.objects.create(
                name=draft.name,
                kind=draft.kind,
                source_language=source,
                target_language=target,
                path=f"corpora/{draft.folder}",
                n_lines=draft.n_lines,
                sha256=draft.sha256,
                report=dict(draft.report),
                run=run,
            )
            corpus.derived_from.set(draft.parents)
            return corpus, True
    except IntegrityError:
        found = Corpus.objects.get(name=draft.name)
        if found.path != f"corpora/{draft.folder}":
            draft_discard(draft)
        if found.sha256 == draft.sha256 and found.kind == draft.kind:
            return found, False
        raise _taken(found) from None


def corpora_register(drafts: Sequence[CorpusDraft]) -> list[Corpus]:
    """Register several corpora or none; when one cannot be, the folders of all are removed.

    Raises:
        Conflict: another corpus has one of the names.
    """
    try:
        with transaction.atomic():
            found = [_registered(draft)[0] for draft in drafts]
    except BaseException:
        for draft in drafts:
            draft_discard(draft)
        raise
    for draft in drafts:
        made_forget(draft.folder)
    return found


def corpus_name_free(name: str) -> None:
    """Refuse a name that is taken, before hours of work go into it.

    Raises:
        BadInput: it is no name.
        Conflict: another corpus has it.
    """
    with as_bad_input():
        check_name(name, "corpus")
    found = Corpus.objects.filter(name=name).first()
    if found:
        raise _taken(found)


def corpus_find(name: str) -> Corpus:
    """Find a corpus by name.

    Raises:
        NotFound: there is none.
    """
    found = Corpus.objects.filter(name=name).first()
    if found is None:
        known = quoted(Corpus.objects.values_list("name", flat=True)) or "none so far"
        raise NotFound(f"There is no corpus “{visible(name[:MAX_LENGTH])}”.", f"The corpora are {known}.")
    return found


def corpus_languages(corpus: Corpus) -> tuple[str, ...]:
    """Return the tags of its sides, one or two."""
    return tuple(tag for tag in (corpus.source_language, corpus.target_language) if tag)


def corpus_files(corpus: Corpus) -> dict[str, Path]:
    """Return the file of each language.

    Raises:
        NotFound: the files are gone.
    """
    folder = Path(settings.DATA_DIR) / corpus.path
    files = {tag: folder / text_file(tag) for tag in corpus_languages(corpus)}
    missing = [path.name for path in files.values() if not path.is_file()]
    if missing:
        raise NotFound(
            f"The files of corpus “{corpus.name}” are missing ({', '.join(missing)} in {corpus.path}).",
            "Bring DATA_DIR back from the backup, or import the corpus again under another name.",
        )
    return files


def corpus_verify(corpus: Corpus) -> None:
    """Hold the files of a corpus against their checksums.

    Raises:
        Conflict: a file is missing or has changed.
    """
    folder = Path(settings.DATA_DIR) / corpus.path
    try:
        sums = verify(folder)
    except RunDirError as error:
        raise Conflict(str(error), "Bring DATA_DIR back from the backup.") from error
    if corpus_sha256(sums, corpus_languages(corpus)) != corpus.sha256:
        raise Conflict(f"The text of corpus “{corpus.name}” is not the one that was registered.")


def languages_of(text: str) -> tuple[str, ...]:
    """Split a pair of languages; a single tag is one language.

    Raises:
        BadInput: it is no pair.
    """
    if not any(mark in text for mark in "->:"):
        return (text,)
    with as_bad_input():
        return parse_pair(text)


def tags_checked(*tags: str) -> tuple[str, ...]:
    """Return language tags as they are kept.

    Raises:
        BadInput: one is unknown, or the same is there twice.
    """
    with as_bad_input():
        found = tuple(check_tag(tag) for tag in tags)
    if len(set(found)) < len(found):
        raise BadInput(f"Both sides are in {found[0]}.", "Give two languages, as in en-de.")
    return found


def _taken(found: Corpus) -> Conflict:
    return Conflict(
        f"There is a corpus “{found.name}” already ({found.n_lines:,} lines).",
        "Corpora are never overwritten: take another name.",
    )
