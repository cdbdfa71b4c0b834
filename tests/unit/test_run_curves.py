"""Curves of a run: working time without pauses, one line an attempt, numbers that are none left out."""

import re
from itertools import pairwise

import pytest

from mtcore.views.curves import history_of


def point(second, attempt=1, **metrics):
    at = f"2026-01-0{1 + (attempt > 1)}T00:{second // 60:02d}:{second % 60:02d}+00:00"
    return {"at": at, "attempt": attempt, "progress": 0.1, "metrics": metrics}


def lines_of(svg):
    return [
        [tuple(map(float, pair.split(","))) for pair in points.split()]
        for points in re.findall(r'<polyline class="[^"]*" points="([^"]*)"', svg)
    ]


def test_the_pause_between_attempts_takes_no_room():
    points = [point(0, loss=4.0), point(60, loss=3.0), point(5, 2, loss=2.9), point(65, 2, loss=2.0)]
    (curve,) = history_of(points).curves
    first, second = lines_of(curve.svg)
    assert first[-1][0] == second[0][0]  # the second attempt begins where the first ended
    assert second[-1][0] - second[0][0] == pytest.approx(first[-1][0] - first[0][0], abs=0.2)
    assert "2 min" in curve.svg and curve.svg.count('class="c-attempt"') == 1


def test_a_lower_loss_stands_lower():
    (curve,) = history_of([point(n, loss=9.0 - n) for n in range(5)]).curves
    (line,) = lines_of(curve.svg)
    heights = [y for _x, y in line]
    assert heights == sorted(heights) and curve.lines == [(1, "Loss", "5")]


def test_training_and_validation_share_a_figure_and_counters_have_none():
    points = [
        point(
            n,
            loss=5.0 - n,
            nll_loss=4.0 - n,
            update=n,
            wps=10.0,
            gnorm=1.0,
            **({"valid_loss": 5.5 - n, "valid_wps": 0.0} if n % 2 else {}),
        )
        for n in range(4)
    ]
    history = history_of(points)
    assert [curve.title for curve in history.curves] == ["Loss", "Tokens a second"]
    assert [name for _n, name, _last in history.curves[0].lines] == ["Loss, training", "Loss, validation"]
    assert len(history.columns) == 2 + 7 and len(history.rows) == 4


@pytest.mark.parametrize("odd", ["nan", "inf", None, True, "text"])
def test_what_is_no_number_is_in_the_table_only(odd):
    history = history_of([point(0, loss=3.0), point(1, loss=odd), point(2, loss=2.0)])
    (line,) = lines_of(history.curves[0].svg)
    assert len(line) == 2 and str(odd) in {row[2] for row in history.rows}


def test_large_spans_are_logarithmic_and_flat_ones_drawn():
    (curve,) = history_of([point(n, ppl=10.0 ** (3 - n)) for n in range(3)]).curves
    assert "logarithmic" in curve.title
    (line,) = lines_of(curve.svg)
    steps = [b[1] - a[1] for a, b in pairwise(line)]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)
    (flat,) = history_of([point(n, bleu=0.0) for n in range(3)]).curves
    assert "nan" not in flat.svg and lines_of(flat.svg)


def test_one_point_alone_and_damaged_points_make_no_figure():
    assert history_of([point(0, loss=1.0)]).curves == []
    assert history_of([{"at": "yesterday", "metrics": {"loss": 1}}, {}, {"at": None}]).n_points == 0
    assert history_of([]).curves == []


def test_a_long_line_is_thinned_to_what_can_be_seen():
    points = [point(n, loss=float(n % 7)) for n in range(0, 3600, 8)]
    (line,) = lines_of(history_of(points).curves[0].svg)
    assert len(line) == 160
    whole = history_of(points[:100]).curves[0]
    assert len(lines_of(whole.svg)[0]) == 100


def test_the_table_is_thinned_and_keeps_first_and_last():
    history = history_of([point(n, loss=float(n)) for n in range(59)])
    assert len(history.rows) == 40 and history.n_points == 59
    assert history.rows[0][2] == "0" and history.rows[-1][2] == "58"
