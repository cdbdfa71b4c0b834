"""Tables of scores hold no number that is none."""

import json
import math

import pytest

from mtcore.metrics import METRICS
from mtcore.metrics.scoring import Score, ScoreReport, ScoringOptions
from mtcore.metrics.tables import FORMATS
from mtcore.services.fluency_own import OwnCell


@pytest.mark.parametrize("format", FORMATS)
def test_a_perplexity_per_word_beyond_all_numbers_is_missing(format):
    facts = {"unit": "subword", "words": 3, "ppl_per_word": math.inf}
    score = Score("A", None, None, None, None, "ppl", 9.5, None, 4, "lm:x", facts=facts)
    written = FORMATS[format](ScoreReport((score,), (), (), METRICS, ScoringOptions(resamples=0)))
    assert "9.5" in written and "subword" in written
    assert "inf" not in written.lower() and "nan" not in written.lower()


def test_a_perplexity_a_subword_beyond_all_numbers_is_null_in_json():
    cell = OwnCell("Y", "A", None, None, 4, {"unit": "word", "ppl_per_subword": math.inf}, "lm:x")
    assert json.loads(json.dumps(cell.as_dict(), allow_nan=False))["ppl_per_subword"] is None
