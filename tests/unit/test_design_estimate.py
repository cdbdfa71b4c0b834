"""Minutes of work, counted by hand."""

import numpy as np
import pytest

from annotation.design.estimate import count_words, estimate_minutes, estimate_plan
from annotation.design.plan import plan_campaign
from tests.factories.plans import make_items


def test_minutes_are_reading_and_deciding() -> None:
    assert estimate_minutes([90, 180], 15, words_per_minute=180) == pytest.approx(0.5 + 1 + 0.5)


def test_a_pace_must_be_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        estimate_minutes([10], 5, words_per_minute=0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("A cat, a dog – and “us”.", 6),
        ("今天天气很好", 3),
        ("今天 5 度", 2.5),
        ("Привет, мир", 2),
    ],
)
def test_words_are_counted(text: str, words: float) -> None:
    assert count_words(text) == words


def test_the_work_of_a_plan() -> None:
    items = make_items(2, 4)
    plan = plan_campaign(items, ["a", "b"], 2, np.random.default_rng(1))
    estimate = estimate_plan(plan, {item.key: 60 for item in items}, 20, words_per_minute=180)
    assert (estimate.items, estimate.judgements) == (8, 16)
    assert estimate.loads == {"a": 8, "b": 8}
    assert estimate.minutes == {"a": pytest.approx(8 * 2 / 3), "b": pytest.approx(8 * 2 / 3)}
