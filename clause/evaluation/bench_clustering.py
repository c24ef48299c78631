"""`clause bench clustering`: experiences are clustered at size, and how the event loop fares meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clause.evaluation.bench_loading import bench_scope
from clause.evaluation.bench_memory import LagMeter
from clause.ground import Ground
from clause.values.axes import Axis
from clause.values.clustering import Density, labels_of, unit
from clause.values.entries import properties_of
from clause.values.ghap import GhapEntry, GhapOutcome, Outcome, Tier
from clause.values.models import RunRequest
from clause.values.room import Values

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]

IDLE_S = 3.0
"""How long the idle loop is watched, for comparison."""

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
    progress: Progress = lambda _done, _total: None,
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


async def _whole_run(values: Values, count: int, progress: Progress) -> dict[str, Any]:
    ground = values.ground
    async with bench_scope(ground.graph, "kg:bench-clustering") as scope:
        await _tell(ground, scope, made_points(count, ground.embedder.dimension), progress)
        async with LagMeter().watching() as lag:
            started = time.perf_counter()
            run = await values.clusterer.run(RunRequest(axis=Axis.FULL.value, scope=scope))
            seconds = time.perf_counter() - started
    return _row("run over stored experiences", count, seconds, lag, run.clusters)


async def _tell(ground: Ground, scope: str, points: Floats, progress: Progress) -> None:
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
