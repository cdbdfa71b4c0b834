"""What a browser receives beside the candidates tells nothing of kinds and systems, over many screens.

A learner is given numbers made from everything of a screen but the candidates' text: lengths and characters
of keys, numbers, counts, the context, the shape of the JSON, the order of arrival. It is a ridge classifier
over the features and their squares, tried on screens of raters it has not seen. It must be no better than
chance for kinds and systems, and must find a leak that is planted; so with each protocol.
"""

import json
from copy import deepcopy
from itertools import islice

import numpy as np
import pytest
from scipy.stats import binom

from annotation.models import Assignment
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.screens import Artist
from tests.factories.campaigns import invented_lines, make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.once]
RATERS, SYSTEMS = 6, ("OP", "BT", "C")
SEGMENTS = {"source_da": 220, "reference_da": 180, "pairwise_fluency": 110}


@pytest.fixture(params=SEGMENTS)
def screens(request):
    """Every screen of a large campaign, as browsers get it, and what it is."""
    n_segments = SEGMENTS[request.param]
    shown = {
        "texts": {"other": invented_lines(n_segments, seed=5, mark="Anders ")},
        "reference_shown": "reference",
    }
    campaign = make_campaign(
        request.param, n_segments=n_segments, raters=RATERS, judgements=3, systems=SYSTEMS,
        settings=CampaignSettings(bad_references=0.3, repeats=0.3, reference_as_system=True),
        **(shown if request.param == "reference_da" else {}),
    )  # fmt: skip
    found = []
    for participation in campaign.participations.order_by("pk"):
        own = list(
            participation.assignments.order_by("position")
            .select_related("item__campaign", "item__segment", "participation")
            .prefetch_related("item__candidates__outputs__system", "judgements")
        )
        artist = Artist(campaign, own)
        for number, assignment in enumerate(own, start=1):
            screen = json.loads(json.dumps(artist.draw(assignment, number, len(own)).as_dict(), default=str))
            found.append((participation.pk, screen, assignment))
    return found


def features(screen: dict) -> list[float]:
    """Turn everything but the candidates' texts into numbers."""
    shown = json.loads(json.dumps(screen))
    for candidate in shown["candidates"]:
        candidate["text"] = ""
    whole = json.dumps(shown, ensure_ascii=False)
    key, client = shown["key"], shown["client_key"]
    context = "".join(one["text"] for one in shown["context"])
    return [
        shown["number"], shown["total"], len(whole), len(key), len(client), len(context), context.count(" "),
        len(shown), len(shown["context"]), len(shown["candidates"]), sum(map(ord, key)) % 97,
        sum(map(ord, client)),
        shown["number"] % 2, shown["number"] % 5, sum(character.isdigit() for character in whole),
        *(ord(character) for character in islice(key, 8)),
        *(float(ord(key[0]) % 2**bit >= 2 ** (bit - 1)) for bit in range(1, 6)),
        float(shown["done"]), float(shown["answer"] is None), len(shown["comment"]),
    ]  # fmt: skip


def memories(screens: list) -> np.ndarray:
    """Say of each screen how often its rater had the source before, how long ago, and how often since."""
    rows, seen = [], {}
    for rater, screen, _ in screens:
        own = seen.setdefault((rater, json.dumps([one["text"] for one in screen["context"]])), [])
        times, now = len(own), screen["number"]
        ago = min(now - own[-1], 100) if own else 0
        rows.append(
            [times, *(times == n for n in range(7)), ago, ago * (times > 0), now - own[0] if own else 0]
        )
        own.append(now)
    return np.array(rows, dtype=float)


def hits(rows: np.ndarray, label: np.ndarray, group: np.ndarray, seed: int = 0) -> tuple[int, int]:
    """Return how many labels are told right, and of how many, both labels being as frequent."""
    rng = np.random.default_rng(seed)
    size = min(label.sum(), (~label).sum())
    chosen = np.concatenate([rng.permutation(np.flatnonzero(side))[:size] for side in (label, ~label)])
    rows, label, group = rows[chosen], np.where(label[chosen], 1.0, -1.0), group[chosen]
    sd = rows.std(axis=0)
    rows = (rows - rows.mean(axis=0))[:, sd > 0] / sd[sd > 0]
    rows = np.concatenate([np.ones((len(rows), 1)), rows, rows**2], axis=1)
    right = 0
    for fold in np.unique(group):
        train, test = group != fold, group == fold
        told = rows[train].T @ rows[train] + 5.0 * np.eye(rows.shape[1])
        weights = np.linalg.solve(told, rows[train].T @ label[train])
        right += int((np.sign(rows[test] @ weights) == label[test]).sum())
    return right, len(label)


def shown_first(assignment: Assignment) -> str:
    """Name the system of the first candidate as the rater sees them."""
    sides = list(assignment.item.candidates.all())
    return sides[-1 if assignment.swap else 0].outputs.all()[0].system.name


def labels(screens: list) -> dict[str, np.ndarray]:
    """Say what there is to tell: kinds against system items, and one system against the others.

    Of two candidates it is the system shown first, and whether it is one of the two.
    """
    items = [assignment.item for _, _, assignment in screens]
    kinds = np.array([item.kind for item in items])
    first = np.array([shown_first(assignment) for _, _, assignment in screens])
    there = [{side.outputs.all()[0].system.name for side in item.candidates.all()} for item in items]
    found = {
        "any": kinds != "system",
        **{kind: kinds == kind for kind in ("bad_reference", "repeat", "reference")},
        **{name: first == name for name in SYSTEMS},
    }
    if any(len(names) == 2 for names in there):
        found |= {f"{name} among two": np.array([name in names for names in there]) for name in SYSTEMS}
    return found


CHANCE = 1e-6
"""How often a guess may do so well by chance: keys are random, and many labels are guessed in every run."""


def test_nothing_beside_the_candidates_tells_kinds_or_systems_and_leaks_are_found(screens):
    rows = np.array([features(screen) for _, screen, _ in screens], dtype=float)
    rows = np.hstack([rows, memories(screens)])
    group = np.array([rater for rater, _, _ in screens])
    known = labels(screens)
    found = {name: hits(rows, label, group) for name, label in known.items()}
    assert len(screens) > 2500 and min(n for _, n in found.values()) > 550
    for name, (right, n) in found.items():
        assert right <= binom.ppf(1 - CHANCE, n, 0.5), (name, right, n)
    assert len({tuple(screen) for _, screen, _ in screens}) == 1
    assert not Assignment.objects.exclude(key__regex=r"^[A-Za-z0-9_-]{22}$").exists()
    for leak, label in ((shorter_key, "bad_reference"), (even_number, "OP"), (longer_texts, "bad_reference")):
        told = [
            leak(deepcopy(screen), telling)
            for (_, screen, _), telling in zip(screens, known[label].tolist(), strict=True)
        ]
        right, n = hits(np.array([features(screen) for screen in told], dtype=float), known[label], group)
        assert right > binom.ppf(1 - CHANCE, n, 0.5), leak.__name__


def shorter_key(screen: dict, telling: bool) -> dict:
    screen["key"] = screen["key"][: 21 if telling else 22]
    return screen


def even_number(screen: dict, telling: bool) -> dict:
    screen["number"] = 2 * screen["number"] + telling
    return screen


def longer_texts(screen: dict, telling: bool) -> dict:
    """Lengthen what is shown beside the candidates; where nothing is, what is written above them."""
    text, part = (screen["context"][0], "text") if screen["context"] else (screen["candidates"][0], "label")
    text[part] += " " * (30 * telling)
    return screen
