"""What is written after answers: in batches, in quiet moments, bounded, and never an answer's harm."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from clause.errors import UnavailableError
from clause.intelligence import outbox as afterwards
from clause.intelligence.outbox import Afterthought, Afterwards
from clause.telemetry import Metrics

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class FakeGraph:
    """Remembers what was written; away while told so."""

    def __init__(self) -> None:
        self.written: list[list[tuple[str, Any]]] = []
        self.away = False
        self.wrote = asyncio.Event()

    async def write(self, work: Any, *, idempotent: bool = True) -> Any:
        if self.away:
            raise UnavailableError("the database is away")
        self.written.append(list(work))
        self.wrote.set()
        return []


class FakeSeeds:
    """Remembers where it linked."""

    def __init__(self) -> None:
        self.linked: list[list[str]] = []
        self.away = False

    async def link(self, scopes: Any) -> None:
        if self.away:
            raise UnavailableError("the database is away")
        self.linked.append(list(scopes))


def made(**options: float) -> tuple[Afterwards, FakeGraph, FakeSeeds]:
    graph, seeds = FakeGraph(), FakeSeeds()
    ground: Any = SimpleNamespace(graph=graph, metrics=Metrics(), now=lambda: NOW)
    linker: Any = seeds
    return Afterwards(ground, linker, **{"quiet_s": 0.0, "most_wait_s": 60.0, **options}), graph, seeds


def thought(*ids: str, **more: Any) -> Afterthought:
    return Afterthought("public", ("public",), [{"id": one} for one in ids], **more)


def seeds_of(graph: FakeGraph) -> list[list[str]]:
    return [
        [row["id"] for row in parameters["rows"]]
        for work in graph.written
        for name, parameters in work
        if name == "intelligence/write_thoughtseeds"
    ]


async def test_several_answers_make_one_batch_each_seed_once() -> None:
    later, graph, seeds = made()
    with later.asking():
        later.later(thought("b", "a"))
        later.later(thought("a", "c"))
        assert later.waiting == 4
        await asyncio.sleep(0)
        assert graph.written == []
    await later.settled()
    assert seeds_of(graph) == [["a", "b", "c"]]
    assert seeds.linked == [["public"]]
    assert later.waiting == 0


async def test_batches_are_bounded_but_never_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterwards, "BATCH", 2)
    later, graph, _ = made()
    for name in ("a", "b", "c"):
        later.later(thought(name, f"{name}2"))
    later.later(thought("d", "e", "f"))
    await later.settled()
    assert [len(batch) for batch in seeds_of(graph)] == [2, 2, 2, 3]


async def test_nothing_is_written_while_somebody_waits_unless_it_waits_too_long() -> None:
    later, graph, _ = made(most_wait_s=0.01)
    with later.asking():
        later.later(thought("a"))
        await graph.wrote.wait()
    await later.settled()
    assert seeds_of(graph) == [["a"]]


async def test_a_quiet_moment_is_enough() -> None:
    later, graph, _ = made()
    later.later(thought("a"))
    await graph.wrote.wait()
    await later.settled()
    assert seeds_of(graph) == [["a"]]


async def test_what_does_not_fit_is_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterwards, "MOST_WAITING", 2)
    later, graph, _ = made()
    with later.asking():
        later.later(thought("a", "b"))
        later.later(thought("c"))
    await later.settled()
    assert later.lost == 1
    assert seeds_of(graph) == [["a", "b"]]


async def test_a_database_that_is_away_harms_nobody() -> None:
    later, graph, seeds = made()
    graph.away = True
    later.later(thought("a"))
    await later.settled()
    assert (later.lost, seeds.linked) == (1, [])
    graph.away, seeds.away = False, True
    later.later(thought("b"))
    await later.settled()
    assert seeds_of(graph) == [["b"]]


async def test_triggers_and_gains_go_with_them() -> None:
    later, graph, _ = made()
    gains = [{"name": "r", "forward_count": 1, "forward_sum": 0.5, "inverse_count": 0, "inverse_sum": 0.0}]
    for _ in range(2):
        later.later(thought(triggers=[{"id": "t"}], gains=gains))
    await later.settled()
    names = [name for work in graph.written for name, _ in work]
    assert names == ["graph/register_scope", "intelligence/write_triggers", "intelligence/add_gains"]
    assert graph.written[-1][0][1]["rows"][0]["forward_count"] == 2
