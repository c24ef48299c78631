"""What the Architect may do next: typed bundles along the pattern, in every size that the episode allows, or DELETE.

Bounded by operations, not by the graph: at most 5 bundles a depth, with at most 10 sizes each. DELETE is one option: it
takes out what holds up no answer, as edges of a seed that turned out wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import ARCHITECT_OPTION, Situation, bounded, logged
from clause.policy.tree import Ints, PlanTree, Progress, Worth
from clause.reasoning.actions import AddBundle, Delete, StopReason
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Edge

Floats = NDArray[np.float32]
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
        """Why the Architect stops here; `more` says whether the plan has fresh edges."""
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
    """What is known along a pattern when the Architect decides.

    `scores[d]` ranks the edges of depth d, so that a bundle of some size is judged by the edges it would hold.
    """

    tree: PlanTree
    progress: Progress
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


def idle_edges(episode: Episode, tree: PlanTree, progress: Progress) -> tuple[Edge, ...]:
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


def whole_front(episode: Episode, tree: PlanTree, progress: Progress) -> AddBundle | None:
    """All fresh edges of the first front that has some; None where there is none."""
    for depth, fresh in enumerate(progress.fresh):
        place = progress.places[depth]
        count = np.unique(tree.levels[depth].far[fresh]).size
        if count and place is not None:
            return AddBundle(place, tree.pattern[depth], count) if count <= episode.edge_allowance() else None
    return None


def _groups(prospect: Prospect, depth: int) -> Iterator[tuple[str | None, int, Ints]]:
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


def _distinct(edges: Ints, far: Ints) -> Ints:
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
    prospect: Prospect, depth: int, node: str | None, age: int, edges: Ints, count: int
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
