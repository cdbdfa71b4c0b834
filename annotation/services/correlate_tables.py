"""Tables of metrics against people: coefficients, tests, pairs, points, segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.services.report.tables import Column, Table, used
from annotation.services.score_table import number

Row = dict[str, Any]
GIVEN = "given"
"""A kind of column whose cells are written already; they stand to the right."""

NOTHING: Row = {"value": None, "ci": None, "n": 0, "caveat": ""}
LEVELS = {
    "system": ("pearson", "spearman", "kendall", "pairwise_accuracy", "soft_pairwise_accuracy"),
    "segment": ("pearson", "spearman", "kendall", "kendall_like", "acc_eq"),
}
HEADINGS = {
    "pearson": gettext_noop("Pearson r"),
    "spearman": gettext_noop("Spearman ρ"),
    "kendall": gettext_noop("Kendall τ-b"),
    "pairwise_accuracy": gettext_noop("Pairs ordered alike"),
    "soft_pairwise_accuracy": gettext_noop("Soft pairwise accuracy"),
    "kendall_like": gettext_noop("Kendall-like τ"),
    "acc_eq": gettext_noop("acc_eq"),
}
DIRECTIONS = {
    "all": gettext_noop("all"),
    "direct": gettext_noop("direct"),
    "reverse": gettext_noop("reverse"),
}
VERDICTS = {
    "opposite": gettext_noop("both: opposite"),
    "people_only": gettext_noop("people only"),
    "metric_only": gettext_noop("metric only"),
    "same": gettext_noop("both: the same"),
    "neither": gettext_noop("neither"),
}
TABLES = ("coefficients", "williams", "pairs", "points", "segments")


def several(rows: Sequence[Row], *keys: str) -> list[Column]:
    """Return the columns that tell rows apart: those with more than one value."""
    titles = {
        "campaign": _("Campaign"), "direction": _("Direction"), "reference": _("Reference"),
        "condition": _("Condition"), "metric_reference": _("Reference"),
    }  # fmt: skip
    shown = [key for key in keys if len({row.get(key) or "" for row in rows}) > 1]
    return [Column(key, titles[key]) for key in shown]


def coefficients_wide(result: Row, level: str) -> Table:
    """Return a row a metric, and a column a coefficient with its interval."""
    rows = [row for row in result["results"] if row["level"] == level]
    shown = [_wide(row, level) for row in rows]
    n_title = _("Systems") if level == "system" else _("Scores")
    names = [name for name in LEVELS[level] if any(name in row["estimates"] for row in rows)]
    columns = [
        Column("metric", _("Metric")),
        *several(shown, "campaign", "direction", "reference"),
        Column("n", n_title, "count"),
        Column("n_segments", _("Segments"), "count"),
        *(Column(name, _(HEADINGS[name]), GIVEN) for name in names),
    ]
    title = {
        "system": _("Metrics against people: systems, with 95 % intervals"),
        "segment": _("Metrics against people: segments, with 95 % intervals"),
    }[level]
    return Table(f"{level}s", title, columns, shown)


def _wide(row: Row, level: str) -> Row:
    cells = {name: estimate_write(own) for name, own in row["estimates"].items()}
    return {
        "metric": metric_title(row),
        "campaign": row["campaign"] or _("all campaigns"),
        "direction": _(DIRECTIONS[row["direction"]]),
        "reference": row["reference"],
        "n": row["n"],
        "n_segments": row["n_segments"],
        **cells,
    }


def titles_of(result: Row) -> dict[str, str]:
    """Return what each metric is called."""
    return {row["metric"]: metric_title(row) for row in result["results"] if row["title"]}


def metric_title(row: Row) -> str:
    """Return what a metric is called, with an arrow where less is better."""
    title = row["title"] or row["metric"]
    return f"{title} ↓" if row["higher_is_better"] is False else str(title)


def estimate_write(own: Row) -> str | None:
    """Write a coefficient with its interval: "0.960 [0.850, 0.990]"."""
    if own["value"] is None:
        return None
    value = number(own["value"], 3)
    return f"{value} [{', '.join(number(end, 3) for end in own['ci'])}]" if own["ci"] else value


def coefficients_long(result: Row) -> Table:
    """Return a row a coefficient, with everything that is known of it."""
    rows = [
        {
            key: row[key]
            for key in (
                "campaign", "protocol", "level", "direction", "human", "reference", "metric",
                "higher_is_better", "n_segments",
            )
        }
        | {
            "higher_is_better": None if row["higher_is_better"] is None else str(row["higher_is_better"]),
            "threshold": row.get("threshold") if name == "kendall_like" else None,
            "epsilon": row.get("epsilon") if name == "acc_eq" else None,
            "metric_signature": row["signature"],
            "reason": row["reason"],
            "coefficient": name,
            "value": own["value"],
            "interval": own["ci"],
            "n": row["n"],
            "n_of_coefficient": own["n"],
            "caveat": own["caveat"],
        }
        for row in result["results"]
        for name, own in (row["estimates"] or {"": NOTHING}).items()
    ]  # fmt: skip
    names = (
        "campaign", "protocol", "level", "direction", "human", "reference", "metric", "higher_is_better",
        "coefficient",
    )  # fmt: skip
    columns = [
        *(Column(name, name) for name in names),
        Column("value", "value", "number", 4),
        Column("interval", "ci", "interval", 4),
        *(Column(name, name, "count") for name in ("n", "n_segments", "n_of_coefficient")),
        *(Column(name, name, "number", 4) for name in ("threshold", "epsilon")),
        *(Column(name, name) for name in ("caveat", "reason", "metric_signature")),
    ]
    return Table("coefficients", _("Metrics against people"), columns, rows)


def williams_table(result: Row) -> Table:
    """Return Williams' tests between metrics."""
    titles = titles_of(result)
    rows = [
        row
        | {name: titles.get(row[name], row[name]) for name in ("first", "second")}
        | {
            "level": {"system": _("systems"), "segment": _("segments")}[row["level"]],
            "direction": _(DIRECTIONS[row["direction"]]),
        }
        for row in result["williams"]
    ]
    columns = [
        Column("first", _("A")),
        Column("second", _("B")),
        Column("level", _("Over")),
        *several(rows, "campaign", "direction", "reference"),
        Column("n", "n", "count"),
        Column("r_first", _("r of A"), "number", 3),
        Column("r_second", _("r of B"), "number", 3),
        Column("r_metrics", _("r of both"), "number", 3),
        Column("t", "t", "number", 2),
        Column("p_greater", _("p, A better"), "p"),
        Column("p_two_sided", _("p, two-sided"), "p"),
        Column("p_bootstrap", _("p, bootstrap over segments"), "p"),
        Column("caveat", _("Beware")),
    ]
    return Table(
        "williams", _("Does metric A agree better with people than metric B?"), used(columns, rows), rows
    )


def pairs_table(result: Row) -> Table:
    """Return what people and metrics say of two systems."""
    titles, order = titles_of(result), list(VERDICTS)
    rows = [
        row
        | {
            "direction": _(DIRECTIONS[row["direction"]]),
            "verdict": _(VERDICTS[row["verdict"]]),
            "metric": titles.get(row["metric"], row["metric"]),
        }
        for row in sorted(result["pairs"], key=lambda row: order.index(row["verdict"]))
    ]
    columns = [
        Column("system_a", _("A")),
        Column("system_b", _("B")),
        *several(rows, "campaign", "direction", "condition", "reference"),
        Column("metric", _("Metric")),
        Column("human_difference", _("People, A − B"), "number", 3),
        Column("p_human", "p", "p"),
        Column("metric_difference", _("Metric, A − B"), "number", 2),
        Column("p_metric", "p", "p"),
        Column("verdict", _("Decided at p < .05")),
    ]
    return Table("pairs", _("Two systems: people and metrics"), columns, rows)


def points_table(result: Row) -> Table:
    """Return the scores of every system, by people and by each metric."""
    metrics = list(dict.fromkeys(name for row in result["points"] for name in row["metrics"]))
    rows = [
        row
        | {"direction": _(DIRECTIONS[row["direction"]]), "direction_key": row["direction"]}
        | {f"metric_{name}": own["value"] for name, own in row["metrics"].items()}
        | {f"n_{name}": own["n_segments"] for name, own in row["metrics"].items()}
        for row in result["points"]
    ]
    titles = titles_of(result)
    columns = [
        Column("system", _("System")),
        *several(rows, "campaign", "direction", "condition", "metric_reference"),
        Column("human", _("People"), "number", 3),
        Column("n_human_segments", _("Segments judged"), "count"),
    ]
    for name in metrics:
        columns.append(Column(f"metric_{name}", titles.get(name, name), "number", 2))
        columns.append(Column(f"n_{name}", _("Segments scored"), "count"))
    same = [
        column.key
        for column in columns
        if column.key.startswith("n_") and column.key != "n_human_segments"
        and all(row.get(column.key) in (None, 0, row["n_human_segments"]) for row in rows)
    ]  # fmt: skip
    kept = [column for column in columns if column.key not in same]
    return Table("points", _("Systems: people and metrics"), used(kept, rows), rows)


def segments_table(result: Row) -> Table:
    """Return the segments on which a metric and people are farthest apart."""
    titles = titles_of(result)
    rows = [
        row
        | {
            "direction": _(DIRECTIONS[row["direction"]]),
            "title": titles.get(row["metric"], row["metric"]),
            "who": f"{row['system']} > {row['against']}" if "against" in row else row["system"],
        }
        for row in result["segments"]
    ]
    columns = [
        Column("segment", _("Segment"), trace="dossier"),
        Column("testset", _("Test set")),
        Column("who", _("System")),
        Column("title", _("Metric")),
        *several(rows, "campaign", "direction", "condition", "reference"),
        Column("raw", _("People, raw"), "number", 1),
        Column("human", _("People"), "number", 3),
        Column("value", _("Metric’s score"), "number", 2),
        Column("value_against", _("of the other"), "number", 2),
        Column("place_human", _("Place by people"), "percent"),
        Column("place_metric", _("Place by metric"), "percent"),
        Column("apart", _("Apart"), "number", 2),
    ]
    return Table(
        "segments", _("Segments on which metric and people are farthest apart"), used(columns, rows), rows
    )


def tables_of(result: Row, name: str) -> list[Table]:
    """Return the tables of a name in TABLES, as people read them."""
    if name == "coefficients":
        found = [coefficients_wide(result, level) for level in LEVELS]
        return [table for table in found if table.rows]
    makers = {
        "williams": williams_table, "pairs": pairs_table, "points": points_table, "segments": segments_table,
    }  # fmt: skip
    return [makers[name](result)]
