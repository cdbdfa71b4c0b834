"""The forms of one lemma in a text: how often each occurs, and H and D of them (Table 7 of the study)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtcore.diversity.profile import Profile


@dataclass(frozen=True)
class LemmaForms:
    """How often each form of a lemma occurs, the most frequent first; `reason` when that cannot be told.

    `shannon_h` is −Σ p ln p, `simpson_d` Σ p²; both are None where no form occurs.
    """

    lemma: str
    forms: Mapping[str, int]
    shannon_h: float | None
    simpson_d: float | None
    signature: str
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        row: dict[str, Any] = {
            "lemma": self.lemma, "forms": dict(self.forms), "shannon_h": self.shannon_h,
            "simpson_d": self.simpson_d, "signature": self.signature,
        }  # fmt: skip
        return row | ({"reason": self.reason} if self.reason else {})


def lemma_forms(profile: Profile, lemma: str, tokens: str) -> LemmaForms:
    """Count the forms of a lemma, in lower case.

    Args:
        profile: the text.
        lemma: as its lemmatiser writes it; capitals do not matter.
        tokens: name of what cut the text into words.
    """
    resources = profile.vocabulary.resources
    if resources.lemmatiser is None:
        return LemmaForms(lemma, {}, None, None, f"tokens:{tokens}", resources.no_lemmas)
    wanted = lemma.casefold()
    found: dict[str, int] = {}
    rows = zip(profile.vocabulary.types, profile.vocabulary.lemmas, profile.counts.tolist(), strict=True)
    for word, own, count in rows:
        if own.casefold() == wanted and count:
            found[word.lower()] = found.get(word.lower(), 0) + count
    forms = dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
    signature = f"lemma:{lemma}|tokens:{tokens}|lemmas:{resources.lemmatiser.name}"
    if not forms:
        return LemmaForms(lemma, {}, None, None, signature, "no form of it occurs")
    shares = np.array(list(forms.values()), np.float64) / sum(forms.values())
    entropy = float(-(shares * np.log(shares)).sum()) + 0.0
    return LemmaForms(lemma, forms, entropy, float((shares**2).sum()), signature)
