"""z of many answers at once is z of each."""

import math

from annotation.services.spreads import Spreads


def test_z_of_several_answers_is_that_of_each():
    spreads = Spreads({1: (50.0, 10.0), 2: (70.1, 3.3)})
    answers = [
        (1, "system", 49.9999999999, True), (1, "repeat", 63.0, True), (2, "bad_reference", 1.0, True),
        (2, "practice", 70.0, True), (3, "system", 70.0, True), (2, "system", None, True),
        (2, "system", 70.0, False),
    ]  # fmt: skip
    each = [spreads.z(who, kind, score) if now else None for who, kind, score, now in answers]
    assert each[:2] == [0.0, 1.3] and each[3:] == [None] * 4
    assert spreads.z_of(*zip(*answers, strict=True)) == each
    some = spreads.z_of(*zip(*answers[:3], strict=True))
    assert some == each[:3]
    assert math.copysign(1, some[0]) == 1
