"""The rows of `clause bench` about intelligence: ThoughtSeeds in batch, and what the flags cost an answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from clause.evaluation.bench_loading import bench_scope
from clause.evaluation.bench_rows import BOLT, OWNER, SCOPES, Services, round_trip_ms
from clause.evaluation.benching import against, bench_questions
from clause.evaluation.triples import TripleGraph
from clause.graph.runner import Graph
from clause.ground import utc_now
from clause.intelligence.afterwards import BATCH
from clause.intelligence.thoughtseeds import seed_rows
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.rooms import Rooms


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
            row
            for place, (concept, name) in enumerate(concepts.items())
            for row in seed_rows({concept: name}, f"doc-{place % 50}", scope, [scope, *SCOPES], utc_now())
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
    (row,) = await graph.run("evaluation/count_links", scope=scope)
    return int(row["links"])


def _percentile(latencies: Sequence[float], percent: float) -> float:
    return round(float(np.percentile(latencies, percent)), 3)
