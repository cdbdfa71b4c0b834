"""Small campaigns made through the real services, with invented texts."""

import random
from collections.abc import Sequence
from typing import Any

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.campaigns import CampaignOptions, campaign_create, campaign_draft
from annotation.services.selection import PlainTexts, selection_of_texts
from mtcore.services.outputs import output_draft
from mtcore.services.testsets import testset_draft
from mtcore.services.texts import NamedText

WORDS = [
    "river",
    "window",
    "copper",
    "garden",
    "letter",
    "winter",
    "station",
    "morning",
    "lantern",
    "harbour",
    "silver",
    "market",
    "bridge",
    "teacher",
    "violin",
    "orchard",
    "ticket",
    "meadow",
    "engine",
    "pepper",
]


def invented_lines(n: int, *, seed: int, mark: str = "") -> list[str]:
    """Make n different lines; the k-th line has about as many words whatever the seed."""
    lengths = random.Random(n)
    words = random.Random(f"{seed} {mark}")
    return [
        f"{mark}{number} {' '.join(words.choices(WORDS, k=lengths.randint(4, 14)))}."
        for number in range(1, n + 1)
    ]


def named(name: str, lines: Sequence[str]) -> NamedText:
    """Make a text as if it came from a file."""
    return NamedText(name, f"{name}.txt", tuple(lines))


def make_campaign(
    protocol: str = "source_da",
    n_segments: int = 6,
    systems: Sequence[str] = ("OP", "BT"),
    raters: int | Sequence[str] = 3,
    judgements: int = 2,
    seed: int = 1,
    *,
    name: str = "demo",
    languages: str = "en-de",
    identical: Sequence[int] = (),
    owner: Any = None,
    direction: str = "direct",
    texts: dict[str, Sequence[str]] | None = None,
    reference_shown: str = "",
    **more: Any,
) -> Campaign:
    """Make an open, planned campaign whose test set has the campaign's name.

    Args:
        identical: Segments (from 0) for which all systems say the same.
        texts: Lines by system instead of invented ones; "source", "reference" and "other" (a second
            reference) may be among them.
        reference_shown: The reference that translations are held against, when there are two.
        more: Further fields of CampaignOptions (spread, pairs, scale, segments, study …).
    """
    texts = texts or {}
    source = texts.get("source", invented_lines(n_segments, seed=1, mark="Source "))
    reference = texts.get("reference", invented_lines(n_segments, seed=2, mark="Referenz "))
    testset = testset_draft(
        name=name,
        languages=languages,
        sources=[named("source", source)],
        references=[
            named("reference", reference),
            *([named("other", texts["other"])] if "other" in texts else []),
        ],
        direction=direction,
    )
    same = invented_lines(n_segments, seed=3, mark="Gleich ")
    outputs = []
    for number, system in enumerate(systems):
        own = texts.get(system, invented_lines(n_segments, seed=10 + number, mark="Satz "))
        lines = [same[i] if i in identical else line for i, line in enumerate(own)]
        outputs.append(output_draft(system=system, text=named(system, lines), source=named("source", source)))
    plain = PlainTexts(testset, tuple(outputs))
    names = tuple(f"R{n}" for n in range(1, raters + 1)) if isinstance(raters, int) else tuple(raters)
    draft = campaign_draft(
        options=CampaignOptions(
            name=name, protocol=protocol, raters=names, judgements=judgements, seed=seed, **more
        ),
        selection=selection_of_texts(
            plain,
            references=[named for named in (reference_shown,) if named],
            needs_reference=PROTOCOLS[protocol].context == "reference",
            hidden_reference=bool("settings" in more and more["settings"].reference_as_system),
        ),
        texts=plain,
    )
    return campaign_create(draft=draft, owner=owner)
