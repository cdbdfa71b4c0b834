"""Compare two campaigns over the same systems: source-based with reference-based, or any two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.scoring import campaign_score
from annotation.stats.correlation import CorrelationError, correlations
from annotation.stats.metric_agreement import EntryScore, compare_source_and_reference
from annotation.stats.options import ScoreOptions
from annotation.stats.pair_accuracy import pairwise_accuracy
from annotation.stats.records import Entry
from annotation.stats.score import CONDITION_KEYS
from evalplatform.errors import BadInput

Row = dict[str, Any]
LEVEL = 0.05
"""A pair is decided when its two-sided p is below this."""

MEASURES = {"rating": ("z_mean", "raw_mean"), "comparison": ("expected_wins", "win_rate")}
P_VALUES = {"rating": "p_bootstrap_two_sided", "comparison": "p_sign_majority_two_sided"}
SOURCE_AND_REFERENCE = "source_based_with_reference_based"
ANY = "any_two"


def campaigns_compare(
    *,
    first: Campaign,
    second: Campaign,
    options: ScoreOptions,
    user: User | AnonymousUser | None = None,
) -> Row:
    """Put the scores of two campaigns side by side, system by system and condition by condition.

    Systems are matched with their test set, input and direction, and with their reference where both
    campaigns have one; a source-based score stands beside the scores against each reference. Where the
    campaigns share no such condition, systems are matched by name alone.

    Returns:
        Strict JSON: `kind`, `matched_by` ("condition" or "system"), `systems` (both scores and their
        difference, first − second), `correlation` and `correlation_raw` (Pearson with Fisher's interval,
        Spearman, Kendall, `n`, `n_distinct_outputs`), `pairwise_accuracy`, `pairs` (which system each
        campaign prefers, and whether at two-sided p < .05), `decisions` (how often they agree, of the pairs
        that both tested), `left_out`, `notes`.

    Raises:
        BadInput: another language pair, the same campaign twice, or no system in common.
        Conflict: one of them has no judgements yet.
    """
    _check(first, second)
    for by_condition in (True, False):
        chosen = replace(options, by_condition=by_condition)
        results = [
            campaign_score(campaign=one, options=chosen, user=user).result or {} for one in (first, second)
        ]
        matched = list(_matches(results, (first.protocol, second.protocol)))
        if matched:
            return _comparison(results, matched, (first, second), by_condition)
    names = [
        ", ".join(sorted({row["system"] for row in result["systems"]})) or "no judgements of a system"
        for result in results
    ]
    raise BadInput(
        f"“{first.name}” ({names[0]}) and “{second.name}” ({names[1]}) have no system in common.",
        "Compare campaigns about the same systems.",
    )


def _check(first: Campaign, second: Campaign) -> None:
    if first.pk == second.pk:
        raise BadInput(f"“{first.name}” is compared with itself.", "Name two campaigns.")
    pairs = [f"{one.source_language} → {one.target_language}" for one in (first, second)]
    if pairs[0] != pairs[1]:
        raise BadInput(
            f"“{first.name}” is {pairs[0]}, “{second.name}” {pairs[1]}.",
            "Compare campaigns of one language pair.",
        )


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(row["system"], *(row.get(key) for key in CONDITION_KEYS))


def _keys(protocols: Sequence[str]) -> tuple[str, ...]:
    """Return what a matched pair of rows shares; references only where both campaigns have them."""
    both = all(PROTOCOLS[name].context == "reference" for name in protocols)
    return CONDITION_KEYS if both else tuple(key for key in CONDITION_KEYS if key != "reference")


def _matches(results: Sequence[Row], protocols: Sequence[str]) -> Iterator[tuple[Row, Row]]:
    keys = ("system", *_keys(protocols))
    others: dict[tuple[Any, ...], list[Row]] = {}
    for row in results[1]["systems"]:
        others.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    for row in results[0]["systems"]:
        for other in others.get(tuple(row.get(key) for key in keys), []):
            yield row, other


def _comparison(
    results: Sequence[Row],
    matched: Sequence[tuple[Row, Row]],
    campaigns: Sequence[Campaign],
    by_condition: bool,
) -> Row:
    protocols = [campaign.protocol for campaign in campaigns]
    records = [PROTOCOLS[name].record for name in protocols]
    systems = [_system_row(row, other, records) for row, other in matched]
    contexts = [PROTOCOLS[name].context for name in protocols]
    mixed = sorted(contexts) == ["reference", "source"]
    pairs = list(_pairs(results, matched, records, _keys(protocols)))
    shared = [set(map(_entry, side)) for side in zip(*matched, strict=True)]
    left_out = [
        {"campaign": campaign.name, **_entry(row)._asdict()}
        for campaign, result, known in zip(campaigns, results, shared, strict=True)
        for row in result["systems"]
        if _entry(row) not in known
    ]
    found: Row = {
        "first": campaigns[0].name,
        "second": campaigns[1].name,
        "protocols": protocols,
        "kind": SOURCE_AND_REFERENCE if mixed else ANY,
        "matched_by": "condition" if by_condition else "system",
        "measures": [MEASURES[record][0] for record in records],
        "systems": systems,
        "correlation": _correlation(systems, contexts, "", mixed),
        "correlation_raw": _correlation(systems, contexts, "_raw", mixed),
        "pairwise_accuracy": _accuracy(systems),
        "pairs": pairs,
        "decisions": _decisions(pairs),
        "left_out": left_out,
        "signatures": [result["signature"] for result in results],
    }
    return found | {"notes": _notes(found, campaigns)}


def _system_row(row: Row, other: Row, records: Sequence[str]) -> Row:
    """Return a matched system: its scores in both campaigns and their difference."""
    values = [one[MEASURES[record][0]] for one, record in zip((row, other), records, strict=True)]
    raws = [one[MEASURES[record][1]] for one, record in zip((row, other), records, strict=True)]
    known = None not in values
    return {
        "system": row["system"],
        **{key: row[key] if row.get(key) is not None else other.get(key) for key in CONDITION_KEYS},
        "notation_first": row.get("notation"),
        "notation_second": other.get("notation"),
        "first": values[0],
        "second": values[1],
        "difference": values[0] - values[1] if known and records[0] == records[1] else None,
        "first_raw": raws[0],
        "second_raw": raws[1],
    }


def _correlation(systems: Sequence[Row], contexts: Sequence[str], which: str, mixed: bool) -> Row:
    """Correlate both campaigns: `which` is "" for z (or expected wins), "_raw" for raw means (win rates)."""
    places = ("first", "second") if not mixed or contexts[0] == "source" else ("second", "first")
    names = [f"{place}{which}" for place in places]
    rows = [row for row in systems if None not in (row[names[0]], row[names[1]])]
    outputs = {(row["system"], row["testset"], row["input"], row["direction"]) for row in rows}
    if not mixed:
        found = correlations([row[names[0]] for row in rows], [row[names[1]] for row in rows])
        return {**found, "n_distinct_outputs": len(outputs), "caveat": ""}
    source = {_entry(row)._replace(reference=None): row[names[0]] for row in rows}
    reference = [EntryScore(_entry(row), row[names[1]]) for row in rows]
    try:
        found = compare_source_and_reference([EntryScore(*one) for one in source.items()], reference)
    except CorrelationError as error:
        raise BadInput(f"{error}.") from error
    kept = ("n", "n_distinct_outputs", "pearson", "spearman", "kendall", "caveat")
    return {key: found[key] for key in kept}


def _accuracy(systems: Sequence[Row]) -> Row:
    """Return the share of pairs of systems that both campaigns order alike, within conditions."""
    rows = [row for row in systems if None not in (row["first"], row["second"])]
    groups = ["\x1f".join(str(row[key]) for key in CONDITION_KEYS) for row in rows]
    return pairwise_accuracy(
        [row["first"] for row in rows], [row["second"] for row in rows], groups or None
    ).as_dict()


def _pairs(
    results: Sequence[Row], matched: Sequence[tuple[Row, Row]], records: Sequence[str], keys: Sequence[str]
) -> Iterator[Row]:
    """Yield the pairs of systems that both campaigns tested, with what each found."""
    tests = [
        {
            (frozenset((row["system_a"], row["system_b"])), *(row.get(key) for key in CONDITION_KEYS)): row
            for row in result["pairs"]
        }
        for result in results
    ]
    conditions = dict.fromkeys(
        tuple(tuple(row.get(key) for key in CONDITION_KEYS) for row in both) for both in matched
    )
    for own, other in conditions:
        for key, row in tests[0].items():
            beside = tests[1].get((key[0], *other))
            if key[1:] != own or beside is None:
                continue
            found = [_preferred(one, record) for one, record in zip((row, beside), records, strict=True)]
            a, b = sorted(key[0])
            condition = {
                name: one if one is not None else two
                for name, one, two in zip(CONDITION_KEYS, own, other, strict=True)
            }
            yield {
                "system_a": a,
                "system_b": b,
                **condition,
                "first_prefers": found[0][0],
                "first_p": found[0][1],
                "second_prefers": found[1][0],
                "second_p": found[1][1],
                "agreement": _agreement(found),
            }


def _preferred(row: Row, record: str) -> tuple[str | None, float | None]:
    """Return the system that comes out better (None: neither) and the two-sided p."""
    if record == "rating":
        ahead = row["z_difference"] is not None and row["z_difference"] > 0
    else:
        ahead = row["a_better"] > row["b_better"]
    return (row["system_a"] if ahead else None), row[P_VALUES[record]]


def _agreement(found: Sequence[tuple[str | None, float | None]]) -> str:
    """Say how two decisions at LEVEL stand to each other; without a p there was no decision to compare."""
    if any(p is None for _, p in found):
        return "not_comparable"
    decided = [name if p is not None and p < LEVEL else None for name, p in found]
    if decided[0] is None and decided[1] is None:
        return "both_undecided"
    if None in decided:
        return "one_decided"
    return "same_decision" if decided[0] == decided[1] else "opposite_decisions"


def _decisions(pairs: Sequence[Row]) -> Row:
    names = ("same_decision", "both_undecided", "one_decided", "opposite_decisions", "not_comparable")
    counts = {name: sum(1 for row in pairs if row["agreement"] == name) for name in names}
    agreeing = counts["same_decision"] + counts["both_undecided"]
    comparable = len(pairs) - counts["not_comparable"]
    return {**counts, "n": len(pairs), "share_agreeing": agreeing / comparable if comparable else None}


def _notes(found: Row, campaigns: Sequence[Campaign]) -> list[str]:
    notes = []
    if found["matched_by"] == "system":
        notes.append(
            "The campaigns share no test set and input: systems were matched by name, over other segments."
        )
    if found["correlation"]["caveat"]:
        notes.append(f"{found['correlation']['caveat'][:1].upper()}{found['correlation']['caveat'][1:]}.")
    for name in ("pearson", "spearman", "kendall"):
        if found["correlation"][name]["caveat"]:
            notes.append(f"{name.capitalize()}: {found['correlation'][name]['caveat']}.")
    if len(set(found["measures"])) > 1:
        notes.append("The campaigns measure on different scales, so differences are not given.")
    for campaign in campaigns:
        rows = [row for row in found["left_out"] if row["campaign"] == campaign.name]
        if rows:
            named = ", ".join(dict.fromkeys(row["system"] for row in rows))
            notes.append(f"Only in “{campaign.name}”: {len(rows)} scores ({named}).")
    return notes
