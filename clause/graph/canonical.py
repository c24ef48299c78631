"""The canonical form of a scope: its nodes and relationships as lines that do not depend on order or element ids.

A node is written with its labels, id and properties; a relationship belongs to the scope of the node it starts at,
unless it names another, and names its ends by label and id. The hash of a scope is the sha256 over the sorted sha256 of
these lines: two scopes have the same hash when they hold the same things. Archives are made of the same lines.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from clause.graph.runner import Graph

_OWN = "SchemaVersion MigrationLock EmbeddingModel IdempotencyKey ApiKey Job JobLease TestDatabase"
UPKEEP = frozenset(_OWN.split())
"""Labels of nodes that keep the installation going and belong to nobody's knowledge."""

PAGE = 200
"""Nodes read at a time."""

_NUMBERS = 16


class NodeLine(NamedTuple):
    """A node of the scope."""

    labels: tuple[str, ...]
    id: str
    properties: Mapping[str, Any]

    def form(self) -> dict[str, Any]:
        """Give the form that stands in the canonical line."""
        return {"node": [*self.labels], "id": self.id, "properties": packed(self.properties)}


class RelationshipLine(NamedTuple):
    """A relationship that starts at a node of the scope; ends are (labels, id, scope)."""

    type: str
    start: tuple[tuple[str, ...], str, str]
    end: tuple[tuple[str, ...], str, str]
    properties: Mapping[str, Any]

    def form(self) -> dict[str, Any]:
        """Give the form that stands in the canonical line."""
        ends = {name: [":".join(end[0]), *end[1:]] for name, end in (("start", self.start), ("end", self.end))}
        return {"relationship": self.type, **ends, "properties": packed(self.properties)}


Line = NodeLine | RelationshipLine


class ScopeHash(BaseModel):
    """The contents of a scope in one number: equal hashes, equal contents."""

    model_config = ConfigDict(frozen=True)

    scope: str
    sha256: str = Field(description="over the sorted sha256 of the canonical lines, in hex")
    nodes: int = Field(ge=0)
    relationships: int = Field(ge=0)


async def read_scope(graph: Graph, scope: str) -> AsyncIterator[Line]:
    """Everything in a scope: for each node its line, then those of the relationships that start there.

    Nodes come by label and id, relationships by their canonical line, so that the same contents come in the same order.
    """
    for row in await graph.run("graph/labels"):
        if row["label"] in UPKEEP:
            continue
        ids = iter([str(found["id"]) for found in await graph.run("graph/scope_ids", label=row["label"], scope=scope)])
        while part := list(islice(ids, PAGE)):
            for node in await graph.run("graph/scope_nodes", label=row["label"], ids=part, scope=scope):
                for line in _lines(node, scope):
                    yield line


async def scope_hash(graph: Graph, scope: str) -> ScopeHash:
    """The hash of everything in a scope."""
    digests: dict[type[Line], list[bytes]] = {NodeLine: [], RelationshipLine: []}
    async for line in read_scope(graph, scope):
        digests[type(line)].append(line_digest(line))
    counts = {"nodes": len(digests[NodeLine]), "relationships": len(digests[RelationshipLine])}
    return ScopeHash(scope=scope, sha256=combined(digests[NodeLine] + digests[RelationshipLine]), **counts)


def canonical_text(line: Line) -> str:
    """A line as compact JSON with sorted keys.

    >>> canonical_text(NodeLine(("Source",), "s1", {"id": "s1", "n": 1}))
    '{"id":"s1","node":["Source"],"properties":{"id":"s1","n":1}}'
    """
    return json.dumps(line.form(), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def line_digest(line: Line) -> bytes:
    """sha256 of the canonical text."""
    return hashlib.sha256(canonical_text(line).encode("utf-8", "surrogatepass")).digest()


def combined(digests: Iterable[bytes]) -> str:
    """One hash of many, whatever their order.

    >>> combined([b"a", b"b"]) == combined([b"b", b"a"]) != combined([b"a"])
    True
    """
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()


def packed(value: Any) -> Any:
    """A property as JSON can say it; `unpacked` is the inverse.

    Instants are {"$instant": ISO 8601 in UTC}, dates and times of day {"$date" or "$time": ISO 8601}, bytes {"$bytes":
    base64}, long lists of floats {"$f32" or "$f64": base64, little-endian}, infinite numbers {"$float": name}.

    >>> packed([0.5, float("inf"), b"a"])
    [0.5, {'$float': 'inf'}, {'$bytes': 'YQ=='}]
    """
    from clause.graph.codec import WRITTEN  # noqa: PLC0415 -- the driver's types take a moment to import

    for name, kind, written, _ in WRITTEN:
        if isinstance(value, kind):
            return {name: written(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, Mapping):
        return {key: packed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        numbers = len(value) >= _NUMBERS and all(type(item) is float for item in value)
        return _numbers(value) if numbers else [packed(item) for item in value]
    return value


def unpacked(value: Any) -> Any:
    """The property that `packed` wrote.

    >>> unpacked(packed([0.1] * 20)) == [0.1] * 20
    True
    """
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        from clause.graph.codec import READ  # noqa: PLC0415 -- as above

        ((key, content),) = value.items()
        if key in READ:
            return READ[key](content)
        if key in {"$f32", "$f64"}:
            return np.frombuffer(base64.b64decode(content), dtype=f"<f{int(key[2:]) // 8}").astype(float).tolist()
    return {key: unpacked(item) for key, item in value.items()}


def _numbers(values: Sequence[float]) -> dict[str, str]:
    doubles = np.asarray(values, dtype="<f8")
    with np.errstate(over="ignore"):
        singles = doubles.astype("<f4")
    exact = bool(np.array_equal(singles.astype("<f8"), doubles, equal_nan=True))
    return {"$f32" if exact else "$f64": base64.b64encode((singles if exact else doubles).tobytes()).decode()}


def _lines(row: Mapping[str, Any], scope: str) -> Iterable[Line]:
    labels, properties = tuple(sorted(row["labels"])), row["properties"]
    yield (node := NodeLine(labels, str(properties["id"]), properties))
    relationships = [
        RelationshipLine(kind, (labels, node.id, scope), (tuple(sorted(ends)), str(end), str(end_scope)), about)
        for kind, ends, end, end_scope, about in row["relationships"]
    ]
    yield from sorted(relationships, key=canonical_text)
