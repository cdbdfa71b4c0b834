"""People choose languages by name: finding one, listing them, and whether one is what is required."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
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
_VARIETIES = """
    ar-EG ar-MA de-AT de-CH de-DE en-AU en-CA en-GB en-IE en-IN en-US en-ZA es-419 es-AR es-ES es-MX es-US
    fr-BE fr-CA fr-CH fr-FR nl-BE pt-PT zh-CN zh-HK zh-TW
"""
_REGIONAL = tuple(_VARIETIES.split())
#: Languages of the interface: a name in any of them is understood on every page.
_INTERFACE = ("en", "de", "fr", "es", "ru", "ar")
_MORE_NAMES = {
    "castellano": "es",
    "castilian": "es",
    "farsi": "fa",
    "britisches Englisch": "en-GB",
    "amerikanisches Englisch": "en-US",
    "English (UK)": "en-GB",
    "UK English": "en-GB",
    "English (US)": "en-US",
    "English (USA)": "en-US",
    "US English": "en-US",
    "Mandarin": "zh",
    "Mandarin Chinese": "zh",
    "английский британский": "en-GB",
    "английский американский": "en-US",
    "الإنجليزية البريطانية": "en-GB",
    "الإنجليزية الأمريكية": "en-US",
}
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

    A name may be that of the page's language, English, another language of the interface, or the language
    itself, in any case and with or without accents; a tag will do, and a region ("British English",
    "Deutsch (Österreich)").

    Raises:
        UnknownLanguage: there is none; with a name that is close where there is one.
    """
    name = " ".join(text.split())
    if len(name) > LONGEST:
        raise UnknownLanguage(f"{name[:LONGEST]}…")
    ways = (_names(page), _names("en"), _own_names(), _all_names())
    for plain in (str.casefold, _without_accents):
        for names in ways:
            found = names.get(plain(name))
            if found:
                return found
    return _by_library(name, page)


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


def _without_accents(name: str) -> str:
    """Return a name as it compares: without case, accents, hyphens and brackets."""
    letters = (one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    return " ".join("".join(" " if one in "-()," else one for one in letters).casefold().split())


def _keyed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return tags by name, exact names first; what two languages share without accents is no name."""
    found: dict[str, str] = {}
    plain: dict[str, set[str]] = defaultdict(set)
    for name, tag in pairs:
        found.setdefault(name.casefold(), tag)
        plain[_without_accents(name)].add(tag)
    return {name: tags.pop() for name, tags in plain.items() if len(tags) == 1} | found


@lru_cache(maxsize=16)
def _names(page: str) -> dict[str, str]:
    return _keyed((language_name(tag, page), tag) for tag in (*OFFERED, *_REGIONAL))


@lru_cache(maxsize=1)
def _own_names() -> dict[str, str]:
    return _keyed((Language.get(tag).autonym(), tag) for tag in (*OFFERED, *_REGIONAL))


@lru_cache(maxsize=1)
def _all_names() -> dict[str, str]:
    """Return the names in every language of the interface, and some that the library does not know."""
    return _keyed(
        (language_name(tag, page), tag) for page in _INTERFACE for tag in (*OFFERED, *_REGIONAL)
    ) | _keyed(_MORE_NAMES.items())


def _by_library(name: str, page: str) -> str:
    """Find a language that is not offered, by its tag or its name."""
    try:
        return standard_tag(check_tag(name))
    except LanguageError:
        pass
    found = _by_exact_name(name, page)
    if found:
        return found
    names = _all_names() | _names("en") | _names(page)
    usual = [one for one, tag in names.items() if tag not in _REGIONAL]
    close = get_close_matches(name.casefold(), usual, n=1, cutoff=0.75)
    raise UnknownLanguage(name, language_name(names[close[0]], page) if close else "")


def _by_exact_name(name: str, page: str) -> str:
    """Find a language by its very name; the library also guesses, from a word that is like another.

    What it finds of a region is no guess: it knows the names of varieties as such.
    """
    for language in dict.fromkeys((page, *_INTERFACE)):
        try:
            tag = standard_tag(check_tag(langcodes.find(name, language=language).to_tag()))
        except (LookupError, LanguageError):
            continue
        names = {language_name(tag, language), language_name(tag, "en"), Language.get(tag).autonym()}
        is_name = _without_accents(name) in {_without_accents(one) for one in names}
        if is_name or Language.get(tag).territory:
            return tag
    return ""
