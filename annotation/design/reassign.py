"""Give the open work of a rater who leaves to the others, by the rules of the plan.

Whatever lacks judgements is dealt, so the same call fills what an earlier leaving left short once there are
new raters, and raters may leave one after another. Nothing that is done, or with another rater already,
changes hands.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.design.balance import Balancer, Pieces, Rules
from annotation.design.items import PlanItem, PlannedAssignment, Rater, lay_out
from annotation.design.rearrange import arrange
from annotation.design.running import GivenAssignment, Running, name_raters, read_running

__all__ = ["GivenAssignment", "Reassignment", "reassign"]

#: Proposals of the search for even loads and counts: at most, and for each choice between two raters.
PROPOSALS, PROPOSALS_A_CHOICE = 30_000, 300


@dataclass(frozen=True)
class Reassignment:
    """What changes when a rater leaves.

    Attributes:
        released: the leaver's open assignments, to be withdrawn.
        added: new assignments, with their positions and sides.
        order: for every rater who gets something, the rater's other open assignments with new positions and
            sides, in order of position.
        short: what could not be kept, in words for the researcher.
    """

    released: tuple[GivenAssignment, ...]
    added: tuple[PlannedAssignment, ...]
    order: Mapping[Rater, tuple[PlannedAssignment, ...]]
    short: tuple[str, ...]


@dataclass
class _Piece:
    members: tuple[int, ...]
    unit: Hashable
    eligible: NDArray[np.bool_]


def reassign(
    items: Sequence[PlanItem],
    assignments: Sequence[GivenAssignment],
    leaver: Rater | None,
    raters: Sequence[Rater],
    judgements: int,
    rng: np.random.Generator,
    spread: bool = False,
) -> Reassignment:
    """Deal what a leaving rater has not done, and whatever else lacks judgements, to the other raters.

    Args:
        items: the campaign's items.
        assignments: all live assignments, also done ones of raters who left before.
        leaver: who leaves; None only fills what lacks judgements.
        raters: those who may get work (the leaver is left out).
        judgements: judgements wanted for an item.
        rng: source of all randomness.
        spread: whether the campaign deals every item on its own.

    Returns:
        The changes; they depend on the order of the arguments and on the generator only.

    Raises:
        PlanError: an assignment of an unknown item, or malformed items.
    """
    state = read_running(lay_out(items, spread), assignments, leaver, raters, judgements)
    released = tuple(given for given in assignments if given.rater == leaver and not given.done)
    pieces, short = _cut(state, judgements)
    placed, uneven = _place(state, pieces, rng)
    fresh: list[list[int]] = [[] for _ in state.receivers]
    for piece, rater in zip(pieces, placed, strict=True):
        fresh[rater].extend(piece.members)
    lone = _follow(state, released, fresh)
    added, order, close = arrange(state, fresh, rng)
    return Reassignment(released, tuple(added), order, (*short, *uneven, *close, *lone))


def _follow(state: Running, released: Sequence[GivenAssignment], fresh: Sequence[list[int]]) -> list[str]:
    """Give what follows an item for quality control to whoever gets the item, where it lacks judgements."""
    missing = list(state.missing)
    for rater, own in enumerate(fresh):
        for item in list(own):
            for follower in state.layout.followers.get(item, ()):
                if missing[follower] > 0 and not state.has_item[rater, follower]:
                    missing[follower] -= 1
                    own.append(follower)
    number = {item.key: index for index, item in enumerate(state.layout.items)}
    open_followers = {number[given.item] for given in released}
    lone = sum(missing[item] for item in open_followers if state.layout.pair_of[item] is not None)
    if not lone:
        return []
    words = "judgement is" if lone == 1 else "judgements are"
    return [
        f"{lone} {words} not asked for again on items for quality control: their pairs are judged already"
    ]


def _cut(state: Running, judgements: int) -> tuple[list[_Piece], list[str]]:
    """Cut what lacks judgements into pieces for one rater each: segments while possible, else items."""
    pieces: list[_Piece] = []
    lacking: dict[int, int] = {}
    torn = 0
    for unit in state.layout.units:
        levels = [
            tuple(item for item in unit if state.missing[item] >= level)
            for level in range(1, max(state.missing[item] for item in unit) + 1)
        ]
        if not levels:
            continue
        whole = _whole_pieces(state, levels)
        pieces += whole
        if whole:
            continue
        single: list[_Piece] = []
        for item in levels[0]:
            free: NDArray[np.bool_] = np.logical_not(state.has_item[:, item])
            fits = min(state.missing[item], int(free.sum()))
            single += [_Piece((item,), ("item", item), free)] * fits
            if fits < state.missing[item]:
                lacking[item] = state.missing[item] - fits
        torn += len({piece.members for piece in single}) > 1
        pieces += single
    pieces.sort(key=lambda piece: -len(piece.members))
    return pieces, _lack_messages(lacking, judgements) + _torn_message(torn)


def _whole_pieces(state: Running, levels: Sequence[tuple[int, ...]]) -> list[_Piece]:
    """Keep the open items of a unit together, with raters new to the segment or at least to these items."""
    segment = state.layout.segment_of[levels[0][0]]
    seen = state.has_item[:, levels[0][0]] if state.layout.spread else state.has_segment[:, segment]
    strict: NDArray[np.bool_] = np.logical_not(seen)
    if strict.sum() >= len(levels):
        return [_Piece(members, ("unit", levels[0][0]), strict) for members in levels]
    loose: list[NDArray[np.bool_]] = [
        np.logical_not(state.has_item[:, list(members)].any(axis=1)) for members in levels
    ]
    if all(free.sum() >= level for level, free in enumerate(loose, start=1)):
        return [
            _Piece(members, ("unit", levels[0][0]), free) for members, free in zip(levels, loose, strict=True)
        ]
    return []


def _lack_messages(lacking: Mapping[int, int], judgements: int) -> list[str]:
    messages = []
    for lack in sorted(set(lacking.values())):
        number = sum(value == lack for value in lacking.values())
        messages.append(
            f"{number} item{' now has' if number == 1 else 's now have'} {judgements - lack} of {judgements} "
            f"judgements: no rater is left who has not seen {'it' if number == 1 else 'them'}; "
            f"add {lack} rater{'' if lack == 1 else 's'} (add_raters)"
        )
    return messages


def _torn_message(torn: int) -> list[str]:
    if not torn:
        return []
    return [
        f"the open items of {torn} segment{'' if torn == 1 else 's'} go to several raters: none can take all"
    ]


def _place(state: Running, pieces: Sequence[_Piece], rng: np.random.Generator) -> tuple[list[int], list[str]]:
    """Choose the rater of every piece; say which rules the result breaks."""
    if not pieces:
        return [], []
    layout, n_raters = state.layout, len(state.receivers)
    counts = np.zeros((n_raters, len(layout.systems)))
    loads = np.zeros(n_raters)
    for _, item, rater in state.kept:
        if rater >= 0 and layout.pair_of[item] is None:
            counts[rater, list(layout.systems_of[item])] += 1
            loads[rater] += 1
    units = {unit: index for index, unit in enumerate(dict.fromkeys(piece.unit for piece in pieces))}
    rules = Rules(layout.weights, layout.allowed, layout.width, moves=True)
    balancer = Balancer(
        Pieces(
            vectors=np.array([layout.vector(piece.members) for piece in pieces]),
            sizes=[len(piece.members) for piece in pieces],
            units=[units[piece.unit] for piece in pieces],
            eligible=np.array([piece.eligible for piece in pieces]),
        ),
        _first_places(pieces, loads, rng),
        counts,
        loads,
        rules,
        rng,
    )
    choices = sum(int(piece.eligible.sum()) - 1 for piece in pieces)
    balancer.run(min(PROPOSALS, PROPOSALS_A_CHOICE * choices))
    return balancer.placed, _uneven_messages(state, balancer, rules)


def _first_places(
    pieces: Sequence[_Piece], loads: NDArray[np.float64], rng: np.random.Generator
) -> list[int]:
    """Lay each piece, largest first, with the rater who has least, ties at random."""
    loads = loads.copy()
    holders: dict[Hashable, list[int]] = {}
    placed = []
    for piece in pieces:
        taken = holders.setdefault(piece.unit, [])
        free = [rater for rater in np.flatnonzero(piece.eligible).tolist() if rater not in taken]
        rater = min(rng.permutation(free).tolist(), key=lambda rater: loads[rater])
        taken.append(rater)
        loads[rater] += len(piece.members)
        placed.append(rater)
    return placed


def _uneven_messages(state: Running, balancer: Balancer, rules: Rules) -> list[str]:
    messages = []
    loads = balancer.loads
    if float(np.ptp(loads)) > rules.width:
        messages.append(
            f"loads now lie between {int(loads.min())} and {int(loads.max())} items: "
            "the open segments cannot be shared more evenly"
        )
    uneven = [str(state.receivers[rater]) for rater in np.flatnonzero(balancer.excess > 1e-9).tolist()]
    if uneven:
        messages.append(f"the systems are not even any more for {name_raters(uneven)}")
    return messages
