"""The texts of a study beside its test sets: what its systems were trained on and have translated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Study
from annotation.services.study_tables.material import Pair, rows_chosen
from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.corpora.names import MAX_LENGTH, check_name, visible
from mtcore.models import Corpus, Run, System
from mtcore.services.corpora import corpus_find, corpus_languages
from mtcore.services.lm_texts import system_corpora
from mtcore.services.systems import system_find, system_runs
from mtcore.services.texts import as_bad_input

ROLES = ("train", "dev", "test")
MOST_ROWS = 200
"""Most rows of a study's tables."""


@dataclass(frozen=True)
class StudyTexts:
    """Corpora of a study by their part in it, and systems' translations of a training text.

    Attributes:
        corpora: part → names of corpora.
        translations: system → name of the corpus it has translated.
    """

    corpora: Mapping[str, Sequence[str]]
    translations: Mapping[str, str]

    def of_role(self, role: str, pair: Pair, systems: Sequence[System]) -> list[Corpus]:
        """Return the corpora of a pair, in either order of languages: those named, else the systems' own."""
        named = list(Corpus.objects.filter(name__in=self.corpora.get(role, ())).order_by("pk"))
        found = [one for one in named if {pair.source, pair.target} <= set(corpus_languages(one))]
        return found or self._of_systems(role, systems)

    def _of_systems(self, role: str, systems: Sequence[System]) -> list[Corpus]:
        """Return what the systems were trained with; the largest alone, where they differ."""
        keys = {"train": "corpus", "dev": "valid"}
        if role not in keys:
            return []
        runs = [
            run for system in systems for run in system_runs(system.name) if run.state == Run.State.SUCCEEDED
        ]
        names = {run.options.get(keys[role], "") for run in runs if run.options.get("kind") == "OP"}
        return list(Corpus.objects.filter(name__in=names).order_by("-n_lines")[:1])

    def translation(self, system: System, language: str) -> Corpus | None:
        """Return the corpus that a system has translated into a language."""
        name = self.translations.get(system.name)
        found = [Corpus.objects.filter(name=name).first()] if name else system_corpora(system.name)[::-1]
        return next((one for one in found if one and language in corpus_languages(one)), None)


def texts_of(study: Study) -> StudyTexts:
    """Return the texts of a study."""
    own = study.settings.get("tables", {})
    return StudyTexts(own.get("corpora", {}), own.get("translations", {}))


def texts_version(study: Study) -> str:
    """Return what tells one state of a study's texts and rows from another."""
    own = json.dumps(study.settings.get("tables", {}), sort_keys=True)
    return hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def study_texts_set(
    *,
    study: Study,
    corpora: Mapping[str, Sequence[str]] | None = None,
    translations: Mapping[str, str] | None = None,
    rows: Mapping[str, Sequence[str]] | None = None,
    actor: User | None = None,
    seen: str | None = None,
) -> dict[str, Any]:
    """Say which corpora belong to a study and which systems share a row of its tables.

    What is given takes the place of what was there; an empty list or row takes it away. New rows come after
    those that are there; where all are given, their order is that of the tables.

    Args:
        study: whose tables.
        corpora: part (of ROLES) → names of corpora.
        translations: name of a system → name of the corpus that it has translated.
        rows: label of a row → names of systems, one for each language pair.
        actor: who says so; None for the command line.
        seen: the version (of `texts_version`) that a form was filled from; None to set whatever is there.

    Raises:
        NotFound: there is no such corpus or system.
        BadInput: an unknown part, a label that is no name, too many rows, or nothing given.
        Conflict: what was seen is no longer what is there.
    """
    if not (corpora or translations or rows):
        raise BadInput("Nothing was named.", "Give --train, --dev, --test, --translation or --row.")
    _check_corpora(corpora or {}, actor)
    for system, name in (translations or {}).items():
        if name or system not in texts_of(study).translations:
            system_find(system)
        if name:
            _corpus(name, actor)
    _check_rows(rows or {}, rows_chosen(study))
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if seen is not None and seen != texts_version(locked):
            raise Conflict(
                _("What the tables are made from was changed meanwhile."),
                _("Look at what is there now, and keep what is right."),
            )
        own = dict(locked.settings.get("tables", {}))
        for key, given in (("corpora", corpora), ("translations", translations)):
            if given:
                kept = {**own.get(key, {}), **given}
                own[key] = {name: value for name, value in kept.items() if value}
        if rows:
            known = rows_chosen(locked)
            united = dict(rows) if known.keys() <= rows.keys() else {**known, **rows}
            own["rows"] = [[label, list(dict.fromkeys(names))] for label, names in united.items() if names]
            if len(own["rows"]) > max(MOST_ROWS, len(known)):
                raise BadInput(
                    f"The tables would have {len(own['rows']):,} rows.", f"Give {MOST_ROWS} at most."
                )
        locked.settings = {**locked.settings, "tables": own}
        locked.save(update_fields=["settings"])
        AuditEvent.note("study.texts", actor=actor, study=study, tables=own)
    study.settings = locked.settings
    return own


def _check_corpora(corpora: Mapping[str, Sequence[str]], actor: User | None) -> None:
    for role, names in corpora.items():
        if role not in ROLES:
            raise BadInput(
                f"“{visible(role[:MAX_LENGTH])}” is no part of a study.", f"The parts are {', '.join(ROLES)}."
            )
        for name in names:
            if len(corpus_languages(_corpus(name, actor))) < 2:
                raise BadInput(f"“{name}” is in one language.", "Give parallel text to train or test with.")


def _check_rows(rows: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> None:
    """Check what is new; what stands there already may stay, whatever it is called."""
    for label, names in rows.items():
        if names and label not in known:
            with as_bad_input():
                check_name(label, "row")
        for name in names:
            if name not in known.get(label, ()):
                system_find(name)


def _corpus(name: str, actor: User | None) -> Corpus:
    """Find a corpus; what others there are is told to administrators alone."""
    try:
        return corpus_find(name)
    except NotFound as error:
        if actor is None or actor.is_staff:
            raise
        raise NotFound(
            error.message, _("Administrators see the list of corpora; ask them for names.")
        ) from None
