"""The texts of a study beside its test sets: what its systems were trained on and have translated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import AuditEvent, Study
from annotation.services.study_tables.material import Pair, rows_chosen
from evalplatform.errors import BadInput
from mtcore.models import Corpus, Run, System
from mtcore.services.corpora import corpus_find, corpus_languages
from mtcore.services.lm_texts import system_corpora
from mtcore.services.systems import system_find, system_runs

ROLES = ("train", "dev", "test")


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


def study_texts_set(
    *,
    study: Study,
    corpora: Mapping[str, Sequence[str]] | None = None,
    translations: Mapping[str, str] | None = None,
    rows: Mapping[str, Sequence[str]] | None = None,
    actor: User | None = None,
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

    Raises:
        NotFound: there is no such corpus or system.
        BadInput: an unknown part, or nothing given.
    """
    if not (corpora or translations or rows):
        raise BadInput("Nothing was named.", "Give --train, --dev, --test, --translation or --row.")
    for role, names in (corpora or {}).items():
        if role not in ROLES:
            raise BadInput(f"“{role}” is no part of a study.", f"The parts are {', '.join(ROLES)}.")
        for name in names:
            if len(corpus_languages(corpus_find(name))) < 2:
                raise BadInput(f"“{name}” is in one language.", "Give parallel text to train or test with.")
    for system, name in (translations or {}).items():
        system_find(system)
        if name:
            corpus_find(name)
    for name in (name for names in (rows or {}).values() for name in names):
        system_find(name)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        own = dict(locked.settings.get("tables", {}))
        for key, given in (("corpora", corpora), ("translations", translations)):
            if given:
                kept = {**own.get(key, {}), **given}
                own[key] = {name: value for name, value in kept.items() if value}
        if rows:
            known = rows_chosen(locked)
            united = dict(rows) if known.keys() <= rows.keys() else {**known, **rows}
            own["rows"] = [[label, list(names)] for label, names in united.items() if names]
        locked.settings = {**locked.settings, "tables": own}
        locked.save(update_fields=["settings"])
        AuditEvent.note("study.texts", actor=actor, study=study, tables=own)
    study.settings = locked.settings
    return own
