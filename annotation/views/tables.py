"""Turn scores into the cells of the results page."""

from __future__ import annotations

import shlex
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.score_table import interval, new_block, number, ordered_pairs, p_value, ranks
from annotation.stats.options import ScoreOptions
from annotation.views.figures import interval_svg, shares_svg, span_of

Row = dict[str, Any]
SHARES = ("a_better", "equal", "b_better")


def rating_tables(result: Row) -> Row:
    """Return systems and pairs of a direct assessment as cells."""
    systems = result["systems"]
    span = span_of(value for row in systems for value in (row["z_mean"], *(row["z_ci"] or ())))
    pairs = ordered_pairs(result)
    pair_span = span_of(
        value for row in pairs for value in (row["z_difference"], *(row["z_difference_ci"] or ()))
    )
    return {
        "systems": [
            _system(row, span, cut=below is not None and new_block(row, below))
            for row, below in zip(systems, [*systems[1:], None], strict=True)
        ],
        "pairs": [_pair(row, pair_span) for row in pairs],
    }


def _system(row: Row, span: tuple[float, float], *, cut: bool) -> Row:
    z, bounds = number(row["z_mean"], 3), interval(row["z_ci"], 3)
    return {
        "system": row["system"],
        "condition": condition(row),
        "raw": number(row["raw_mean"], 1),
        "raw_ci": interval(row["raw_ci"], 1),
        "z": z,
        "z_ci": bounds,
        "figure": interval_svg(row["z_mean"], row["z_ci"], span, f"{z}, {bounds}"),
        "segments": row["n_segments"],
        "judgements": row["n_judgements"],
        "raters": row["n_raters"],
        "wins": number(row["wins"], 0),
        "cluster": ranks(row["cluster"]) if row["cluster"] else number(None, 0),
        "cut": cut,
    }


def _pair(row: Row, span: tuple[float, float]) -> Row:
    difference, bounds = number(row["z_difference"], 3), interval(row["z_difference_ci"], 3)
    return {
        "a": row["system_a"],
        "b": row["system_b"],
        "condition": condition(row),
        "difference": difference,
        "difference_ci": bounds,
        "figure": interval_svg(row["z_difference"], row["z_difference_ci"], span, f"{difference}, {bounds}"),
        "one_sided": p_value(row["p_bootstrap_one_sided"]),
        "declared": row["one_sided"] == "declared",
        "two_sided": p_value(row["p_bootstrap_two_sided"]),
        "significant": (row["p_bootstrap_two_sided"] or 1) < 0.05,
        "rank_sum": p_value(row["p_rank_sum"]),
        "common": row["n_common"],
    }


def preference_tables(result: Row) -> Row:
    """Return systems and pairs of preferences as cells."""
    return {
        "systems": [
            {
                "system": row["system"],
                "condition": condition(row),
                "expected_wins": number(row["expected_wins"], 3),
                "win_rate": number(row["win_rate"], 3),
                "n": row["n"],
            }
            for row in result["systems"]
        ],
        "pairs": [_preference(row) for row in ordered_pairs(result)],
        "position": result["position"] | {"p": _equals(p_value(result["position"]["p_two_sided"]))},
    }


def _preference(row: Row) -> Row:
    shares = row["shares"]
    known = all(shares[name] is not None for name in SHARES)
    texts = {name: _share(shares[name]) for name in SHARES}
    label = _("A better %(a)s, equal %(equal)s, B better %(b)s") % {
        "a": texts["a_better"], "equal": texts["equal"], "b": texts["b_better"],
    }  # fmt: skip
    return {
        "a": row["system_a"],
        "b": row["system_b"],
        "condition": condition(row),
        "cells": [{"count": row[name], "share": texts[name]} for name in SHARES],
        "figure": shares_svg([shares[name][0] for name in SHARES], label) if known else "",
        "identical": row["identical"],
        "one_sided": p_value(row["p_sign_one_sided"]),
        "two_sided": p_value(row["p_sign_two_sided"]),
        "significant": row["p_sign_two_sided"] is not None and row["p_sign_two_sided"] < 0.05,
        "bootstrap": p_value(row["p_bootstrap"]),
    }


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _share(bounds: list[float] | None) -> str:
    if bounds is None:
        return number(None, 0)
    share, low, high = (100 * value for value in bounds)
    return f"{share:.0f} % ({low:.0f}–{high:.0f})"


def condition(row: Row) -> str:
    """Write the condition of a row; empty when scores are not cut by condition."""
    if row.get("testset") is None:
        return ""
    return f"{row['notation'] or row['direction'] or number(None, 0)} · {row['testset']}"


def rater_rows(result: Row) -> list[Row]:
    """Return the raters with the numbers written out."""
    return [
        row | {"mean": number(row.get("mean"), 1), "sd": number(row.get("sd"), 1)} for row in result["raters"]
    ]


def command_line(name: str, options: Row) -> str:
    """Return the command that computes the same scores: the options that differ from the defaults."""
    words = ["manage.py", "score_campaign", name]
    for field, default in vars(ScoreOptions()).items():
        value = options[field]
        if value == default or field == "preference_resamples":
            continue
        if field == "by_condition":
            words += ["--by", "condition"]
        elif field == "hypothesis":
            words += ["--hypothesis", ">".join(value)]
        else:
            words += [f"--{field}", str(value)]
    return shlex.join(words)
