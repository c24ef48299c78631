"""The rows of `clause bench` that load triples: how fast, and whether a larger graph slows an answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from clause.evaluation.bench_rows import BOLT, OWNER, Services, round_trip_ms
from clause.evaluation.benching import Timed, against, bench_questions, timed
from clause.evaluation.triples import TripleGraph
from clause.graph.runner import Graph
from clause.ingest.triples import load_triples
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood import Edge

ERASED_AT_ONCE = 1_000


async def load_bench(services: Services, graph: TripleGraph, folder: Path, count: int, command: str) -> dict[str, Any]:
    """`count` triples of the sample loaded without embeddings into a scope of their own, which is erased afterwards."""
    path = write_triples(folder / "triples.txt", _first(graph, count))
    async with bench_scope(services.graph, "kg:bench-load") as scope:
        started = time.perf_counter()
        report = await load_triples(services.graph, None, path, scope)
        seconds = time.perf_counter() - started
    per_s = report.created / seconds
    return {
        "name": "loading triples, without embeddings",
        "n": report.created,
        "seconds": round(seconds, 3),
        "triples_per_s": round(per_s, 1),
        "baseline": against(f"{BOLT}; ratio of 1,000 triples", await round_trip_ms(services.graph), 1e6 / per_s),
        "command": command,
    }


async def growth_bench(
    services: Services, graph: TripleGraph, folder: Path, *, policy: str, times: int, calls: int, command: str
) -> dict[str, Any]:
    """The same questions before and after the scope grew to `times` copies of the graph (their entities renamed)."""
    questions = bench_questions(graph, calls)
    async with bench_scope(services.graph, "kg:bench-growth") as scope:

        async def ask(text: str) -> None:
            request = CoordinationRequest(
                query=text, budgets=BudgetAllocation(), scopes=[scope], policy=policy, record=False
            )
            await services.coordinator.coordinate(request, OWNER)

        async def load(copies: range) -> None:
            for copy in copies:
                path = write_triples(folder / f"copy_{copy}.txt", graph.triples(), suffix=f" #{copy}" if copy else "")
                await load_triples(services.graph, None, path, scope)

        await load(range(1))
        small = await timed(ask, questions, warm_up=calls // 10)
        await load(range(1, times))
        large = await timed(ask, questions, warm_up=calls // 10)
    return {
        "name": f"coordinate at {times}x the graph",
        "n": len(large.latencies_ms),
        "policy": policy,
        **_percentiles(large),
        "baseline": against("the graph once", small.percentile_ms(50), large.percentile_ms(50)),
        "command": command,
    }


@asynccontextmanager
async def bench_scope(graph: Graph, scope: str) -> AsyncIterator[str]:
    """A scope that is empty at first and erased at last."""
    await erase(graph, scope)
    try:
        yield scope
    finally:
        await erase(graph, scope)


async def erase(graph: Graph, scope: str) -> None:
    """Remove what is in a bench's scope, in batches."""
    while (await graph.run("evaluation/erase_some", scope=scope, limit=ERASED_AT_ONCE))[0]["erased"]:
        pass


def write_triples(path: Path, triples: Iterable[tuple[str, str, str]], suffix: str = "") -> Path:
    """A `head|relation|tail` file, every name followed by `suffix`."""
    lines = (f"{head}{suffix}|{relation}|{tail}{suffix}\n" for head, relation, tail in triples)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def _first(graph: TripleGraph, count: int) -> list[Edge]:
    return sorted(graph.triples())[:count]


def _percentiles(figure: Timed) -> dict[str, float]:
    return {"p50_ms": figure.percentile_ms(50), "p95_ms": figure.percentile_ms(95), "errors": figure.errors}
