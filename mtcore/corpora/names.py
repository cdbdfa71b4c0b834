"""Names of systems, raters, versions and test sets: kept as they are given, within limits."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

MAX_LENGTH = 120
JOINER = "|"
_SHOWN = 60
_LISTED = 30
_REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_ALLOWED_FORMAT = frozenset("\u200c\u200d")


class InvalidName(ValueError):
    """A name that cannot be kept, or that is given twice."""


def check_name(name: str, what: str) -> str:
    """Return the name unchanged when it may be stored, printed and joined with others.

    Allowed: 1–120 printable characters of any script (zero-width joiner and non-joiner too, which several
    scripts need), blanks inside. Refused: `|`, which joins merged systems in our files, control and
    invisible characters, line separators, a blank at either end.

    Args:
        name: The name, verbatim.
        what: What it names, for the message ("system", "rater").

    Raises:
        InvalidName: the name breaks one of these rules.
    """
    if not name:
        raise InvalidName(f"A {what} has an empty name. Give it one of 1–{MAX_LENGTH} characters.")
    if len(name) > MAX_LENGTH:
        raise InvalidName(
            f"The {what} name “{name[:30]}…” has {len(name):,} characters; {MAX_LENGTH} are allowed."
        )
    if name != name.strip():
        raise InvalidName(f"The {what} name “{visible(name)}” begins or ends with a blank. Remove it.")
    if JOINER in name:
        raise InvalidName(
            f"The {what} name “{visible(name)}” holds “{JOINER}”, which joins merged systems in our files. "
            "Use another character."
        )
    bad = next((char for char in name if _is_refused(char)), None)
    if bad is not None:
        raise InvalidName(
            f"The {what} name “{visible(name)}” holds the invisible character U+{ord(bad):04X}. Remove it."
        )
    return name


def check_unique(names: Iterable[str], what: str) -> None:
    """Refuse names that occur more than once, naming them.

    Raises:
        InvalidName: at least one name occurs twice.
    """
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        shown = ", ".join(f"“{visible(name)}”" for name in twice[:5]) + (" …" if len(twice) > 5 else "")
        raise InvalidName(f"The {what} names are not unique: {shown}. Give each its own.")


def alike(names: Iterable[str], known: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return pairs of different names that a person would take for one: they differ in case or in encoding.

    Args:
        names: new ones; each is held against the others and against `known`.
        known: names that are there already.
    """
    seen: dict[str, str] = {}
    for name in known:
        seen.setdefault(_plain(name), name)
    own, found = dict.fromkeys(names), []
    for name in own:
        other = seen.setdefault(_plain(name), name)
        if other != name:
            found.append((other, name))
    return found


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def visible(text: str) -> str:
    """Write invisible characters as `<U+XXXX>`, so that a message shows them."""
    return "".join(f"<U+{ord(char):04X}>" if _is_refused(char) else char for char in text)


def listed(names: Iterable[str]) -> str:
    """Name what a file holds, however much it is: the first of them, each by its beginning."""
    known = list(names)
    shown = [name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…" for name in known[:_LISTED]]
    return ", ".join(shown) + (f" … ({len(known):,} in all)" if len(known) > _LISTED else "")


def _is_refused(char: str) -> bool:
    category = unicodedata.category(char)
    return category in _REFUSED_CATEGORIES or (category == "Cf" and char not in _ALLOWED_FORMAT)
