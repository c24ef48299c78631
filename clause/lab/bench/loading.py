"""The rows of `clause bench` that load triples, measure growth, ThoughtSeeds in batch, and what the flags cost an
answer."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import psutil

from clause.app import Rooms
from clause.errors import ConflictError
from clause.graph.migrations import online
from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.graph.wire import WAITS_S
from clause.ingest.readers import guess_format, read_triples
from clause.ingest.triples import Interner, load_triples
from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.inference import EXACT_EDGES, Propagation
from clause.intelligence.causal.scores import CausalMemory, CausalScores
from clause.intelligence.models import AgentWrites, RelationWrite
from clause.intelligence.outbox import BATCH
from clause.intelligence.thoughtseeds import seed_rows
from clause.intelligence.write_conflicts import ConflictGuard
from clause.lab.bench.reasoning import BOLT, OWNER, SCOPES, ReasoningServices, round_trip_ms
from clause.lab.bench.timing import Timings, against, bench_questions, row, timed
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood.port import Edge
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.fields import utc_now

ERASED_AT_ONCE = 1_000
BARE_BATCH = 10_000
APART = 10
"""One of so many relationships of a copy leads to the copy before, where all copies are one graph."""


async def load_bench(
    services: ReasoningServices, graph: TypedWalks, folder: Path, count: int, command: str
) -> dict[str, Any]:
    """`count` triples of the sample loaded without embeddings into a scope of their own, which is erased afterwards.

    Beside it the same rows in bare batched writes, once before and once after: the store and its indexes alone.
    """
    path = write_triples(folder / "triples.txt", triples(graph.snapshot)[:count])
    before = await _bare_per_s(services.graph, path)
    async with bench_scope(services.graph, "kg:bench-load") as scope:
        started = time.perf_counter()
        report = await load_triples(services.graph, None, path, scope)
        seconds = time.perf_counter() - started
    per_s, bare_per_s = report.created / seconds, (before + await _bare_per_s(services.graph, path)) / 2
    return {
        "name": "loading triples, without embeddings",
        "n": report.created,
        "seconds": round(seconds, 3),
        "triples_per_s": round(per_s, 1),
        "bare_batched_writes_per_s": round(bare_per_s, 1),
        "share_of_bare": round(per_s / bare_per_s, 3),
        "baseline": against(f"{BOLT}; ratio of 1,000 triples", await round_trip_ms(services.graph), 1e6 / per_s),
        "command": command,
    }


async def _bare_per_s(graph: Graph, path: Path) -> float:
    """Triples a second of a file whose rows were made before, written with nothing looked up, counted or kept."""
    async with bench_scope(graph, "kg:bench-bare") as scope:
        names, records = Interner(scope, "bare"), list(read_triples(path, guess_format(path)))
        batches = [names.batch(records[start : start + BARE_BATCH]) for start in range(0, len(records), BARE_BATCH)]
        common: dict[str, Any] = {"scope": scope, "recorded_at": utc_now()}
        started = time.perf_counter()
        for batch in batches:
            token = scope_token(scope)
            await graph.run("evaluation/bare_entities", rows=batch.entities, scope_token=token, **common)
            await graph.run("evaluation/bare_triples", rows=batch.triples, **common)
        return len(records) / (time.perf_counter() - started)


async def growth_bench(
    services: ReasoningServices,
    graph: TypedWalks,
    folder: Path,
    *,
    policy: str,
    times: Sequence[int],
    calls: int,
    connected: bool = False,
    count: int | None = None,
    store: Path | None = None,
    command: str,
) -> dict[str, Any]:
    """The same questions as the scope grows to so many times the graph (copies with other names).

    `connected` leads every tenth relationship into the next copy, so that all are one graph; `count` takes that many
    triples of the graph alone; `store` is the folder whose size is told. `exponent` is the slope of the logarithms:
    p50 grows as the number of triples to its power.
    """
    edges = triples(graph.snapshot)[:count]
    named = {end for head, _, tail in edges for end in (head, tail)}
    questions = bench_questions(graph, calls, among=named)
    rows: list[dict[str, Any]] = []
    async with bench_scope(services.graph, "kg:bench-growth") as scope:

        async def ask(text: str) -> None:
            request = CoordinationRequest(
                query=text, budgets=BudgetAllocation(), scopes=[scope], policy=policy, record=False
            )
            await services.coordinator.coordinate(request, OWNER)

        held = 0
        for size in (1, *sorted(times)):
            started = time.perf_counter()
            for copy in range(held, size):
                path = folder / f"copy_{copy}.txt"
                write_triples(path, edges, copy=copy, connected=connected and size > 1)
                await load_triples(services.graph, None, path, scope)
            loaded_s = time.perf_counter() - started
            await online(services.graph)
            for text in questions:  # not counted: what is remembered of a question is remembered at every size
                await ask(text)
            figure = await timed(ask, questions, warm_up=max(1, calls // 10))
            new = (size - held) * len(edges)
            held = size
            told = {"times": size, "triples": size * len(edges), **_percentiles(figure)}
            rows.append({**told, "loaded_per_s": round(new / loaded_s, 1), **_memory(store)})
    large = rows[-1]
    return {
        "name": f"coordinate at {large['times']}x the graph{', connected' if connected else ''}",
        "n": len(questions) - max(1, calls // 10),
        "policy": policy,
        "rows": rows,
        "exponent": exponent([row["triples"] for row in rows], [row["p50_ms"] for row in rows]),
        "baseline": against("the graph once", rows[0]["p50_ms"], large["p50_ms"]),
        "command": command,
    }


def exponent(sizes: Sequence[float], figures: Sequence[float]) -> float:
    """The power of the size that a figure grows with: the slope of a line through the logarithms.

    >>> exponent([1, 10, 100], [5.0, 50.0, 500.0]), exponent([1, 10], [3.0, 3.0])
    (1.0, 0.0)
    """
    if min(figures) <= 0:
        return 0.0
    return round(float(np.polyfit(np.log(sizes), np.log(figures), 1)[0]), 3) + 0.0


def _memory(store: Path | None) -> dict[str, float]:
    """MiB of this process, and of the files of the store where these are here."""
    told = {"rss_mb": round(psutil.Process().memory_info().rss / 2**20, 1)}
    if store is not None and store.is_dir():
        told["store_mb"] = round(sum(file.stat().st_size for file in store.rglob("*") if file.is_file()) / 2**20, 1)
    return told


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


def write_triples(
    path: Path, triples: Iterable[tuple[str, str, str]], *, copy: int = 0, connected: bool = False
) -> Path:
    """A `head|relation|tail` file of the names of a copy (the first has them as they are); `connected` leads every
    tenth relationship to the copy before."""
    own, before = (f" #{number}" if number else "" for number in (copy, max(0, copy - 1)))
    lines = (
        f"{head}{own}|{relation}|{tail}{before if connected and place % APART == 0 else own}\n"
        for place, (head, relation, tail) in enumerate(triples)
    )
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def triples(snapshot: Snapshot) -> list[Edge]:
    """Every edge of a snapshot once, sorted."""
    rows = snapshot.forward
    heads = np.repeat(np.arange(len(snapshot.ids)), np.diff(rows.starts)).tolist()
    edges = zip(heads, rows.relations.tolist(), rows.ends.tolist(), strict=True)
    return sorted(Edge(snapshot.ids[head], snapshot.relations[kind], snapshot.ids[tail]) for head, kind, tail in edges)


def _percentiles(figure: Timings) -> dict[str, float]:
    return {"p50_ms": figure.percentile_ms(50), "p95_ms": figure.percentile_ms(95), "errors": figure.errors}


SPAN = 12
"""The distance between the ends of a cause, in the bench's graph."""


class RoomServices(ReasoningServices, Protocol):
    """The services that these rows drive (the container has them)."""

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
    services: RoomServices, graph: TypedWalks, *, policy: str, calls: int, command: str
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


async def _ask(services: ReasoningServices, text: str, policy: str, flags: bool) -> float:
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


async def causal_bench(services: ReasoningServices, calls: int, command: str) -> dict[str, Any]:
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

    guard = ConflictGuard(services.rooms.ground, sleep=no_wait)
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
    one = Timings([latency / tries for latency in figure.latencies_ms], figure.errors, figure.wall_s)
    return row("a conflict rolled back, one try of four", one, BOLT, baseline_ms, command)
