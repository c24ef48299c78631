"""Writes after answers: collected, and made in batches while nobody waits for an answer.

Writing never delays an answer: a batch waits for a quiet moment, at most MOST_WAIT_S; under a load without one it is
written then all the same. What does not fit MOST_WAITING is dropped and counted (`lost`), so that memory stays bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from clause.errors import ClauseError
from clause.graph.outbox import Outbox
from clause.ground import Ground
from clause.intelligence.curiosity import merged_gains
from clause.intelligence.thoughtseeds import ThoughtSeeds, writing
from clause.telemetry import logger

BATCH = 250
"""Seeds of one transaction: with a vector index small batches are quickest."""
MOST_WAITING = 50_000
QUIET_S = 0.05
"""The quiet that must pass without a question before a batch is written."""
MOST_WAIT_S = 5.0


@dataclass(frozen=True)
class Afterthought:
    """The rest of one answer that is left to write: rows of the statements that they are named after."""

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
        self._unlinked: set[str] = set()
        self._asking = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._outbox: Outbox[Afterthought] = Outbox(
            self._write,
            batch=BATCH,
            most=MOST_WAITING,
            on_loss=_told,
            weight=lambda thought: len(thought.seeds),
            moment=self._a_quiet_moment,
            emptied=self._link,
            name="afterwards",
        )

    @property
    def waiting(self) -> int:
        """Counts the ThoughtSeeds that wait to be written; an afterthought without any counts as one."""
        return self._outbox.waiting

    @property
    def lost(self) -> int:
        """Counts the afterthoughts that were not written."""
        return self._outbox.lost

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
        self._outbox.add(thought)

    async def settled(self) -> None:
        """Write what waits without waiting for quiet, and return when all of it is written and linked."""
        await self._outbox.settled()

    async def _link(self) -> None:
        scopes, self._unlinked = sorted(self._unlinked), set()
        if not scopes:
            return
        try:
            await self._thoughtseeds.link(scopes)
        except ClauseError as error:
            logger(__name__).warning("ThoughtSeeds not linked", reason=str(error))

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
        self._unlinked |= {thought.scope for thought in batch if thought.seeds}

    async def _a_quiet_moment(self) -> None:
        """Return once nobody has asked for a moment, or after MOST_WAIT_S."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._most_wait_s):
                while True:
                    await self._quiet.wait()
                    await asyncio.sleep(self._quiet_s)
                    if self._quiet.is_set():
                        return


def _told(lost: Sequence[Afterthought], reason: str) -> None:
    logger(__name__).warning("afterthoughts not written", answers=len(lost), reason=reason)
