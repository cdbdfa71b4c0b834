"""The section of a report about agreement, with a sentence on what it means."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.compute import Report
from annotation.services.report.section import Section, sentence
from annotation.services.report.tables import Column, Table, used
from annotation.services.score_table import number

Row = dict[str, Any]


def agreement(report: Report) -> Section:
    """Show agreement, with a sentence on what it means."""
    found = report.parts["agreement"]
    if "refused" in found:
        return Section("agreement", _("Agreement"), [sentence(found["refused"])])
    rows, words = _rating_agreement(found) if report.rated else _preference_agreement(found)
    columns = [
        Column("measure", _("Measure")),
        Column("value", _("Value"), "number", 3, "agreement"),
        Column("ci", _("95 %"), "interval", 3, "agreement"),
        Column("n", _("Items"), "count", 0, "agreement"),
        Column("caveat", _("Remark")),
    ]
    table = Table("agreement", _("Agreement of raters"), used(columns, rows), rows)
    return Section("agreement", _("Agreement"), words, [], [table], folded=False)


def _rating_agreement(found: Row) -> tuple[list[Row], list[str]]:
    rows = []
    for part, name in (("raw", _("raw scores")), ("z", _("z"))):
        own = found[part]
        measure = _("Krippendorff's α, interval, on %(part)s") % {"part": name}
        rows.append(own["alpha"] | {"row": f"{part}.alpha", "measure": measure})
        for key, title in (
            ("icc_2_1", _("ICC(2,1) on %(part)s")),
            ("icc_2_k", _("ICC(2,k) on %(part)s")),
        ):
            if own[key] is not None:
                rows.append(own[key] | {"row": f"{part}.{key}", "measure": title % {"part": name}})
        rows += [row | {"row": f"{part}.{row['row']}"} for row in _component_rows(own["components"], name)]
    alpha = found["z"]["alpha"]["value"]
    words = [
        _(
            "%(several)s of %(items)s items were rated by two raters or more. α is 1 when raters agree on "
            "every item and 0 when they agree as much as if items had been shuffled. On z it leaves out "
            "that raters are strict or generous, which scoring takes out as well. ICC of one rater says "
            "how far a single rating can be trusted, ICC of the mean how far the average over the raters "
            "of an item can."
        )
        % {"several": f"{found['n_items_of_several']:,}", "items": f"{found['n_items']:,}"}
    ]
    if alpha is not None:
        words.append(alpha_words(alpha))
    return rows, words


def alpha_words(alpha: float) -> str:
    """Say what a value of α means for scores of translations."""
    value = number(alpha, 2)
    if alpha >= 0.667:
        return _("α of %(value)s on z is high: raters mostly see the same differences.") % {"value": value}
    if alpha >= 0.2:
        return _(
            "α of %(value)s on z is usual for direct assessment: single ratings are noisy, averages over "
            "many segments are not."
        ) % {"value": value}
    return _(
        "α of %(value)s on z is low: single ratings say little about an item. Averages over many segments "
        "can still rank systems, as the intervals show; look at the raters before trusting item scores."
    ) % {"value": value}


def _component_rows(components: Row, name: str) -> list[Row]:
    common = {"n": components["n_units"], "ci": None, "caveat": components["caveat"]}
    titles = (
        ("single", _("ICC of one rater, from variance components, on %(part)s")),
        ("average", _("ICC of the mean over raters, on %(part)s")),
    )
    rows = []
    for key, title in titles:
        words = title % {"part": name}
        if key == "average" and components["k"] is not None:
            words += f" (k = {components['k']:.1f})"
        rows.append({"row": key, "measure": words, "value": components[key], **common})
    return rows


def _preference_agreement(found: Row) -> tuple[list[Row], list[str]]:
    rows = [
        found["alpha_nominal"] | {"row": "nominal", "measure": _("Krippendorff's α, nominal")},
        found["alpha_ordinal"] | {"row": "ordinal", "measure": _("Krippendorff's α, ordinal")},
    ]
    titles = {
        "same.all": _("κ (WMT, as published: all label pairs of the same order)"),
        "same.between": _("κ (WMT), between raters, same order"),
        "same.within": _("κ (WMT), a rater with themselves, same order"),
        "either.between": _("κ, sides turned round, between raters"),
        "either.within": _("κ, sides turned round, a rater with themselves"),
    }
    rows += [_kappa_row(kappa_of(found, name), title) | {"row": name} for name, title in titles.items()]
    words = _(
        "α and κ are 1 when raters always choose the same and 0 when they agree by chance; ordinal α "
        "counts better against worse as farther apart than either against equal. The n of κ are pairs of "
        "answers. WMT compares answers only where the two systems stood on the same sides; with sides turned "
        "round all answers about the same two count."
    )
    return rows, [words]


def kappa_of(found: Row, name: str) -> Row:
    """Return the κ of an order and of pairs of labels ("same.all", …) among what was computed."""
    order, pairs = name.split(".")
    if name == "same.all":
        return dict(found["kappa_wmt"])
    return dict(found["kappa_wmt_apart" if order == "same" else "kappa"][pairs])


def _kappa_row(own: Row, title: str) -> Row:
    remark = own["caveat"]
    if own["comparable"]:
        agree, comparable = f"{own['agree']:,}", f"{own['comparable']:,}"
        remark = _("%(agree)s of %(n)s pairs agree") % {"agree": agree, "n": comparable}
        remark += f"; {own['caveat']}" if own["caveat"] else ""
    return {
        "measure": title,
        "value": own["value"],
        "ci": None if own["low"] is None else [own["low"], own["high"]],
        "n": own["comparable"],
        "caveat": remark,
    }
