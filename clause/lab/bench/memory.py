"""`clause bench memory` and `clustering`: memories and experiences at size, beside a Bolt round trip and numpy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import numpy as np

from clause.arrays import Doubles, Floats
from clause.graph.scopes import scope_token
from clause.ground import Ground
from clause.lab.bench.loading import bench_scope
from clause.lab.bench.reasoning import BOLT, OWNER, round_trip_ms
from clause.lab.bench.timing import Timings, against, row, timed
from clause.memory.models import MOST_CLUSTERS, MemoryReadInput, MemoryWriteInput, SearchMode
from clause.memory.room import Memory
from clause.telemetry import CountProgress, silent_count
from clause.values.axes import Axis, properties_of
from clause.values.clustering import Density, labels_of, unit
from clause.values.ghap import GhapEntry, GhapOutcome, Outcome, Tier
from clause.values.models import RunRequest
from clause.values.room import Values

BARE = 5_000
"""Most bare upserts that are timed."""
_TOPICS = 200
_WORDS = [
    "tea",
    "rain",
    "garden",
    "road",
    "salt",
    "song",
    "river",
    "stone",
    "bread",
    "light",
    "paper",
    "window",
    "cloud",
    "forest",
    "coffee",
    "train",
    "letter",
    "winter",
    "summer",
    "market",
    "bridge",
    "island",
    "piano",
    "camera",
    "bicycle",
    "harbour",
    "lantern",
    "orchard",
    "meadow",
    "kitchen",
]
_TICK_S = 0.005


class LagMeter:
    """Measures by how much the event loop comes back late to a task that only sleeps."""

    def __init__(self) -> None:
        self.lags_ms: list[float] = []

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[LagMeter]:
        """Measure while the block runs."""
        task = asyncio.create_task(self._watch())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            self.lags_ms.append((time.perf_counter() - started - _TICK_S) * 1000)

    def figures(self) -> dict[str, float]:
        """Percentiles and the greatest lag, in ms."""
        p50, p99 = np.percentile(self.lags_ms, [50, 99]) if self.lags_ms else (0.0, 0.0)
        most = max(self.lags_ms, default=0.0)
        return {"p50_ms": round(float(p50), 2), "p99_ms": round(float(p99), 2), "max_ms": round(most, 2)}


def made_memories(count: int, dimension: int, seed: int = 0) -> tuple[list[str], Floats]:
    """Texts, and unit vectors float32 [n, d] in groups of 1 to 10 whose cosine to their centre is about .95.

    Centres lie around 200 topics, so that a query has near and less near groups, as sentences have.
    """
    rng = np.random.default_rng(seed)
    topics = _unit(rng.normal(size=(_TOPICS, dimension)))
    sizes = rng.integers(1, 11, size=count)
    groups = np.repeat(np.arange(count), sizes)[:count]
    chosen = rng.integers(0, len(topics), size=int(groups[-1]) + 1)
    centres = _unit(topics[chosen] + 1.2 * _unit(rng.normal(size=(len(chosen), dimension))))
    vectors = _unit(centres[groups] + 0.33 * _unit(rng.normal(size=(count, dimension))))
    words = rng.choice(_WORDS, size=(count, 6))
    texts = [f"{' '.join(line)} {group}" for line, group in zip(words, groups.tolist(), strict=True)]
    return texts, vectors.astype(np.float32)


async def memory_bench(
    memory: Memory, *, size: int, calls: int, command: str, progress: CountProgress = silent_count
) -> dict[str, Any]:
    """All rows at one size, in a scope of their own, which is erased afterwards."""
    room = Memory.open(memory.ground, memory.store.config.model_copy(update={"max_clusters": MOST_CLUSTERS}))
    made = made_memories(size + calls, room.store.config.embedding_dim)
    async with bench_scope(room.ground.graph, "kg:bench-memory") as scope, LagMeter().watching() as lag:
        bench = _Bench(room, scope, made, calls=calls, command=command)
        rows = [
            await bench.batch(size, progress, await bench.bare_per_s(min(size, BARE))),
            await bench.batch_embedded(),
        ]
        rows.append(await bench.write(size))
        reads = [await bench.read(mode, size) for mode in ("dense", "sparse", "hybrid")]
        index = await bench.index_recall(size)
        rows += [*reads, await bench.consolidation()]
        after = await bench.read("hybrid", size)
        rows.append({**after, "name": f"{after['name']}, after consolidation"})
        stats = await room.store.stats(caller=OWNER, scopes=[scope])
        await room.settled()
    figures = {"memories": stats.memories, "clusters": stats.clusters, "compression": round(stats.compression, 2)}
    return {"size": size, "rows": rows, "index": index, "loop_lag": lag.figures(), **figures, "command": command}


class _Bench:
    """One run; vectors are given, so that no row but one waits for the embedder."""

    def __init__(
        self, memory: Memory, scope: str, made: tuple[Sequence[str], Floats], *, calls: int, command: str
    ) -> None:
        self._memory = memory
        self._scope = scope
        self._texts, self._vectors = made
        self._calls = calls
        self._command = command

    async def bare_per_s(self, count: int) -> float:
        """The rate of upserts of the first `count` texts and vectors into the same indexes, 1,000 at a time."""
        graph, at = self._memory.ground.graph, self._memory.ground.now()
        async with bench_scope(graph, "kg:bench-bare-memory") as scope:
            common: dict[str, Any] = {"scope": scope, "scope_token": scope_token(scope), "recorded_at": at}
            started = time.perf_counter()
            for start in range(0, count, 1000):
                places = range(start, min(start + 1000, count))
                rows = [[f"{scope}/{place}", self._texts[place], self._vectors[place], place] for place in places]
                await graph.run("evaluation/bare_memories", rows=rows, **common)
            return count / (time.perf_counter() - started)

    async def batch(self, size: int, progress: CountProgress, bare_per_s: float) -> dict[str, Any]:
        """All memories in batches of 1,000, without embedding; beside it bare upserts."""
        started = time.perf_counter()
        for start in range(0, size, 1000):
            places = range(start, min(start + 1000, size))
            await self._memory.store.write_batch(await self._requests(places), caller=OWNER)
            progress(places.stop, size)
        found = self._rate("batch write, vectors given", size, time.perf_counter() - started)
        return {
            **found,
            "bare_upserts_per_s": round(bare_per_s, 1),
            "share_of_bare": round(found["per_s"] / bare_per_s, 3),
        }

    async def batch_embedded(self) -> dict[str, Any]:
        """500 memories that are embedded; beside it the rate of the model alone, on texts of the same kind."""
        texts = [f"embedded {text}" for text in self._texts[:500]]
        started = time.perf_counter()
        await self._memory.ground.embedder.embed([f"{text} alone" for text in texts])
        alone = self._rate("the model alone", len(texts), time.perf_counter() - started)
        requests = [MemoryWriteInput(content=text, scope=self._scope) for text in texts]
        started = time.perf_counter()
        await self._memory.store.write_batch(requests, caller=OWNER)
        found = self._rate("batch write, with embeddings", len(requests), time.perf_counter() - started)
        return {**found, "model_alone_per_s": alone["per_s"]}

    async def write(self, size: int) -> dict[str, Any]:
        """Single writes, one after the other."""
        requests = await self._requests(range(size, size + self._calls))

        async def write(request: MemoryWriteInput) -> None:
            await self._memory.store.write(request, caller=OWNER)

        return await self._row("write, vector given", await timed(write, requests, warm_up=self._calls // 10))

    async def read(self, mode: SearchMode, size: int) -> dict[str, Any]:
        """Top 10, one after the other; beside it all cosines by numpy."""
        rng = np.random.default_rng(1)
        places = rng.integers(0, size, size=self._calls + self._calls // 10)
        requests = await asyncio.to_thread(lambda: [self._query(place, rng, mode) for place in places.tolist()])

        async def read(request: MemoryReadInput) -> None:
            await self._memory.store.read(request, caller=OWNER)

        figure = await timed(read, requests, warm_up=self._calls // 10)
        found = await self._row(f"read top 10, {mode}, vector given", figure)
        brute_ms = await asyncio.to_thread(self._brute_ms, requests[:50])
        return {**found, "brute_force_numpy": against("brute-force numpy", brute_ms, figure.percentile_ms(50))}

    async def consolidation(self) -> dict[str, Any]:
        """A pass over everything that was written."""
        started = time.perf_counter()
        report = await self._memory.consolidation.run(self._scope, caller=OWNER)
        seconds = time.perf_counter() - started
        done = max(1, report.consolidated)
        return {
            "name": "consolidation",
            "clusters_looked_at": report.looked_at,
            "clusters_consolidated": report.consolidated,
            "joined": report.joined,
            "seconds": round(seconds, 2),
            "ms_a_cluster_looked_at": round(seconds * 1000 / max(1, report.looked_at), 2),
            "ms_a_cluster_consolidated": round(seconds * 1000 / done, 2),
            "command": self._command,
        }

    async def index_recall(self, size: int) -> dict[str, Any]:
        """Recall@10 of the member index, and of prototypes first, against all cosines."""
        rng = np.random.default_rng(2)
        places = rng.integers(0, size, size=100).tolist()
        shares: list[tuple[float, float]] = []
        for place in places:
            request = self._query(place, rng, "dense")
            least = (await asyncio.to_thread(self._exact, request))[-1] - 1e-6
            members = await self._share(request.model_copy(update={"search_members": True}), least)
            shares.append((members, await self._share(request, least)))
        every, first = np.mean(shares, axis=0).tolist()
        return {
            "queries": len(places),
            "recall_at_10_members": round(every, 4),
            "recall_at_10_prototypes_first": round(first, 4),
        }

    async def _share(self, request: MemoryReadInput, least: float) -> float:
        """The share of the ten nearest memories that a read finds: those of at least the tenth cosine."""
        found = await self._memory.store.recall.read(request, [self._scope])
        return float(np.mean([float(np.dot(one.embedding, request.embedding or ())) >= least for one in found]))

    async def _requests(self, places: range) -> list[MemoryWriteInput]:
        """Made in a thread: the loop's lag is the service's, not the bench's."""
        return await asyncio.to_thread(lambda: [self._request(place) for place in places])

    def _request(self, place: int) -> MemoryWriteInput:
        return MemoryWriteInput(content=self._texts[place], scope=self._scope, embedding=self._vectors[place].tolist())

    def _query(self, place: int, rng: np.random.Generator, mode: SearchMode) -> MemoryReadInput:
        vector = _unit(self._vectors[place] + 0.3 * _unit(rng.normal(size=self._vectors.shape[1])))
        words = " ".join(self._texts[place].split()[:3])
        return MemoryReadInput(
            query_text=words, embedding=vector.tolist(), k=10, search_mode=mode, scopes=[self._scope]
        )

    def _exact(self, request: MemoryReadInput) -> list[float]:
        scores = self._vectors @ np.asarray(request.embedding, dtype=np.float32)
        return sorted(np.partition(scores, -10)[-10:].tolist(), reverse=True)

    def _brute_ms(self, requests: Sequence[MemoryReadInput]) -> float:
        took = []
        for request in requests:
            started = time.perf_counter()
            self._exact(request)
            took.append((time.perf_counter() - started) * 1000)
        return float(np.median(took))

    async def _row(self, name: str, figure: Timings) -> dict[str, Any]:
        return row(name, figure, BOLT, await round_trip_ms(self._memory.ground.graph), self._command)

    def _rate(self, name: str, count: int, seconds: float) -> dict[str, Any]:
        return {"name": name, "n": count, "seconds": round(seconds, 2), "per_s": round(count / seconds, 1)}


def _unit(rows: Any) -> Doubles:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=np.float64)


IDLE_S = 3.0
"""The time for which the idle loop is watched, for comparison."""

_GROUPS = 40
_BATCH = 250


def made_points(count: int, dimension: int, seed: int = 0) -> Floats:
    """Unit vectors float32 [n, d] around 40 centres, as loosely as sentences of one intent lie."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(_GROUPS, dimension))
    points = centres[rng.integers(_GROUPS, size=count)] + 0.9 * rng.normal(size=(count, dimension))
    return unit(points.astype(np.float32))


async def clustering_bench(
    values: Values,
    sizes: Sequence[int],
    *,
    stored: int,
    command: str,
    progress: CountProgress = silent_count,
) -> dict[str, Any]:
    """Rows of the arithmetic alone at some sizes, and of a whole run over `stored` experiences in the graph.

    The first row has the child's start in it: what it imports and compiles. The lag of the idle loop stands beside.
    """
    async with LagMeter().watching() as idle:
        await asyncio.sleep(IDLE_S)
    density, dimension = Density(reduction=values.ground.settings.cluster_reduction), values.ground.embedder.dimension
    started = time.perf_counter()
    await values.worker.run(labels_of, made_points(100, dimension), density)
    rows = [{"name": "first run of the child", "n": 100, "seconds": round(time.perf_counter() - started, 2)}]
    for size in sizes:
        points = made_points(size, dimension)
        async with LagMeter().watching() as lag:
            started = time.perf_counter()
            labels = await values.worker.run(labels_of, points, density)
            seconds = time.perf_counter() - started
        rows.append(_row("labels", size, seconds, lag, int(labels.max()) + 1))
    if stored:
        rows.append(await _whole_run(values, stored, progress))
    return {"reduction": str(density), "idle_loop_lag": idle.figures(), "rows": rows, "command": command}


async def _whole_run(values: Values, count: int, progress: CountProgress) -> dict[str, Any]:
    ground = values.ground
    async with bench_scope(ground.graph, "kg:bench-clustering") as scope:
        await _tell(ground, scope, made_points(count, ground.embedder.dimension), progress)
        async with LagMeter().watching() as lag:
            started = time.perf_counter()
            run = await values.clusterer.run(RunRequest(axis=Axis.FULL.value, scope=scope))
            seconds = time.perf_counter() - started
    return _row("run over stored experiences", count, seconds, lag, run.clusters)


async def _tell(ground: Ground, scope: str, points: Floats, progress: CountProgress) -> None:
    """Keep experiences with these vectors [n, d], each batch in one statement."""
    now = ground.now()
    for start in range(0, len(points), _BATCH):
        rows = [[_properties(ground, scope, now), vector] for vector in points[start : start + _BATCH]]
        await ground.graph.run("evaluation/create_experiences", rows=rows, scope=scope)
        progress(start + len(rows), len(points))


def _properties(ground: Ground, scope: str, now: datetime) -> dict[str, Any]:
    said = dict.fromkeys(("domain", "strategy", "goal", "hypothesis", "action", "prediction"), "bench")
    outcome = GhapOutcome(status=Outcome.CONFIRMED, result="bench", captured_at=now)
    entry = GhapEntry(
        id=ground.ids(),
        scope=scope,
        created_at=now,
        resolved_at=now,
        outcome=outcome,
        confidence_tier=Tier.GOLD,
        **said,
    )
    stamp = {"id": entry.id, "change_id": entry.id, "degree": 0, "embedding_model": ground.embedder.model}
    return {**properties_of(entry), **stamp}


def _row(name: str, count: int, seconds: float, lag: LagMeter, clusters: int) -> dict[str, Any]:
    return {
        "name": name,
        "n": count,
        "seconds": round(seconds, 2),
        "clusters": clusters,
        "loop_lag": lag.figures(),
    }
