"""The neighbourhood port on Neo4j: one query for one frontier, statements that must name types, and a cache of
vectors.

Neo4j 2026.08 expands a type alone only when it stands in the text; `[r:$(type)]` from a parameter is a filter behind
an expansion of every relationship of the node. The statement's file marks the part to repeat:

    /* each relation, between: UNION ALL */ ... `RELATION` ... /* end */

Nodes with more than WIDE relationships take a second query (for each RELATIONS_AT_ONCE types, all such nodes together)
that reads at most REACH relationships of each type and direction, whatever else hangs on the node.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import numpy as np

from clause.arrays import Vector
from clause.errors import ClauseError, OutOfBoundsError
from clause.graph.catalogue import Statement, quoted
from clause.graph.runner import Graph
from clause.intelligence.curiosity import RunningMean
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node, RelationshipType, View
from clause.text.fields import FOREVER, utc_now

__all__ = ["name_relations", "quoted"]

_PART = re.compile(r"/\* each relation, between: (?P<between>[A-Z ]+) \*/(?P<part>.*?)/\* end \*/", re.DOTALL)


def name_relations(statement: Statement, relations: Sequence[str]) -> Statement:
    """The statement with its marked part repeated for each relationship type, in order.

    Raises:
        ClauseError: no relationship type is given, or the statement marks no part.
    """
    marked = _PART.search(statement.text)
    if marked is None or not relations:
        raise ClauseError(f"{statement.name}: needs a part marked `each relation`, and at least one relationship type")
    parts = (marked["part"].replace("`RELATION`", quoted(relation)).strip() for relation in relations)
    text = f"\n{marked['between']}\n".join(parts)
    return replace(statement, text=f"{statement.text[: marked.start()]}{text}{statement.text[marked.end() :]}")


class VectorCache:
    """Least recently used vectors leave first; knows, too, which nodes have none.

    >>> cache = VectorCache(limit=2)
    >>> cache.put("a", None)
    >>> cache.missing(["a", "b"])
    ['b']
    """

    def __init__(self, limit: int) -> None:
        """`limit`: how many nodes are remembered."""
        self.limit = limit
        self._vectors: OrderedDict[str, Vector | None] = OrderedDict()

    def __len__(self) -> int:
        """Count the nodes that are remembered."""
        return len(self._vectors)

    def put(self, node: str, vector: Vector | None) -> None:
        """Remember a node's vector, or that it has none."""
        self._vectors[node] = vector
        self._vectors.move_to_end(node)
        while len(self._vectors) > self.limit:
            self._vectors.popitem(last=False)

    def missing(self, nodes: Iterable[str]) -> list[str]:
        """The nodes of which nothing is remembered, each once, in order."""
        return [node for node in dict.fromkeys(nodes) if node not in self._vectors]

    def get(self, nodes: Iterable[str]) -> Mapping[str, Vector]:
        """The remembered vectors of those nodes that have one, in order."""
        found: dict[str, Vector] = {}
        for node in dict.fromkeys(nodes):
            if node in self._vectors:
                self._vectors.move_to_end(node)
                vector = self._vectors[node]
                if vector is not None:
                    found[node] = vector
        return found

    def clear(self) -> None:
        """Forget everything (after `reembed`)."""
        self._vectors.clear()


OWN_RELATIONS = ("ABOUT", "DERIVED_FROM", "HAS_PASSAGE", "MEMBER_OF", "MENTIONS")
"""Our own walkable relationship types; every other of ours (HAS_PROVENANCE, ...) is never walked."""

WIDE = 1_000
"""Relationships of a node that one read takes whole; beyond, each type is read apart."""
REACH = 1_000
"""Relationships of one type and direction that are read around a wider node, before filters and the cap."""
ENTITIES = 100_000
"""Entities that are looked at where no node is named."""
TEXT_LINKS = frozenset({"ABOUT", "MENTIONS"})
WIDE_OF_LINKS = 64
"""The same, where links of texts alone are asked for: what is often mentioned is about little."""
RELATIONS_AT_ONCE = 16
PAIRS = 1_000
"""Concepts that occur together with a node's, read when all its neighbours are asked for (the heuristic's phi_nbr)."""
_PATHS: Final[Mapping[int, str]] = {
    1: "reasoning/paths[1]",
    2: "reasoning/paths[2]",
    3: "reasoning/paths[3]",
    4: "reasoning/paths[4]",
    5: "reasoning/paths[5]",
    6: "reasoning/paths[6]",
}
PATHS_TIMEOUT_S = 5.0
"""A search for long paths between hubs ends here, with UnavailableError."""
SEEN_TYPES = 256
"""Views of which the relationship types are remembered; each session is one."""


def instants(valid: datetime | None, recorded: datetime | None, now: Callable[[], datetime]) -> dict[str, Any]:
    """The two clocks as parameters: who asks what was known at an instant, asks what was true then."""
    return {"valid": valid or recorded or now(), "recorded": recorded or FOREVER}


class Neo4jNeighbourhood:
    """Reads the graph for the agents; a `NeighbourhoodPort`."""

    def __init__(
        self,
        graph: Graph,
        *,
        dimension: int = 384,
        cached_vectors: int = 60_000,
        types_for_s: float = 5.0,
        now: Callable[[], datetime] = utc_now,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`cached_vectors`: bound of the vector cache (60,000 take 92 MB). `types_for_s`: how long the registry of
        relationship types is believed, in seconds of `clock`. `now`: the instant that a view without clocks means.
        """
        self._graph = graph
        self._dimension = dimension
        self._vectors = VectorCache(cached_vectors)
        self._types_for_s = types_for_s
        self._now = now
        self._clock = clock
        self._types: dict[tuple[str, ...], tuple[float, int, tuple[RelationshipType, ...]]] = {}

    async def expand(
        self, nodes: Sequence[str], view: View, *, per_type: int, hops: Sequence[Hop] | None = None
    ) -> Expansion:
        """Walkable edges around `nodes`, at most `per_type` for each (node, hop).

        Under a cap the edges kept are those with the smallest ids of the other end; around a node wider than WIDE,
        the smallest among the first REACH that the store gives.
        """
        wanted = tuple(dict.fromkeys(hops)) if hops is not None else await self._all_hops(view)
        asked = list(dict.fromkeys(nodes))
        if not asked or not view.scopes:
            return Expansion()
        parameters = {
            **self._seen_by(view),
            "forward": [hop.relation for hop in wanted if hop.forward],
            "backward": [hop.relation for hop in wanted if not hop.forward],
            "cap": per_type + 1,
        }
        wide = WIDE_OF_LINKS if {hop.relation for hop in wanted} <= TEXT_LINKS else WIDE
        rows = await self._graph.run(
            "reasoning/expand", nodes=asked, wide=wide, pairs=PAIRS if hops is None else 0, **parameters
        )
        gathering = _Gathering(per_type, frozenset(wanted))
        for row in rows:
            gathering.start(row)
            gathering.take(row)
        hubs = [row["id"] for row in rows if row["hub"]]
        relations = sorted({hop.relation for hop in wanted}) if hubs else []
        statement = self._graph.catalogue["reasoning/expand_hub"]
        for first in range(0, len(relations), RELATIONS_AT_ONCE):
            named = name_relations(statement, relations[first : first + RELATIONS_AT_ONCE])
            most = max(REACH, per_type + 1)
            for row in await self._graph.execute(named, {**parameters, "nodes": hubs, "reach": most}):
                gathering.take(row, limit=most)
        return gathering.expansion(asked)

    async def starts(self, hop: Hop, view: View, *, limit: int) -> Sequence[Node]:
        """Nodes that a hop leads from, by id, at most `limit`, among the first ENTITIES."""
        if not view.scopes or hop.relation not in {kind.name for kind in await self.relationship_types(view)}:
            return ()
        parameters = {**self._seen_by(view), "relation": hop.relation, "forward": hop.forward}
        rows = await self._graph.run("reasoning/starts", **parameters, entities=ENTITIES, limit=limit)
        return [_node([row[name] for name in ("id", "name", "kind", "degree", "text", "basin")]) for row in rows]

    async def embeddings(self, nodes: Sequence[str]) -> Mapping[str, Vector]:
        """Unit vectors of the nodes that have one, from memory where they were read before."""
        known = dict(self._vectors.get(nodes))
        missing = self._vectors.missing(nodes)
        if missing:
            rows = await self._graph.run("reasoning/embeddings", nodes=missing, dimension=self._dimension)
            for row in rows:
                known[row["id"]] = row["embedding"]
                self._vectors.put(row["id"], row["embedding"])
        return known

    async def paths(
        self, sources: Sequence[str], targets: Sequence[str], view: View, *, max_hops: int, limit: int
    ) -> Sequence[tuple[Edge, ...]]:
        """Shortest paths between different nodes, shortest first, then by node ids.

        Raises:
            OutOfBoundsError: `max_hops` is not within 1..6.
            UnavailableError: the search took longer than PATHS_TIMEOUT_S.
        """
        if max_hops not in _PATHS:
            raise OutOfBoundsError(f"max_hops is {max_hops}", field="max_hops", bound=f"1..{max(_PATHS)}")
        parameters = {
            **self._seen_by(view),
            "sources": list(sources),
            "targets": list(targets),
            "types": sorted({hop.relation for hop in await self._all_hops(view)}),
            "limit": limit,
        }
        rows = await self._graph.run(_PATHS[max_hops], timeout_s=PATHS_TIMEOUT_S, **parameters)
        return [tuple(Edge(*edge) for edge in row["edges"]) for row in rows]

    async def relationship_types(self, view: View) -> Sequence[RelationshipType]:
        """The registered types of the view's scopes, by name; a name in several scopes has their counts summed."""
        known = self._types.get(view.scopes)
        if known is not None and self._clock() - known[0] < self._types_for_s and known[1] == view.types_told:
            return known[2]
        rows = await self._graph.run(
            "reasoning/relationship_types", scopes=list(view.scopes), dimension=self._dimension
        )
        found: dict[str, RelationshipType] = {}
        for row in rows:
            kind = self._relationship_type(row)
            same = found.get(kind.name)
            found[kind.name] = kind if same is None else _joined(same, kind)
        types = tuple(found.values())
        now = self._clock()
        believed = [one for one in self._types.items() if now - one[1][0] < self._types_for_s and one[0] != view.scopes]
        self._types = {**dict(believed[1 - SEEN_TYPES :]), view.scopes: (now, view.types_told, types)}
        return types

    def forget(self) -> None:
        """Drop what is remembered of relationship types and vectors: after a load or a `reembed`."""
        self._types.clear()
        self._vectors.clear()

    async def _all_hops(self, view: View) -> tuple[Hop, ...]:
        names = sorted({*OWN_RELATIONS, *(kind.name for kind in await self.relationship_types(view))})
        return tuple(Hop(name, forward) for name in names for forward in (True, False))

    def _seen_by(self, view: View) -> dict[str, Any]:
        return {
            "scopes": list(view.scopes),
            **instants(view.as_of_valid, view.as_of_recorded, self._now),
            **view.hidden.parameters,
        }

    def _relationship_type(self, row: Mapping[str, Any]) -> RelationshipType:
        nothing = np.zeros(self._dimension, dtype=np.float32)
        text = row["text"] or row["name"]
        return RelationshipType(
            name=row["name"],
            text=text,
            inverse_text=row["inverse_text"] or text,
            embedding=nothing if row["embedding"] is None else row["embedding"],
            inverse_embedding=nothing if row["inverse_embedding"] is None else row["inverse_embedding"],
            count=row["count"],
            is_causal=row["is_causal"],
            gains={
                True: RunningMean(row["forward_gain_count"], row["forward_gain_sum"]),
                False: RunningMean(row["inverse_gain_count"], row["inverse_gain_sum"]),
            },
        )


class _Gathering:
    """Collects the rows of an expansion, which hold [relation, forward, ends, how many were read]."""

    def __init__(self, per_type: int, wanted: frozenset[Hop]) -> None:
        self._per_type = per_type
        self._wanted = wanted
        self._nodes: dict[str, Node] = {}
        self._edges: dict[str, dict[Hop, dict[str, Edge]]] = {}
        self._cut: set[tuple[str, Hop]] = set()
        self._together: dict[tuple[str, str], int] = {}

    def start(self, row: Mapping[str, Any]) -> None:
        """A node that exists."""
        here = row["id"]
        self._nodes[here] = _node([here, row["name"], row["kind"], row["degree"], row["text"], row["basin"]])
        self._edges[here] = {}
        self._together.update(((here, other), count) for other, count in row["together"])

    def take(self, row: Mapping[str, Any], limit: int | None = None) -> None:
        """The groups of one node; `limit`: how many reads mean that there may be more."""
        here = row["id"]
        for relation, forward, ends, read in row["groups"]:
            hop = Hop(relation, forward)
            if limit is not None and read >= limit:
                self._cut.add((here, hop))
            for end in ends:
                self._add(here, hop, end)
                if end[0] == here:
                    self._add(here, hop.inverse, end)

    def expansion(self, asked: Iterable[str]) -> Expansion:
        """The whole, in the order asked; each hop's edges by the id of the other end."""
        neighbours: dict[str, dict[Hop, tuple[Edge, ...]]] = {}
        mentioned: dict[str, Node] = {}
        for node in asked:
            if node not in self._edges:
                continue
            mentioned[node] = self._nodes[node]
            neighbours[node] = {}
            for hop, ends in sorted(
                self._edges[node].items(), key=lambda item: (not item[0].forward, item[0].relation)
            ):
                kept = sorted(ends)[: self._per_type]
                if len(ends) > len(kept):
                    self._cut.add((node, hop))
                neighbours[node][hop] = tuple(ends[end] for end in kept)
                mentioned.update((end, self._nodes[end]) for end in kept)
        read = sum(len(edges) for hops in neighbours.values() for edges in hops.values())
        return Expansion(neighbours, mentioned, frozenset(self._cut), read, self._together)

    def _add(self, here: str, hop: Hop, end: Sequence[Any]) -> None:
        if hop not in self._wanted:
            return
        there = end[0]
        self._nodes.setdefault(there, _node(end))
        edge = Edge(here, hop.relation, there) if hop.forward else Edge(there, hop.relation, here)
        self._edges[here].setdefault(hop, {})[there] = edge


def _node(values: Sequence[Any]) -> Node:
    node, name, kind, degree, text, basin = values
    shown = name or (text or node)[:80]
    return Node(node, shown, (kind or "entity").lower(), degree or 0, 1.0 if basin is None else basin, text)


def _joined(one: RelationshipType, other: RelationshipType) -> RelationshipType:
    return RelationshipType(
        one.name,
        one.text,
        one.inverse_text,
        one.embedding,
        one.inverse_embedding,
        one.count + other.count,
        one.is_causal or other.is_causal,
        {way: one.gain(way).plus(other.gain(way)) for way in (True, False)},
    )
