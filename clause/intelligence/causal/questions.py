"""Causal questions: P(target | do(intervention)), counterfactuals, root causes; and the reader of the relationships
around some nodes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from clause.errors import NotFoundError
from clause.graph.catalogue import quoted
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.basins import Concepts
from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.inference import SAMPLES, Propagation
from clause.intelligence.causal.scores import BACKGROUND_OPERATIONS, CausalMemory, CausalScores, answer, memory_key
from clause.intelligence.models import (
    CausalBasis,
    CausalIntervention,
    CausalQuestion,
    CausalRoot,
    CausalType,
    CounterfactualResponse,
    Direction,
    InterventionRequest,
    InterventionResponse,
    RootCauseRequest,
    RootCauses,
)
from clause.telemetry import logger
from clause.text.fields import FOREVER
from clause.text.names import readable_relation
from clause.text.statements.words import causal_meaning

MOST_EDGES = 1_000
"""Causal relationships that one question reads."""
LEVELS = 12
"""The levels of causes of causes that are read."""


@dataclass(frozen=True)
class Sight:
    """The view of a question: scopes, the two clocks (None: now), and sources and triples that are left out."""

    scopes: tuple[str, ...]
    as_of_valid: datetime | None = None
    as_of_recorded: datetime | None = None
    hidden_sources: tuple[str, ...] = ()
    hidden_edges: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class CausalReading:
    """A causal graph as it was read; `truncated` where there was more than is read."""

    graph: CausalGraph
    truncated: bool = False


class CausalKind(NamedTuple):
    """The way a relationship type means a cause: causes, enables or inhibits; `backward` where its end is the cause."""

    name: str
    backward: bool


def _with_types(text: str, kinds: Mapping[str, CausalKind]) -> str:
    """The statement with its types; a direction that no type has keeps its placeholder, which no relationship has."""
    for backward, place in ((False, "`CAUSAL`"), (True, "`CAUSAL_BY`")):
        names = sorted(name for name, kind in kinds.items() if kind.backward is backward)
        text = text.replace(place, "|".join(map(quoted, names)) or place)
    return text


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
        """Causes and effects of nodes, `levels` steps either way."""
        return await self._read(nodes, sight, levels=levels, outward=True)

    async def kinds(self, sight: Sight) -> Mapping[str, CausalKind]:
        """Causal relationship types by name."""
        rows = await self._graph.run("intelligence/causal_types", scopes=list(sight.scopes))
        return {row["name"]: CausalKind(row["kind"], row["backward"]) for row in rows}

    async def _read(self, nodes: Sequence[str], sight: Sight, *, levels: int, outward: bool) -> CausalReading:
        kinds = await self.kinds(sight)
        if not kinds:
            return CausalReading(CausalGraph())
        statement = self._graph.catalogue["intelligence/causal_edges"]
        named = replace(statement, text=_with_types(statement.text, kinds))
        valid = sight.as_of_valid or sight.as_of_recorded or self._now()
        clocks = {"valid": valid, "recorded": sight.as_of_recorded or FOREVER}
        hidden = {"hidden_sources": [*sight.hidden_sources], "hidden_edges": [[*edge] for edge in sight.hidden_edges]}
        common = {"scopes": list(sight.scopes), "outward": outward, "limit": MOST_EDGES + 1, **clocks, **hidden}
        edges: dict[tuple[str, str, str], CausalEdge] = {}
        seen, frontier = set(nodes), sorted(set(nodes))
        for _ in range(levels):
            if not frontier or len(edges) > MOST_EDGES:
                break
            for row in await self._graph.execute(named, {"nodes": frontier, **common}):
                kind = kinds[row["relation"]]
                cause, effect = (row["tail"], row["head"]) if kind.backward else (row["head"], row["tail"])
                key = (cause, effect, row["relation"])
                edge = CausalEdge(cause, effect, float(row["strength"]), kind.name == "inhibits")
                edges[key] = max(edge, edges.get(key, edge), key=lambda one: one.strength)
            found = {end for edge in edges.values() for end in (edge.cause, edge.effect)} - seen
            seen |= found
            frontier = sorted(found)
        kept = [edges[key] for key in list(edges)[:MOST_EDGES]]
        return CausalReading(CausalGraph.of(kept), len(edges) > MOST_EDGES or bool(frontier))


AROUND = 4
"""Levels of causes and effects that are read around a request's seeds."""
NO_PATH = "no causal relationship leads from the intervention to the target"


class Causal:
    """Causal questions on one graph."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._reader = CausalReader(ground.graph, ground.now)
        self._concepts = Concepts(ground)
        self.memory = CausalMemory()
        self._background: set[asyncio.Task[None]] = set()

    async def intervene(self, request: InterventionRequest, *, caller: Caller) -> InterventionResponse:
        """P(target | do(node = value)): exact up to 200 causal relationships, sampled with a stated error beyond.

        Raises:
            NotFoundError, AmbiguousNameError: a node is unknown, or its name several carry.
        """
        started = time.perf_counter()
        node, target, reading = await self._asked(request, caller)
        asked = Propagation(reading.graph, target, node, request.value, request.base_rate)
        basis, (score,) = await self._answered(reading, [asked])
        if score is None:
            return InterventionResponse(intervention=None, basis=basis)
        found = CausalIntervention(
            intervention_node=node,
            target_node=target,
            intervention_score=score,
            computation_time_ms=(time.perf_counter() - started) * 1000,
        )
        return InterventionResponse(intervention=found, basis=basis)

    async def counterfactual(self, request: CausalQuestion, *, caller: Caller) -> CounterfactualResponse:
        """The difference that the node makes to the target: that of two propagations, with it and without it."""
        node, target, reading = await self._asked(request, caller)
        both = [Propagation(reading.graph, target, node, value, request.base_rate) for value in (True, False)]
        basis, (present, absent) = await self._answered(reading, both)
        difference = None if present is None or absent is None else present - absent
        return CounterfactualResponse(with_node=present, without_node=absent, difference=difference, basis=basis)

    async def root_causes(self, request: RootCauseRequest, *, caller: Caller) -> RootCauses:
        """The causes of a node whose strongest path's product is above a threshold; roots first."""
        scopes = await self._ground.readable(caller, request.scopes)
        ids = await self._concepts.resolve([request.node], scopes, field="node")
        node = ids[request.node]
        reading = await self._reader.above(node, Sight(scopes))
        strengths = reading.graph.strongest_causes(node, request.least)
        names = await self._names([*strengths], scopes)
        causes = [
            CausalRoot(
                id=cause,
                name=names.get(cause, cause),
                path_strength=strength,
                is_root=not any(not edge.inhibits for edge in reading.graph.into.get(cause, ())),
            )
            for cause, strength in strengths.items()
        ]
        ordered = sorted(causes, key=lambda cause: (not cause.is_root, -cause.path_strength, cause.id))
        return RootCauses(node=node, causes=ordered, truncated=reading.truncated)

    async def map_type(self, request: CausalType, *, caller: Caller) -> CausalType:
        """Say that a relationship type of a scope means a cause, how and in which direction; or that it means none.

        Raises:
            NotFoundError: the scope has no such type.
        """
        scope = self._ground.writable(caller, request.scope)
        direction = request.direction or said_direction(request.relation)
        row = await self._ground.graph.one(
            "intelligence/map_type",
            scope=scope,
            name=request.relation,
            kind=request.kind,
            backward=direction == "backward",
        )
        if row is None:
            raise NotFoundError(f"scope {scope} has no relationship type {request.relation!r}", field="relation")
        return CausalType(relation=row["name"], kind=row["kind"], direction=direction, scope=scope)

    # -- for the Navigator ---------------------------------------------------------------------------------------------

    async def scores(
        self, seeds: Sequence[str], sight: Sight, *, repeat: Collection[str] | None = None
    ) -> CausalScores:
        """Scores around a request's seeds; `repeat`: the fallbacks of a recorded run."""
        reading = await self._reader.around(seeds, sight, levels=AROUND)
        return CausalScores(reading.graph, self.memory, repeat=repeat)

    def later(self, scores: CausalScores) -> None:
        """Compute in the background what fell back, for the requests to come; returns at once."""
        if scores.fallbacks:
            task = asyncio.get_running_loop().create_task(
                self._catch_up(scores), name="causal scores", context=Context()
            )
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    async def settled(self) -> None:
        """Wait until what was given to `later` is computed."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)

    async def _catch_up(self, scores: CausalScores) -> None:
        try:
            for asked in scores.fallbacks.values():
                self.memory.put(memory_key(asked), await self._ground.pool.run(answer, asked))
        except Exception:
            logger(__name__).exception("causal scores were not computed")

    # -- inside --------------------------------------------------------------------------------------------------------

    async def _asked(self, request: CausalQuestion, caller: Caller) -> tuple[str, str, CausalReading]:
        scopes = await self._ground.readable(caller, request.scopes)
        found = await self._concepts.resolve([request.intervention_node], scopes, field="intervention_node")
        found |= await self._concepts.resolve([request.target_node], scopes, field="target_node")
        node, target = found[request.intervention_node], found[request.target_node]
        sight = Sight(scopes, request.as_of_valid, request.as_of_recorded)
        return node, target, await self._reader.above(target, sight)

    async def _answered(
        self, reading: CausalReading, asked: Sequence[Propagation]
    ) -> tuple[CausalBasis, list[float | None]]:
        first = asked[0]
        if not bears(reading.graph, str(first.node), first.target):
            basis = CausalBasis(method="none", edges=0, truncated=reading.truncated, reason=NO_PATH)
            return basis, [None] * len(asked)
        network = await self._ground.pool.run(lambda: first.network)
        cycles = [list(group) for group in network.cycles]
        cost = await self._ground.pool.run(lambda: first.operations)
        about = {"edges": len(network.edges), "truncated": reading.truncated, "cycles": cycles}
        if cost is not None and cost <= BACKGROUND_OPERATIONS:
            scores: list[float | None] = [await self._ground.pool.run(one.exact) for one in asked]
            return CausalBasis(method="exact", **about), scores
        seed = int(reading.graph.fingerprint[:8], 16)
        drawn = [await self._ground.pool.run(one.sampled, SAMPLES, seed) for one in asked]
        reason = "more causal relationships bear on it than an exact answer takes"
        basis = CausalBasis(method="sampled", error=max(error for _, error in drawn), reason=reason, **about)
        return basis, [mean for mean, _ in drawn]

    async def _names(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, str]:
        rows = await self._ground.graph.run(
            "intelligence/known_concepts", ids=[*ids], keys=[], phrases=[], scopes=list(scopes), limit=1
        )
        return {row["id"]: row["name"] for row in rows}


def said_direction(relation: str) -> Direction:
    """The direction that a type's own words say; forward where they say none.

    >>> said_direction("is_caused_by"), said_direction("feeds")
    ('backward', 'forward')
    """
    meaning = causal_meaning(readable_relation(relation))
    return "backward" if meaning is not None and meaning[1] else "forward"


def bears(graph: CausalGraph, node: str, target: str) -> bool:
    """True where setting `node` can bear on `target` at all: it is the target, or a causal path leads there."""
    return bool(graph.edges) and (node == target or graph.leads_to(node, target))
