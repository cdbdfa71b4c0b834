"""Language tags and pairs."""

import pytest

from mtcore.corpora.languages import (
    LanguageError,
    check_tag,
    direction,
    language_name,
    parse_pair,
    same_pair,
    script,
    standard_tag,
)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("cs-en", ("cs", "en")),
        ("eng-liv", ("eng", "liv")),
        ("zh-Hant:en", ("zh-Hant", "en")),
        ("en>pt-br", ("en", "pt-BR")),
        (" en : zh-hant ", ("en", "zh-Hant")),
        ("en-GB:en-US", ("en-GB", "en-US")),
    ],
)
def test_a_pair_is_split_where_it_is_clear(text: str, pair: tuple[str, str]) -> None:
    assert parse_pair(text) == pair


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zh-Hant-en", "several hyphens. Put a colon"),
        ("ende", "not a language pair"),
        ("", "not a language pair"),
        ("a:b:c", "not a language pair"),
        ("en-en", "names en twice"),
        ("en-xx", "Unknown language “xx”"),
        ("en-", "Unknown language “”"),
        ("en:zh_Hant", "Did you mean “zh-Hant”"),
        ("english-de", r"Did you mean “en” \(English\)"),
        ("en-zxx", "Unknown language “zxx”"),
    ],
)
def test_an_unclear_pair_is_refused_with_a_suggestion(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        parse_pair(text)


def test_codes_are_kept_as_given_and_standardised_for_pages() -> None:
    assert check_tag("eng") == "eng"
    assert standard_tag("eng") == "en"
    assert standard_tag("liv") == "liv"
    assert same_pair("ces-eng", "cs:en")
    assert not same_pair("cs-en", "en-cs")


def test_names_of_languages() -> None:
    assert language_name("de") == "German"
    assert language_name("de", "de") == "Deutsch"
    assert language_name("liv") == "Livonian"


@pytest.mark.parametrize(
    "tag", ["ar", "he", "fa", "ur", "yi", "syr", "dv", "nqo", "ff-Adlm", "az-Arab", "pa-PK", "heb"]
)
def test_right_to_left(tag: str) -> None:
    assert direction(tag) == "rtl"


@pytest.mark.parametrize("tag", ["en", "ru", "zh", "hi", "ff", "ks-Deva", "liv", "am", "el"])
def test_left_to_right(tag: str) -> None:
    assert direction(tag) == "ltr"


def test_scripts() -> None:
    assert [script(tag) for tag in ("ar", "zh-Hant", "hi", "en")] == ["Arab", "Hant", "Deva", "Latn"]
