"""Options of the three agents: typed bundles along the pattern in every size, DELETE, walks, whole answers to pick; and
causes in the ranking of edges.

Bounded by operations, not by the graph: at most 5 bundles a depth, with at most 10 sizes each. DELETE is one option: it
takes out what holds up no answer, as edges of a seed that turned out wrong.

Ours: the published policy knows no causes. The network's inputs stay what it was trained on; only among the edges that
it ranks best, those that share a cause or an effect with the seed change places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from clause.arrays import Doubles, Floats, Longs
from clause.policy.serve.observations import (
    ARCHITECT_OPTION,
    CURATOR_OPTION,
    NAVIGATOR_OPTION,
    Situation,
    bounded,
    logged,
)
from clause.policy.serve.tree import PlanTree, TreeProgress, Worth
from clause.reasoning.agents.scoring import step_score
from clause.reasoning.episode.actions import AddBundle, Backtrack, Continue, Delete, StopReason
from clause.reasoning.episode.budget import edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Hop

EFFICIENCY = ARCHITECT_OPTION.index("efficiency")
NODE_OPTIONS = 4
"""Nodes of a front that may be served alone: those reached last, so that depth first can be expressed."""


@dataclass(slots=True)
class Bundles:
    """The Architect's options: `actions[i]` belongs to row i + 1; `depths[i]` is its depth, -1 for DELETE."""

    rows: list[list[float]] = field(default_factory=list)
    actions: list[AddBundle | Delete] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    def stop_reason(self, *, more: bool) -> StopReason:
        """The reason for which the Architect stops here; `more` says whether the plan has fresh edges."""
        if any(isinstance(action, AddBundle) for action in self.actions):
            return "GAIN_NEGATIVE"
        return "BUDGET_EXHAUSTED" if more else "COMPLETE"

    def features(self) -> Floats:
        """All rows, STOP first, float32 [n + 1, ARCHITECT_OPTION]."""
        stop = [1.0] + [0.0] * (len(ARCHITECT_OPTION) - 1)
        rows = np.array([stop, *self.rows], dtype=np.float32)
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
    found = Bundles()
    tree, fresh = prospect.tree, prospect.progress.fresh
    open_depths = [depth for depth, edges in enumerate(fresh) if edges.any()]
    for depth in open_depths:
        place = prospect.progress.places[depth]
        assert place is not None  # noqa: S101 -- fresh edges start at nodes of a front
        deeper = depth + 1
        unfinished = np.unique(tree.levels[deeper].near[fresh[deeper]]).size if deeper < len(tree.levels) else 0
        common = min(1.0, unfinished / 4), float(depth == open_depths[-1])
        for node, age, edges in _groups(prospect, depth):
            for count in episode.counts(len(edges)):
                found.actions.append(AddBundle(place, tree.pattern[depth], count, node))
                found.depths.append(depth)
                row, net_gain = _row(prospect, depth, node, age, edges, count)
                found.rows.append([*row, *common, 0.0, net_gain])
    idle = idle_edges(episode, tree, prospect.progress) if deletes else ()
    if idle and len(idle) <= episode.edge_allowance():
        found.actions.append(Delete(idle))
        found.depths.append(-1)
        found.rows.append(_deletion(episode, prospect, idle))
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
    for age, moment in enumerate(np.unique(when)[::-1][:NODE_OPTIONS].tolist()):
        mine = ranked[when == moment]
        yield names[int(level.near[mine[0]])], age, _distinct(mine, level.far)


def _distinct(edges: Longs, far: Longs) -> Longs:
    """The first edge to each far end, in order."""
    _, first = np.unique(far[edges], return_index=True)
    return edges[np.sort(first)]


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


def _row(  # noqa: PLR0917 -- private, one caller
    prospect: Prospect, depth: int, node: str | None, age: int, edges: Longs, count: int
) -> tuple[list[float], float]:
    """The features up to `answers_at_once`, and the net gain."""
    worth, here = prospect.worth[depth], prospect.here
    taken = edges[:count]
    gain, whole, tokens = (float(values[taken].sum()) for values in worth.columns)
    share = whole / max(1.0, here.edges_left) + tokens / max(1.0, here.tokens_left)
    to_go = len(prospect.tree.levels) - 1 - depth
    row = [
        0.0,
        float(node is None),
        to_go / 3,
        float(to_go == 0),
        logged(count),
        bounded(count / max(1.0, here.edges_left)),
        float(count == len(edges)),
        float(count > here.edges_left),
        age / NODE_OPTIONS,
        logged(gain),
        bounded(whole / max(1.0, here.edges_left)),
        bounded(tokens / max(1.0, here.tokens_left)),
        logged(gain / max(share, 1e-6)),
        0.0,
        logged(count) if to_go == 0 else 0.0,
    ]
    return row, here.net_gain(gain, edges=whole, tokens=tokens)


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


CONSIDERED = 16
"""Edges of one ranking whose causal scores are looked at: the network's best."""

OfEnd = Callable[[str], float | None]
"""The causal score in [0, 1] of a hop to an end node; None where nothing causal is known of it."""


def by_causes(ranks: Floats, ends: Sequence[str], of_end: OfEnd) -> Floats:
    """Ranks [m] of edges to `ends` in which the first CONSIDERED are put in a new order; only the order means anything.

    Each is scored as the heuristic scores a step: 0.7 of the network's preference (the sigmoid of its rank above their
    mean, as in a pairwise choice) + 0.3 of the causal score; the preference alone where that is unknown. Where it is
    unknown of all of them the ranks come back as they were.

    >>> by_causes(np.zeros(3, dtype=np.float32), ["a", "b", "c"], {"a": 0.2, "b": 0.9}.get).argsort().tolist()
    [0, 2, 1]
    """
    best = np.argsort(-ranks, kind="stable")[:CONSIDERED]
    causal = [of_end(ends[place]) for place in best.tolist()]
    if all(score is None for score in causal):
        return ranks
    own = ranks[best].astype(np.float64)
    preferences = 1 / (1 + np.exp(own.mean() - own))
    scores = [step_score(one, score) for one, score in zip(preferences.tolist(), causal, strict=True)]
    order = np.argsort(-np.array(scores), kind="stable")
    changed = ranks.copy()
    changed[best[order]] = own.max() + np.arange(len(best), 0, -1)
    return changed


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
