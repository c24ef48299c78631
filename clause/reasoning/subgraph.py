"""The working subgraph: what has been read, what was added, and the fronts that typed patterns reach in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clause.reasoning.fronts import Adjacency, Front, walk
from clause.reasoning.neighbourhood import Edge, Expansion, Hop, Node

EdgeScore = Callable[[Edge, str], float]
"""s(e | q, G): how good an edge is that leads to a node; larger is better."""


class WorkingSubgraph:
    """Grows by edits; remembers what was read from the store (`known`) apart from what belongs to it (`edges`).

    Args:
        seeds: ids of the seed entities; each is the root of a tree of fronts.
        edge_score: ranks the edges inside a bundle; None keeps the order of the store.
    """

    def __init__(self, seeds: Sequence[str], edge_score: EdgeScore | None = None) -> None:
        self.seeds = tuple(dict.fromkeys(seeds))
        self.nodes: dict[str, Node] = {}
        self.known: Adjacency = {}
        self.edges: dict[Edge, None] = {}
        self.deleted: set[Edge] = set()
        self.adjacency: Adjacency = {}
        self.fronts: list[Front] = [Front.root(seed) for seed in self.seeds]
        self.edges_read = 0
        self.together: dict[tuple[str, str], int] = {}
        self._complete: set[str] = set()
        self._asked: set[tuple[str, Hop]] = set()
        self._children: dict[tuple[int, Hop], int] = {}
        self._edge_score = edge_score

    def learn(self, expansion: Expansion, nodes: Iterable[str], hops: Sequence[Hop] | None = None) -> None:
        """Take in what the store answered when asked for `nodes` (and `hops`)."""
        self.nodes.update(expansion.nodes)
        self.edges_read += expansion.edges_read
        self.together.update(expansion.together)
        for node in nodes:
            by_hop = self.known.setdefault(node, {})
            for hop, edges in expansion.neighbours.get(node, {}).items():
                by_hop[hop] = list(edges)
            if hops is None:
                self._complete.add(node)
            else:
                self._asked.update((node, hop) for hop in hops)

    def missing(self, nodes: Iterable[str], hop: Hop | None = None) -> tuple[str, ...]:
        """The nodes whose neighbours (by `hop`, or all) were never asked for."""
        return tuple(
            node for node in nodes if node not in self._complete and (hop is None or (node, hop) not in self._asked)
        )

    def fresh(self, front: int, hop: Hop, node: str | None = None) -> list[Edge]:
        """Known edges by which `hop` leads from a front (or one node of it) to nodes new to the next front, ranked.

        One edge for each new node; nodes that the subgraph's own edges reach by `hop` are not new.
        """
        source = self.fronts[front]
        reached = walk(source, hop, self.adjacency).reached
        found: dict[str, Edge] = {}
        for near in source.nodes if node is None else (node,):
            for edge in self.known.get(near, {}).get(hop, ()):
                far = edge.other(near)
                if far == source.seed or far in reached or far in found or edge in self.deleted or edge in self.edges:
                    continue
                found[far] = edge
        if self._edge_score is None:
            return list(found.values())
        score = self._edge_score
        return [edge for far, edge in sorted(found.items(), key=lambda item: -score(item[1], item[0]))]

    def next_front(self, front: int, hop: Hop) -> int | None:
        """The place in `fronts` of the front that `hop` reaches in the subgraph; None while it has no node."""
        self._absorb(front, hop)
        return self._children.get((front, hop))

    def add(self, edges: Iterable[Edge]) -> None:
        """Edges become part of the subgraph."""
        for edge in edges:
            self.edges[edge] = None
            self._link(edge.source, Hop(edge.relation, True), edge)
            self._link(edge.target, Hop(edge.relation, False), edge)

    def add_to_front(self, front: int, hop: Hop, edges: Iterable[Edge]) -> None:
        """Edges found by `fresh` become part of the subgraph and of the next front."""
        self.add(edges)
        self._absorb(front, hop)

    def delete(self, edges: Iterable[Edge]) -> None:
        """Edges leave the subgraph for good; fronts shrink to what is still reached."""
        for edge in edges:
            del self.edges[edge]
            self.deleted.add(edge)
            self.adjacency[edge.source][Hop(edge.relation, True)].remove(edge)
            self.adjacency[edge.target][Hop(edge.relation, False)].remove(edge)
        for place in range(len(self.fronts)):
            front = self.fronts[place]
            if front.parent is not None:
                front.reached = walk(front.parent, front.pattern[-1], self.adjacency).reached

    def touching(self) -> set[str]:
        """The nodes of the subgraph: the seeds and every end of an edge."""
        return {*self.seeds, *(end for edge in self.edges for end in (edge.source, edge.target))}

    def _link(self, node: str, hop: Hop, edge: Edge) -> None:
        edges = self.adjacency.setdefault(node, {}).setdefault(hop, [])
        if edge not in edges:
            edges.append(edge)

    def _absorb(self, front: int, hop: Hop) -> None:
        reached = walk(self.fronts[front], hop, self.adjacency)
        if not reached.reached:
            return
        place = self._children.get((front, hop))
        if place is None:
            self._children[front, hop] = len(self.fronts)
            self.fronts.append(reached)
            return
        for node, edges in reached.reached.items():
            for edge in edges:
                self.fronts[place].reach(node, edge)
