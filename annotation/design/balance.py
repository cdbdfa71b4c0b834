"""Exchange dealt units between raters until every rater has the systems in even numbers.

A local search by random proposals. It stops as soon as the rules hold, so a deal that keeps them is left
alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]

PENALTY = 10.0
TEMPERATURE = 0.4


@dataclass(frozen=True)
class Rules:
    """What must hold.

    Attributes:
        weights: fair number of items of each system in one item of load [n_systems].
        allowed: largest difference of two systems' deviations from it [n_systems, n_systems].
        width: largest difference of two raters' loads.
        moves: let a unit move to another rater; else exchange units of the same size only, which keeps loads.
    """

    weights: Row
    allowed: Row
    width: int
    moves: bool

    def excess(self, counts: Row, load: float) -> float:
        """Give how far one rater's counts [n_systems] are beyond what is allowed; zero or less is fine."""
        deviation = counts - load * self.weights
        return float((deviation[:, None] - deviation[None, :] - self.allowed).max())


@dataclass(frozen=True)
class Pieces:
    """What is dealt: each piece lies with one rater, two pieces of one unit never with the same.

    Attributes:
        vectors: number of items of each system [n_pieces, n_systems].
        sizes: number of items of each piece.
        units: unit of each piece, from 0.
        eligible: raters each piece may lie with [n_pieces, n_raters]; None for all.
    """

    vectors: Row
    sizes: Sequence[int]
    units: Sequence[int]
    eligible: NDArray[np.bool_] | None = None


class Balancer:
    """Search for an even distribution of pieces over raters.

    Args:
        pieces: what is dealt.
        placed: rater of each piece.
        counts: system counts of every rater apart from the pieces [n_raters, n_systems].
        loads: loads apart from the pieces [n_raters].
        rules: what must hold.
    """

    def __init__(
        self,
        pieces: Pieces,
        placed: Sequence[int],
        counts: Row,
        loads: Row,
        rules: Rules,
        rng: np.random.Generator,
    ) -> None:
        self.pieces, self.rules, self.placed = pieces, rules, list(placed)
        self.counts, self.loads = counts.copy(), loads.astype(float)
        self._rng = rng
        self._holders: list[list[int]] = [[] for _ in range(max(pieces.units, default=-1) + 1)]
        self._of_rater: list[list[int]] = [[] for _ in range(len(loads))]
        self._place = [0] * len(self.placed)
        self._of_size: dict[int, list[int]] = {}
        for piece, rater in enumerate(self.placed):
            self.counts[rater] += pieces.vectors[piece]
            self.loads[rater] += pieces.sizes[piece]
            self._holders[pieces.units[piece]].append(rater)
            self._of_size.setdefault(0 if rules.moves else pieces.sizes[piece], []).append(piece)
            self._add(piece, rater)
        self._mean = float(self.loads.mean())
        self._load_weight = 4.0 / rules.width**2
        self.excess = np.array([rules.excess(*state) for state in zip(self.counts, self.loads, strict=True)])

    def violations(self) -> list[int]:
        """List the raters who break a rule now (with loads too far apart: those with most and least)."""
        broken = np.flatnonzero(self.excess > 1e-9).tolist()
        if self.rules.moves and float(np.ptp(self.loads)) > self.rules.width:
            broken += np.flatnonzero(self.loads == self.loads.max()).tolist()
            broken += np.flatnonzero(self.loads == self.loads.min()).tolist()
        return broken

    def run(self, proposals: int) -> bool:
        """Search until the rules hold; say whether they do after `proposals` attempts at most."""
        broken = self.violations()
        best, best_cost = list(self.placed), self._badness()
        for attempt in range(proposals):
            if not broken or not self.placed:
                break
            if self._propose(broken, TEMPERATURE * (1 - attempt / proposals)):
                broken = self.violations()
                cost = self._badness()
                if cost < best_cost:
                    best, best_cost = list(self.placed), cost
        if broken:
            for piece, rater in enumerate(best):
                self._shift(piece, rater)
        return not self.violations()

    def _badness(self) -> float:
        spread = max(0.0, float(np.ptp(self.loads)) - self.rules.width) if self.rules.moves else 0.0
        return float(np.maximum(self.excess, 0).sum()) + spread

    def _propose(self, broken: Sequence[int], temperature: float) -> bool:
        """Try one move or exchange; say whether it was made."""
        draws = self._rng.random(6).tolist()
        pool = self._of_rater[broken[int(draws[0] * len(broken))]]
        if draws[1] < 0.25 or not pool:
            piece = int(draws[2] * len(self.placed))
        else:
            piece = pool[int(draws[2] * len(pool))]
        source = self.placed[piece]
        if self.rules.moves and draws[3] < 0.4:
            target = int(draws[4] * len(self.loads))
            if not self._may_hold(piece, target):
                return False
            return self._change([(piece, target)], temperature, draws[5])
        others = self._of_size[0 if self.rules.moves else self.pieces.sizes[piece]]
        other = others[int(draws[4] * len(others))]
        target = self.placed[other]
        if not (self._may_hold(piece, target) and self._may_hold(other, source)):
            return False
        return self._change([(piece, target), (other, source)], temperature, draws[5])

    def _may_hold(self, piece: int, rater: int) -> bool:
        eligible = self.pieces.eligible
        if rater in self._holders[self.pieces.units[piece]]:
            return False
        return eligible is None or bool(eligible[piece, rater])

    def _change(self, shifts: Sequence[tuple[int, int]], temperature: float, draw: float) -> bool:
        """Make the shifts (piece, rater) unless they make matters worse than the temperature permits."""
        source, target = self.placed[shifts[0][0]], shifts[0][1]
        before = self._cost(source, target)
        back = [(piece, self.placed[piece]) for piece, _ in shifts]
        for piece, rater in shifts:
            self._shift(piece, rater)
        after = self._cost(source, target)
        if after - before <= -temperature * float(np.log(max(draw, 1e-12))) + 1e-9:
            return True
        for piece, rater in back:
            self._shift(piece, rater)
        return False

    def _cost(self, *raters: int) -> float:
        cost = 0.0
        for rater in raters:
            deviation = self.counts[rater] - self.loads[rater] * self.rules.weights
            cost += float(deviation @ deviation) + PENALTY * max(0.0, float(self.excess[rater]))
            cost += self._load_weight * float(self.loads[rater] - self._mean) ** 2
        if self.rules.moves:
            cost += PENALTY * max(0.0, float(np.ptp(self.loads)) - self.rules.width)
        return cost

    def _add(self, piece: int, rater: int) -> None:
        self._place[piece] = len(self._of_rater[rater])
        self._of_rater[rater].append(piece)

    def _shift(self, piece: int, rater: int) -> None:
        """Lay a piece with another rater."""
        source, pieces = self.placed[piece], self.pieces
        if source == rater:
            return
        moved = self._of_rater[source].pop()
        if moved != piece:
            self._of_rater[source][self._place[piece]] = moved
            self._place[moved] = self._place[piece]
        self._add(piece, rater)
        holders = self._holders[pieces.units[piece]]
        holders[holders.index(source)] = rater
        self.placed[piece] = rater
        for who, sign in ((source, -1), (rater, 1)):
            self.counts[who] += sign * pieces.vectors[piece]
            self.loads[who] += sign * pieces.sizes[piece]
            self.excess[who] = self.rules.excess(self.counts[who], self.loads[who])
