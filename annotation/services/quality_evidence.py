"""Read the evidence of quality control from stored answers."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from annotation.design.quality_items import DAMAGED
from annotation.models import Campaign, Item, ItemCandidate, Judgement
from annotation.services.planning import systems_of_items
from annotation.services.records import CHUNK, ratings_read
from annotation.services.report.data import answers_read
from annotation.stats.correlation import is_constant
from annotation.stats.rater_evidence import Answer
from annotation.stats.records import KINDS, RatingTable
from annotation.stats.reliability_choices import ChoiceEvidence

TURNED = {"left": "right", "right": "left", "equal": "equal"}


def rating_answers(campaign: Campaign) -> tuple[list[Answer], RatingTable]:
    """Return every current score as evidence, and the table of them."""
    found, answers = ratings_read(campaign), answers_read(campaign)
    table, rows = found.table, np.searchsorted(answers.judgement, found.judgements)
    return [
        Answer(
            table.raters[table.rater[at]],
            KINDS[table.kind[at]],
            int(answers.pair[row]),
            float(table.score[at]),
            None if np.isnan(answers.seconds[row]) else float(answers.seconds[row]),
            int(answers.order[row]),
        )
        for at, row in enumerate(rows.tolist())
    ], table


def others_agreement(table: RatingTable) -> dict[str, tuple[float, int]]:
    """Correlate each rater's scores of system items with the mean of the other raters' of the same output.

    Returns:
        Correlation and number of items by rater, over three items at least, where both really vary.
    """
    counted = (table.kind == KINDS.index("system"))[table.credit_rating]
    row, entry = table.credit_rating[counted], table.credit_entry[counted]
    rater, score = table.rater[row], table.score[row]
    n = np.maximum(np.bincount(rater, minlength=len(table.raters)), 1)
    mean = np.bincount(rater, weights=score, minlength=len(table.raters)) / n
    centred = score - mean[rater]
    _, place = np.unique(table.segment[row] * len(table.entries) + entry, return_inverse=True)
    size = np.bincount(place) if len(place) else np.zeros(0)
    total = np.bincount(place, weights=centred) if len(place) else np.zeros(0)
    shared = size[place] > 1
    others = (total[place] - centred) / np.maximum(size[place] - 1, 1)
    found = {}
    for code, name in enumerate(table.raters):
        own = shared & (rater == code)
        if own.sum() >= 3 and not is_constant(centred[own]) and not is_constant(others[own]):
            found[name] = float(np.corrcoef(centred[own], others[own])[0, 1]), int(own.sum())
    return found


def choice_evidence(campaign: Campaign) -> dict[str, ChoiceEvidence]:
    """Return what each rater chose, by name."""
    rows = (
        Judgement.objects.current()
        .of_campaign(campaign.pk)
        .exclude(choice="")
        .order_by("assignment__round", "assignment__position", "pk")
        .values_list(
            "assignment__participation__rater__name",
            "assignment__item_id",
            "assignment__item__kind",
            "assignment__item__repeat_of_id",
            "assignment__swap",
            "choice",
            "active_ms",
        )
    )
    turned = set(
        ItemCandidate.objects.filter(
            item__campaign=campaign, position=1, outputs__system__name=DAMAGED
        ).values_list("item_id", flat=True)
    )
    sides: dict[str, list[str]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    chosen: dict[tuple[str, int], str] = {}
    damaged: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    again: list[tuple[str, int, int, str]] = []
    for rater, item, kind, repeat_of, swap, choice, active_ms in rows.iterator(CHUNK):
        sides[rater].append(choice)
        if active_ms is not None:
            seconds[rater].append(active_ms / 1000)
        own = TURNED[choice] if swap else choice  # by candidate: the first one is "left"
        if kind == Item.Kind.SYSTEM:
            chosen[rater, item] = own
        elif kind == Item.Kind.REPEAT and repeat_of:
            again.append((rater, repeat_of, item, own))
        elif kind == Item.Kind.BAD_REFERENCE:
            own = TURNED[own] if item in turned else own
            damaged[rater][("left", "equal", "right").index(own)] += 1
    credited = systems_of_items(campaign) if again else {}
    repeats: dict[str, list[bool]] = defaultdict(list)
    for rater, item, repeat, own in again:
        if (rater, item) in chosen:  # an import may have written the two with their sides the other way round
            turn = credited.get(item, ())[:1] != credited.get(repeat, ())[:1]
            repeats[rater].append(chosen[rater, item] == (TURNED[own] if turn else own))
    return {
        rater: ChoiceEvidence(
            whole=damaged[rater][0],
            neither=damaged[rater][1],
            damaged=damaged[rater][2],
            agreed=sum(repeats[rater]),
            repeats=len(repeats[rater]),
            sides=own,
            seconds=np.array(seconds[rater]),
        )
        for rater, own in sides.items()
    }
