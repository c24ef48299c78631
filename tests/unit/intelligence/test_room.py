"""The room's periodic work: what one round does, and which rounds a service makes."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from clause.graph.scopes import Caller
from clause.intelligence.room import CURIOUS_EVERY, EVERY, Intelligence

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Recorder:
    """Remembers what was done, and where."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []

    async def decay(self, scopes: Any, now: datetime) -> None:
        self.done.append(("decay", *scopes, now))

    async def prune_crowded(self, scopes: Any) -> None:
        self.done.append(("prune", *scopes))

    async def link(self, scopes: Any) -> None:
        self.done.append(("link", *scopes))

    async def archive(self, scopes: Any, now: datetime) -> None:
        self.done.append(("archive", *scopes, now))

    async def work(self, *, caller: Any) -> None:
        self.done.append(("work", caller))


def room(recorder: Recorder, *, worker: bool) -> Intelligence:
    async def readable(caller: Caller, scopes: Any) -> tuple[str, ...]:
        assert (caller, scopes) == (Caller(), None)
        return ("kg:films", "public")

    settings = SimpleNamespace(curiosity_worker=worker)
    ground: Any = SimpleNamespace(readable=readable, now=lambda: NOW, settings=settings)
    parts: Any = recorder
    return Intelligence(
        ground=ground,
        basins=parts,
        causal=parts,
        thoughtseeds=parts,
        afterwards=parts,
        investigator=parts,
        planner=parts,
        conflicts=parts,
    )


async def test_a_round_lets_basins_decay_and_links_and_archives_seeds_in_every_scope() -> None:
    recorder = Recorder()
    rounds = room(recorder, worker=False).periodic()
    assert {name: one.every for name, one in rounds.items()} == {"keep basins and seeds": EVERY}
    await rounds["keep basins and seeds"].work()
    scopes = ("kg:films", "public")
    done = [("decay", *scopes, NOW), ("prune", *scopes), ("link", *scopes), ("archive", *scopes, NOW)]
    assert recorder.done == done


async def test_curiosity_works_only_where_it_is_asked_for() -> None:
    recorder = Recorder()
    rounds = room(recorder, worker=True).periodic()
    assert rounds["investigate"].every == CURIOUS_EVERY
    await rounds["investigate"].work()
    assert recorder.done == [("work", Caller())]
