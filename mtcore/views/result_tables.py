"""What a run measured or compared as tables: diversity, fluency, translation directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from evalplatform.words import quoted
from mtcore.diversity import MEASURES
from mtcore.models import Run
from mtcore.services.direction_table import reasons_write
from mtcore.services.fluency_own import WHAT
from mtcore.services.texts import whole_sentence
from mtcore.views.words import grouped

MOST_ROWS = 300
LONG = 40
"""Characters from which on a cell of words is given room."""
ARROWS = {"up": " ↑", "down": " ↓"}
MISSING = "–"
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of a run's page; after the first column come `n_words` columns of words, then numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_words: int = 0

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return the heads, each with the style of its column."""
        return [(head, "n" if place > self.n_words else "") for place, head in enumerate(self.heads)]

    @property
    def cells(self) -> list[list[tuple[str, str]]]:
        """Return the rows, each cell with its style."""
        return [[(cell, self._style(cell, place)) for place, cell in enumerate(row)] for row in self.rows]

    def _style(self, cell: str, place: int) -> str:
        if place > self.n_words:
            return "n"
        return "wide" if len(cell) > LONG else ""


def result_tables(run: Run) -> list[Table]:
    """Return the tables of a result; none of kinds that have none."""
    maker = TABLES.get(run.kind)
    if maker is None or not isinstance(run.result, Mapping):
        return []
    return [table for table in maker(run.result) if table.rows]


def result_notes(run: Run) -> list[str]:
    """Return what the reader of a result's tables must know: sentences, or a signature as it is."""
    teller = NOTES.get(run.kind)
    if teller is None or not isinstance(run.result, Mapping):
        return []
    return [text for text in teller(run.result) if text]


def _diversity(result: Result) -> list[Table]:
    texts = [text for text in result.get("texts", ()) if isinstance(text, Mapping)]
    if not texts:
        return []
    return [_measures(texts), _comparisons(result, texts), _lemmas(texts)]


def _measures(texts: Sequence[Result]) -> Table:
    heads = [_("Measure"), *(str(text["name"]) for text in texts)]
    sizes = [("lines", _("Lines")), ("tokens", _("Words")), ("types", _("Different words"))]
    rows = [[words, *(grouped(int(text.get(name) or 0)) for text in texts)] for name, words in sizes]
    by_name = [{one["name"]: one for one in text.get("measures", ())} for text in texts]
    for one in texts[0].get("measures", ()):
        scale = one.get("scale") or 1
        times = "" if scale == 1 else f" × {grouped(int(scale))}"
        title = f"{_title(one['name'])}{ARROWS.get(one.get('direction') or '', '')}{times}"
        rows.append([title, *(_measured(own.get(one["name"])) for own in by_name)])
    return Table(_("Measures"), heads, rows)


def _title(name: str) -> str:
    return MEASURES[name].title if name in MEASURES else name


def _digits(name: str) -> int:
    return MEASURES[name].digits if name in MEASURES else 3


def _measured(one: Result | None) -> str:
    if one is None or one.get("printed") is None:
        return MISSING
    digits, scale = _digits(one["name"]), one.get("scale") or 1
    found = f"{one['printed']:.{digits}f}"
    ends = one.get("ci")
    return f"{found} [{ends[0] * scale:.{digits}f}, {ends[1] * scale:.{digits}f}]" if ends else found


def _comparisons(result: Result, texts: Sequence[Result]) -> Table:
    scales = {one["name"]: one.get("scale") or 1 for one in texts[0].get("measures", ())}
    rows = []
    for one in list(result.get("comparisons", ()))[:MOST_ROWS]:
        name, difference = one["measure"], one.get("difference")
        if difference is None:
            continue
        shown = f"{difference * scales.get(name, 1):+.{_digits(name)}f}".replace("-", "−")
        rows.append([f"{one['a']} − {one['b']}", _title(name), shown, p_value(one.get("p"))])
    return Table(_("Comparisons"), [_("Pair"), _("Measure"), _("Difference"), "p"], rows, n_words=1)


def p_value(value: Any) -> str:
    """Write a p-value."""
    if value is None:
        return MISSING
    return "< .001" if value < 0.001 else f"{value:.3f}"


def _lemmas(texts: Sequence[Result]) -> Table:
    counted = [(text["name"], text["lemma"]) for text in texts if text.get("lemma")]
    forms = list(dict.fromkeys(form for _name, lemma in counted for form in lemma.get("forms", ())))
    heads = [_("Text"), *forms, "H ↑ × 100", "D ↓ × 100"]
    rows = []
    for name, lemma in counted:
        of_forms = [grouped(lemma["forms"][form]) if form in lemma["forms"] else MISSING for form in forms]
        values = (lemma.get("shannon_h"), lemma.get("simpson_d"))
        rows.append(
            [name, *of_forms, *(MISSING if value is None else f"{100 * value:.2f}" for value in values)]
        )
    title = _("Forms of the lemma “%(lemma)s”") % {"lemma": counted[0][1].get("lemma", "")} if counted else ""
    return Table(title, heads, rows)


def _fluency(result: Result) -> list[Table]:
    rows = [[one.get("condition") or MISSING, one["sentence"]] for one in result.get("verdicts", ())]
    return [Table(_("Verdicts"), [_("Condition"), _("Verdict")], rows, n_words=1)]


def _closeness(result: Result) -> list[Table]:
    cells = [one for one in result.get("results", ()) if isinstance(one, Mapping)]
    systems = list(dict.fromkeys(one["system"] for one in cells))
    heads = [
        _("Text"), _("Segments"), *(_("Model of %(system)s ↓") % {"system": name} for name in systems),
    ]  # fmt: skip
    rows = []
    for text in dict.fromkeys(one["text"] for one in cells):
        own = {one["system"]: one for one in cells if one["text"] == text}
        n = max(int(one.get("n_segments") or 0) for one in own.values())
        rows.append(
            [f"{text} ({WHAT.get(text, '')})", grouped(n), *(_perplexity(own[name]) for name in systems)]
        )
    told = [
        [one["text"], f"{one['a']} − {one['b']}", one["sentence"]] for one in result.get("comparisons", ())
    ]
    return [
        Table(_("Perplexity by the word"), heads, rows),
        Table(_("Comparisons"), [_("Text"), _("Pair"), _("Verdict")], told, n_words=2),
    ]


def _perplexity(one: Result) -> str:
    if one.get("value") is None:
        return MISSING
    ends = one.get("ci")
    return f"{one['value']:.1f}" + (f" [{ends[0]:.1f}, {ends[1]:.1f}]" if ends else "")


def _directions(result: Result) -> list[Table]:
    digits = int(result.get("digits") or 1)
    heads = [
        _("System"), _("Direct text"), _("Reverse text"), _("Difference"), _("Direct segments"),
        _("Reverse segments"),
    ]  # fmt: skip
    rows = [
        [
            one["system"], f"{one['direct']:.{digits}f}", f"{one['reverse']:.{digits}f}",
            f"{one['delta']:+.{digits}f}".replace("-", "−"), grouped(one["n_direct"]),
            grouped(one["n_reverse"]),
        ]
        for one in result.get("rows", ())
    ]  # fmt: skip
    return [Table(f"{result.get('title', '')}, {result.get('languages', '')}", heads, rows)]


def _direction_notes(result: Result) -> list[str]:
    one_sided = result.get("one_sided") or ()
    told = [f"Outputs of one side only: {quoted(one_sided)}."] if one_sided else []
    left_out = result.get("left_out") or ()
    told += [reasons_write(left_out)] if left_out else []
    return [*told, str(result.get("signature", ""))]


def _diversity_notes(result: Result) -> list[str]:
    """Say once for each reason which measures have no value, then what the reader must know."""
    found: dict[str, dict[str, None]] = {}
    for text in result.get("texts", ()):
        for one in text.get("measures", ()):
            if one.get("reason"):
                found.setdefault(one["reason"], {})[_title(one["name"])] = None
    reasons = [whole_sentence(f"{', '.join(titles)}: {reason}") for reason, titles in found.items()]
    return [*reasons, *_notices(result)]


def _notices(result: Result) -> list[str]:
    return [whole_sentence(str(one)) for one in result.get("notices", ())]


TABLES = {
    "measure_diversity": _diversity,
    "compare_fluency": _fluency,
    "compare_closeness": _closeness,
    "compare_directions": _directions,
}
"""Kind of run → what makes tables of its result."""
NOTES = {
    "measure_diversity": _diversity_notes,
    "compare_fluency": _notices,
    "compare_closeness": _notices,
    "compare_directions": _direction_notes,
}
"""Kind of run → what says, in sentences, what the reader of these tables must know."""
