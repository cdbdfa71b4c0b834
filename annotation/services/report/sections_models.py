"""Sections of a report that check the ranking: the mixed model beside z."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from annotation.services.report.compute import Report
from annotation.services.report.figures import scores as drawn
from annotation.services.report.section import Figure, Section, sentence
from annotation.services.report.tables import Column, Table

Row = dict[str, Any]
TERMS = {
    "rater": gettext_lazy("rater"),
    "rater_system": gettext_lazy("rater × system"),
    "segment": gettext_lazy("segment"),
    "output": gettext_lazy("segment × system"),
    "residual": gettext_lazy("rest"),
}


def mixed(report: Report) -> Section:
    """Show the mixed model beside z, and where they disagree."""
    found = report.mixed
    title = _("Another model beside z")
    if found is None:
        words = [
            _(
                "A mixed-effects model with raters, segments and their interplay with systems has not "
                "been fitted to these judgements yet. It takes about a minute for 20,000 ratings."
            )
        ]
        return Section("mixed", title, words, remark="fit")
    if "refused" in found:
        return Section("mixed", title, [sentence(found["refused"])])
    z_rows = {row["system"]: row for row in report.scores["systems"]}
    rows = []
    for row in found["systems"]:
        own, ci = z_rows[row["system"]], row["ci"]
        shift = row["estimate"] - row["effect"]
        around = None if ci is None else [ci[0] + shift, ci[1] + shift]
        rows.append(
            row | {"name": row["system"], "z_mean": own["z_mean"], "z_ci": own["z_ci"], "estimate_ci": around}
        )
    name = _("Mean z and the mixed model's estimate of each system")
    figure = Figure("mixed", name, drawn.mixed_beside_z(rows, name), "mixed")
    return Section("mixed", title, _words(found), [figure], _tables(found, rows))


def _words(found: Row) -> list[str]:
    terms = ", ".join(str(TERMS[name]) for name in found["model"]["terms"])
    fixed = _("system and rater") if found["model"]["fixed"] else _("system")
    words = [
        _(
            "Linear mixed model of the standardised scores: %(fixed)s fixed; %(terms)s random; fitted by "
            "REML. Its intervals are of a system's distance from the mean of the systems and speak for other "
            "raters and segments too; the bootstrap's take these raters as given."
        )
        % {"fixed": fixed, "terms": terms or "–"}
    ]
    comparison = found["comparison"]
    words.append(sentence(comparison["refused"]) if "refused" in comparison else comparison["words"])
    words += [sentence(caveat) for caveat in found["caveats"]]
    return words


def _tables(found: Row, rows: list[Row]) -> list[Table]:
    systems = Table(
        "mixed",
        _("Systems by z and by the mixed model"),
        [
            Column("system", _("System")),
            Column("z_mean", _("Ave. z"), "number", 3, "z_mean"),
            Column("z_ci", _("95 %, bootstrap"), "interval", 3, "z_mean"),
            Column("estimate", _("Model"), "number", 3, "mixed"),
            Column("se", _("Standard error"), "number", 3, "mixed"),
            Column("estimate_ci", _("95 %, model"), "interval", 3, "mixed"),
        ],
        rows,
    )
    variances = found["variances"]
    parts = [
        {"row": term, "term": str(words)} | variances[term]
        for term, words in TERMS.items()
        if term in variances
    ]
    shares = Table(
        "variances",
        _("Where the variance of z comes from"),
        [
            Column("term", pgettext("of variance", "Source")),
            Column("variance", _("Variance"), "number", 3, "variances"),
            Column("sd", _("sd"), "number", 3, "variances"),
            Column("share", _("Share"), "percent", 0, "variances"),
        ],
        parts,
    )
    tables = [systems, shares]
    comparison = found["comparison"]
    if "refused" not in comparison and comparison["disagreements"]:
        tables.append(_disagreements(comparison["disagreements"]))
    return tables


def _disagreements(rows: list[Row]) -> Table:
    kinds = {
        "opposite": _("opposite decisions"),
        "z_only": _("significant by z only"),
        "mixed_only": _("significant by the model only"),
        "order": _("neither decides, order differs"),
    }
    return Table(
        "disagreements",
        _("Pairs on which z and the mixed model disagree"),
        [
            Column("system_a", "A"),
            Column("system_b", "B"),
            Column("kind", _("How")),
            Column("z_difference", _("Difference of z"), "number", 3, "z_difference"),
            Column("p_z", _("p by z"), "p", 0, "p_z"),
            Column("mixed_difference", _("Difference, model"), "number", 3),
            Column("p_mixed", _("p, model"), "p"),
        ],
        [row | {"kind": kinds[row["kind"]]} for row in rows],
    )
