"""What a running service does by itself, round after round."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from clause.errors import UnavailableError
from clause.intelligence.upkeep import CURIOUS_EVERY_S, EVERY_S, Upkeep

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Recorder:
    """Remembers what was done; the first decay fails."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def decay(self, scopes: Any, now: datetime) -> None:
        self.done.append("decay")
        if self.done == ["decay"]:
            raise UnavailableError("the database is away")

    async def link(self, scopes: Any) -> None:
        self.done.append("link")

    async def archive(self, scopes: Any, now: datetime) -> None:
        self.done.append("archive")

    async def work(self, *, caller: Any) -> None:
        self.done.append("work")


async def upkeep(recorder: Recorder, *, worker: bool, rounds: int) -> set[float]:
    """Run so many waits, then stop; the lengths of the waits."""
    waits: list[float] = []
    enough, never = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) > rounds:
            enough.set()
            await never.wait()
        await asyncio.sleep(0)

    async def readable(caller: Any, scopes: Any) -> tuple[str, ...]:
        return ("public",)

    settings = SimpleNamespace(curiosity_worker=worker)
    ground: Any = SimpleNamespace(readable=readable, now=lambda: NOW, settings=settings)
    parts: Any = recorder
    task = asyncio.create_task(Upkeep(ground, parts, parts, parts, sleep=sleep).run())
    await enough.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return set(waits)


async def test_a_round_that_fails_is_followed_by_the_next() -> None:
    recorder = Recorder()
    assert await upkeep(recorder, worker=False, rounds=2) == {EVERY_S}
    assert recorder.done == ["decay", "decay", "link", "archive"]


async def test_curiosity_works_only_where_it_is_asked_for() -> None:
    recorder = Recorder()
    assert await upkeep(recorder, worker=True, rounds=4) == {EVERY_S, CURIOUS_EVERY_S}
    assert "work" in recorder.done
