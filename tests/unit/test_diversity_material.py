"""Dictionaries, lemmatisers and tokenisers: what they read, and how they refuse."""

import gzip
from importlib.util import find_spec

import numpy as np
import pytest

from mtcore.diversity.base import DiversityError, ToolUnavailable
from mtcore.diversity.dictionaries import read_dictionary
from mtcore.diversity.lemmas import Simplemma, TableLemmatiser, lemmatiser_for
from mtcore.diversity.tokens import Given, Moses, check_words, tokeniser_for
from tests.factories.diversity import profile_of
from tests.paths import CASES, needs_cases

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
<entry><form><orth>house</orth></form><gramGrp><pos>n</pos></gramGrp>
 <sense><cit type="trans"><quote>maison</quote></cit>
  <cit type="trans"><quote>chambre des lords</quote></cit></sense>
 <sense><cit type="translation"><quote>demeure</quote></cit>
  <cit type="example"><quote>rien</quote></cit></sense></entry>
<entry><form><orth>quickly</orth></form><gramGrp><pos>adv</pos></gramGrp>
 <sense><cit type="trans"><quote>vite</quote></cit></sense></entry>
<entry><form><orth>look</orth><orth>gaze</orth></form><gramGrp><pos>vt</pos></gramGrp>
 <sense><trans><tr>Regarder</tr></trans></sense></entry>
</body></text></TEI>"""


def base64(number: int) -> str:
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    digits = signs[number % 64]
    while number := number // 64:
        digits = signs[number % 64] + digits
    return digits


@pytest.fixture
def dictd(tmp_path):
    """A dictd dictionary of two files, with a description in front."""
    articles = {
        "00databaseinfo": "Info\n" * 30,
        "look": "look /luk/ <v>\n1. avoir l'air de, paraître\n2. regard <masc>, vue [fig.]\n"
        "   Synonyms: {see}\n",
        "gut": "gut /gʌt/\n boyau\nboyau; intestin\n",
        "so": "so /soʊ/ <adv>\nainsi\n",
    }
    text, index = b"", []
    for word, article in articles.items():
        data = article.encode()
        index.append(f"{word}\t{base64(len(text))}\t{base64(len(data))}")
        text += data
    (tmp_path / "en-fr.index").write_text("\n".join(index) + "\n", encoding="utf-8")
    (tmp_path / "en-fr.dict.dz").write_bytes(gzip.compress(text))
    return tmp_path


def test_a_table_gives_all_translations_and_leaves_phrases_and_other_words_out(tmp_path):
    file = tmp_path / "d.tsv"
    file.write_text(
        "# made by hand\nHouse\tmaison|Demeure\tn\nhouse\tmaison|chambre basse\nquickly\tvite\tadv\n\n",
        encoding="utf-8",
    )
    found = read_dictionary(file)
    assert found.format == "tsv"
    assert found.options == {"house": ("maison", "demeure")}
    assert (found.phrases, found.others) == (1, 1)
    assert found.only(["house", "car"]) == {"house": ("maison", "demeure")}


def test_freedict_tei_gives_all_translations_of_all_senses_in_both_layouts(tmp_path):
    file = tmp_path / "eng-fra.tei"
    file.write_text(TEI, encoding="utf-8")
    found = read_dictionary(file)
    assert found.format == "tei"
    assert found.options == {"house": ("maison", "demeure"), "look": ("regarder",), "gaze": ("regarder",)}
    packed = tmp_path / "eng-fra.tei.gz"
    packed.write_bytes(gzip.compress(TEI.encode()))
    assert read_dictionary(packed).options == found.options


@pytest.mark.parametrize("name", ["en-fr.index", "en-fr.dict.dz"])
def test_dictd_is_read_through_its_index(dictd, name: str):
    found = read_dictionary(dictd / name)
    assert found.format == "dictd"
    assert found.options == {"look": ("paraître", "regard", "vue"), "gut": ("boyau", "intestin")}
    assert (found.phrases, found.others) == (1, 1)


def test_dictionaries_in_a_wrong_format_say_where_and_what_to_do(tmp_path, dictd):
    cases = {
        "one.tsv": ("word\ttranslation\nonly\n", "line 2"),
        "four.tsv": ("a\tb\tn\tmore\n", "4 columns"),
        "text.txt": ("just a line of text\n", "line 1"),
        "broken.tei": ("<TEI><entry>", "well-formed"),
        "other.xml": ("<html><body/></html>", "without dictionary entries"),
        "bomb.xml": ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "well-formed"),
        "phrases.tsv": ("a\tb c\n", "no translation of one word"),
    }
    for name, (text, said) in cases.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(DiversityError, match=said) as caught:
            read_dictionary(tmp_path / name)
        assert "TAB" in caught.value.remedy
    for encoding in ("klingon", "shift_jis", "utf-32"):
        text = f'<?xml version="1.0" encoding="{encoding}"?><TEI><entry/></TEI>'
        (tmp_path / "old.tei").write_text(text, encoding="utf-8")
        with pytest.raises(DiversityError, match="declares an encoding that cannot be read") as caught:
            read_dictionary(tmp_path / "old.tei")
        assert "UTF-8" in caught.value.remedy
    (dictd / "en-fr.index").write_text("look\t!!\tB\n", encoding="utf-8")
    with pytest.raises(DiversityError, match="line 1"):
        read_dictionary(dictd / "en-fr.index")
    (dictd / "en-fr.dict.dz").unlink()
    with pytest.raises(DiversityError, match="not beside"):
        read_dictionary(dictd / "en-fr.index")


@needs_cases
def test_div_08_no_lemmas_for_chinese_or_an_unknown_language_and_no_english_instead():
    for language in ("zh", "xx", "ja"):
        with pytest.raises(ToolUnavailable, match=rf"simplemma [\d.]+ knows no lemmas of “{language}”"):
            lemmatiser_for("simplemma", language)
    assert Simplemma("en").lemmatise(["e", "children", "", "ẞ"])[:3] == ["e", "child", ""]
    assert Simplemma("deu").language == "de"
    assert Simplemma("nb").language == Simplemma("no").language == "nb"


def test_a_table_of_lemmas_matches_forms_also_in_lower_case(tmp_path):
    file = tmp_path / "l.tsv"
    file.write_text("ging\tgehen\nHäuser\tHaus\n", encoding="utf-8")
    known = lemmatiser_for(f"table:{file}", "")
    assert known.lemmatise(["ging", "Ging", "Häuser", "Hund"]) == ["gehen", "gehen", "Haus", "Hund"]
    assert known.name == "table:l.tsv"
    file.write_text("ging\n", encoding="utf-8")
    with pytest.raises(DiversityError, match="line 1"):
        TableLemmatiser.read(file)


@pytest.mark.parametrize("choice", ["", "hunspell", "table:", "spacy:", "simplemma:x"])
def test_an_unknown_lemmatiser_is_refused(choice: str):
    with pytest.raises(DiversityError, match="no lemmatiser"):
        lemmatiser_for(choice, "en")


@pytest.mark.skipif(find_spec("spacy") is not None, reason="spaCy is installed here")
def test_without_spacy_its_lemmatiser_says_what_to_install():
    with pytest.raises(ToolUnavailable, match="not installed") as caught:
        lemmatiser_for("spacy:/nowhere", "en")
    assert "pip install spacy" in caught.value.remedy


@pytest.mark.skipif(find_spec("spacy") is None, reason="spaCy is not installed")
def test_a_spacy_pipeline_from_a_folder_gives_lemmas(tmp_path):
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("attribute_ruler").add([[{"LOWER": "mice"}]], {"LEMMA": "mouse"})
    pipeline.to_disk(tmp_path / "model")
    known = lemmatiser_for(f"spacy:{tmp_path / 'model'}", "en")
    assert known.lemmatise(["mice", "dog", "don't"]) == ["mouse", "dog", "don't"]
    with pytest.raises(ToolUnavailable, match="no spaCy pipeline"):
        lemmatiser_for(f"spacy:{tmp_path}", "en")


def test_moses_keeps_case_escapes_nothing_and_takes_no_other_languages_abbreviations():
    assert Moses("en").words("Mr. Smith isn't here & left.") == [
        "Mr.", "Smith", "isn", "'t", "here", "&", "left", ".",
    ]  # fmt: skip
    assert Moses("").words("Mr. Smith")[:2] == ["Mr", "."]
    assert Moses("liv").language == ""
    assert "no abbreviations" in Moses("liv").name
    assert Moses("deu").language == "de"


@needs_cases
def test_div_06_chinese_is_segmented_by_a_named_tool_or_refused():
    line = (CASES / "div06_zh.txt").read_text(encoding="utf-8").strip()
    tool = tokeniser_for("moses", "zh")
    words = tool.words(line)
    assert "jieba" in tool.name
    assert "".join(words) == line
    assert 12 <= len(words) <= 22
    for language, tokens in (("", "moses"), ("xx", "moses"), ("zh", "given"), ("", "given")):
        maker = tokeniser_for(tokens, language)
        found = profile_of([line], tokeniser=maker)
        with pytest.raises(DiversityError, match="without spaces"):
            check_words("T", found.vocabulary.types, found.counts, maker)
    for language in ("th", "km", "yue", "jpn"):
        if language != "jpn" or find_spec("fugashi") is None:
            with pytest.raises(ToolUnavailable, match="no spaces"):
                tokeniser_for("moses", language)


def test_segmented_chinese_and_a_foreign_name_in_a_text_pass():
    for words in (["我", "昨天", "在", "北京"], ["the", "word", "我昨天在北京买了三本书", "is", "long"]):
        check_words("T", words, np.ones(len(words), np.int64), Given())
