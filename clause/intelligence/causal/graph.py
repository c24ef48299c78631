"""Causal graphs: causes and inhibitors with strengths, interventions, and cycles made one node (spec: intelligence.md).

do(x) removes the edges into x; what cycles then remain are condensed, because noisy-OR has no meaning inside them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple


class CausalEdge(NamedTuple):
    """One cause (or inhibitor) of an effect; `strength` in [0, 1] is the chance that it acts when it is present."""

    cause: str
    effect: str
    strength: float
    inhibits: bool = False


@dataclass(frozen=True)
class CausalGraph:
    """An immutable causal graph.

    Attributes:
        edges: sorted, each (cause, effect, inhibits) once; of parallel ones the strongest.
        cycles: groups of nodes that were condensed into one, each sorted; empty before `condensed`.

    >>> CausalGraph.of([CausalEdge("rain", "wet", 0.9), CausalEdge("rain", "wet", 0.4)]).edges
    (CausalEdge(cause='rain', effect='wet', strength=0.9, inhibits=False),)
    """

    edges: tuple[CausalEdge, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    alias: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, edges: Iterable[CausalEdge]) -> CausalGraph:
        """A graph of edges as they were read: strengths clipped to [0, 1]."""
        strongest: dict[tuple[str, str, bool], float] = {}
        for edge in edges:
            key = (edge.cause, edge.effect, edge.inhibits)
            strength = min(1.0, max(0.0, float(edge.strength)))
            strongest[key] = max(strength, strongest.get(key, 0.0))
        return cls(tuple(CausalEdge(c, e, s, i) for (c, e, i), s in sorted(strongest.items())))

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Every node, sorted."""
        return tuple(sorted({end for edge in self.edges for end in (edge.cause, edge.effect)}))

    @cached_property
    def into(self) -> Mapping[str, tuple[CausalEdge, ...]]:
        """The edges into each node that has some."""
        found: dict[str, list[CausalEdge]] = {}
        for edge in self.edges:
            found.setdefault(edge.effect, []).append(edge)
        return {node: tuple(edges) for node, edges in found.items()}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all edges: another strength is another graph."""
        return hashlib.sha256(repr(self.edges).encode()).hexdigest()

    def stands_for(self, node: str) -> str:
        """The node that `node` was condensed into; itself where it was not."""
        return self.alias.get(node, node)

    def do(self, node: str) -> CausalGraph:
        """The graph in which `node` is set from outside: no edge leads into it."""
        return CausalGraph(tuple(edge for edge in self.edges if edge.effect != node), self.cycles, self.alias)

    def above(self, target: str) -> CausalGraph:
        """Give the part that bears on `target`: the edges among it and its ancestors."""
        seen, waiting = {target}, [target]
        while waiting:
            for edge in self.into.get(waiting.pop(), ()):
                if edge.cause not in seen:
                    seen.add(edge.cause)
                    waiting.append(edge.cause)
        return CausalGraph(tuple(edge for edge in self.edges if edge.effect in seen), self.cycles, self.alias)

    def leads_to(self, cause: str, effect: str) -> bool:
        """Tell whether a directed path goes from `cause` to `effect`."""
        return cause != effect and any(edge.cause == cause for edge in self.above(effect).edges)

    def condensed(self) -> CausalGraph:
        """The graph with each cycle made one node, named by its first member; edges inside are dropped.

        Edges of several members that meet in one node act independently: 1 - (1 - s)(1 - t).

        >>> graph = CausalGraph.of([CausalEdge("a", "b", 1.0), CausalEdge("b", "a", 1.0), CausalEdge("b", "c", 0.5)])
        >>> graph.condensed().edges, graph.condensed().cycles
        ((CausalEdge(cause='a', effect='c', strength=0.5, inhibits=False),), (('a', 'b'),))
        """
        groups = [group for group in components(self.nodes, self.edges) if len(group) > 1]
        loops = [(edge.cause,) for edge in self.edges if edge.cause == edge.effect]
        alias = {member: group[0] for group in groups for member in group}
        joined: dict[tuple[str, str, bool], float] = {}
        for edge in self.edges:
            key = (alias.get(edge.cause, edge.cause), alias.get(edge.effect, edge.effect), edge.inhibits)
            if key[0] != key[1]:
                joined[key] = 1.0 - (1.0 - joined.get(key, 0.0)) * (1.0 - edge.strength)
        edges = tuple(CausalEdge(c, e, s, i) for (c, e, i), s in sorted(joined.items()))
        return CausalGraph(edges, tuple(sorted({*groups, *loops})), alias)

    def strongest_causes(self, effect: str, least: float) -> dict[str, float]:
        """Ancestors of `effect` with the product of strengths along their strongest path, where it is above `least`.

        Inhibitors cause nothing. Strongest first, then by name.

        >>> graph = CausalGraph.of([CausalEdge("a", "b", 0.9), CausalEdge("b", "c", 0.8), CausalEdge("d", "c", 0.3)])
        >>> graph.strongest_causes("c", 0.5)
        {'b': 0.8, 'a': 0.72}
        """
        best: dict[str, float] = {}
        heap: list[tuple[float, str]] = [(-1.0, effect)]
        while heap:
            product, node = heappop(heap)
            if node in best:
                continue
            best[node] = -product
            for edge in self.into.get(node, ()):
                further = -product * edge.strength
                if not edge.inhibits and further > least and edge.cause not in best:
                    heappush(heap, (-further, edge.cause))
        best.pop(effect, None)
        return {
            node: round(product, 12) for node, product in sorted(best.items(), key=lambda item: (-item[1], item[0]))
        }

    def in_order(self) -> tuple[str, ...]:
        """The nodes, every cause before its effects.

        Raises:
            ValueError: the graph has a cycle; condense it first.
        """
        waiting = {node: len(self.into.get(node, ())) for node in self.nodes}
        after: dict[str, list[str]] = {}
        for edge in self.edges:
            after.setdefault(edge.cause, []).append(edge.effect)
        ready = [node for node in reversed(self.nodes) if waiting[node] == 0]
        order: list[str] = []
        while ready:
            order.append(ready.pop())
            for effect in after.get(order[-1], ()):
                waiting[effect] -= 1
                if waiting[effect] == 0:
                    ready.append(effect)
        if len(order) < len(self.nodes):
            raise ValueError("the graph has a cycle")
        return tuple(order)


def components(nodes: Sequence[str], edges: Sequence[CausalEdge]) -> list[tuple[str, ...]]:
    """Strongly connected components, each sorted, in order of their first member."""
    from networkx import DiGraph, strongly_connected_components  # noqa: PLC0415 - takes tenths of a second

    graph = DiGraph((edge.cause, edge.effect) for edge in edges)
    graph.add_nodes_from(nodes)
    return sorted(tuple(sorted(group)) for group in strongly_connected_components(graph))
