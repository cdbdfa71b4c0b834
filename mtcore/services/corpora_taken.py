"""Take uploaded text in as a corpus: small texts at once, larger ones by a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from evalplatform.acting import acting_tell
from evalplatform.errors import Conflict
from mtcore.models import Corpus, Run
from mtcore.services.corpora import corpus_name_free, corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.corpora_upload import Kept, Upload, upload_discard, upload_keep, upload_note
from mtcore.services.run_once import run_launch_once


@dataclass(frozen=True)
class Taken:
    """What became of an upload: a corpus and whether it is new, or the run that makes one."""

    corpus: Corpus | None = None
    created: bool = True
    run: Run | None = None


def corpus_take(
    *,
    name: str,
    languages: Sequence[str],
    sources: Sequence[Upload],
    targets: Sequence[Upload] = (),
    test_segments: str = "refuse",
    user: User | None = None,
) -> Taken:
    """Keep the files, then import them now or by a run.

    Raises:
        BadInput, Conflict: the files or the name cannot be used; nothing is left of them.
    """
    corpus_name_free(name)
    at_work = Run.objects.filter(
        kind="import_corpus", name=name, state__in=[Run.State.QUEUED, Run.State.RUNNING]
    ).first()
    if at_work:
        raise Conflict(
            _("Run %(n)s imports a corpus of this name already.") % {"n": at_work.pk}, _("Look at its page.")
        )
    kept = upload_keep(sources=sources, targets=targets)
    options: dict[str, Any] = {
        "name": name,
        "languages": list(languages),
        "sources": kept.sources,
        "targets": kept.targets,
        "test_segments": test_segments,
    }
    try:
        if kept.is_small:
            taken = _at_once(options, kept)
            if taken.corpus and taken.created:
                _tell(name, [*sources, *targets], checksum=taken.corpus.sha256)
            return taken
        run, _created = run_launch_once(kind="import_corpus", name=name, options=options, requested_by=user)
        upload_note(kept, run)
        _tell(name, [*sources, *targets], run=run.pk)
    except BaseException:
        upload_discard(kept)
        raise
    return Taken(run=run)


def _at_once(options: dict[str, Any], kept: Kept) -> Taken:
    corpus, created = corpus_register(corpus_import(**options))
    upload_discard(kept)
    return Taken(corpus, created)


def _tell(name: str, files: Sequence[Upload], **what: object) -> None:
    acting_tell("corpus.imported", corpus=name, files=[one.name or "" for one in files], **what)
