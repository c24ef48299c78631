"""Weak labels: the shortest relationship patterns that lead from a question's topic to exactly its answers."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clause.reasoning.neighbourhood import Hop
from clause.reasoning.snapshot import Rows, Snapshot

Ints = NDArray[np.int32]
Pattern = tuple[Hop, ...]


class HopTable:
    """A snapshot's edges split by relationship type and direction, for whole fronts at once."""

    def __init__(self, snapshot: Snapshot) -> None:
        size = len(snapshot.ids)
        self._tables: dict[Hop, tuple[Ints, Ints]] = {}
        for rows, forward in ((snapshot.forward, True), (snapshot.backward, False)):
            near = np.repeat(np.arange(size, dtype=np.int32), np.diff(rows.starts))
            for kind, relation in enumerate(snapshot.relations):
                chosen = rows.relations == kind
                table = Rows.build(near[chosen], rows.relations[chosen], rows.ends[chosen], size)
                self._tables[Hop(relation, forward)] = table.starts, table.ends

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every type in every direction."""
        return tuple(self._tables)

    def step(self, front: Ints, hop: Hop) -> Ints:
        """The distinct rows that `hop` reaches from the rows of `front`, sorted."""
        starts, ends = self._tables[hop]
        first, counts = starts[front], starts[front + 1] - starts[front]
        total = int(counts.sum())
        if total == 0:
            return np.empty(0, dtype=np.int32)
        offsets = np.repeat(first - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        return np.unique(ends[offsets + np.arange(total)]).astype(np.int32)

    def shortest(
        self, start: int, answers: Collection[int], *, max_hops: int = 3, widest: int = 3000
    ) -> tuple[Pattern, ...]:
        """Every pattern of the least length whose walk from row `start` ends at exactly `answers`, sorted.

        A walk serves the whole front at each hop and never steps back onto its start. Fronts of more than `widest` rows
        are not followed. Empty where no pattern of at most `max_hops` hops gives the answers.
        """
        wanted = np.unique(np.fromiter(answers, dtype=np.int32))
        level: dict[Pattern, Ints] = {(): np.array([start], dtype=np.int32)}
        for _ in range(max_hops):
            further: dict[Pattern, Ints] = {}
            for pattern, front in level.items():
                for hop in self.hops:
                    reached = self.step(front, hop)
                    reached = reached[reached != start]
                    if 0 < reached.size <= widest:
                        further[(*pattern, hop)] = reached
            found = tuple(sorted(p for p, ends in further.items() if np.array_equal(ends, wanted)))
            if found or not further:
                return found
            level = further
        return ()
