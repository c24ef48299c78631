"""Writes after an answer: batches in order, bounds, failures, moments, and the wait until all is done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clause.errors import UnavailableError
from clause.graph.outbox import TOO_MUCH, Outbox


class Writing:
    """Keeps the batches that were written; each waits for `gate`, and is refused where it holds one of `refused`."""

    def __init__(self, *refused: str) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.began = asyncio.Event()
        self.refused = set(refused)
        self.written: list[list[str]] = []
        self.told: list[tuple[list[str], str]] = []

    async def __call__(self, batch: Sequence[str]) -> None:
        self.began.set()
        await self.gate.wait()
        if self.refused & set(batch):
            raise UnavailableError("away")
        self.written.append([*batch])

    def on_loss(self, items: Sequence[str], reason: str) -> None:
        self.told.append(([*items], reason))

    def outbox(self, *, batch: int = 3, most: int = 100, **more: Any) -> Outbox[str]:
        return Outbox(self, batch=batch, most=most, on_loss=self.on_loss, **more)


async def test_what_comes_together_is_written_in_batches_in_its_order() -> None:
    writing = Writing()
    outbox = writing.outbox()
    assert all(outbox.add(name) for name in "abcdefg")
    assert (outbox.waiting, writing.written) == (7, [])
    await outbox.settled()
    assert writing.written == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert (outbox.waiting, outbox.lost) == (0, 0)


async def test_one_batch_is_written_at_a_time_and_the_next_holds_what_came_meanwhile() -> None:
    writing = Writing()
    writing.gate.clear()
    outbox = writing.outbox()
    outbox.add("a")
    await writing.began.wait()
    for name in "bc":
        outbox.add(name)
    assert outbox.waiting == 3
    writing.gate.set()
    await outbox.settled()
    assert writing.written == [["a"], ["b", "c"]]


@given(st.lists(st.text("xyz", min_size=1, max_size=6), max_size=30))
def test_no_batch_is_heavier_than_it_may_be_unless_one_item_is(items: list[str]) -> None:
    async def written() -> list[list[str]]:
        writing = Writing()
        outbox = writing.outbox(batch=4, most=1000, weight=len)
        for item in items:
            outbox.add(item)
        await outbox.settled()
        return writing.written

    batches = asyncio.run(written())
    assert [item for batch in batches for item in batch] == items
    assert all(sum(map(len, batch)) <= 4 or len(batch) == 1 for batch in batches)


async def test_what_is_too_much_is_lost_and_told_and_what_is_being_written_counts() -> None:
    writing = Writing()
    writing.gate.clear()
    outbox = writing.outbox(most=2)
    outbox.add("a")
    await writing.began.wait()
    assert (outbox.add("b"), outbox.add("c")) == (True, False)
    writing.gate.set()
    await outbox.settled()
    assert writing.written == [["a"], ["b"]]
    assert (outbox.lost, writing.told) == (1, [(["c"], TOO_MUCH)])
    assert outbox.add("d")
    await outbox.settled()


async def test_an_item_without_weight_takes_room_all_the_same() -> None:
    outbox = Writing().outbox(most=2, weight=lambda _item: 0)
    assert [outbox.add(name) for name in "abc"] == [True, True, False]
    await outbox.settled()


async def test_a_batch_that_fails_is_lost_and_the_next_is_written() -> None:
    writing = Writing("b")
    outbox = writing.outbox(batch=2)
    for name in "abcd":
        outbox.add(name)
    await outbox.settled()
    assert writing.written == [["c", "d"]]
    assert (outbox.lost, outbox.waiting, writing.told) == (2, 0, [(["a", "b"], "away")])


async def test_a_fault_of_our_own_stops_one_batch_and_no_more() -> None:
    written: list[str] = []

    async def write(batch: Sequence[str]) -> None:
        if "a" in batch:
            raise ValueError("a mistake")
        written.extend(batch)

    outbox: Outbox[str] = Outbox(write, batch=1, most=10, on_loss=lambda _items, _reason: None)
    for name in "ab":
        outbox.add(name)
    await outbox.settled()
    assert (written, outbox.waiting) == (["b"], 0)


async def test_a_batch_waits_for_its_moment_unless_somebody_waits_for_all() -> None:
    writing, moment = Writing(), asyncio.Event()

    async def until_then() -> None:
        await moment.wait()

    outbox = writing.outbox(moment=until_then)
    outbox.add("a")
    for _ in range(5):
        await asyncio.sleep(0)
    assert writing.written == []
    moment.set()
    await writing.began.wait()
    moment.clear()
    outbox.add("b")
    await outbox.settled()
    assert writing.written == [["a"], ["b"]]


async def test_who_waits_for_one_item_waits_for_no_moment() -> None:
    writing, mine = Writing(), asyncio.Event()

    async def write(batch: Sequence[str]) -> None:
        await writing(batch)
        mine.set()

    outbox: Outbox[str] = Outbox(write, batch=3, most=9, on_loss=writing.on_loss, moment=lambda: asyncio.sleep(60))
    outbox.add("mine")
    await asyncio.wait_for(outbox.until(mine), 5)
    assert writing.written == [["mine"]]


async def test_what_follows_the_last_batch_is_done_once_and_waited_for() -> None:
    writing = Writing()
    done: list[int] = []

    async def emptied() -> None:
        done.append(len(writing.written))

    outbox = writing.outbox(batch=1, emptied=emptied)
    for name in "abc":
        outbox.add(name)
    await outbox.settled()
    assert done == [3]


async def test_nothing_to_write_is_settled() -> None:
    writing = Writing()
    await writing.outbox().settled()
    assert writing.written == []


async def test_who_stops_waiting_stops_no_write() -> None:
    writing = Writing()
    writing.gate.clear()
    outbox = writing.outbox()
    outbox.add("a")
    waiting = asyncio.create_task(outbox.settled())
    await writing.began.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    writing.gate.set()
    await outbox.settled()
    assert (writing.written, outbox.lost) == ([["a"]], 0)
