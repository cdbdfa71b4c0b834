"""What runs measure, in words: which quantities share a figure, in which order, and which have none."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

_SIDES = ("train_", "valid_", "best_")
_FIRST = ("loss", "ppl", "perplexity", "bleu", "lr")
"""What people look at first."""
_TABLE_ONLY = frozenset(
    {"update", "updates", "epoch", "ups", "wpb", "bsz", "gnorm", "clip", "wall", "train_wall", "gb_free"}
)
"""What stands in the table and makes no figure."""
_RATES = frozenset({"wps", "tokens_per_second", "sentences_per_second", "lines_per_second"})


def family_of_name(name: str) -> str:
    for side in _SIDES:
        name = name.removeprefix(side)
    return name


def ordered(families: dict[str, list[str]]) -> dict[str, list[str]]:
    """Put what people look at first first."""
    known = {name: place for place, name in enumerate(_FIRST)}
    return dict(sorted(families.items(), key=lambda item: known.get(item[0], len(_FIRST))))


def is_drawn(name: str, names: Sequence[str]) -> bool:
    """Tell whether a quantity makes a curve: not counters, not what another curve shows as well."""
    family = family_of_name(name)
    if name in _TABLE_ONLY or family in _TABLE_ONLY or "best_" in name:
        return False
    if family == "nll_loss" and name.replace("nll_loss", "loss") in names:
        return False
    return family not in _RATES or name == family


def label_of(name: str, *, beside: bool = False) -> str:
    """Write the name of a quantity in words; `beside` others, one without a side is that of training."""
    known = {
        "loss": _("Loss"),
        "nll_loss": _("Loss (negative log-likelihood)"),
        "ppl": _("Perplexity"),
        "perplexity": _("Perplexity"),
        "bleu": "BLEU",
        "lr": _("Learning rate"),
        "lines_per_second": _("Lines a second"),
        "sentences_per_second": _("Sentences a second"),
        "tokens_per_second": _("Tokens a second"),
        "wps": _("Tokens a second"),
        "updates": _("Updates"),
        "update": _("Updates"),
        "ups": _("Updates a second"),
    }
    family = family_of_name(name)
    words = known.get(family, family.replace("_", " "))
    sides = {"train_": _("training"), "valid_": _("validation"), "best_": _("best")}
    side = next((text for prefix, text in sides.items() if name.startswith(prefix)), "")
    if beside and not side and family == name:
        side = sides["train_"]
    return f"{words}, {side}" if side else str(words)
