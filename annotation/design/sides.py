"""Choose the sides of pairwise comparisons: even for every rater and system, and not to be guessed.

A rater's comparisons are edges between systems; showing one system left and the other right directs the edge.
All edges start at random. Reversing a path from a system that is left too often to one that is right too
often changes these two only, so repeating it reaches the least possible imbalance (convex flow): at most one
per system when nothing is merged and nothing was shown before. Which of the edges between two systems are
reversed is random.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

Sides = tuple[tuple[int, ...], tuple[int, ...]]


class SideBalancer:
    """Choose sides rater after rater, keeping the whole campaign's imbalance per system small.

    Attributes:
        total: times left less times right of each system, all raters so far [n_systems].
        last: the same for the rater whose sides were chosen last [n_systems].
    """

    def __init__(self, n_systems: int, rng: np.random.Generator) -> None:
        self.total = [0] * n_systems
        self.last = [0] * n_systems
        self._rng = rng

    def choose(self, pairs: Sequence[Sides], shown: Sequence[int] | None = None) -> list[bool]:
        """Choose the sides of one rater's comparisons.

        Args:
            pairs: system indices of the first and of the second candidate of each comparison.
            shown: times left less times right for each system in what the rater has seen already [n_systems].

        Returns:
            For each comparison whether the second candidate is shown left.
        """
        board = _Board(pairs, list(shown or [0] * len(self.total)), self._rng)
        for _ in range(10):
            board.even_out()
            if not board.flip_merged():
                break
        board.lean_against(self.total)
        self.last = board.excess
        self.total = [total + own for total, own in zip(self.total, board.excess, strict=True)]
        return board.swaps


class _Board:
    """One rater's comparisons while their sides are being chosen; `excess` is left less right per system."""

    def __init__(self, pairs: Sequence[Sides], excess: list[int], rng: np.random.Generator) -> None:
        self.pairs = pairs
        self.excess = excess
        self.swaps: list[bool] = (rng.random(len(pairs)) < 0.5).tolist()
        self._rng = rng
        self._edges: dict[tuple[int, int], list[int]] = {}
        self._merged: list[int] = []
        for index, (first, second) in enumerate(pairs):
            left, right = (second, first) if self.swaps[index] else (first, second)
            for system in left:
                excess[system] += 1
            for system in right:
                excess[system] -= 1
            if len(first) == len(second) == 1:
                self._edges.setdefault((left[0], right[0]), []).append(index)
            else:
                self._merged.append(index)

    def even_out(self) -> None:
        """Reverse paths between unmerged comparisons until the sum of squared excesses is least."""
        moved = True
        while moved:
            moved = False
            for system in sorted(range(len(self.excess)), key=lambda s: -self.excess[s]):
                path = self._path(system, [self.excess[system] - own > 2 for own in self.excess])
                if path:
                    self._reverse(path)
                    moved = True
                    break

    def flip_merged(self) -> bool:
        """Flip merged comparisons that lower the sum of squared excesses; say whether there were any.

        A merged comparison has unequal numbers of systems on its sides, so flipping it also moves the sum of
        all excesses, which no path can: where that sum comes nearer to 0, the flip is weighed after
        evening out.
        """
        flipped = False
        for index in self._rng.permutation(self._merged).tolist():
            first, second = self.pairs[index]
            left, right = (second, first) if self.swaps[index] else (first, second)
            gain = sum(self.excess[s] - 1 for s in left) - sum(self.excess[s] + 1 for s in right)
            total = sum(self.excess)
            nearer = abs(total + 2 * (len(right) - len(left))) < abs(total)
            if gain > 0:
                self._flip(index, left, right)
                flipped = True
            elif nearer and max(map(abs, self.excess)) > 1:
                flipped |= self._try_flip(index, left, right)
        return flipped

    def _flip(self, index: int, left: Sequence[int], right: Sequence[int]) -> None:
        self.swaps[index] = not self.swaps[index]
        for system in left:
            self.excess[system] -= 2
        for system in right:
            self.excess[system] += 2

    def _try_flip(self, index: int, left: Sequence[int], right: Sequence[int]) -> bool:
        """Flip and even out; take it back unless the sum of squared excesses became less."""
        before = list(self.excess), list(self.swaps), {ends: list(own) for ends, own in self._edges.items()}
        self._flip(index, left, right)
        self.even_out()
        if sum(own * own for own in self.excess) < sum(own * own for own in before[0]):
            return True
        self.excess[:] = before[0]
        self.swaps, self._edges = before[1], before[2]
        return False

    def lean_against(self, total: Sequence[int]) -> None:
        """Turn single excesses round where that lowers the imbalance `total` of the other raters."""
        for system in self._rng.permutation(len(self.excess)).tolist():
            if self.excess[system] != 1:
                continue
            ahead = total[system] + 1
            path = self._path(
                system,
                [
                    own == -1 and ahead - (rest + own) > 2
                    for own, rest in zip(self.excess, total, strict=True)
                ],
            )
            if path:
                self._reverse(path)

    def _path(self, start: int, ends: Sequence[bool]) -> list[int] | None:
        """Find a shortest path of directed edges from `start` to one of `ends` (breadth first)."""
        if not any(ends):
            return None
        order = self._rng.permutation(len(self.excess)).tolist()
        reached = {start: start}
        queue = [start]
        for here in queue:
            for there in order:
                if there in reached or not self._edges.get((here, there)):
                    continue
                reached[there] = here
                if ends[there]:
                    path = [there]
                    while path[-1] != start:
                        path.append(reached[path[-1]])
                    return path[::-1]
                queue.append(there)
        return None

    def _reverse(self, path: list[int]) -> None:
        for here, there in pairwise(path):
            edges = self._edges[here, there]
            index = edges.pop(int(self._rng.integers(len(edges))))
            self._edges.setdefault((there, here), []).append(index)
            self.swaps[index] = not self.swaps[index]
        self.excess[path[0]] -= 2
        self.excess[path[-1]] += 2
