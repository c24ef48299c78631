"""The narrow port through which the agents read the graph.

Two implementations pass the same checks (tests/contract): `clause.reasoning.neighbourhood.neo4j.Neo4jNeighbourhood`
(one query for one frontier) and `clause.reasoning.neighbourhood.snapshot.Snapshot` (numpy CSR in memory, for training).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from clause.arrays import Vector
from clause.intelligence.curiosity import RunningMean


class Hop(NamedTuple):
    """One relationship type in one direction: `forward` is from head to tail.

    >>> Hop("directed_by", forward=False).inverse
    Hop(relation='directed_by', forward=True)
    """

    relation: str
    forward: bool

    @property
    def inverse(self) -> Hop:
        """The same relationship type, the other way."""
        return Hop(self.relation, not self.forward)


class Edge(NamedTuple):
    """A relationship as it is stored, head to tail; `source` and `target` are node ids."""

    source: str
    relation: str
    target: str

    def other(self, node: str) -> str:
        """The end that is not `node` (a self-loop's end is itself)."""
        return self.target if node == self.source else self.source


@dataclass(frozen=True, slots=True)
class Node:
    """A node as the agents know it, without its vector.

    `kind` is the lower-case label (entity, belief, memory, value, passage, document); `text` is what a unit of evidence
    says (None for entities); `degree` counts walkable relationships; `basin_strength` is 1.0 where there is no basin.
    """

    id: str
    name: str
    kind: str = "entity"
    degree: int = 0
    basin_strength: float = 1.0
    text: str | None = None


@dataclass(frozen=True, slots=True)
class FoundText:
    """A text as recall found it: its shares, in [0, 1], of the best BM25 score and of the best fused one; where it is a
    belief, its overall confidence, the independent sources that say it, and all that were named for it.
    """

    node: Node
    words: float = 0.0
    fused: float = 0.0
    confidence: float | None = None
    sources: int = 0
    named: int = 0


Neighbours = Mapping[Hop, Sequence[Edge]]


@dataclass(frozen=True, slots=True)
class Expansion:
    """The walkable edges around some nodes.

    Attributes:
        neighbours: for each expanded node (all that exist, even without edges) its edges by hop as seen from that node,
            ordered by the id of the other end; both directions.
        nodes: every node that `neighbours` mentions.
        truncated: (node, hop) pairs of which the cap cut edges off.
        edges_read: how many edges came out of the store.
        together: (node, other) -> in how many documents the two occur together.
    """

    neighbours: Mapping[str, Neighbours] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    truncated: frozenset[tuple[str, Hop]] = frozenset()
    edges_read: int = 0
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RelationshipType:
    """A registered relationship type: readable text for each direction, and its vectors (unit length, float32 [d]).

    `gains` holds what hops of this type realised so far, by direction (True: forward).
    """

    name: str
    text: str
    inverse_text: str
    embedding: Vector
    inverse_embedding: Vector
    count: int = 0
    is_causal: bool = False
    gains: Mapping[bool, RunningMean] = field(default_factory=dict)

    def gain(self, forward: bool) -> RunningMean:
        """Give the running mean of what hops in one direction realised so far."""
        return self.gains.get(forward, RunningMean())


@dataclass(frozen=True, slots=True)
class Hidden:
    """All that a question is answered without; recall looks at `crowd` times as many texts where filters hide most."""

    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    crowd: int = 1

    def beside(self, other: Hidden) -> Hidden:
        """Both together, with this one's crowd."""
        return Hidden(self.sources + other.sources, self.texts + other.texts, self.edges + other.edges, self.crowd)

    @property
    def parameters(self) -> dict[str, list[Any]]:
        """The parameters of statements that leave it out."""
        edges = [list(edge) for edge in self.edges]
        return {"hidden_sources": [*self.sources], "hidden_texts": [*self.texts], "hidden_edges": edges}


@dataclass(frozen=True, slots=True)
class View:
    """The part of the graph that a caller may see: scopes, the two clocks (None: now), and what is left out for once.

    `policy` is whom these scopes chose to decide (None: the default), `types_told` how often types were said in words.
    """

    scopes: tuple[str, ...]
    as_of_valid: datetime | None = None
    as_of_recorded: datetime | None = None
    hidden: Hidden = Hidden()
    policy: str | None = field(default=None, compare=False)
    types_told: int = field(default=0, compare=False)


class NeighbourhoodPort(Protocol):
    """Reads of the graph that the agents need; all bounded."""

    async def expand(
        self, nodes: Sequence[str], view: View, *, per_type: int, hops: Sequence[Hop] | None = None
    ) -> Expansion:
        """Walkable edges around `nodes`, at most `per_type` for each (node, hop); only `hops` where given."""
        ...

    async def starts(self, hop: Hop, view: View, *, limit: int) -> Sequence[Node]:
        """Nodes that a hop leads from, by id, at most `limit`; which, is the store's choice."""
        ...

    async def embeddings(self, nodes: Sequence[str]) -> Mapping[str, Vector]:
        """Unit vectors (float32 [d]) of the nodes that have one."""
        ...

    async def paths(
        self, sources: Sequence[str], targets: Sequence[str], view: View, *, max_hops: int, limit: int
    ) -> Sequence[tuple[Edge, ...]]:
        """Shortest paths from any source to any target, at most `limit`, shortest first, then by node ids."""
        ...

    async def relationship_types(self, view: View) -> Sequence[RelationshipType]:
        """The registered types of the view's scopes, by name."""
        ...
