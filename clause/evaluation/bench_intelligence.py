"""The rows of `clause bench` about intelligence: ThoughtSeeds in batch, and what the flags cost an answer."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from clause.errors import ConflictError
from clause.evaluation.bench_loading import bench_scope
from clause.evaluation.bench_rows import BOLT, OWNER, SCOPES, Services, round_trip_ms
from clause.evaluation.benching import Timed, against, bench_questions, row, timed
from clause.evaluation.triples import TripleGraph
from clause.graph.retry import WAITS_S
from clause.graph.runner import Graph
from clause.ground import utc_now
from clause.intelligence.afterwards import BATCH
from clause.intelligence.causal_graph import CausalEdge, CausalGraph
from clause.intelligence.causal_scores import CausalMemory, CausalScores
from clause.intelligence.conflicts import ConflictGuard
from clause.intelligence.models_conflicts import AgentWrites, RelationWrite
from clause.intelligence.noisy_or import EXACT_EDGES, Propagation
from clause.intelligence.thoughtseeds import seed_rows
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.rooms import Rooms

SPAN = 12
"""How far apart the ends of a cause are, in the bench's graph."""


class RoomServices(Services, Protocol):
    """What these rows drive (the container has it)."""

    @property
    def rooms(self) -> Rooms:
        """The rooms."""
        ...


async def thoughtseeds_bench(services: RoomServices, count: int, command: str) -> dict[str, Any]:
    """`count` seeds of the sample's concepts written in batches, then linked; beside it, a bare round trip."""
    seeds = services.rooms.intelligence.thoughtseeds
    entities = await services.graph.run("reasoning/some_entities", scopes=SCOPES, limit=count)
    concepts = {row["id"]: row["name"] for row in entities}
    async with bench_scope(services.graph, "kg:bench-thoughtseeds") as scope:
        rows = [
            made
            for place, (concept, name) in enumerate(concepts.items())
            for made in seed_rows({concept: name}, f"doc-{place % 50}", scope, [scope, *SCOPES], utc_now())
        ]
        started = time.perf_counter()
        for first in range(0, len(rows), BATCH):
            await seeds.write(rows[first : first + BATCH])
        written_s = time.perf_counter() - started
        linked = await seeds.link([scope])
        total_s = time.perf_counter() - started
        links = await _links(services.graph, scope)
    per_s = len(rows) / written_s
    return {
        "name": "ThoughtSeeds written in batches",
        "n": len(rows),
        "seeds_per_s": round(per_s, 1),
        "linked_per_s": round(len(rows) / (total_s - written_s), 1),
        "links": links,
        "patterns": linked["patterns"],
        "baseline": against(f"{BOLT}; ratio of 1,000 seeds", await round_trip_ms(services.graph), 1e6 / per_s),
        "command": command,
    }


async def flags_bench(
    services: RoomServices, graph: TripleGraph, *, policy: str, calls: int, command: str
) -> dict[str, Any]:
    """The same questions with all flags on and with all flags off, in turns; recording is on in both."""
    questions = bench_questions(graph, calls + max(2, calls // 10))
    warm, counted = questions[: len(questions) - calls], questions[len(questions) - calls :]
    for text in warm:
        await _ask(services, text, policy, True)
    on: list[float] = []
    off: list[float] = []
    for place, text in enumerate(counted):
        for flags in (place % 2 == 0, place % 2 == 1):
            (on if flags else off).append(await _ask(services, text, policy, flags))
    seeds = services.rooms.intelligence.afterwards.waiting
    await services.rooms.intelligence.settled()
    return {
        "name": "coordinate with all flags on",
        "policy": policy,
        "n": calls,
        "p50_ms": _percentile(on, 50),
        "p95_ms": _percentile(on, 95),
        "seeds_waiting_at_the_end": seeds,
        "lost": services.rooms.intelligence.afterwards.lost,
        "baseline": against("all flags off, the same questions in turns", _percentile(off, 50), _percentile(on, 50)),
        "ratio_of_means": round(float(np.mean(on) / np.mean(off)), 3),
        "command": command,
    }


async def _ask(services: Services, text: str, policy: str, flags: bool) -> float:
    request = CoordinationRequest(
        query=text,
        budgets=BudgetAllocation(),
        scopes=SCOPES,
        policy=policy,
        enable_thoughtseeds=flags,
        enable_curiosity=flags,
        enable_causal=flags,
    )
    started = time.perf_counter()
    await services.coordinator.coordinate(request, OWNER)
    return (time.perf_counter() - started) * 1000


async def _links(graph: Graph, scope: str) -> int:
    (counted,) = await graph.run("evaluation/count_links", scope=scope)
    return int(counted["links"])


def _percentile(latencies: Sequence[float], percent: float) -> float:
    return round(float(np.percentile(latencies, percent)), 3)


def causal_graph(edges: int = EXACT_EDGES, seed: int = 1) -> CausalGraph:
    """A random acyclic graph of `edges` causes whose ends are not far apart."""
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    found: set[tuple[int, int]] = set()
    while len(found) < edges:
        one, other = sorted(rng.sample(range(edges // 2), 2))
        if other - one <= SPAN:
            found.add((one, other))
    return CausalGraph.of(CausalEdge(f"n{one:04}", f"n{other:04}", rng.random()) for one, other in sorted(found))


async def causal_bench(services: Services, calls: int, command: str) -> dict[str, Any]:
    """P(target | do(cause)) over 200 causal relationships, exact, nothing remembered; beside it, a bare round trip."""
    graph = causal_graph()
    target = max(graph.nodes, key=lambda node: len(graph.above(node).edges))
    asked = Propagation(graph, target, graph.nodes[0])

    async def compute(_call: int) -> None:
        CausalScores(CausalGraph(graph.edges), CausalMemory()).of(graph.nodes[0], target)

    figure = await timed(compute, range(calls + 5), warm_up=5)
    told = row("a causal check, exact", figure, BOLT, await round_trip_ms(services.graph), command)
    return {**told, "edges": len(asked.network.edges), "operations": asked.operations}


async def rollback_bench(services: RoomServices, calls: int, command: str) -> dict[str, Any]:
    """An agent's writes that contradict what is stored, found out and rolled back, without the waits between tries."""

    async def no_wait(_seconds: float) -> None:
        return None

    guard = ConflictGuard(services.rooms.intelligence.ground, sleep=no_wait)
    async with bench_scope(services.graph, "kg:bench-conflicts") as scope:
        first = RelationWrite(cause="rain", effect="flood")
        await guard.write(AgentWrites(agent="first", writes=[first], scope=scope), caller=OWNER)
        second = RelationWrite(cause="rain", effect="flood", kind="inhibits")

        async def contradict(_call: int) -> None:
            with suppress(ConflictError):
                await guard.write(AgentWrites(agent="second", writes=[second], scope=scope), caller=OWNER)

        figure = await timed(contradict, range(calls + 2), warm_up=2)
        baseline_ms = await round_trip_ms(services.graph)
    tries = len(WAITS_S) + 1
    one = Timed([latency / tries for latency in figure.latencies_ms], figure.errors, figure.wall_s)
    return row("a conflict rolled back, one try of four", one, BOLT, baseline_ms, command)
