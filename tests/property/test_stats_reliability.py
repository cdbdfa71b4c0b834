"""What must hold of the reliability of any rater."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.stats.rater_evidence import Answer
from annotation.stats.reliability import STATES, ReliabilityOptions, assess_all

answer = st.builds(
    Answer,
    rater=st.sampled_from(["r1", "r2"]),
    kind=st.sampled_from(["system", "system", "bad_reference", "repeat", "reference", "practice"]),
    pair=st.one_of(st.none(), st.integers(1, 6)),
    score=st.integers(0, 100).map(float),
    seconds=st.one_of(st.none(), st.floats(0, 1e4)),
    position=st.integers(0, 99),
)
answers = st.lists(answer, max_size=40, unique_by=lambda one: one.position)


@settings(deadline=None, max_examples=80)
@given(given_answers=answers, test=st.sampled_from(["t", "signed_rank"]))
def test_reports_are_numbers_whatever_the_answers(given_answers: list[Answer], test: str):
    rows = assess_all(given_answers, ReliabilityOptions(test=test))
    json.dumps(rows, allow_nan=False)
    for row in rows:
        assert row["state"] in STATES
        assert row["reason"]
        p = row["pairs"]["p_value"]
        assert (p is None) == (row["pairs"]["n_pairs"] < 2)
        assert p is None or 0 <= p <= 1
        assert (row["state"] == "failed") == (
            row["carelessness"]["total"] >= row["carelessness"]["threshold"]
        )
        if row["state"] == "passed":
            assert p < 0.05


@settings(deadline=None, max_examples=40)
@given(given_answers=answers, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(given_answers: list[Answer], seed: int):
    order = np.random.default_rng(seed).permutation(len(given_answers))
    first, second = assess_all(given_answers), assess_all([given_answers[place] for place in order])
    assert [row["state"] for row in first] == [row["state"] for row in second]
    for one, two in zip(first, second, strict=True):
        assert two["carelessness"]["total"] == pytest.approx(one["carelessness"]["total"], abs=1e-9)
        assert (one["longest_run"], one["n"]) == (two["longest_run"], two["n"])


@settings(deadline=None, max_examples=40)
@given(
    given_answers=answers, factor=st.sampled_from([0.5, 2.0, 4.0]), shift=st.sampled_from([-50.0, 0.0, 7.0])
)
def test_the_unit_of_the_scale_changes_nothing(given_answers: list[Answer], factor: float, shift: float):
    moved = [one._replace(score=one.score * factor + shift) for one in given_answers]
    options = ReliabilityOptions(scale=(shift, 100 * factor + shift))
    for one, two in zip(assess_all(given_answers), assess_all(moved, options), strict=True):
        assert one["state"] == two["state"]
        assert two["carelessness"]["total"] == pytest.approx(one["carelessness"]["total"], abs=1e-9)
