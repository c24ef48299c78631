"""What the Curator may do next: take an answer's whole walk, all that is missing, or stop; STOP is the first option."""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import CURATOR_OPTION, bounded, logged
from clause.reasoning.episode import Episode
from clause.reasoning.units import edge_unit_id

Floats = NDArray[np.float32]
MOST_ANSWERS = 64
"""Answers among which one decision chooses: the cheapest, a walk's tokens shared out among those who use them."""

PATHS_OF_AN_ANSWER = 4


class Picks:
    """The Curator's options: the walks to the answers as rows of units, and what of them is not picked yet.

    Attributes:
        units: places in the pool [paths, length]; `owner` [paths] numbers the answers.
    """

    def __init__(self, episode: Episode) -> None:
        places = {unit.id: place for place, unit in enumerate(episode.pool)}
        units, owner = [], []
        for number, node in enumerate(episode.front.nodes if episode.front else ()):
            for path in islice(episode.front.paths(node), PATHS_OF_AN_ANSWER):  # type: ignore[union-attr]
                row = [places.get(edge_unit_id(edge), -1) for edge in path.edges]
                if -1 not in row:
                    units.append(row)
                    owner.append(number)
        length = len(units[0]) if units else 0
        self.units: NDArray[np.int64] = np.array(units, dtype=np.int64).reshape(len(units), length)
        self.owner: NDArray[np.int64] = np.array(owner, dtype=np.int64)
        self.tokens = np.array([unit.tokens for unit in episode.pool], dtype=np.float64)

    def options(self, episode: Episode, tokens_left: float) -> tuple[Floats, list[tuple[int, ...]]]:
        """Rows, and for each but STOP the units that it takes: all that is missing, or one answer's cheapest walk."""
        stop = [1.0] + [0.0] * (len(CURATOR_OPTION) - 1)
        rows, takes = [stop], []
        missing = np.ones(len(episode.pool), dtype=bool)
        missing[list(episode.picked)] = False
        lacks = missing[self.units]
        cost = (self.tokens[self.units] * lacks).sum(axis=1)
        order = np.lexsort((np.arange(len(cost)), cost, self.owner))
        cheapest = order[np.append(True, self.owner[order][1:] != self.owner[order][:-1])] if order.size else order
        open_paths = cheapest[cost[cheapest] > 0]
        if not open_paths.size:
            return np.array(rows, dtype=np.float32), []
        wanted = np.unique(self.units[open_paths][lacks[open_paths]])
        total = float(self.tokens[wanted].sum())
        if total <= tokens_left or not episode.hard:
            in_order = dict.fromkeys(self.units[open_paths][lacks[open_paths]].tolist())
            takes.append(tuple(in_order))
            units, sharing, apiece = len(wanted), len(open_paths), total / len(open_paths)
            rows.append(_row(total, tokens_left, units=units, shared=sharing, each=apiece, whole=True))
        share = np.bincount(self.units[open_paths][lacks[open_paths]], minlength=len(missing))
        each = np.where(lacks, self.tokens[self.units] / np.maximum(1, share[self.units]), 0.0).sum(axis=1)
        shared = np.where(lacks, share[self.units], 1).max(axis=1)
        fitting = [path for path in open_paths.tolist() if cost[path] <= tokens_left or not episode.hard]
        for path in sorted(fitting, key=lambda path: (each[path], path))[:MOST_ANSWERS]:
            place = float(self.owner[path]) / max(1, int(self.owner[-1]))
            takes.append(tuple(dict.fromkeys(self.units[path][lacks[path]].tolist())))
            units, sharing, apiece = len(takes[-1]), int(shared[path]), float(each[path])
            rows.append(_row(float(cost[path]), tokens_left, units=units, shared=sharing, each=apiece, place=place))
        return np.array(rows, dtype=np.float32), takes


def _row(
    tokens: float,
    tokens_left: float,
    *,
    units: float,
    shared: float,
    each: float,
    place: float = 0.0,
    whole: bool = False,
) -> list[float]:
    return [
        0.0,
        float(whole),
        bounded(tokens / max(1.0, tokens_left)),
        logged(tokens),
        logged(units),
        logged(shared),
        min(3.0, each / 16),
        float(tokens > tokens_left),
        place,
    ]
