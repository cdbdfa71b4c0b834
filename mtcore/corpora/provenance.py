"""Where the text of a test set comes from: versions, depth of translation, and the notation X, X*, Y**.

The notation of the literature is worked out from side, kind, parent and direction; nobody types it in. The
side that was written first has depth 0, its translation depth 1, the translation of the translation depth 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

SIDES = ("source", "target")
KINDS = ("original", "alternative", "double_translation")
DIRECTIONS = ("direct", "reverse", "")
_LETTER = {"source": "X", "target": "Y"}
_OTHER = {"source": "target", "target": "source"}
_NATURAL = {"direct": "source", "reverse": "target"}


class ProvenanceError(ValueError):
    """Versions that do not fit together, or a version that cannot be told from what was asked for."""


@dataclass(frozen=True)
class Version:
    """One text of a test set: a name on a side, how it came about, and what it was translated from.

    `derived_from` is the name of another version, or "side:name" where both sides have that name.
    """

    side: str
    kind: str
    name: str
    derived_from: str | None = None

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise ProvenanceError(f"A version's side is source or target, not “{self.side}”.")
        if self.kind not in KINDS:
            raise ProvenanceError(f"A version's kind is one of {', '.join(KINDS)}, not “{self.kind}”.")

    def __str__(self) -> str:
        return f"{self.side}:{self.name}"


def depth(version: Version, versions: Sequence[Version], direction: str) -> int | None:
    """Count how often the text was translated: 0 natural, 1 its translation, 2 the translation of that.

    Without a parent, `original` is 0 on the natural side and 1 on the other; `alternative` is 1 on the other
    side and, on the natural side, 2 (made from the other side's translation); `double_translation` is two
    more than the original of its side. With a parent it is the parent's depth and one more.

    Returns:
        The depth, or None when the direction is unknown.

    Raises:
        ProvenanceError: an unknown direction or parent, or a circle of parents.
    """
    natural = _natural_side(direction)
    if natural is None:
        return None
    steps = 0
    seen = [version]
    while version.derived_from:
        version = parent(version, versions)
        if version in seen:
            circle = " → ".join(str(one) for one in [*seen, version])
            raise ProvenanceError(f"Versions are derived from each other in a circle: {circle}.")
        seen.append(version)
        steps += 1
    return steps + _root_depth(version, natural)


def parent(version: Version, versions: Sequence[Version]) -> Version:
    """Find the version that `derived_from` names; the other side goes first, for a translation changes side.

    Raises:
        ProvenanceError: the version has no parent, or names one that is not there.
    """
    wanted = version.derived_from
    found = [one for one in versions if wanted in (one.name, str(one)) and one != version]
    if not found:
        known = ", ".join(str(one) for one in versions if one != version) or "none"
        raise ProvenanceError(f"{version} is derived from “{wanted}”, which is not a version here ({known}).")
    return next((one for one in found if one.side == _OTHER[version.side]), found[0])


def notation(version: Version, versions: Sequence[Version], direction: str) -> str:
    """Write the version as X, X*, X**, Y, Y* or Y**; as "source (name)" when the direction is unknown.

    Alternatives share the stars of the original: see `label` for a name that tells them apart.
    """
    stars = depth(version, versions, direction)
    if stars is None:
        return f"{version.side} ({version.name})"
    return _LETTER[version.side] + "*" * stars


def label(version: Version, versions: Sequence[Version], direction: str) -> str:
    """Write the notation so that no two versions share it: Y* for the original, "Y* (wmt)" for the others."""
    own = notation(version, versions, direction)
    if _natural_side(direction) is None:
        return own
    peers = [one for one in versions if notation(one, versions, direction) == own]
    originals = [one for one in peers if one.kind == "original"]
    if len(peers) <= 1 or originals == [version]:
        return own
    return f"{own} ({version.name})"


def resolve(wanted: str, versions: Sequence[Version], direction: str, side: str | None = None) -> Version:
    """Find the version meant by a name, by "side:name", or by its notation ("X**") or label ("Y* (wmt)").

    A name goes before a notation. A notation that several share means the one whose label it is.

    Args:
        wanted: What was typed.
        versions: All versions of the test set.
        direction: "direct", "reverse" or "" (unknown).
        side: Look at this side only.

    Raises:
        ProvenanceError: none or several fit; the message lists the choices.
    """
    within = [one for one in versions if side in (None, one.side)]
    for names in (
        [(str(one), one) for one in within],
        [(one.name, one) for one in within],
        [(label(one, versions, direction), one) for one in within],
        [(notation(one, versions, direction), one) for one in within],
    ):
        found = [one for name, one in names if name == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise ProvenanceError(f"“{wanted}” is ambiguous: choose {_choices(found, versions, direction)}.")
    raise ProvenanceError(f"There is no version “{wanted}”: choose {_choices(within, versions, direction)}.")


def _choices(found: Sequence[Version], versions: Sequence[Version], direction: str) -> str:
    return " or ".join(f"{one} [{label(one, versions, direction)}]" for one in found) or "(there are none)"


def _natural_side(direction: str) -> str | None:
    if direction not in DIRECTIONS:
        raise ProvenanceError(f"A direction is direct, reverse or empty (unknown), not “{direction}”.")
    return _NATURAL.get(direction)


def _root_depth(version: Version, natural: str) -> int:
    base = 0 if version.side == natural else 1
    if version.kind == "double_translation":
        return base + 2
    if version.kind == "alternative" and version.side == natural:
        return 2
    return base
