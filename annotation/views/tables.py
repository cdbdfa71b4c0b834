"""Turn scores into the cells of the results page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from annotation.services.score_notes import is_judged_together, shared_words
from annotation.services.score_table import (
    chosen_test,
    grouped_rows,
    interval,
    new_block,
    number,
    ordered_pairs,
    p_value,
    ranks,
    raw_decimals,
)
from annotation.services.scoring import campaign_treatment
from annotation.services.study_scores import study_options
from annotation.stats.options import ScoreOptions
from annotation.templatetags.shown import grouped
from annotation.views.figures import interval_svg, shares_svg, span_of

Row = dict[str, Any]
FOLD_ROWS = 10
"""A longer table of pairs is folded."""
PAIR_COLUMNS = 8
"""Columns of the table of pairs without those of a chosen test and of a correction."""

SHARES = ("a_better", "equal", "b_better")


def rating_tables(result: Row, scale: Sequence[float]) -> Row:
    """Return systems and pairs of a direct assessment as cells, in a group for each condition."""
    decimals = raw_decimals(scale)
    tested = chosen_test(result)
    systems = result["systems"]
    span = span_of(value for row in systems for value in (row["z_mean"], *(row["z_ci"] or ())))
    pairs = ordered_pairs(result)
    corrected = any("p_holm" in row for row in pairs)
    pair_span = span_of(
        value for row in pairs for value in (row["z_difference"], *(row["z_difference_ci"] or ()))
    )
    return {
        "systems": [
            (
                heading,
                [
                    _system(row, span, decimals, cut=below is not None and new_block(row, below))
                    for row, below in zip(rows, [*rows[1:], None], strict=True)
                ],
            )
            for heading, rows in grouped_rows(systems)
        ],
        "pairs": [
            (heading, [_pair(row, pair_span, tested[0]) for row in rows])
            for heading, rows in grouped_rows(pairs)
        ],
        "shared": shared_words(result),
        "tested": tested[1],
        "corrected": corrected,
        "pair_columns": PAIR_COLUMNS + bool(tested[1]) + corrected,
    } | _pairs_folded(pairs)


def _pairs_folded(pairs: list[Row]) -> Row:
    return {"n_pairs": grouped(len(pairs)), "fold_pairs": len(pairs) > FOLD_ROWS}


def _system(row: Row, span: tuple[float, float], decimals: int, *, cut: bool) -> Row:
    z, bounds = number(row["z_mean"], 3), interval(row["z_ci"], 3)
    return {
        "system": row["system"],
        "raw": number(row["raw_mean"], decimals),
        "raw_ci": interval(row["raw_ci"], decimals),
        "z": z,
        "z_ci": bounds,
        "figure": interval_svg(row["z_mean"], row["z_ci"], span, f"{z}, {bounds}"),
        "segments": grouped(row["n_segments"]),
        "judgements": grouped(row["n_judgements"]),
        "raters": grouped(row["n_raters"]),
        "wins": number(row["wins"], 0),
        "cluster": ranks(row["cluster"]) if row["cluster"] else number(None, 0),
        "cut": cut,
    }


def _pair(row: Row, span: tuple[float, float], tested: str) -> Row:
    difference, bounds = number(row["z_difference"], 3), interval(row["z_difference_ci"], 3)
    return {
        "a": row["system_a"],
        "b": row["system_b"],
        "difference": difference,
        "difference_ci": bounds,
        "figure": interval_svg(row["z_difference"], row["z_difference_ci"], span, f"{difference}, {bounds}"),
        "one_sided": p_value(row["p_bootstrap_one_sided"]),
        "declared": row["hypothesis"] if row["one_sided"] == "declared" else "",
        "two_sided": p_value(row["p_bootstrap_two_sided"]),
        "significant": (row["p_bootstrap_two_sided"] or 1) < 0.05,
        "rank_sum": p_value(row["p_rank_sum"]),
        "tested": p_value(row.get(tested)),
        "corrected": p_value(row.get("p_holm")),
        "common": grouped(row["n_common"]),
    }


def preference_tables(result: Row) -> Row:
    """Return systems and pairs of preferences as cells, in a group for each condition."""
    pairs = ordered_pairs(result)
    position = result["position"]
    together = any(is_judged_together(row) for row in pairs)
    return {
        "systems": [
            (heading, [_preferred(row) for row in rows]) for heading, rows in grouped_rows(result["systems"])
        ],
        "pairs": [
            (heading, [_preference(row, together) for row in rows]) for heading, rows in grouped_rows(pairs)
        ],
        "together": together,
        "tests": _test_heads(together),
        "position": {side: grouped(position[side]) for side in ("left", "right", "equal")}
        | {"p": _equals(p_value(position["p_two_sided"]))},
    } | _pairs_folded(pairs)


def _preferred(row: Row) -> Row:
    return {
        "system": row["system"],
        "expected_wins": number(row["expected_wins"], 3),
        "win_rate": number(row["win_rate"], 3),
        "n": grouped(row["n"]),
    }


def _test_heads(together: bool) -> list[str]:
    """Return the headings of the p-values, the one to go by first."""
    if together:
        return [
            _("Bootstrap, two-sided p"), _("One-sided"), _("Sign test of majorities, two-sided"),
            _("Sign test of single comparisons"),
        ]  # fmt: skip
    return [_("Sign test, two-sided p"), _("One-sided"), _("Bootstrap, one-sided")]


def _preference(row: Row, together: bool) -> Row:
    shares = row["shares"]
    known = all(shares[name] is not None for name in SHARES)
    texts = {name: _share(row, name, together) for name in SHARES}
    label = _("A better %(a)s, equal %(equal)s, B better %(b)s") % {
        "a": texts["a_better"], "equal": texts["equal"], "b": texts["b_better"],
    }  # fmt: skip
    by, others = "p_sign_two_sided", ["p_bootstrap"]
    if together:
        by, others = "p_bootstrap_two_sided", ["p_sign_majority_two_sided", "p_sign_two_sided"]
    declared = row["one_sided"] == "declared"
    told = [p_value(row[key]) for key in others]
    return {
        "a": row["system_a"],
        "b": row["system_b"],
        "cells": [{"count": grouped(row[name]), "share": texts[name]} for name in SHARES],
        "figure": shares_svg([shares[name][0] for name in SHARES], label) if known else "",
        "identical": grouped(row["identical"]),
        "two_sided": p_value(row[by]),
        "significant": row[by] is not None and row[by] < 0.05,
        "one_sided": p_value(row["p_bootstrap" if together else "p_sign_one_sided"]),
        "declared": row["hypothesis"] if declared else "",
        "others": told if together or declared else [f"({one})" for one in told],
    }


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _share(row: Row, name: str, together: bool) -> str:
    """Write a share with its interval, that of segments where comparisons of one resemble each other."""
    bounds = row["shares"][name]
    if bounds is None:
        return number(None, 0)
    share, *interval = bounds
    if together:
        interval = row[f"{name}_ci"]
    words = f"{100 * share:.0f} %"
    return f"{words} ({100 * interval[0]:.0f}–{100 * interval[1]:.0f})" if interval else words


def rater_rows(result: Row, scale: Sequence[float]) -> list[Row]:
    """Return the raters with the numbers written out."""
    decimals = raw_decimals(scale)
    return [
        row | {"n": grouped(row["n"])} | {name: number(row.get(name), decimals) for name in ("mean", "sd")}
        for row in result["raters"]
    ]


def campaign_command(campaign: Campaign, options: Row, command: str = "score_campaign") -> str:
    """Return the command that computes the same scores of a campaign, or writes the same report."""
    usual = {"disagreement": campaign_treatment(campaign)}
    return _command(command, campaign.name, options, vars(ScoreOptions()) | usual)


def study_command(study: Study, options: Row) -> str:
    """Return the command that computes the same scores of a study."""
    return _command("score_study", study.name, options, vars(study_options(study, {})))


def _command(command: str, name: str, options: Row, usual: Row) -> str:
    """Write a command with the options that differ from what it does without them."""
    words = ["manage.py", command, name]
    for field, default in usual.items():
        value = options[field]
        if value == default:
            continue
        if field == "by_condition":
            words += ["--by", "condition"]
        elif field == "hypothesis":
            words += ["--hypothesis", ">".join(value)]
        else:
            words += [f"--{field.replace('_', '-')}", str(value)]
    return shlex.join(words)
