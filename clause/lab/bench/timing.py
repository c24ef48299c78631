"""Timing under load, against a baseline of the same run."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from clause import __version__
from clause.errors import ClauseError
from clause.graph.server.pidfile import replace_privately
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.neighbourhood.port import Hop

Item = TypeVar("Item")

WORDINGS: Sequence[tuple[Hop, str]] = (
    (Hop("directed_by", True), "who directed {}"),
    (Hop("starred_actors", True), "who acted in the movies by the director of {}"),
    (Hop("starred_actors", True), "what genres do the films that share actors with {} have"),
    (Hop("written_by", True), "when were the films written by the writer of {} released"),
    (Hop("directed_by", False), "what movies did {} direct"),
    (Hop("starred_actors", False), "who co-starred with {}"),
)
"""A hop that the entity must have, and a wording about it."""


@dataclass(frozen=True, slots=True)
class Timings:
    """`latencies_ms` of the calls that answered, how many failed, and the wall time of them all."""

    latencies_ms: Sequence[float]
    errors: int
    wall_s: float

    def percentile_ms(self, percent: float) -> float:
        """A percentile of the latencies; 0 where nothing answered."""
        return round(float(np.percentile(self.latencies_ms, percent)), 3) if self.latencies_ms else 0.0

    @property
    def per_s(self) -> float:
        """Answers in a second of wall time."""
        return round(len(self.latencies_ms) / self.wall_s, 2) if self.wall_s else 0.0


async def timed(
    call: Callable[[Item], Awaitable[object]], inputs: Sequence[Item], *, clients: int = 1, warm_up: int = 0
) -> Timings:
    """Call once for each input with so many clients; the first `warm_up` inputs are called before and not counted."""
    for item in inputs[:warm_up]:
        await call(item)
    waiting = iter(inputs[warm_up:])
    latencies: list[float] = []
    errors = 0

    async def client() -> None:
        nonlocal errors
        for item in waiting:
            started = time.perf_counter()
            try:
                await call(item)
            except ClauseError:
                errors += 1
            else:
                latencies.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return Timings(latencies, errors, time.perf_counter() - started)


def bench_questions(graph: TypedWalks, count: int, seed: int = 0, *, among: Container[str] | None = None) -> list[str]:
    """`count` different questions about the graph's entities, so that no cache of queries answers them.

    `among`: the only entities to ask about; None: all.
    """
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    texts: dict[str, None] = {}
    for node in rng.sample(graph.nodes, len(graph.nodes)):
        if among is not None and node not in among:
            continue
        wordings = [wording for hop, wording in WORDINGS if graph.leaves(node, hop)]
        if wordings:
            texts[rng.choice(wordings).format(node)] = None
        if len(texts) == count:
            break
    return list(texts)


def row(name: str, figure: Timings, baseline: str, baseline_ms: float, command: str) -> dict[str, Any]:
    """One row of qualities.md: the figure, and its ratio to the baseline of the same run."""
    return {
        "name": name,
        "n": len(figure.latencies_ms),
        "p50_ms": figure.percentile_ms(50),
        "p95_ms": figure.percentile_ms(95),
        "errors": figure.errors,
        "baseline": against(baseline, baseline_ms, figure.percentile_ms(50)),
        "command": command,
    }


def against(name: str, baseline_ms: float, figure_ms: float) -> dict[str, Any]:
    """A baseline and how many times as long the figure takes.

    >>> against("bare Bolt round trip", 2.0, 30.0)
    {'name': 'bare Bolt round trip', 'ms': 2.0, 'ratio': 15.0}
    """
    ratio = round(figure_ms / baseline_ms, 2) if baseline_ms else 0.0
    return {"name": name, "ms": round(baseline_ms, 3), "ratio": ratio}


def coordinate_row(
    figure: Timings,
    performances: Sequence[Mapping[str, float]],
    *,
    clients: int,
    policy: str,
    baseline_ms: float,
    embedding_ms: float,
    round_trips: float,
    command: str,
) -> dict[str, Any]:
    """The object of `bench coordinate`. The breakdown holds medians; `agents_ms` counts the agents' own reads too."""
    least_ms = embedding_ms + 4 * baseline_ms

    def median(*names: str) -> float:
        sums = [sum(performance[name] for name in names) for performance in performances]
        return round(float(np.median(sums)), 3) if sums else 0.0

    return {
        "p50_ms": figure.percentile_ms(50),
        "p95_ms": figure.percentile_ms(95),
        "answers_per_s": figure.per_s,
        "errors": figure.errors,
        "clients": clients,
        "policy": policy,
        "breakdown": {
            "embed_ms": median("embed_ms"),
            "database_ms": median("database_ms"),
            "agents_ms": median("architect_ms", "navigator_ms", "curator_ms"),
            "round_trips": round(round_trips, 1),
        },
        "least": against("one embedding and four bare round trips", least_ms, figure.percentile_ms(50)),
        "baseline": against("bare Bolt round trip", baseline_ms, figure.percentile_ms(50)),
        "command": command,
    }


def keep(history: Path, row: Mapping[str, Any], at: datetime) -> None:
    """Add a row of `clause bench` to a JSON list of all that were kept: when, by which version, on how many cores."""
    kept = json.loads(history.read_text(encoding="utf-8")) if history.exists() else []
    kept.append({"at": at.isoformat(timespec="seconds"), "version": __version__, "cores": os.cpu_count(), "row": row})
    replace_privately(history, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    history.chmod(0o644)


def hash_of(text: str) -> int:
    """A number that is the same in every run.

    >>> hash_of("a"), hash_of("b")
    (97, 98)
    """
    return int.from_bytes(text.encode()[-4:], "big")
