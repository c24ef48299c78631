"""What each agent may do next, as actions beside their features; the first option is always STOP.

Every list is bounded by operations, not by the graph: at most 5 bundles a depth with at most 10 sizes each, and at most
`MOST_ANSWERS` answers for the Curator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import (
    ARCHITECT_OPTION,
    CURATOR_OPTION,
    LOGGED,
    NAVIGATOR_OPTION,
    Situation,
    bounded,
    logged,
)
from clause.policy.tree import PlanTree, Progress, Worth
from clause.reasoning.actions import AddBundle, Backtrack, Continue
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Hop
from clause.reasoning.units import edge_unit_id

Floats = NDArray[np.float32]
NODE_OPTIONS = 4
MOST_ANSWERS = 64
PATHS_OF_AN_ANSWER = 4


@dataclass(slots=True)
class Bundles:
    """The Architect's options: `actions[i]` belongs to row i + 1; `depths[i]` is its depth in the tree."""

    rows: list[list[float]] = field(default_factory=list)
    actions: list[AddBundle] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    def features(self) -> Floats:
        """All rows, STOP first, float32 [n + 1, ARCHITECT_OPTION]."""
        stop = [1.0] + [0.0] * (len(ARCHITECT_OPTION) - 1)
        return np.array([stop, *self.rows], dtype=np.float32)


def bundles(
    episode: Episode,
    tree: PlanTree,
    progress: Progress,
    worth: Sequence[Worth],
    scores: Sequence[NDArray[np.float32]],
    here: Situation,
) -> Bundles:
    """Whole fronts and single nodes along the pattern with fresh edges, in every size the episode allows.

    `scores[d]` ranks the edges of depth d, so that a bundle of some size is judged by the edges it would hold.
    """
    found = Bundles()
    open_depths = [depth for depth, fresh in enumerate(progress.fresh) if fresh.any()]
    for depth in open_depths:
        level, fresh = tree.levels[depth], np.flatnonzero(progress.fresh[depth])
        ranked = fresh[np.argsort(-scores[depth][fresh], kind="stable")]
        unfinished = np.unique(tree.levels[depth + 1].near[progress.fresh[depth + 1]]).size if depth + 1 < len(
            tree.levels
        ) else 0
        groups: list[tuple[str | None, int, NDArray[np.int64]]] = [(None, 0, ranked)]
        if depth:
            names = list(tree.nodes[depth])
            when = progress.recency[depth][level.near[ranked]]
            latest = np.unique(when)[::-1][:NODE_OPTIONS]
            for age, moment in enumerate(latest.tolist()):
                mine = ranked[when == moment]
                groups.append((names[int(level.near[mine[0]])], age, mine))
        for node, age, edges in groups:
            _, first = np.unique(level.far[edges], return_index=True)
            distinct = edges[np.sort(first)]
            sums = [np.cumsum(values[distinct]) for values in (worth[depth].answers, worth[depth].edges, worth[depth].tokens)]
            for count in episode.counts(len(distinct)):
                gain, whole_edges, tokens = (float(total[count - 1]) for total in sums)
                share = whole_edges / max(1.0, here.edges_left) + tokens / max(1.0, here.tokens_left)
                to_go = len(tree.levels) - 1 - depth
                found.actions.append(AddBundle(_place(progress, depth), tree.pattern[depth], count, node))
                found.depths.append(depth)
                found.rows.append(
                    [
                        0.0,
                        float(node is None),
                        to_go / 3,
                        float(to_go == 0),
                        logged(count),
                        bounded(count / max(1.0, here.edges_left)),
                        float(count == len(distinct)),
                        float(count > here.edges_left),
                        age / NODE_OPTIONS,
                        logged(gain),
                        bounded(whole_edges / max(1.0, here.edges_left)),
                        bounded(tokens / max(1.0, here.tokens_left)),
                        float(np.log1p(gain / max(share, 1e-6)) / LOGGED),
                        logged(count) if to_go == 0 else 0.0,
                        min(1.0, unfinished / 4),
                        float(depth == open_depths[-1]),
                    ]
                )
    return found


def _place(progress: Progress, depth: int) -> int:
    place = progress.places[depth]
    assert place is not None  # noqa: S101 -- fresh edges start at nodes of a front
    return place


def walks(
    episode: Episode, tree: PlanTree, log_probabilities: Mapping[Hop | None, float]
) -> tuple[Floats, list[Continue | Backtrack]]:
    """The Navigator's options; `log_probabilities` are those of the next hop here, None standing for STOP."""
    depth = len(episode.trail)
    at_answers = float(depth == len(tree.pattern))
    exceeds = float(episode.spend.steps >= episode.budgets.steps)
    rows = [[1.0, 0.0, _clipped(log_probabilities.get(None)), at_answers, at_answers, 0.0]]
    actions: list[Continue | Backtrack] = []
    for seed, hop in sorted(episode.hops()):
        follows = seed == tree.seed and depth < len(tree.pattern) and tree.pattern[depth] == hop
        rows.append([0.0, 0.0, _clipped(log_probabilities.get(hop)), float(follows), at_answers, exceeds])
        actions.append(Continue(hop, seed=seed))
    if episode.trail and episode.may_walk():
        rows.append([0.0, 1.0, 0.0, 0.0, at_answers, exceeds])
        actions.append(Backtrack())
    features = np.array(rows, dtype=np.float32)
    assert features.shape[1] == len(NAVIGATOR_OPTION)  # noqa: S101
    return features, actions


def _clipped(log_probability: float | None) -> float:
    return -2.0 if log_probability is None else max(-2.0, log_probability / 5)


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
            rows.append(self._row(total, len(wanted), len(open_paths), total / len(open_paths), tokens_left, 0.0, whole=True))
        share = np.bincount(self.units[open_paths][lacks[open_paths]], minlength=len(missing))
        each = np.where(lacks, self.tokens[self.units] / np.maximum(1, share[self.units]), 0.0).sum(axis=1)
        shared = np.where(lacks, share[self.units], 1).max(axis=1)
        fitting = [path for path in open_paths.tolist() if cost[path] <= tokens_left or not episode.hard]
        for path in sorted(fitting, key=lambda path: (each[path], path))[:MOST_ANSWERS]:
            place = float(self.owner[path]) / max(1, int(self.owner[-1]))
            takes.append(tuple(dict.fromkeys(self.units[path][lacks[path]].tolist())))
            rows.append(self._row(cost[path], len(takes[-1]), int(shared[path]), each[path], tokens_left, place))
        return np.array(rows, dtype=np.float32), takes

    @staticmethod
    def _row(
        tokens: float, units: int, shared: int, each: float, tokens_left: float, place: float, *, whole: bool = False
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
