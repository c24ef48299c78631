"""Writes after an answer: collected, and made in batches in the background, so that no answer waits for them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from typing import Generic, TypeVar

from clause.errors import ClauseError

Item = TypeVar("Item")

TOO_MUCH = "too much waits to be written"


class Outbox(Generic[Item]):
    """Collects items and writes them in the order in which they came, one batch at a time.

    Memory stays bounded: what comes while `most` waits is lost. So is a batch whose write fails. Both are counted in
    `lost` and told to `on_loss`; who left the item never hears of it.

    Args:
        write: writes one batch, and raises a ClauseError where all of it is lost.
        batch: the most weight of one batch; an item that is heavier alone is a batch of its own.
        most: the most weight that waits, with what is being written.
        on_loss: logs what was lost and why.
        weight: how much an item weighs; at least 1.
        moment: returns once a batch may be written; `settled` waits for it no longer. None: at once.
        emptied: runs when nothing waits any more.
        name: of the background task.
    """

    def __init__(
        self,
        write: Callable[[Sequence[Item]], Awaitable[None]],
        *,
        batch: int,
        most: int,
        on_loss: Callable[[Sequence[Item], str], None],
        weight: Callable[[Item], int] = lambda _item: 1,
        moment: Callable[[], Awaitable[None]] | None = None,
        emptied: Callable[[], Awaitable[None]] | None = None,
        name: str = "outbox",
    ) -> None:
        """Starts nothing; the first item does."""
        self._write = write
        self._batch = batch
        self._most = most
        self._on_loss = on_loss
        self._weight = weight
        self._moment = moment
        self._emptied = emptied
        self._name = name
        self._items: deque[Item] = deque()
        self._hurry = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self.waiting = 0
        self.lost = 0

    def add(self, item: Item) -> bool:
        """Write it in a while; returns at once. False where too much waits already: then it is lost."""
        weight = self._weighed(item)
        if self.waiting + weight > self._most:
            self.lose([item], TOO_MUCH)
            return False
        self._items.append(item)
        self.waiting += weight
        self._running()
        return True

    def lose(self, items: Sequence[Item], reason: str) -> None:
        """Count items as lost, and tell why; for a `write` that keeps the rest of its batch."""
        self.lost += len(items)
        self._on_loss(items, reason)

    async def settled(self) -> None:
        """Write what waits without waiting for a moment, and return when all of it was dealt with."""
        self._hurry.set()
        try:
            while self._items or (self._writer is not None and not self._writer.done()):
                await asyncio.wait({self._running()})
        finally:
            self._hurry.clear()

    async def until(self, dealt_with: asyncio.Event) -> None:
        """Write what waits without waiting for a moment, until one item of it was dealt with."""
        self._hurry.set()
        try:
            await dealt_with.wait()
        finally:
            self._hurry.clear()

    def _running(self) -> asyncio.Task[None]:
        """The task that writes what waits; started where there is none."""
        if self._writer is None or self._writer.done():
            loop = asyncio.get_running_loop()
            # A context of its own: what a job may write does not bound what an answer leaves behind.
            self._writer = loop.create_task(self._write_all(), name=self._name, context=Context())
        return self._writer

    async def _write_all(self) -> None:
        while self._items:
            await self._until_it_may()
            batch = self._take()
            try:
                await self._write(batch)
            except ClauseError as error:
                self.lose(batch, str(error))
            finally:
                self.waiting -= sum(map(self._weighed, batch))
            if not self._items and self._emptied is not None:
                await self._until_it_may()
                await self._emptied()

    async def _until_it_may(self) -> None:
        """Return once it is the moment to write, or when there is a hurry."""
        if self._moment is None or self._hurry.is_set():
            return
        moments = {asyncio.ensure_future(self._moment()), asyncio.ensure_future(self._hurry.wait())}
        try:
            await asyncio.wait(moments, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for moment in moments:
                moment.cancel()

    def _take(self) -> list[Item]:
        """As many items as make one batch; at least one."""
        taken: list[Item] = []
        weight = 0
        while self._items and (not taken or weight + self._weighed(self._items[0]) <= self._batch):
            taken.append(self._items.popleft())
            weight += self._weighed(taken[-1])
        return taken

    def _weighed(self, item: Item) -> int:
        return max(1, self._weight(item))
