"""Typed walks over a snapshot, whole fronts at once: where a pattern ends, and which patterns end at given answers.

A walk serves the whole front at each hop and never steps back onto its start.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from clause.arrays import Ints
from clause.policy.serve.tree import Pattern
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.neighbourhood.snapshot import Rows, Snapshot


class TypedWalks:
    """A snapshot's edges split by relationship type and direction; nodes go in and out by id."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        size = len(snapshot.ids)
        self._row_of = {node: row for row, node in enumerate(snapshot.ids)}
        self._tables: dict[Hop, tuple[Ints, Ints]] = {}
        for rows, forward in ((snapshot.forward, True), (snapshot.backward, False)):
            near = np.repeat(np.arange(size, dtype=np.int32), np.diff(rows.starts))
            for kind, relation in enumerate(snapshot.relations):
                chosen = rows.relations == kind
                table = Rows.build(near[chosen], rows.relations[chosen], rows.ends[chosen], size)
                self._tables[Hop(relation, forward)] = table.starts, table.ends

    def __contains__(self, node: str) -> bool:
        return node in self._row_of

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every node, sorted."""
        return self.snapshot.ids

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every type in every direction."""
        return tuple(self._tables)

    def leaves(self, node: str, hop: Hop) -> bool:
        """True where an edge of that type and direction begins at the node."""
        if node not in self._row_of or hop not in self._tables:
            return False
        starts, row = self._tables[hop][0], self._row_of[node]
        return bool(starts[row + 1] > starts[row])

    def ends(self, start: str, pattern: Sequence[Hop]) -> frozenset[str]:
        """The nodes at which a perfect walk ends; none where the start is not in the graph.

        >>> graph = Snapshot.build({"a": "Heat", "b": "Mann", "c": "Ali"}, [("a", "by", "b"), ("c", "by", "b")])
        >>> TypedWalks(graph).ends("a", [Hop("by", True), Hop("by", False)])
        frozenset({'c'})
        """
        if start not in self._row_of:
            return frozenset()
        front = self._front(start)
        for hop in pattern:
            front = self._onwards(front, hop, self._row_of[start])
        return frozenset(self.snapshot.ids[row] for row in front.tolist())

    def shortest(
        self, start: str, answers: Collection[str], *, max_hops: int = 3, widest: int | None = None
    ) -> tuple[Pattern, ...]:
        """Every pattern of the least length whose walk from `start` ends at exactly `answers`, sorted.

        Needs no question type. Empty where no pattern of at most `max_hops` hops gives the answers. Fronts of more than
        `widest` nodes are not followed; None follows them all.

        >>> graph = Snapshot.build({"a": "Heat", "b": "Mann", "c": "Ali"}, [("a", "by", "b"), ("c", "by", "b")])
        >>> TypedWalks(graph).shortest("a", ["c"]) == ((Hop("by", True), Hop("by", False)),)
        True
        """
        if start not in self._row_of or not all(node in self._row_of for node in answers):
            return ()
        wanted = np.unique(np.fromiter((self._row_of[node] for node in answers), dtype=np.int32))
        level: dict[Pattern, Ints] = {(): self._front(start)}
        for _ in range(max_hops):
            further: dict[Pattern, Ints] = {}
            for pattern, front in level.items():
                for hop in self._tables:
                    reached = self._onwards(front, hop, self._row_of[start])
                    if reached.size > 0 and (widest is None or reached.size <= widest):
                        further[(*pattern, hop)] = reached
            found = tuple(sorted(p for p, ends in further.items() if np.array_equal(ends, wanted)))
            if found or not further:
                return found
            level = further
        return ()

    def _front(self, start: str) -> Ints:
        return np.array([self._row_of[start]], dtype=np.int32)

    def _onwards(self, front: Ints, hop: Hop, start: int) -> Ints:
        reached = self._step(front, hop)
        onwards: Ints = reached[reached != start]
        return onwards

    def _step(self, front: Ints, hop: Hop) -> Ints:
        """The distinct rows that `hop` reaches from the rows of `front`, sorted; a hop of no edge reaches none."""
        if hop not in self._tables:
            return np.empty(0, dtype=np.int32)
        starts, ends = self._tables[hop]
        first, counts = starts[front], starts[front + 1] - starts[front]
        total = int(counts.sum())
        if total == 0:
            return np.empty(0, dtype=np.int32)
        offsets = np.repeat(first - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        return np.unique(ends[offsets + np.arange(total)]).astype(np.int32)
