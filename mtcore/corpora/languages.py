"""Language tags: which are known, what they are called, and which way their script runs."""

import re
from functools import lru_cache

import langcodes
from langcodes import Language
from langcodes.tag_parser import LanguageTagError

# fmt: off
_RIGHT_TO_LEFT = frozenset({
    "Adlm", "Arab", "Aran", "Armi", "Avst", "Chrs", "Cprt", "Elym", "Gara", "Hatr", "Hebr", "Hung",
    "Khar", "Lydi", "Mand", "Mani", "Mend", "Merc", "Mero", "Narb", "Nbat", "Nkoo", "Orkh", "Ougr",
    "Palm", "Phli", "Phlp", "Phnx", "Prti", "Rohg", "Samr", "Sarb", "Sogd", "Sogo", "Syrc", "Syre",
    "Syrj", "Syrn", "Thaa", "Yezi",
})
# fmt: on
_NOT_A_LANGUAGE = frozenset({"und", "zxx", "mul", "mis"})
_SEPARATORS = re.compile(r"[:>]")


MAX_TAG = 35
"""The most characters of a tag; RFC 5646 asks for room for so many."""


class LanguageError(ValueError):
    """A language tag or pair that is not known, with a suggestion where there is one."""


def parse_pair(pair: str) -> tuple[str, str]:
    """Split "cs-en", "eng-liv" or "zh-Hant:en" into (source, target).

    A pair is split at `:` or `>` where it has one, else at its single `-`. Tags keep the code they were given
    with ("eng" stays "eng"); only their upper and lower case is set right.

    Raises:
        LanguageError: no or several separators, an unknown tag, or twice the same language.
    """
    text = pair.strip()
    parts = _SEPARATORS.split(text) if _SEPARATORS.search(text) else text.split("-")
    if len(parts) != 2:
        raise LanguageError(_unclear_pair(text, parts))
    source, target = (check_tag(part.strip()) for part in parts)
    if source == target:
        raise LanguageError(
            f"The language pair “{pair}” names {source} twice. Give source and target, as in en-de."
        )
    return source, target


def check_tag(tag: str) -> str:
    """Return the tag in its usual upper and lower case when it names a known language.

    ISO 639-1 and 639-3 codes are taken, with or without script and region.

    Raises:
        LanguageError: the tag is malformed, too long, or names no known language.
    """
    if len(tag) > MAX_TAG:
        raise LanguageError(
            f"The language tag “{tag[:MAX_TAG]}…” has {len(tag):,} characters; {MAX_TAG} are allowed."
        )
    language = _parse(tag)
    if language is None or not language.is_valid() or language.language in {None, *_NOT_A_LANGUAGE}:
        raise LanguageError(f"Unknown language “{tag}”.{_suggestion(tag)}")
    return Language.get(tag, normalize=False).to_tag()


def standard_tag(tag: str) -> str:
    """Write the tag as BCP 47 wants it in `lang` attributes: "eng" → "en", "zh-hant" → "zh-Hant"."""
    return langcodes.standardize_tag(tag)


def same_pair(first: str, second: str) -> bool:
    """Tell whether two pairs name the same languages, "ces-eng" and "cs-en" for one."""
    one, other = parse_pair(first), parse_pair(second)
    return [standard_tag(tag) for tag in one] == [standard_tag(tag) for tag in other]


def language_direction(original: str, source: str, target: str) -> str:
    """Tell from the language a text was written in which side of a pair is natural.

    Args:
        original: A tag ("de"), or anything else that a file has there.
        source: Tag of the source language.
        target: Tag of the target language.

    Returns:
        "direct" when it is the source's, "reverse" when the target's, "" when neither or both.
    """
    first, second = _same_language(original, source), _same_language(original, target)
    if first == second:
        return ""
    return "direct" if first else "reverse"


def differs(tag: str, expected: str) -> bool:
    """Tell whether a file's tag certainly names another language; words that are no tag tell nothing."""
    known = _parse(tag.replace("_", "-"))
    return known is not None and known.is_valid() and not _same_language(tag, expected)


def language_name(tag: str, in_language: str = "en") -> str:
    """Name the language in words, as "Chinese (Traditional)"."""
    return Language.get(tag).display_name(in_language)


def script(tag: str) -> str:
    """Give the ISO 15924 code of the script the language is (most likely) written in, as "Arab"."""
    return Language.get(tag).maximize().script or "Zyyy"


def direction(tag: str) -> str:
    """Give the writing direction of the language's script: "ltr" or "rtl"."""
    return "rtl" if script(tag) in _RIGHT_TO_LEFT else "ltr"


def _parse(tag: str) -> Language | None:
    if not tag or "_" in tag:
        return None
    try:
        return Language.get(tag)
    except LanguageTagError:
        return None


def _same_language(one: str, other: str) -> bool:
    first, second = _parse(one.replace("_", "-")), _parse(other)
    if first is None or second is None or not first.is_valid():
        return False
    return standard_tag(first.language or "und") == standard_tag(second.language or "und")


@lru_cache(maxsize=256)
def _suggestion(tag: str) -> str:
    fixed = _parse(tag.replace("_", "-"))
    if "_" in tag and fixed is not None and fixed.is_valid():
        return f" Did you mean “{fixed.to_tag()}”?"
    try:
        found = langcodes.find(tag)
    except LookupError:
        return " Give an ISO 639 code such as en, de or liv, with a script where needed, as zh-Hant."
    return f" Did you mean “{found.to_tag()}” ({found.display_name()})?"


def _unclear_pair(pair: str, parts: list[str]) -> str:
    if len(parts) > 2 and not _SEPARATORS.search(pair):
        return (
            f"The language pair “{pair}” has several hyphens. Put a colon between the two languages, "
            "as in zh-Hant:en."
        )
    return f"“{pair}” is not a language pair. Give source and target, as in en-de or zh-Hant:en."
