"""The graph and its basins as immutable arrays in memory: the neighbourhood port for training and offline evaluation.

Axes: n nodes, p ordered pairs (a pair that occurs together stands under both of its nodes).

Edges are kept twice in compressed sparse rows, by head and by tail; a row's edges are ordered by relationship type and
then by the id of the other end, so that an expansion is a slice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import NDArray

from clause.arrays import Doubles, Floats, Ints, Vector
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node, RelationshipType, View

Arrays = Mapping[str, NDArray[np.generic]]

NO_BASIN = 1.0
"""The strength that stands for "no basin"."""


@dataclass(frozen=True, slots=True)
class SnapshotBasins:
    """Strengths, and co-occurrence in compressed sparse rows.

    Attributes:
        strengths: basin strength of each node, NO_BASIN where there is none, float64 [n].
        starts: where the pairs of each node begin, int32 [n + 1].
        others: the other node of each pair, by row, int32 [p].
        counts: in how many documents the two occur together, int32 [p].
    """

    strengths: Doubles
    starts: Ints
    others: Ints
    counts: Ints

    @classmethod
    def build(
        cls, ids: Sequence[str], strengths: Mapping[str, float], together: Mapping[tuple[str, str], int]
    ) -> SnapshotBasins:
        """The basins of the nodes `ids`; pairs with other nodes are left out.

        >>> basins = SnapshotBasins.build(["a", "b", "c"], {"b": 1.4}, {("b", "a"): 3, ("b", "elsewhere"): 9})
        >>> basins.strength(1), basins.strength(2), list(basins.together(1))
        (1.4, 1.0, [(0, 3)])
        """
        row_of = {node: row for row, node in enumerate(ids)}
        pairs = sorted(
            (row_of[node], row_of[other], count)
            for (node, other), count in together.items()
            if node in row_of and other in row_of
        )
        columns = np.array(pairs, dtype=np.int32).reshape(len(pairs), 3)
        starts = np.zeros(len(ids) + 1, dtype=np.int32)
        np.cumsum(np.bincount(columns[:, 0], minlength=len(ids)), out=starts[1:])
        known = np.array([strengths.get(node, NO_BASIN) for node in ids], dtype=np.float64)
        return cls(known, starts, columns[:, 1].copy(), columns[:, 2].copy())

    def strength(self, row: int) -> float:
        """Tell how firmly a node is known; NO_BASIN where it has no basin."""
        return float(self.strengths[row])

    def together(self, row: int) -> Iterator[tuple[int, int]]:
        """(row of the other node, documents that name both) of a node's pairs."""
        span = slice(int(self.starts[row]), int(self.starts[row + 1]))
        return zip(self.others[span].tolist(), self.counts[span].tolist(), strict=True)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that `read` reads, by their names in a snapshot's file."""
        return {
            "basin_strengths": self.strengths,
            "together_starts": self.starts,
            "together_others": self.others,
            "together_counts": self.counts,
        }

    @classmethod
    def read(cls, file: Arrays) -> SnapshotBasins | None:
        """The basins of a snapshot's file; None in one that was written without."""
        if "basin_strengths" not in file:
            return None
        starts, others, counts = (file[f"together_{name}"].astype(np.int32) for name in ("starts", "others", "counts"))
        return cls(file["basin_strengths"].astype(np.float64), starts, others, counts)


Row = dict[Hop, tuple[Edge, ...]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows: row i holds `ends[starts[i]:starts[i+1]]` with `relations` of the same length."""

    starts: Ints
    ends: Ints
    relations: Ints

    @classmethod
    def build(cls, rows: Ints, relations: Ints, ends: Ints, size: int) -> Rows:
        """Rows of `size` nodes from edge lists of one length [m]."""
        order = np.lexsort((ends, relations, rows))
        starts = np.zeros(size + 1, dtype=np.int32)
        np.cumsum(np.bincount(rows, minlength=size), out=starts[1:])
        return cls(starts, ends[order], relations[order])


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An immutable graph.

    Attributes:
        ids: node ids, sorted, so that row order is id order.
        names: node names, by row.
        relations: relationship type names.
        forward, backward: edges by head and by tail.
        types: the registry, by name.
        vectors: unit vectors float32 [n, d], zero where a node has none; None when they were not exported.
        basins: how firmly nodes are known, and what documents name together; None where nothing has a basin.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    forward: Rows
    backward: Rows
    types: Mapping[str, RelationshipType] = field(default_factory=dict)
    vectors: Floats | None = None
    basins: SnapshotBasins | None = None
    _row_of: dict[str, int] = field(default_factory=dict, repr=False)
    _rows: dict[int, Row] = field(default_factory=dict, repr=False)
    _nodes: dict[int, Node] = field(default_factory=dict, repr=False)

    @classmethod
    def build(
        cls,
        names: Mapping[str, str],
        edges: Iterable[tuple[str, str, str]],
        types: Iterable[RelationshipType] = (),
        vectors: Mapping[str, Vector] | None = None,
        *,
        basins: Mapping[str, float] | None = None,
        together: Mapping[tuple[str, str], int] | None = None,
    ) -> Snapshot:
        """A snapshot of nodes (id -> name) and (source id, relation, target id) edges.

        `basins` holds the strengths of the nodes that have a basin, `together` (node, other) -> documents naming both.

        >>> graph = Snapshot.build({"a": "Heat", "b": "Mann"}, [("a", "directed_by", "b")])
        >>> graph.expand_now(["b"], per_type=5).neighbours["b"]
        {Hop(relation='directed_by', forward=False): (Edge(source='a', relation='directed_by', target='b'),)}
        """
        ids = tuple(sorted(names))
        row_of = {node: row for row, node in enumerate(ids)}
        distinct = sorted(set(edges))
        relations = tuple(sorted({relation for _, relation, _ in distinct}))
        relation_of = {relation: place for place, relation in enumerate(relations)}
        heads = np.array([row_of[head] for head, _, _ in distinct], dtype=np.int32)
        kinds = np.array([relation_of[relation] for _, relation, _ in distinct], dtype=np.int32)
        tails = np.array([row_of[tail] for _, _, tail in distinct], dtype=np.int32)
        stacked = None if vectors is None else _stack(vectors, ids)
        return cls(
            ids,
            tuple(names[node] for node in ids),
            relations,
            Rows.build(heads, kinds, tails, len(ids)),
            Rows.build(tails, kinds, heads, len(ids)),
            {kind.name: kind for kind in types},
            stacked,
            SnapshotBasins.build(ids, basins, together or {}) if basins else None,
            row_of,
        )

    # -- the port ------------------------------------------------------------------------------------------------------

    def expand_now(self, nodes: Sequence[str], *, per_type: int, hops: Sequence[Hop] | None = None) -> Expansion:
        """`expand` without waiting: what training calls."""
        wanted = None if hops is None else set(hops)
        neighbours: dict[str, Row] = {}
        seen: dict[str, Node] = {}
        truncated: set[tuple[str, Hop]] = set()
        together: dict[tuple[str, str], int] = {}
        read = 0
        for node in nodes:
            row = self._row_of.get(node)
            if row is None:
                continue
            chosen = neighbours[node] = {}
            seen[node] = self._node(row)
            if self.basins is not None and hops is None:
                together.update(((node, self.ids[other]), count) for other, count in self.basins.together(row))
            for hop, edges in self._row(row).items():
                if wanted is not None and hop not in wanted:
                    continue
                if len(edges) > per_type:
                    truncated.add((node, hop))
                chosen[hop] = edges[:per_type]
                read += len(chosen[hop])
                for edge in chosen[hop]:
                    far = edge.other(node)
                    if far not in seen:
                        seen[far] = self._node(self._row_of[far])
        return Expansion(neighbours, seen, frozenset(truncated), read, together)

    async def expand(
        self,
        nodes: Sequence[str],
        view: View,  # noqa: ARG002 -- a snapshot holds one view already
        *,
        per_type: int,
        hops: Sequence[Hop] | None = None,
    ) -> Expansion:
        """Walkable edges around `nodes`, at most `per_type` for each (node, hop)."""
        return self.expand_now(nodes, per_type=per_type, hops=hops)

    async def starts(self, hop: Hop, view: View, *, limit: int) -> Sequence[Node]:  # noqa: ARG002
        """Nodes that a hop leads from, by id, the first `limit`."""
        found = (node for node, row in self._row_of.items() if hop in self._row(row))
        return [self._node(self._row_of[node]) for node in sorted(found)[:limit]]

    async def embeddings(self, nodes: Sequence[str]) -> Mapping[str, Vector]:
        """Unit vectors of the nodes that have one."""
        if self.vectors is None:
            return {}
        rows = {node: self.vectors[self._row_of[node]] for node in nodes if node in self._row_of}
        return {node: vector for node, vector in rows.items() if vector.any()}

    async def paths(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        view: View,  # noqa: ARG002 -- a snapshot holds one view already
        *,
        max_hops: int,
        limit: int,
    ) -> Sequence[tuple[Edge, ...]]:
        """Shortest paths, breadth first, at most `limit`; shortest first, then by node ids."""
        found: list[tuple[tuple[str, ...], tuple[Edge, ...]]] = []
        for source in sorted(set(sources) & self._row_of.keys()):
            found.extend(self._paths_from(source, set(targets), max_hops, limit))
        found.sort(key=lambda path: (len(path[1]), path))
        return [edges for _, edges in found[:limit]]

    async def relationship_types(self, view: View) -> Sequence[RelationshipType]:  # noqa: ARG002
        """The registered types, by name."""
        return [self.types[name] for name in sorted(self.types)]

    # -- files ---------------------------------------------------------------------------------------------------------

    def save(self, path: FilePath) -> None:
        """Write the arrays to one .npz file (no pickle)."""
        types = [self.types[name] for name in sorted(self.types)]
        arrays: dict[str, NDArray[np.generic]] = {
            "ids": np.array(self.ids),
            "names": np.array(self.names),
            "relations": np.array(self.relations),
            "type_names": np.array([kind.name for kind in types]),
            "type_texts": np.array([kind.text for kind in types]),
            "type_inverse_texts": np.array([kind.inverse_text for kind in types]),
            "type_counts": np.array([kind.count for kind in types], dtype=np.int64),
            "type_causal": np.array([kind.is_causal for kind in types], dtype=bool),
            "type_embeddings": np.array([kind.embedding for kind in types], dtype=np.float32),
            "type_inverse_embeddings": np.array([kind.inverse_embedding for kind in types], dtype=np.float32),
        }
        for side, rows in (("forward", self.forward), ("backward", self.backward)):
            arrays |= {f"{side}_starts": rows.starts, f"{side}_ends": rows.ends, f"{side}_relations": rows.relations}
        if self.vectors is not None:
            arrays["vectors"] = self.vectors
        if self.basins is not None:
            arrays |= self.basins.arrays()
        np.savez(path, **arrays)  # type: ignore[arg-type]  # numpy's stub takes the keyword for allow_pickle

    @classmethod
    def load(cls, path: FilePath) -> Snapshot:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            types = [
                RelationshipType(str(name), str(text), str(inverse), vector, inverse_vector, int(count), bool(causal))
                for name, text, inverse, vector, inverse_vector, count, causal in zip(
                    file["type_names"],
                    file["type_texts"],
                    file["type_inverse_texts"],
                    file["type_embeddings"],
                    file["type_inverse_embeddings"],
                    file["type_counts"],
                    file["type_causal"],
                    strict=True,
                )
            ]
            ids = tuple(str(node) for node in file["ids"])
            forward, backward = (
                Rows(file[f"{side}_starts"], file[f"{side}_ends"], file[f"{side}_relations"])
                for side in ("forward", "backward")
            )
            return cls(
                ids,
                tuple(str(name) for name in file["names"]),
                tuple(str(name) for name in file["relations"]),
                forward,
                backward,
                {kind.name: kind for kind in types},
                file.get("vectors"),
                SnapshotBasins.read(file),
                {node: row for row, node in enumerate(ids)},
            )

    # -- inside --------------------------------------------------------------------------------------------------------

    def degree(self, row: int) -> int:
        """Count the edges that touch a row; a self-loop counts twice."""
        out, back = self.forward.starts, self.backward.starts
        return int(out[row + 1] - out[row] + back[row + 1] - back[row])

    def _node(self, row: int) -> Node:
        node = self._nodes.get(row)
        if node is None:
            strength = NO_BASIN if self.basins is None else self.basins.strength(row)
            node = self._nodes[row] = Node(
                self.ids[row], self.names[row], degree=self.degree(row), basin_strength=strength
            )
        return node

    def _row(self, row: int) -> Row:
        found = self._rows.get(row)
        if found is None:
            found = self._rows[row] = {**self._side(row, self.forward, True), **self._side(row, self.backward, False)}
        return found

    def _side(self, row: int, rows: Rows, forward: bool) -> Row:
        here = self.ids[row]
        span = slice(int(rows.starts[row]), int(rows.starts[row + 1]))
        grouped: dict[Hop, list[Edge]] = {}
        for end, kind in zip(rows.ends[span].tolist(), rows.relations[span].tolist(), strict=True):
            relation, there = self.relations[kind], self.ids[end]
            edge = Edge(here, relation, there) if forward else Edge(there, relation, here)
            grouped.setdefault(Hop(relation, forward), []).append(edge)
        return {hop: tuple(edges) for hop, edges in grouped.items()}

    def _paths_from(
        self, source: str, targets: set[str], max_hops: int, limit: int
    ) -> list[tuple[tuple[str, ...], tuple[Edge, ...]]]:
        found: list[tuple[tuple[str, ...], tuple[Edge, ...]]] = []
        shortest: dict[str, int] = {source: 0}
        queue: deque[tuple[tuple[str, ...], tuple[Edge, ...]]] = deque([((source,), ())])
        while queue and len(found) < limit:
            nodes, edges = queue.popleft()
            if edges and nodes[-1] in targets:
                found.append((nodes, edges))
                continue
            if len(edges) == max_hops:
                continue
            for hop_edges in self._row(self._row_of[nodes[-1]]).values():
                for edge in hop_edges:
                    far = edge.other(nodes[-1])
                    if shortest.setdefault(far, len(edges) + 1) == len(edges) + 1 and far not in nodes:
                        queue.append(((*nodes, far), (*edges, edge)))
        return found


def _stack(vectors: Mapping[str, Vector], ids: Sequence[str]) -> Floats:
    dimension = len(next(iter(vectors.values()), np.zeros(0)))
    stacked = np.zeros((len(ids), dimension), dtype=np.float32)
    for row, node in enumerate(ids):
        if node in vectors:
            stacked[row] = vectors[node]
    return stacked


def joined(snapshots: Sequence[Snapshot]) -> Snapshot:
    """Several graphs without an id in common as one, of parts that nothing joins.

    >>> heat = Snapshot.build({"a": "Heat", "b": "Mann"}, [("a", "by", "b")])
    >>> both = joined([heat, Snapshot.build({"c": "Ali", "d": "Mann"}, [("c", "of", "d")])])
    >>> both.ids, both.relations, both.names.count("Mann")
    (('a', 'b', 'c', 'd'), ('by', 'of'), 2)
    """
    names: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []
    for one in snapshots:
        names |= zip(one.ids, one.names, strict=True)
        rows = one.forward
        heads = np.repeat(np.arange(len(one.ids)), np.diff(rows.starts)).tolist()
        for head, kind, tail in zip(heads, rows.relations.tolist(), rows.ends.tolist(), strict=True):
            edges.append((one.ids[head], one.relations[kind], one.ids[tail]))
    return Snapshot.build(names, edges, {name: kind for one in snapshots for name, kind in one.types.items()}.values())
