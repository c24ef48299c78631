"""Reads the causal relationships around some nodes: level by level, bounded, within a caller's scopes and clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from clause.graph.quoting import quoted
from clause.graph.runner import Graph
from clause.intelligence.causal_graph import CausalEdge, CausalGraph

MOST_EDGES = 1_000
"""Causal relationships that one question reads."""
LEVELS = 12
"""How far causes of causes are read."""
FOREVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Sight:
    """What a question may see: scopes, and the two clocks (None: now)."""

    scopes: tuple[str, ...]
    as_of_valid: datetime | None = None
    as_of_recorded: datetime | None = None


@dataclass(frozen=True)
class CausalReading:
    """A causal graph as it was read; `truncated` where there was more than is read."""

    graph: CausalGraph
    truncated: bool = False


class CausalReader:
    """Reads causal graphs."""

    def __init__(self, graph: Graph, now: Callable[[], datetime]) -> None:
        """`now`: the instant that a question without clocks means."""
        self._graph = graph
        self._now = now

    async def above(self, target: str, sight: Sight) -> CausalReading:
        """Everything that bears on `target`."""
        return await self._read([target], sight, levels=LEVELS, outward=False)

    async def around(self, nodes: Sequence[str], sight: Sight, *, levels: int) -> CausalReading:
        """What nodes cause and are caused by, `levels` steps either way."""
        return await self._read(nodes, sight, levels=levels, outward=True)

    async def kinds(self, sight: Sight) -> Mapping[str, str]:
        """Causal relationship types: name -> causes, enables or inhibits."""
        rows = await self._graph.run("intelligence/causal_types", scopes=list(sight.scopes))
        return {row["name"]: row["kind"] for row in rows}

    async def _read(self, nodes: Sequence[str], sight: Sight, *, levels: int, outward: bool) -> CausalReading:
        kinds = await self.kinds(sight)
        if not kinds:
            return CausalReading(CausalGraph())
        statement = self._graph.catalogue["intelligence/causal_edges"]
        named = replace(statement, text=statement.text.replace("`CAUSAL`", "|".join(map(quoted, sorted(kinds)))))
        clocks = {"valid": sight.as_of_valid or self._now(), "recorded": sight.as_of_recorded or FOREVER}
        common = {"scopes": list(sight.scopes), "outward": outward, "limit": MOST_EDGES + 1, **clocks}
        edges: dict[tuple[str, str, str], CausalEdge] = {}
        seen, frontier = set(nodes), sorted(set(nodes))
        for _ in range(levels):
            if not frontier or len(edges) > MOST_EDGES:
                break
            for row in await self._graph.execute(named, {"nodes": frontier, **common}):
                key = (row["cause"], row["effect"], row["relation"])
                inhibits = kinds[row["relation"]] == "inhibits"
                edge = CausalEdge(row["cause"], row["effect"], float(row["strength"]), inhibits)
                edges[key] = max(edge, edges.get(key, edge), key=lambda one: one.strength)
            found = {end for edge in edges.values() for end in (edge.cause, edge.effect)} - seen
            seen |= found
            frontier = sorted(found)
        kept = [edges[key] for key in list(edges)[:MOST_EDGES]]
        return CausalReading(CausalGraph.of(kept), len(edges) > MOST_EDGES or bool(frontier))
