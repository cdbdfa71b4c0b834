"""What a run made, for people: a few figures in words, scores as a table; the rest stays JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from mtcore.models import Run
from mtcore.views.words import duration, figure, grouped, size

Facts = list[tuple[str, str]]
Row = dict[str, Any]
MOST_ROWS = 300
SCORED = ("score_outputs", "compare_fluency")
"""Kinds of runs whose results have scores of outputs and comparisons of systems."""
_SMALL = 0.0001


def result_facts(run: Run) -> Facts:
    """Return the figures of a result in words; none where nothing is known of its kind."""
    result = run.result
    if not isinstance(result, Mapping):
        return []
    if run.kind == "preflight":
        return _preflight(result)
    return _plain(result) if run.kind in ("score_lm", "train_model", "train_lm") else []


def result_scores(run: Run) -> list[Row]:
    """Return the scores of outputs as rows; none of other kinds."""
    result = run.result
    if run.kind not in SCORED or not isinstance(result, Mapping):
        return []
    return [_score(one) for one in _rows(result, "results")[:MOST_ROWS]]


def result_comparisons(run: Run) -> list[Row]:
    """Return the comparisons of systems as rows; none of other kinds."""
    result = run.result
    if run.kind not in SCORED or not isinstance(result, Mapping):
        return []
    return [_comparison(one) for one in _rows(result, "comparisons")[:MOST_ROWS]]


def _words() -> dict[str, str]:
    return {
        "lm": _("Language model"),
        "perplexity_word": _("Perplexity per word"),
        "perplexity_word_without_ends": _("Perplexity per word, ends of lines left out"),
        "perplexity_subword": _("Perplexity per subword"),
        "lines": _("Lines"),
        "blank": _("blank"),
        "words": _("Words"),
        "oov": _("Unknown words"),
        "unit": _("Unit"),
        "engine": _("Engine"),
        "updates": _("Updates"),
        "subwords": _("Subwords"),
        "training_seconds": _("Training"),
        "checkpoint_sha256": _("Checkpoint, SHA-256"),
    }


def _plain(result: Mapping[str, Any]) -> Facts:
    """Return the single values of a result that have words."""
    found = []
    for name, words in _words().items():
        value = result.get(name)
        if value is None or isinstance(value, Mapping | list):
            continue
        seconds = name.endswith("_seconds")
        found.append((words, duration(timedelta(seconds=float(value))) if seconds else figure(value)))
    return found


def _preflight(told: Mapping[str, Any]) -> Facts:
    """Write an estimate: how long, how much disk, memory, accelerators."""
    measured = told.get("measured") or {}
    found = [
        (_("All of it would take"), duration(timedelta(seconds=told.get("total_seconds", 0)))),
        *(
            (str(name), duration(timedelta(seconds=value)))
            for name, value in (told.get("seconds") or {}).items()
        ),
        (_("Updates"), grouped(int(told.get("updates") or 0))),
    ]
    if "seconds_an_update" in measured:
        found.append((_("Seconds an update"), figure(measured["seconds_an_update"])))
    if "decode_lines_per_second" in measured:
        found.append((_("Lines translated a second"), figure(measured["decode_lines_per_second"])))
    found += [
        (_("Disk"), size(int(told.get("total_disk_bytes") or 0))),
        (_("Memory"), size(int(told.get("memory_bytes") or 0))),
    ]
    if told.get("gpu_hours"):
        found.append((_("Hours of accelerators"), figure(told["gpu_hours"])))
        found.append((_("Memory of accelerators"), size(int(told.get("gpu_memory_bytes") or 0))))
    if told.get("assumed"):
        found.append((_("Assumed"), "; ".join(map(str, told["assumed"]))))
    return found


def _rows(result: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    rows = result.get(name)
    return [one for one in rows if isinstance(one, Mapping)] if isinstance(rows, list) else []


def _score(one: Mapping[str, Any]) -> Row:
    condition = one.get("condition") or " → ".join(filter(None, (one.get("input"), one.get("reference"))))
    return {
        "system": one.get("system", ""),
        "condition": condition or "–",
        "direction": one.get("direction") or "–",
        "metric": one.get("metric", ""),
        "value": _number(one.get("value")),
        "ci": _interval(one.get("ci")),
        "n": grouped(int(one.get("n_segments") or 0)),
        "reason": one.get("reason", ""),
        "signature": one.get("signature", ""),
    }


def _comparison(one: Mapping[str, Any]) -> Row:
    p = one.get("p")
    return {
        "pair": f"{one.get('a', '')} − {one.get('b', '')}",
        "metric": one.get("metric", ""),
        "direction": one.get("direction") or "–",
        "difference": _number(one.get("difference")),
        "ci": _interval(one.get("ci")),
        "p": "–" if p is None else f"< {_SMALL}" if p < _SMALL else f"{p:.4f}",
        "test": one.get("test", ""),
        "reason": one.get("reason", ""),
    }


def _number(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "–"


def _interval(bounds: Any) -> str:
    return f"{bounds[0]:.2f} – {bounds[1]:.2f}" if isinstance(bounds, list) and len(bounds) == 2 else ""
