"""Judgements as JSON Lines without our keys: the message says what a column map is for."""

import pytest

from annotation.formats import FORMATS, FormatError, ParseOptions


def test_keys_of_others_are_refused_with_what_helps() -> None:
    with pytest.raises(FormatError) as caught:
        FORMATS["jsonl"].parse(b'{"annotator": "ann", "sys": "A"}\n', "file.jsonl", ParseOptions())
    assert "has no rater, segment, left; found: annotator, sys" in str(caught.value)
    assert "--map names the columns of CSV, TSV and Parquet only" in caught.value.remedy
