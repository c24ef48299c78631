"""The basins of a snapshot as arrays: how firmly each node is known, and which nodes documents name together.

Axes: n nodes, p ordered pairs (a pair that occurs together stands under both of its nodes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Arrays = Mapping[str, NDArray[np.generic]]

NO_BASIN = 1.0
"""The strength that stands for "no basin"."""


@dataclass(frozen=True, slots=True)
class Basins:
    """Strengths, and co-occurrence in compressed sparse rows.

    Attributes:
        strengths: basin strength of each node, NO_BASIN where there is none, float64 [n].
        starts: where the pairs of each node begin, int32 [n + 1].
        others: the other node of each pair, by row, int32 [p].
        counts: in how many documents the two occur together, int32 [p].
    """

    strengths: NDArray[np.float64]
    starts: Ints
    others: Ints
    counts: Ints

    @classmethod
    def build(
        cls, ids: Sequence[str], strengths: Mapping[str, float], together: Mapping[tuple[str, str], int]
    ) -> Basins:
        """The basins of the nodes `ids`; pairs with other nodes are left out.

        >>> basins = Basins.build(["a", "b", "c"], {"b": 1.4}, {("b", "a"): 3, ("b", "elsewhere"): 9})
        >>> basins.strength(1), basins.strength(2), list(basins.together(1))
        (1.4, 1.0, [(0, 3)])
        """
        row_of = {node: row for row, node in enumerate(ids)}
        pairs = sorted(
            (row_of[node], row_of[other], count)
            for (node, other), count in together.items()
            if node in row_of and other in row_of
        )
        columns = np.array(pairs, dtype=np.int32).reshape(len(pairs), 3)
        starts = np.zeros(len(ids) + 1, dtype=np.int32)
        np.cumsum(np.bincount(columns[:, 0], minlength=len(ids)), out=starts[1:])
        known = np.array([strengths.get(node, NO_BASIN) for node in ids], dtype=np.float64)
        return cls(known, starts, columns[:, 1].copy(), columns[:, 2].copy())

    def strength(self, row: int) -> float:
        """How firmly a node is known; NO_BASIN where it has no basin."""
        return float(self.strengths[row])

    def together(self, row: int) -> Iterator[tuple[int, int]]:
        """(row of the other node, documents that name both) of a node's pairs."""
        span = slice(int(self.starts[row]), int(self.starts[row + 1]))
        return zip(self.others[span].tolist(), self.counts[span].tolist(), strict=True)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What `read` reads, by the names in a snapshot's file."""
        return {
            "basin_strengths": self.strengths,
            "together_starts": self.starts,
            "together_others": self.others,
            "together_counts": self.counts,
        }

    @classmethod
    def read(cls, file: Arrays) -> Basins | None:
        """The basins of a snapshot's file; None in one that was written without."""
        if "basin_strengths" not in file:
            return None
        starts, others, counts = (file[f"together_{name}"].astype(np.int32) for name in ("starts", "others", "counts"))
        return cls(file["basin_strengths"].astype(np.float64), starts, others, counts)
