"""What is said of texts before anybody reads their scores."""

import pytest

from mtcore.metrics import MetricError
from mtcore.metrics.notices import check_script, text_notices


def test_nothing_is_said_of_good_texts():
    assert text_notices({"A": ["a b", "c"], "B": ["a", "c d"]}, {"r": ["a b c", "d"]}) == []


def test_empty_lines_entities_forms_and_equal_texts_are_named_once():
    odd = ["", " ", "caf\u0065\u0301 &quot;x&quot; &amp; &#39;", "AT&T; R&D"]
    found = text_notices({"A": odd, "B": odd}, {"r": odd})
    assert [notice for notice in found if "empty" in notice] == [
        "r: 2 of 4 empty reference lines; they are scored as they are.",
        "A: 2 of 4 empty segments.",
        "B: 2 of 4 empty segments.",
    ]
    assert any("A: 1 line contains &quot; / &amp; / &#39;" in notice for notice in found)
    assert sum("NFD" in notice for notice in found) == 3
    assert "A is identical to the reference r." in found
    assert "A and B are the same text." in found


@pytest.mark.parametrize(
    ("line", "tag"),
    [("他说他明天来", "zh"), ("彼は明日来ると言った", "ja"), ("그는 내일 온다고 말했다", "ko")],
)
def test_scripts_without_the_words_of_english_need_a_language(line: str, tag: str):
    with pytest.raises(MetricError, match=f"--language {tag}"):
        check_script([[line]], "")
    check_script([[line]], tag)
    check_script([["He said 他 tomorrow, and nobody knew what he meant by it."]], "")
    check_script([], "")
