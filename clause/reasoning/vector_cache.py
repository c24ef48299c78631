"""A bounded cache of node vectors: ids are content-addressed, so under one embedder an entry never goes stale."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from clause.reasoning.neighbourhood import Vector


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
        """How many nodes are remembered."""
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
