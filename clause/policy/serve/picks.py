"""The Curator's options: take an answer's whole walk, all that is missing, or stop; STOP is the first option."""

from __future__ import annotations

from itertools import islice

import numpy as np

from clause.arrays import Doubles, Floats, Longs
from clause.policy.serve.observations import CURATOR_OPTION, Situation, bounded, logged
from clause.reasoning.episode.budget import edge_unit_id
from clause.reasoning.episode.episode import Episode

MOST_ANSWERS = 64
"""Answers among which one decision chooses: those with the fewest tokens for an answer."""

PATHS_OF_AN_ANSWER = 4


class Picks:
    """The Curator's options: the walks to the answers as rows of units, and what of them is not picked yet.

    Attributes:
        units: places in the pool [paths, length].
        owner: which answer each path leads to [paths], rising.
        prefix: paths with the same units but the last share a number [paths].
    """

    def __init__(self, episode: Episode) -> None:
        places = {unit.id: place for place, unit in enumerate(episode.pool)}
        units, owner = [], []
        front = episode.front
        for number, node in enumerate(front.nodes if front else ()):
            for path in islice(front.paths(node), PATHS_OF_AN_ANSWER) if front else ():
                row = [places.get(edge_unit_id(edge), -1) for edge in path.edges]
                if -1 not in row:
                    units.append(row)
                    owner.append(number)
        length = len(units[0]) if units else 1
        self.units: Longs = np.array(units, dtype=np.int64).reshape(len(units), length)
        self.owner: Longs = np.array(owner, dtype=np.int64)
        self.tokens = np.array([unit.tokens for unit in episode.pool], dtype=np.float64)
        prefixes = {prefix: number for number, prefix in enumerate(dict.fromkeys(tuple(row[:-1]) for row in units))}
        self.prefix: Longs = np.array([prefixes[tuple(row[:-1])] for row in units], dtype=np.int64)

    def options(self, episode: Episode, here: Situation, tokens_left: float) -> tuple[Floats, list[tuple[int, ...]]]:
        """Rows, and for each but STOP the units that it takes: all that is missing, or one answer's cheapest walk."""
        rows = [[1.0] + [0.0] * (len(CURATOR_OPTION) - 1)]
        takes: list[tuple[int, ...]] = []
        missing = np.ones(len(episode.pool), dtype=bool)
        missing[list(episode.picked)] = False
        lacks = missing[self.units]
        lacking = self.tokens[self.units] * lacks
        cost = lacking.sum(axis=1)
        still_open = self._cheapest(cost)
        if not still_open.size:
            return np.array(rows, dtype=np.float32), takes
        rate = self._rates(still_open, lacking, tokens_left)
        wanted = list(dict.fromkeys(self.units[still_open][lacks[still_open]].tolist()))
        total = float(self.tokens[wanted].sum())
        if total <= tokens_left or not episode.hard:
            takes.append(tuple(wanted))
            apiece = total / len(still_open)
            rows.append(_row(total, tokens_left, units=len(wanted), shared=len(still_open), each=apiece, whole=True))
            rows[-1][-1] = here.net_gain(len(still_open), tokens=total)
        siblings = np.bincount(self.prefix[still_open])
        fitting = [place for place, path in enumerate(still_open) if cost[path] <= tokens_left or not episode.hard]
        for place in sorted(fitting, key=lambda place: (rate[place], place))[:MOST_ANSWERS]:
            path = int(still_open[place])
            takes.append(tuple(dict.fromkeys(self.units[path][lacks[path]].tolist())))
            rows.append(
                _row(
                    float(cost[path]),
                    tokens_left,
                    units=len(takes[-1]),
                    shared=int(siblings[self.prefix[path]]),
                    each=float(rate[place]),
                    last=float(lacking[path, -1]),
                    place=float(self.owner[path]) / max(1, int(self.owner[-1])),
                )
            )
            rows[-1][-1] = here.net_gain(1.0, tokens=float(rate[place]))
        return _ranked(np.array(rows, dtype=np.float32)), takes

    def _cheapest(self, cost: Doubles) -> Longs:
        """Of each answer that is not supported yet, the walk that lacks the fewest tokens."""
        if not cost.size:
            return np.empty(0, dtype=np.int64)
        order = np.lexsort((np.arange(len(cost)), cost, self.owner))
        first = order[np.append(True, self.owner[order][1:] != self.owner[order][:-1])]
        still_open: Longs = first[cost[first] > 0]
        return still_open

    def _rates(self, still_open: Longs, lacking: Doubles, tokens_left: float) -> Doubles:
        """Tokens for an answer, if the walks with the same units but the last are taken together, as far as they fit.

        The least mean over the m cheapest of them, the common units paid once; what fits not at all costs its own.
        """
        last, prefix = lacking[still_open, -1], self.prefix[still_open]
        common = lacking[still_open, :-1].sum(axis=1)
        order = np.lexsort((last, prefix))
        starts = np.flatnonzero(np.append(True, prefix[order][1:] != prefix[order][:-1]))
        sizes = np.diff(np.append(starts, len(order)))
        sums = np.cumsum(last[order])
        within = sums - np.repeat(sums[starts] - last[order][starts], sizes)
        taken = np.arange(len(order)) - np.repeat(starts, sizes) + 1
        paid = common[order] + within
        means = np.where((paid <= tokens_left) | (taken == 1), paid / taken, np.inf)
        rates = np.empty(len(order))
        rates[order] = np.repeat(np.minimum.reduceat(means, starts), sizes)
        return rates


def _row(
    tokens: float,
    tokens_left: float,
    *,
    units: float,
    shared: float,
    each: float,
    last: float = 0.0,
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
        min(3.0, last / 16),
        float(tokens > tokens_left),
        place,
        0.0,
        0.0,
        0.0,
        0.0,
    ]


def _ranked(rows: Floats) -> Floats:
    """Fill the columns of ranks: 1 / rank among the single answers, by order, by rate and by tokens."""
    single = np.flatnonzero((rows[:, 0] == 0) & (rows[:, 1] == 0))
    for target, source in zip((-4, -3, -2), ("order", "tokens_per_answer", "tokens"), strict=True):
        ranks = np.argsort(np.argsort(rows[single, CURATOR_OPTION.index(source)], kind="stable"), kind="stable")
        rows[single, target] = 1 / (1 + ranks)
    return rows
