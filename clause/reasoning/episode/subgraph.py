"""The working subgraph: what has been read, what was added, and the fronts that typed patterns reach in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node


@dataclass(frozen=True, slots=True)
class Path:
    """One walk from a seed: `nodes` has one more entry than `edges`."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...] = ()

    @property
    def end(self) -> str:
        """The last node."""
        return self.nodes[-1]

    def then(self, edge: Edge) -> Path:
        """This walk and one more edge."""
        return Path((*self.nodes, edge.other(self.end)), (*self.edges, edge))


@dataclass(slots=True)
class Front:
    """The nodes that `pattern` reaches from `seed`; `reached` keeps the edges by which each was reached, in order.

    A root front holds its seed alone. Insertion order is kept: it is the order in which nodes were found.
    """

    seed: str
    pattern: tuple[Hop, ...] = ()
    parent: Front | None = None
    reached: dict[str, list[Edge]] = field(default_factory=dict)

    @classmethod
    def root(cls, seed: str) -> Front:
        """The front before the first hop."""
        return cls(seed, reached={seed: []})

    @property
    def depth(self) -> int:
        """The number of hops from the seed."""
        return len(self.pattern)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes, in the order in which they were reached."""
        return tuple(self.reached)

    def child(self, hop: Hop) -> Front:
        """An empty front one hop further."""
        return Front(self.seed, (*self.pattern, hop), self)

    def reach(self, node: str, edge: Edge) -> bool:
        """Note that `edge` leads to `node`; whether the node is new here. A walk never returns to its seed."""
        if node == self.seed:
            return False
        edges = self.reached.setdefault(node, [])
        if edge not in edges:
            edges.append(edge)
        return len(edges) == 1

    def restricted(self, node: str) -> Front:
        """The same front with one node only."""
        return Front(self.seed, self.pattern, self.parent, {node: self.reached[node]})

    def first_path(self, node: str, allowed: Callable[[Edge], bool]) -> Path | None:
        """The first walk that ends in `node` over allowed edges alone; linear in the edges of the fronts behind.

        >>> edge = Edge("film", "directed_by", "ann")
        >>> front = walk(Front.root("film"), Hop("directed_by", True), {"film": {Hop("directed_by", True): [edge]}})
        >>> front.first_path("ann", lambda _: False) is None
        True
        """
        dead: set[tuple[int, str]] = set()

        def search(front: Front, end: str) -> Path | None:
            if front.parent is None:
                return Path((front.seed,))
            if (front.depth, end) in dead:
                return None
            for edge in front.reached[end]:
                before = edge.other(end)
                if before in front.parent.reached and allowed(edge):
                    path = search(front.parent, before)
                    if path is not None:
                        return path.then(edge)
            dead.add((front.depth, end))
            return None

        return search(self, node)

    def paths(self, node: str) -> Iterator[Path]:
        """Every walk of this pattern that ends in `node`, in the order of discovery.

        There may be exponentially many: take the first few, never all.
        """
        if self.parent is None:
            yield Path((self.seed,))
            return
        for edge in self.reached[node]:
            before = edge.other(node)
            if before in self.parent.reached:
                for path in self.parent.paths(before):
                    yield path.then(edge)


Adjacency = dict[str, dict[Hop, list[Edge]]]
"""node -> hop as seen from that node -> edges."""


def walk(front: Front, hop: Hop, edges_of: Adjacency, nodes: Iterable[str] | None = None) -> Front:
    """The front that `hop` reaches from `front` over the given adjacency.

    >>> e = Edge("film", "directed_by", "ann")
    >>> walk(Front.root("film"), Hop("directed_by", True), {"film": {Hop("directed_by", True): [e]}}).nodes
    ('ann',)
    """
    child = front.child(hop)
    for node in front.nodes if nodes is None else nodes:
        for edge in edges_of.get(node, {}).get(hop, ()):
            child.reach(edge.other(node), edge)
    return child


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
        self._edits = 0
        self._absorbed: dict[tuple[int, Hop], tuple[int, int]] = {}
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
        self._edits += 1
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
        self._edits += 1
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
        now = self._edits, len(self.fronts[front].reached)
        if self._absorbed.get((front, hop)) == now:
            return
        self._absorbed[front, hop] = now
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


def chains(triples: Iterable[Edge], topics: Sequence[str]) -> list[tuple[str, tuple[Edge, ...]]]:
    """Triples laid end to end: walks (start, edges), from the topics on where they touch one.

    >>> walks = chains([Edge("kes", "made_by", "ken"), Edge("up", "made_by", "ken")], ["kes"])
    >>> [(start, [edge.source for edge in edges]) for start, edges in walks]
    [('kes', ['kes', 'up'])]
    """
    made: list[tuple[str, list[Edge], str]] = []
    for edge in triples:
        if made and made[-1][2] in (edge.source, edge.target) and edge not in made[-1][1]:
            start, edges, end = made[-1]
            if not {edge.source, edge.target} & set(topics):
                made[-1] = (start, [*edges, edge], edge.other(end))
                continue
        start = next((end for end in (edge.source, edge.target) if end in topics), edge.source)
        made.append((start, [edge], edge.other(start)))
    return [(start, tuple(edges)) for start, edges, _ in made]
