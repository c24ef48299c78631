"""Options of the three agents: typed bundles along the pattern in every size, DELETE, walks, whole answers to pick.

Bounded by operations, not by the graph: at most 5 bundles a depth, with at most 10 sizes each. DELETE is one option: it
takes out what holds up no answer, as edges of a seed that turned out wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from clause.arrays import Doubles, Flags, Floats, Longs
from clause.policy.serve.observations import (
    ARCHITECT_OPTION,
    CURATOR_OPTION,
    NAVIGATOR_OPTION,
    Situation,
    all_bounded,
    all_logged,
    bounded,
    logged,
    rows_of,
)
from clause.policy.serve.tree import PlanTree, TreeProgress, Worth
from clause.reasoning.episode.actions import AddBundle, Backtrack, Continue, Delete
from clause.reasoning.episode.budget import edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.models.agents import StoppedReason
from clause.reasoning.neighbourhood.port import Edge, Hop

EFFICIENCY = ARCHITECT_OPTION.index("efficiency")
NODE_OPTIONS = 4
"""Nodes of a front that may be served alone: those reached last, so that depth first can be expressed."""


@dataclass(slots=True)
class Bundles:
    """The Architect's options: `actions[i]` belongs to row i + 1; `depths[i]` is its depth, -1 for DELETE.

    `offers` are the numbers of the bundles, see OFFER; `deletion` is DELETE's row, if it is offered.
    """

    here: Situation
    offers: list[tuple[float, ...]] = field(default_factory=list)
    deletion: list[float] | None = None
    actions: list[AddBundle | Delete] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    def stop_reason(self, *, more: bool) -> StoppedReason:
        """The reason for which the Architect stops here; `more` says whether the plan has fresh edges."""
        if any(isinstance(action, AddBundle) for action in self.actions):
            return "GAIN_NEGATIVE"
        return "BUDGET_EXHAUSTED" if more else "COMPLETE"

    def features(self) -> Floats:
        """All rows, STOP first, float32 [n + 1, ARCHITECT_OPTION]."""
        stop = np.zeros((1, len(ARCHITECT_OPTION)), dtype=np.float32)
        stop[0, 0] = 1.0
        deletions = [] if self.deletion is None else [np.array([self.deletion], dtype=np.float32)]
        rows = np.concatenate([stop, _rows(self.offers, self.here), *deletions])
        best = rows[:, EFFICIENCY].max(initial=1e-6)
        rows[:, EFFICIENCY + 1] = rows[:, EFFICIENCY] / max(float(best), 1e-6)
        return rows


@dataclass(frozen=True, slots=True)
class Prospect:
    """The view along a pattern when the Architect decides.

    `scores[d]` ranks the edges of depth d, so that a bundle of some size is judged by the edges it would hold.
    """

    tree: PlanTree
    progress: TreeProgress
    worth: Sequence[Worth]
    scores: Sequence[Floats]
    here: Situation


def bundles(episode: Episode, prospect: Prospect, *, deletes: bool = True) -> Bundles:
    """Whole fronts and single nodes with fresh edges; then, where `deletes`, what could be deleted."""
    found = Bundles(prospect.here)
    tree, fresh = prospect.tree, prospect.progress.fresh
    open_depths = [depth for depth, edges in enumerate(fresh) if edges.any()]
    for depth in open_depths:
        place = prospect.progress.places[depth]
        assert place is not None  # noqa: S101 -- fresh edges start at nodes of a front
        to_go = len(tree.levels) - 1 - depth
        unfinished = np.count_nonzero(np.bincount(tree.levels[depth + 1].near[fresh[depth + 1]])) if to_go else 0
        common = to_go, min(1.0, unfinished / 4), depth == open_depths[-1]
        worth = np.array(prospect.worth[depth].columns)
        for node, age, edges in _groups(prospect, depth):
            sums = worth[:, edges].cumsum(axis=1).T.tolist()
            for count in episode.counts(len(edges)):
                found.actions.append(AddBundle(place, tree.pattern[depth], count, node))
                found.depths.append(depth)
                found.offers.append((*common, node is None, age, count, count == len(edges), *sums[count - 1]))
    idle = idle_edges(episode, tree, prospect.progress) if deletes else ()
    if idle and len(idle) <= episode.edge_allowance():
        found.actions.append(Delete(idle))
        found.depths.append(-1)
        found.deletion = _deletion(episode, prospect, idle)
    return found


def idle_edges(episode: Episode, tree: PlanTree, progress: TreeProgress) -> tuple[Edge, ...]:
    """The edges of the subgraph that hold up no answer of the tree: off the plan, or leading to no reached end."""
    added = episode.subgraph.edges
    if not added:
        return ()
    holding = progress.recency[-1] > 0
    useful: set[Edge] = set()
    for depth in range(len(tree.levels) - 1, -1, -1):
        level = tree.levels[depth]
        kept = np.array([edge in added for edge in level.edges], dtype=bool) & holding[level.far]
        useful |= {level.edges[place] for place in np.flatnonzero(kept).tolist()}
        holding = np.zeros(len(tree.nodes[depth]), dtype=bool)
        holding[level.near[kept]] = True
    return tuple(edge for edge in added if edge not in useful)


def whole_front(episode: Episode, tree: PlanTree, progress: TreeProgress) -> AddBundle | None:
    """All fresh edges of the first front that has some; None where there is none."""
    for depth, fresh in enumerate(progress.fresh):
        place = progress.places[depth]
        count = np.unique(tree.levels[depth].far[fresh]).size
        if count and place is not None:
            return AddBundle(place, tree.pattern[depth], count) if count <= episode.edge_allowance() else None
    return None


def _groups(prospect: Prospect, depth: int) -> Iterator[tuple[str | None, int, Longs]]:
    """(node, how many nodes were reached since, its fresh edges by falling score); the whole front first."""
    level = prospect.tree.levels[depth]
    fresh = np.flatnonzero(prospect.progress.fresh[depth])
    ranked = fresh[np.argsort(-prospect.scores[depth][fresh], kind="stable")]
    yield None, 0, _distinct(ranked, level.far)
    if depth == 0:
        return
    names = list(prospect.tree.nodes[depth])
    when = prospect.progress.recency[depth][level.near[ranked]]
    for age, moment in enumerate(sorted(set(when.tolist()), reverse=True)[:NODE_OPTIONS]):
        mine = ranked[when == moment]
        yield names[int(level.near[mine[0]])], age, _distinct(mine, level.far)


def _distinct(edges: Longs, far: Longs) -> Longs:
    """The first edge to each far end, in order."""
    ends, places = far[edges], np.arange(len(edges))
    first = np.empty(ends.max() + 1, dtype=np.int64)
    first[ends[::-1]] = places[::-1]  # of the edges to one end the first is written last
    kept: Longs = edges[first[ends] == places]
    return kept


def _deletion(episode: Episode, prospect: Prospect, idle: Sequence[Edge]) -> list[float]:
    here, tree = prospect.here, prospect.tree
    row = dict.fromkeys(ARCHITECT_OPTION, 0.0)
    row["is_delete"] = 1.0
    row["count"] = logged(len(idle))
    row["share_of_edges_left"] = bounded(len(idle) / max(1.0, here.edges_left))
    row["net_gain"] = prospect.here.net_gain(0.0, edges=len(idle))
    row["is_all"] = float(len(idle) == len(episode.subgraph.edges))
    row["exceeds"] = float(len(idle) > here.edges_left)
    row["tokens_to_answers"] = -bounded(sum(tree.tokens.get(edge, 0.0) for edge in idle) / max(1.0, here.tokens_left))
    return list(row.values())


OFFER = (
    "levels_to_go",
    "unfinished_below",
    "deepest",
    "is_whole_front",
    "age",
    "count",
    "is_all",
    "gain",
    "edges_to_answers",
    "tokens_to_answers",
)
"""The numbers of a bundle, of which its features are made."""


def _rows(offers: Sequence[tuple[float, ...]], here: Situation) -> Floats:
    """The features of bundles, float32 [n, ARCHITECT_OPTION]; the share of the best efficiency is left at 0."""
    table = np.array(offers, dtype=np.float64).reshape(-1, len(OFFER))
    to_go, unfinished, deepest, whole, age, count, everything, gain, edges, tokens = table.T
    edges_share = edges / max(1.0, here.edges_left)
    tokens_share = tokens / max(1.0, here.tokens_left)
    counted, last = all_logged(count), (to_go == 0).astype(np.float64)
    columns: tuple[Doubles | Flags | float, ...] = (
        0.0,
        whole,
        to_go / 3,
        last,
        counted,
        all_bounded(count / max(1.0, here.edges_left)),
        everything,
        count > here.edges_left,
        age / NODE_OPTIONS,
        all_logged(gain),
        all_bounded(edges_share),
        all_bounded(tokens_share),
        all_logged(gain / np.maximum(edges_share + tokens_share, 1e-6)),
        0.0,
        counted * last,
        unfinished,
        deepest,
        0.0,
        here.net_gains(gain, edges, tokens),
    )
    return rows_of(columns, len(table))


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
    return np.array(rows, dtype=np.float32).reshape(-1, len(NAVIGATOR_OPTION)), actions


def _clipped(log_probability: float | None) -> float:
    return -2.0 if log_probability is None else max(-2.0, log_probability / 5)


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
            rows.append(
                _pick_row(total, tokens_left, units=len(wanted), shared=len(still_open), each=apiece, whole=True)
            )
            rows[-1][-1] = here.net_gain(len(still_open), tokens=total)
        siblings = np.bincount(self.prefix[still_open])
        fitting = [place for place, path in enumerate(still_open) if cost[path] <= tokens_left or not episode.hard]
        for place in sorted(fitting, key=lambda place: (rate[place], place))[:MOST_ANSWERS]:
            path = int(still_open[place])
            takes.append(tuple(dict.fromkeys(self.units[path][lacks[path]].tolist())))
            rows.append(
                _pick_row(
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


def _pick_row(
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
