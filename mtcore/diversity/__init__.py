"""Measures of the diversity of a text: one file a family, and the registry of them all."""

from __future__ import annotations

from mtcore.diversity.base import DiversityError, Measure, ToolUnavailable, Value
from mtcore.diversity.frequency import Lfp
from mtcore.diversity.morphology import ShannonH, SimpsonD, SingleFormLemmas
from mtcore.diversity.richness import Hdd, Mtld, Ttr, Window, YuleI, YuleK
from mtcore.diversity.synonyms import Cdu, Ptf, SynTtr

DEFINITIONS = ("paper", "biasmt")
"""The text of Vanmassenhove et al. (2021), or the code its authors published, where the two differ."""

_LISTED: tuple[Measure, ...] = (
    Ttr(), YuleI(), YuleK(), Mtld(), Lfp(1), Lfp(2), Lfp(3), Ptf(), Cdu(), SynTtr(), ShannonH(), SimpsonD(),
    SingleFormLemmas(),
)  # fmt: skip
_FURTHER: tuple[Measure, ...] = (
    YuleI("tokens"), Mtld("tokens"), SimpsonD(inverse=True), Window("mattr"), Window("msttr"), Hdd(),
)  # fmt: skip

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (*_LISTED, *_FURTHER)}
"""Name → measure; a new measure is a class in its family's file and one instance here."""

DEFAULT = tuple(measure.name for measure in _LISTED)
"""What is measured when nothing is asked for by name."""

_BY_CODE: dict[str, Measure] = {
    measure.name: measure for measure in (*(Lfp(band, "own") for band in (1, 2, 3)), Ptf(pooled=True))
}


def measures_for(names: tuple[str, ...], definition: str = "paper", window: int = 100) -> list[Measure]:
    """Return measures by their names, with the formulas of the study's text or of its code.

    Args:
        names: of the registry; none means `DEFAULT`.
        definition: "paper" or "biasmt".
        window: width of MATTR and MSTTR, in words.

    Raises:
        DiversityError: an unknown name or definition, or a window of less than two words.
    """
    if definition not in DEFINITIONS:
        raise DiversityError(f"“{definition}” is no definition", f"Give one of {', '.join(DEFINITIONS)}.")
    if window < 2:
        raise DiversityError(f"a window has 2 words or more; found {window}", "Give a larger --window.")
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise DiversityError(f"“{unknown[0]}” is no measure", f"There are {', '.join(MEASURES)}.")
    known = {**MEASURES, **{name: Window(name, window) for name in Window.steps}}
    if definition == "biasmt":
        known |= _BY_CODE
    return [known[name] for name in dict.fromkeys(names or DEFAULT)]


__all__ = [
    "DEFAULT",
    "DEFINITIONS",
    "MEASURES",
    "DiversityError",
    "Measure",
    "ToolUnavailable",
    "Value",
    "measures_for",
]
