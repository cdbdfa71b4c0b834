"""A running campaign in numbers: who has what, and what lacks judgements."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.design.items import Layout, PlanError, Rater


@dataclass(frozen=True, slots=True)
class GivenAssignment:
    """An assignment of a running campaign.

    `done` means judged, or already on its rater's screen: such an assignment keeps its position and its
    sides.
    """

    item: Hashable
    rater: Rater
    position: int
    done: bool
    swap: bool = False


@dataclass
class Running:
    """A running campaign once a rater has left.

    Attributes:
        receivers: raters who may get work; other raters have no number but −1.
        kept: every assignment that stays, with the index of its item and the number of its rater.
        missing: judgements still to be dealt, by item.
        has_item: [n_receivers, n_items].
        has_segment: [n_receivers, n_segments].
    """

    layout: Layout
    receivers: list[Rater]
    kept: list[tuple[GivenAssignment, int, int]]
    missing: list[int]
    has_item: NDArray[np.bool_]
    has_segment: NDArray[np.bool_]


def read_running(
    layout: Layout,
    assignments: Sequence[GivenAssignment],
    leaver: Rater | None,
    raters: Sequence[Rater],
    judgements: int,
) -> Running:
    """Put all live assignments into numbers, without the open ones of the leaver.

    Raises:
        PlanError: an assignment names an unknown item.
    """
    number = {item.key: index for index, item in enumerate(layout.items)}
    receivers = [rater for rater in dict.fromkeys(raters) if rater != leaver]
    index = {rater: position for position, rater in enumerate(receivers)}
    has_item = np.zeros((len(receivers), len(layout.items)), dtype=bool)
    has_segment = np.zeros((len(receivers), max(layout.segment_of) + 1), dtype=bool)
    missing = [judgements] * len(layout.items)
    kept = []
    for given in assignments:
        if given.item not in number:
            raise PlanError(f"an assignment names item {given.item!r}, which is not in the campaign")
        if given.rater == leaver and not given.done:
            continue
        item, rater = number[given.item], index.get(given.rater, -1)
        kept.append((given, item, rater))
        missing[item] -= 1
        if rater >= 0:
            has_item[rater, item] = True
            has_segment[rater, layout.segment_of[item]] = True
    return Running(layout, receivers, kept, missing, has_item, has_segment)


def name_raters(names: Sequence[str]) -> str:
    """Write the number of some raters and the first few names."""
    shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{len(names)} rater{'' if len(names) == 1 else 's'} ({shown})"
