"""Baselines as policies: the agents of the episode machine, under the same masks, prices and receipts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clause.errors import NotFoundError
from clause.lab.baselines.ranked import Greedy, KHop, PageRank
from clause.lab.baselines.relation_path import BreadthFirst, DepthFirst, RelationPath
from clause.reasoning.agents.policy import Policy

BASELINES: Mapping[str, Callable[[], Policy]] = {
    "khop": KHop,
    "pagerank": PageRank,
    "greedy": Greedy,
    "relation-path": RelationPath,
    "relation-path-breadth-first": BreadthFirst,
    "relation-path-depth-first": DepthFirst,
}


def baseline(name: str) -> Policy:
    """The baseline policy called `name`.

    Raises:
        NotFoundError: there is none.

    >>> baseline("khop").name
    'khop'
    """
    try:
        return BASELINES[name]()
    except KeyError:
        raise NotFoundError(
            f"no policy is called {name!r}", remedy=f"known: heuristic, {', '.join(BASELINES)}", field="policy"
        ) from None


__all__ = ["BASELINES", "baseline"]
