"""People choose languages by name: finding one, listing them, and whether one is what is required."""

from difflib import get_close_matches
from functools import lru_cache

import langcodes
from langcodes import Language

from mtcore.corpora.languages import LanguageError, check_tag, language_name, standard_tag

_OFFERED = """
    af am ar as az be bg bn bo br bs ca ceb ckb cs cy da de el en eo es et eu fa fi fil fo fr fy ga gd
    gl gn gu ha he hi hr hsb ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb liv ln lo lt lv mg mi
    mk ml mn mr ms mt my nb ne nl nn no oc om or pa pl ps pt pt-BR qu rm ro ru rw sa sd si sk sl sm sn
    so sq sr su sv sw ta te tg th ti tk tn tr tt ug uk ur uz vi wo xh yi yo yue zh zh-Hans zh-Hant zu
"""
#: What is offered to choose from; any other known language can be typed.
OFFERED = tuple(_OFFERED.split())
LONGEST = 60
_WRITTEN_NORWEGIAN = ("nb", "nn")


class UnknownLanguage(LanguageError):
    """A name that no known language has; `suggestion` is a name that is close, or ""."""

    def __init__(self, name: str, suggestion: str = "") -> None:
        super().__init__(
            f"Unknown language “{name}”." + (f" Did you mean “{suggestion}”?" if suggestion else "")
        )
        self.name = name
        self.suggestion = suggestion


def offered(page: str) -> list[str]:
    """Return the names of the languages offered, in a page's language and order of letters."""
    return sorted({language_name(tag, page) for tag in OFFERED}, key=str.casefold)


def find_language(text: str, page: str = "en") -> str:
    """Return the tag of a language that a person named.

    A name may be that of the page's language, English, or the language itself, in any case; a tag will do.

    Raises:
        UnknownLanguage: there is none; with a name that is close where there is one.
    """
    name = " ".join(text.split())
    if len(name) > LONGEST:
        raise UnknownLanguage(f"{name[:LONGEST]}…")
    for in_language in (page, "en"):
        found = _names(in_language).get(name.casefold())
        if found:
            return found
    own = _own_names().get(name.casefold())
    return own or _by_library(name, page)


def covers(known: str, required: str) -> bool:
    """Tell whether who knows one language has what is required.

    Regions do not matter: de-AT is German. Scripts do where the requirement names one, or a region that
    writes otherwise: zh-Hant asks for zh-Hant (or zh-TW), zh for any Chinese.
    """
    has, wanted = Language.get(standard_tag(known)), Language.get(standard_tag(required))
    either = {has.language, wanted.language}
    if len(either) > 1:
        return "no" in either and not either.isdisjoint(_WRITTEN_NORWEGIAN)
    usual = Language.get(wanted.language or "und").maximize().script
    script = wanted.maximize().script
    return (wanted.script is None and script == usual) or has.maximize().script == script


@lru_cache(maxsize=16)
def _names(page: str) -> dict[str, str]:
    return {language_name(tag, page).casefold(): tag for tag in OFFERED}


@lru_cache(maxsize=1)
def _own_names() -> dict[str, str]:
    return {Language.get(tag).autonym().casefold(): tag for tag in OFFERED}


def _by_library(name: str, page: str) -> str:
    """Find a language that is not offered, by its tag or its name."""
    try:
        return standard_tag(check_tag(name))
    except LanguageError:
        pass
    found = _by_exact_name(name, page)
    if found:
        return found
    names = _names(page) | _names("en")
    close = get_close_matches(name.casefold(), names, n=1, cutoff=0.75)
    raise UnknownLanguage(name, language_name(names[close[0]], page) if close else "")


def _by_exact_name(name: str, page: str) -> str:
    """Find a language by its very name; the library also guesses, from a word that is like another."""
    try:
        tag = standard_tag(check_tag(langcodes.find(name, language=page).to_tag()))
    except (LookupError, LanguageError):
        return ""
    names = {language_name(tag, page), language_name(tag, "en"), Language.get(tag).autonym()}
    return tag if name.casefold() in {one.casefold() for one in names} else ""
