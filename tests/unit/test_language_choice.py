"""Languages by name: found in any language people write them in, and held against what is required."""

import pytest

from mtcore.corpora.language_choice import OFFERED, UnknownLanguage, covers, find_language, offered
from mtcore.corpora.languages import language_name

PAGES = ("en", "de", "fr", "es", "ru", "ar")


@pytest.mark.parametrize(
    ("text", "page", "tag"),
    [
        ("German", "en", "de"),
        ("  deutsch ", "en", "de"),
        ("Deutsch", "de", "de"),
        ("Немецкий", "ru", "de"),
        ("الألمانية", "ar", "de"),
        ("English", "ru", "en"),
        ("русский", "de", "ru"),
        ("de-AT", "en", "de-AT"),
        ("liv", "en", "liv"),
        ("Chinese (Traditional)", "en", "zh-Hant"),
        ("Norwegian", "en", "no"),
        ("Anglais", "en", "en"),
        ("anglais", "ar", "en"),
        ("Allemand", "de", "de"),
        ("inglés", "en", "en"),
        ("INGLES", "fr", "en"),
        ("Francais", "ru", "fr"),
        ("espanol", "en", "es"),
        ("немецкий", "en", "de"),
        ("الألمانية", "en", "de"),
        ("Castellano", "de", "es"),
        ("British English", "en", "en-GB"),
        ("britisches Englisch", "de", "en-GB"),
        ("anglais britannique", "en", "en-GB"),
        ("inglés británico", "es", "en-GB"),
        ("Deutsch (Österreich)", "en", "de-AT"),
        ("Deutsch Osterreich", "fr", "de-AT"),
        ("Österreichisches Deutsch", "en", "de-AT"),
        ("English (UK)", "en", "en-GB"),
        ("Brazilian Portuguese", "en", "pt-BR"),
    ],
)
def test_a_language_is_found_by_its_name(text, page, tag):
    assert find_language(text, page) == tag


@pytest.mark.parametrize("page", PAGES)
def test_every_language_offered_is_found_by_the_name_it_is_offered_under(page):
    assert [find_language(language_name(tag, page), page) for tag in OFFERED] == list(OFFERED)
    assert len(offered(page)) == len(OFFERED)


@pytest.mark.parametrize("name_in", PAGES)
@pytest.mark.parametrize("page", PAGES)
def test_every_language_offered_is_found_by_its_name_in_every_language_of_the_interface(page, name_in):
    assert [find_language(language_name(tag, name_in), page) for tag in OFFERED] == list(OFFERED)


@pytest.mark.parametrize("text", ["", "<script>", "x" * 100_000, "123", "not a language at all", "xx"])
def test_what_is_no_language_is_refused(text):
    with pytest.raises(UnknownLanguage):
        find_language(text, "en")


def test_a_slip_is_answered_with_a_suggestion():
    with pytest.raises(UnknownLanguage) as caught:
        find_language("Germn", "en")
    assert caught.value.suggestion == "German"


@pytest.mark.parametrize(
    ("known", "required", "is_met"),
    [
        ("de-AT", "de", True),
        ("deu", "de", True),
        ("de", "de-AT", True),
        ("en", "de", False),
        ("pt-BR", "pt", True),
        ("zh-Hant", "zh", True),
        ("zh", "zh-Hant", False),
        ("zh-Hans", "zh-Hant", False),
        ("zh-TW", "zh-Hant", True),
        ("zh-Hant", "zh-TW", True),
        ("zh-Hans", "zh-TW", False),
        ("zh", "zh-Hans", True),
        ("sr", "sr-Latn", False),
        ("yue", "zh", False),
        ("nb", "no", True),
        ("no", "nn", True),
        ("nb", "nn", False),
    ],
)
def test_regions_do_not_matter_and_scripts_do(known, required, is_met):
    assert covers(known, required) is is_met
