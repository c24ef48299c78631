"""Fronts: the sets of nodes that a typed pattern reaches from a seed, and how each node was reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from clause.reasoning.neighbourhood import Edge, Hop


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
        """How many hops from the seed."""
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
