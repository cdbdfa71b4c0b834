"""From statistical records to the scores that people read: nothing here asks the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.services.correction_notes import correction_notes
from annotation.services.notation import Notations
from annotation.services.records import Comparisons
from annotation.services.score_notes import notes, round_note
from annotation.stats.aggregate import listed_entries
from annotation.stats.options import ScoreOptions, signature
from annotation.stats.preference import score_comparisons
from annotation.stats.records import Entry, RatingTable
from annotation.stats.rounds import numbers_again
from annotation.stats.score import CONDITION_KEYS, score_ratings
from annotation.stats.significance import holm

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Judged:
    """What was judged in one campaign, or in several taken together.

    Attributes:
        protocol: how people were asked.
        records: ratings or comparisons.
        notations: how conditions are written.
        assigned: live assignments.
        done: those answered.
    """

    protocol: str
    records: RatingTable | Comparisons
    notations: Notations
    assigned: int
    done: int

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody has judged anything; identical pairs alone say nothing."""
        if isinstance(self.records, RatingTable):
            return not len(self.records.score)
        return not any(self.records.shown.values())


def scores_compute(judged: Judged, options: ScoreOptions, versions: Mapping[str, str]) -> Row:
    """Return signature, systems, pairs, raters (and position, for preferences) and notes.

    By condition, rows follow the order of `Notations.place`; otherwise `pooled` names the conditions that
    were taken together, when there are several.

    Args:
        judged: not empty.
        options: how to score.
        versions: of the code and its libraries, for the signature.

    Raises:
        ValueError: the options do not fit what was judged.
    """
    if isinstance(judged.records, RatingTable):
        scores = score_ratings(judged.records, options)
    else:
        scores = _score_comparisons(judged.records, options)
    if options.by_condition:
        for row in (*scores["systems"], *scores["pairs"]):
            row["notation"] = judged.notations.write(*(row[key] for key in CONDITION_KEYS))
        for part in ("systems", "pairs"):
            scores[part].sort(key=lambda row: judged.notations.place(*(row[key] for key in CONDITION_KEYS)))
    else:
        scores["pooled"] = _pooled(judged)
    exclusions = sum(1 for row in scores["raters"] if row["excluded_by"])
    record = "rating" if isinstance(judged.records, RatingTable) else "comparison"
    line = signature(options, judged.protocol, exclusions, versions, record)
    again: list[str] = []
    if isinstance(judged.records, RatingTable):
        again = round_note(numbers_again(judged.records), options.disagreement)
    said = [
        *again,
        *notes(scores, judged.assigned, judged.done, options.unit),
        *correction_notes(scores["pairs"], options),
    ]
    return {"signature": line, **scores, "notes": said}


def _pooled(judged: Judged) -> list[str]:
    """Return how the conditions are written that scores are taken over; nothing for a single one."""
    conditions = {tuple(getattr(entry, key) for key in CONDITION_KEYS) for entry in entries_of(judged)}
    if len(conditions) < 2:
        return []
    ordered = sorted(conditions, key=lambda keys: judged.notations.place(*keys))
    return [judged.notations.write(*keys) or keys[0] or "" for keys in ordered]


def _score_comparisons(found: Comparisons, options: ScoreOptions) -> Row:
    scores = score_comparisons(found.all_shown(), found.all_identical(), options)
    if not options.by_condition:
        return scores
    whole, conditions = dict(scores), found.conditions()
    for part in ("systems", "pairs"):
        scores[part] = []
    for condition in conditions:
        parts = (found.shown.get(condition, []), found.identical.get(condition, []))
        own = score_comparisons(*parts, options) if len(conditions) > 1 else whole
        keys = dict(zip(CONDITION_KEYS, condition, strict=True))
        for part in ("systems", "pairs"):
            scores[part] += [row | keys for row in own[part]]
    if options.correction == "holm":  # over the pairs of all conditions
        signs = np.array([row["p_sign_majority_two_sided"] for row in scores["pairs"]], dtype=np.float64)
        for row, p_value in zip(scores["pairs"], holm(signs).tolist(), strict=True):
            row["p_holm"] = p_value
    return scores


def tables_merge(tables: Sequence[RatingTable]) -> RatingTable:
    """Put the ratings of several campaigns of one study together; raters of one name are one person.

    A rater excluded in one campaign and not in another is not excluded from the whole: the ratings of the
    former leave the averages and stay in the rater's mean and spread.
    """
    reasons: dict[str, set[str]] = {}
    for table in tables:
        for code in np.unique(table.rater):
            reasons.setdefault(table.raters[code], set()).add(table.excluded_by[code])
    merged = [_without_partly_excluded(table, reasons) for table in tables]
    offsets = [
        np.cumsum([0, *(len(getattr(table, what)) for table in merged[:-1])])
        for what in ("raters", "segments", "entries", "score")
    ]
    parts = list(zip(merged, *offsets, strict=True))
    return RatingTable(
        rater=np.concatenate([table.rater + rater for table, rater, _, _, _ in parts]),
        segment=np.concatenate([table.segment + segment for table, _, segment, _, _ in parts]),
        kind=np.concatenate([table.kind for table in merged]),
        score=np.concatenate([table.score for table in merged]),
        credit_rating=np.concatenate([table.credit_rating + row for table, _, _, _, row in parts]),
        credit_entry=np.concatenate([table.credit_entry + entry for table, _, _, entry, _ in parts]),
        raters=[name for table in merged for name in table.raters],
        segments=[segment for table in merged for segment in table.segments],
        entries=[entry for table in merged for entry in table.entries],
        excluded_by=[reason for table in merged for reason in table.excluded_by],
        in_averages=np.concatenate([table.averaged for table in merged]),
        round=np.concatenate([table.rounds for table in merged]),
        documents=[document for table in merged for document in table.documents],
        origin=np.concatenate([table.origins for table in merged]),
    ).canonical()


def _without_partly_excluded(table: RatingTable, reasons: Mapping[str, set[str]]) -> RatingTable:
    named = zip(table.raters, table.excluded_by, strict=True)
    partly = np.array([why != "" and "" in reasons.get(name, ()) for name, why in named], dtype=bool)
    if not partly.any():
        return table
    kept = ["" if part else why for why, part in zip(table.excluded_by, partly, strict=True)]
    return replace(table, excluded_by=kept, in_averages=table.averaged & ~partly[table.rater])


def table_with_others(own: RatingTable, others: Sequence[RatingTable]) -> RatingTable:
    """Add what the raters of a campaign rated elsewhere, for their means and spreads only.

    Args:
        own: the campaign's ratings.
        others: ratings of other campaigns of the study, in the same language direction and on the same scale.
    """
    reasons = dict(zip(own.raters, own.excluded_by, strict=True))
    return tables_merge([own, *(_for_spread_only(table, reasons) for table in others)])


def _for_spread_only(table: RatingTable, reasons: Mapping[str, str]) -> RatingTable:
    """Keep the ratings of the named raters, credited to no system and out of all averages."""
    code = np.cumsum([name in reasons for name in table.raters]) - 1
    kept = np.array([name in reasons for name in table.raters], dtype=bool)[table.rater]
    raters = [name for name in table.raters if name in reasons]
    nothing = np.zeros(0, dtype=np.int64)
    return RatingTable(
        rater=code[table.rater[kept]],
        segment=table.segment[kept],
        kind=table.kind[kept],
        score=table.score[kept],
        credit_rating=nothing,
        credit_entry=nothing,
        raters=raters,
        segments=table.segments,
        entries=(),
        excluded_by=[reasons[name] for name in raters],
        in_averages=np.zeros(int(kept.sum()), dtype=bool),
        round=table.rounds[kept],
        documents=table.documents,
        origin=table.origins[kept],
    )


def comparisons_merge(parts: Sequence[Comparisons]) -> Comparisons:
    """Put the comparisons of several campaigns together."""
    merged = Comparisons({}, {})
    for part in parts:
        for condition, shown in part.shown.items():
            merged.shown.setdefault(condition, []).extend(shown)
        for condition, identical in part.identical.items():
            merged.identical.setdefault(condition, []).extend(identical)
    return merged


def entries_of(judged: Judged) -> set[Entry]:
    """Return what is scored: systems in their conditions."""
    if isinstance(judged.records, RatingTable):
        table = judged.records
        return {table.entries[place] for place in np.flatnonzero(listed_entries(table)).tolist()}
    found = set()
    for condition, shown in judged.records.shown.items():
        for one in shown:
            found |= {Entry(system, *condition) for system in (*one.left, *one.right)}
    for condition, identical in judged.records.identical.items():
        for pair in identical:
            found |= {Entry(pair.system_a, *condition), Entry(pair.system_b, *condition)}
    return found
