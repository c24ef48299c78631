"""What is written after answers: collected, and written in batches while nobody waits for an answer.

Writing never delays an answer: a batch waits for a quiet moment, at most MOST_WAIT_S; under a load without one it is
written then all the same. What does not fit MOST_WAITING is dropped and counted (`lost`), so that memory stays bounded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from clause.errors import ClauseError
from clause.ground import Ground
from clause.intelligence.curiosity import merged_gains
from clause.intelligence.thoughtseeds import ThoughtSeeds, writing
from clause.telemetry import logger

BATCH = 250
"""Seeds of one transaction: with a vector index small batches are quickest."""
MOST_WAITING = 50_000
QUIET_S = 0.05
"""How long nobody must have asked before a batch is written."""
MOST_WAIT_S = 5.0


@dataclass(frozen=True)
class Afterthought:
    """What one answer leaves to write: rows of the statements that they are named after."""

    scope: str
    scopes: tuple[str, ...]
    seeds: Sequence[Mapping[str, Any]] = ()
    triggers: Sequence[Mapping[str, Any]] = ()
    gains: Sequence[Mapping[str, Any]] = field(default_factory=list)


class Afterwards:
    """Collects afterthoughts and writes them.

    Args:
        ground: where to write.
        thoughtseeds: links what was written.
        quiet_s, most_wait_s: see QUIET_S and MOST_WAIT_S; tests pass 0.
    """

    def __init__(
        self,
        ground: Ground,
        thoughtseeds: ThoughtSeeds,
        *,
        quiet_s: float = QUIET_S,
        most_wait_s: float = MOST_WAIT_S,
    ) -> None:
        self._ground = ground
        self._thoughtseeds = thoughtseeds
        self._quiet_s = quiet_s
        self._most_wait_s = most_wait_s
        self._waiting: deque[Afterthought] = deque()
        self._seeds_waiting = 0
        self._asking = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._hurry = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self.lost = 0

    @property
    def waiting(self) -> int:
        """How many ThoughtSeeds wait to be written."""
        return self._seeds_waiting

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While somebody waits for an answer nothing is written."""
        self._asking += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking:
                self._quiet.set()

    def later(self, thought: Afterthought) -> None:
        """Write it in a while; returns at once."""
        if self._seeds_waiting + len(thought.seeds) > MOST_WAITING:
            self.lost += 1
            logger(__name__).warning("an answer's afterthoughts are not written", waiting=self._seeds_waiting)
            return
        self._waiting.append(thought)
        self._seeds_waiting += len(thought.seeds)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.get_running_loop().create_task(self._write_all(), name="afterwards")

    async def settled(self) -> None:
        """Write what waits without waiting for quiet, and return when all of it is written and linked."""
        self._hurry.set()
        try:
            while self._writer is not None and not self._writer.done():
                await asyncio.gather(self._writer, return_exceptions=True)
        finally:
            self._hurry.clear()

    async def _write_all(self) -> None:
        scopes: set[str] = set()
        while self._waiting:
            await self._until_quiet()
            batch = self._take()
            try:
                await self._write(batch)
                scopes |= {thought.scope for thought in batch if thought.seeds}
            except ClauseError as error:
                self.lost += len(batch)
                logger(__name__).warning("afterthoughts not written", reason=str(error))
            if not self._waiting and scopes:
                await self._until_quiet()
                await self._link(sorted(scopes))
                scopes.clear()

    async def _link(self, scopes: Sequence[str]) -> None:
        try:
            await self._thoughtseeds.link(scopes)
        except ClauseError as error:
            logger(__name__).warning("ThoughtSeeds not linked", reason=str(error))

    def _take(self) -> list[Afterthought]:
        """As many as make one batch; at least one."""
        taken: list[Afterthought] = []
        count = 0
        while self._waiting and (not taken or count + len(self._waiting[0].seeds) <= BATCH):
            taken.append(self._waiting.popleft())
            count += len(taken[-1].seeds)
        self._seeds_waiting -= count
        return taken

    async def _write(self, batch: Sequence[Afterthought]) -> None:
        graph, metrics = self._ground.graph, self._ground.metrics
        now = self._ground.now()
        scopes = sorted({thought.scope for thought in batch})
        seeds = [row for thought in batch for row in thought.seeds]
        triggers = sorted((row for thought in batch for row in thought.triggers), key=lambda row: str(row["id"]))
        work: list[tuple[str, Mapping[str, Any]]] = [
            ("graph/register_scope", {"scope": scope, "recorded_at": now}) for scope in scopes
        ]
        if seeds:
            work.append(writing(seeds))
        if triggers:
            work.append(("intelligence/write_triggers", {"rows": triggers}))
        await graph.write(work)
        for readable in sorted({thought.scopes for thought in batch if thought.gains}):
            gains = merged_gains(row for thought in batch if thought.scopes == readable for row in thought.gains)
            await graph.write([("intelligence/add_gains", {"rows": gains, "scopes": [*readable]})], idempotent=False)
        metrics.count_intelligence(thoughtseeds=len(seeds), curiosity_triggers=len(triggers))

    async def _until_quiet(self) -> None:
        """Return once nobody has asked for a moment, or after MOST_WAIT_S, or when there is a hurry."""
        if self._hurry.is_set():
            return
        hurried = asyncio.ensure_future(self._hurry.wait())
        quiet = asyncio.ensure_future(self._a_quiet_moment())
        await asyncio.wait({hurried, quiet}, timeout=self._most_wait_s, return_when=asyncio.FIRST_COMPLETED)
        for task in (hurried, quiet):
            task.cancel()

    async def _a_quiet_moment(self) -> None:
        while True:
            await self._quiet.wait()
            await asyncio.sleep(self._quiet_s)
            if self._quiet.is_set():
                return
