"""Recalls are counted later, together, and a scope that cannot be counted spoils no other."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from clause.errors import UnavailableError
from clause.memory import store
from clause.memory.store import Touches

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class FakeGraph:
    """Keeps the counts that were written; is away for one scope."""

    def __init__(self, away: str = "") -> None:
        self.away = away
        self.written: list[tuple[str, list[list[Any]]]] = []
        self.wrote = asyncio.Event()

    async def write(self, work: Any, *, idempotent: bool) -> None:
        assert not idempotent  # run twice it would count twice
        (_, lock), (name, touch) = work
        assert (name, touch["scopes"], touch["at"]) == ("memory/touch", [lock["scope"]], NOW)
        if lock["scope"] == self.away:
            raise UnavailableError("away")
        self.written.append((lock["scope"], touch["rows"]))
        self.wrote.set()


def touches(graph: FakeGraph, pause_s: float = 60.0) -> Touches:
    ground: Any = SimpleNamespace(graph=graph, now=lambda: NOW)
    return Touches(ground, pause_s)


async def test_recalls_of_one_memory_are_one_count() -> None:
    graph = FakeGraph()
    counted = touches(graph)
    counted.note([("public", "b"), ("public", "a"), ("user:ann", "c")])
    counted.note([("public", "b")])
    assert graph.written == []
    await counted.settled()
    assert graph.written == [("public", [["a", 1], ["b", 2]]), ("user:ann", [["c", 1]])]


async def test_they_are_written_after_a_pause() -> None:
    graph = FakeGraph()
    touches(graph, pause_s=0.0).note([("public", "a")])
    await asyncio.wait_for(graph.wrote.wait(), 10)
    assert graph.written == [("public", [["a", 1]])]


async def test_where_there_is_enough_for_a_batch_nothing_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BATCH", 2)
    graph = FakeGraph()
    counted = touches(graph)
    counted.note([("public", "a"), ("public", "b"), ("public", "c")])
    await asyncio.wait_for(graph.wrote.wait(), 10)
    assert graph.written == [("public", [["a", 1], ["b", 1]])]
    await counted.settled()
    assert graph.written[1:] == [("public", [["c", 1]])]


async def test_a_scope_that_cannot_be_counted_spoils_no_other() -> None:
    graph = FakeGraph(away="public")
    counted = touches(graph)
    counted.note([("public", "a"), ("user:ann", "b")])
    await counted.settled()
    assert graph.written == [("user:ann", [["b", 1]])]
