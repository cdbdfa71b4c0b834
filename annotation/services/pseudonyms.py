"""Numbers instead of raters' names, the same in every package of a study."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction

from annotation.models import Study

SETTING = "pseudonyms"
_SHORTEST = 2


def pseudonyms_ready(study: Study) -> Pseudonyms:
    """Return a number for each rater of a study, drawing one for those who have none yet.

    Numbers are drawn at random, so that they say nothing about names or their order, and kept with the study.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        kept: dict[str, int] = dict(locked.settings.get(SETTING, {}))
        raters = dict(locked.raters.order_by("pk").values_list("pk", "name"))
        new = [pk for pk in raters if str(pk) not in kept]
        if new:
            first = max(kept.values(), default=0) + 1
            numbers = list(range(first, first + len(new)))
            secrets.SystemRandom().shuffle(numbers)
            kept |= {str(pk): number for pk, number in zip(new, numbers, strict=True)}
            locked.settings = {**locked.settings, SETTING: kept}
            locked.save(update_fields=["settings"])
    return Pseudonyms({name: f"R{kept[str(pk)]:03d}" for pk, name in raters.items()})


@dataclass(frozen=True)
class Pseudonyms:
    """What raters are called outside: name → pseudonym. Empty: everybody keeps the name."""

    names: Mapping[str, str]

    def name(self, name: str) -> str:
        """Return what a rater is called."""
        return self.names.get(name, name)

    @cached_property
    def _words(self) -> re.Pattern[str] | None:
        """Match the names as whole words; numbers and single letters are no names in a text."""
        found = [name for name in self.names if len(name) >= _SHORTEST and not name.isdigit()]
        if not found:
            return None
        longest_first = sorted(found, key=lambda name: (-len(name), name))
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def text(self, text: str) -> str:
        """Return a text in which raters' names are replaced."""
        if text in self.names:
            return self.names[text]
        if self._words is None or not text:
            return text
        return self._words.sub(lambda match: self.names[match.group()], text)

    def plain(self, value: Any) -> Any:
        """Return plain data (lists, dictionaries, texts) in which raters' names are replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.plain(one) for one in value]
        if isinstance(value, dict):
            return {self.text(key): self.plain(one) for key, one in value.items()}
        return value
