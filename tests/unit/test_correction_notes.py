"""Few resamples and many pairs: the note says so, and its remedy removes it."""

import re
from dataclasses import replace

import pytest

from annotation.services.correction_notes import correction_notes
from annotation.stats.options import ScoreOptions

HOLM = ScoreOptions(correction="holm")


def pairs(n, missing=0):
    tested = {"p_bootstrap_two_sided": 0.5, "p_randomisation": 0.5, "p_signed_rank": 0.5}
    return [tested] * n + [dict.fromkeys(tested)] * missing


def test_a_thousand_resamples_are_too_few_for_66_pairs():
    found = correction_notes(pairs(66, missing=4), HOLM)
    assert found == [
        "With 1,000 resamples and 66 pairs no corrected p can be below .13: use --resamples 2700 or more."
    ]


@pytest.mark.parametrize("n", [1, 2, 5, 24, 25, 26, 66, 190])
@pytest.mark.parametrize(("test", "count"), [("bootstrap", 2), ("randomisation", 1)])
def test_the_note_stands_exactly_where_nothing_can_be_rejected(n, test, count):
    for resamples in (10, 100, 999, 1000):
        options = replace(HOLM, test=test, resamples=resamples)
        found = correction_notes(pairs(n), options)
        assert bool(found) == (n * count / (resamples + 1) >= 0.05)
        if found:
            needed = int(re.search(r"--resamples (\d+)", found[0])[1])
            assert correction_notes(pairs(n), replace(options, resamples=needed)) == []


def test_more_pairs_than_any_resamples_can_correct_name_another_test():
    assert correction_notes(pairs(2600), HOLM)[0].endswith("below 1: use --test signed_rank.")


@pytest.mark.parametrize(
    "options", [ScoreOptions(), replace(HOLM, test="signed_rank"), replace(HOLM, test="rank_sum")]
)
def test_without_correction_or_resamples_there_is_no_note(options):
    assert correction_notes(pairs(500), options) == []
    assert correction_notes([{"p_sign_two_sided": 0.5}] * 500, HOLM) == []
