"""What a running service does for this room by itself: decay and archiving once an hour, curiosity where asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from clause.errors import ClauseError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.basins import Basins
from clause.intelligence.investigation import Investigator
from clause.intelligence.thoughtseeds import ThoughtSeeds
from clause.telemetry import logger

EVERY_S = 3_600.0
"""How often basins decay and seeds are archived, in seconds; both do no more for being done more often."""
CURIOUS_EVERY_S = 30.0
"""How often the curiosity worker looks for triggers, in seconds."""


class Upkeep:
    """Runs until cancelled; a round that fails is logged, and the next one does its work.

    Args:
        ground: the graph and the settings (`curiosity_worker` asks for the worker).
        basins, thoughtseeds, investigator: who does the work.
        sleep: waits between rounds; passed in by tests.
    """

    def __init__(
        self,
        ground: Ground,
        basins: Basins,
        thoughtseeds: ThoughtSeeds,
        investigator: Investigator,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._ground = ground
        self._basins = basins
        self._thoughtseeds = thoughtseeds
        self._investigator = investigator
        self._sleep = sleep

    async def run(self) -> None:
        """Decay and archive every hour; investigate every half minute where the settings ask for it."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat(self.round, EVERY_S))
            if self._ground.settings.curiosity_worker:
                group.create_task(self._repeat(self.investigate, CURIOUS_EVERY_S))

    async def round(self) -> None:
        """Let idle basins decay, link what is not linked, and archive old seeds, in every scope."""
        scopes = await self._ground.readable(Caller(), None)
        now = self._ground.now()
        await self._basins.decay(scopes, now)
        await self._thoughtseeds.link(scopes)
        await self._thoughtseeds.archive(scopes, now)

    async def investigate(self) -> None:
        """Work on what is queued."""
        await self._investigator.work(caller=Caller())

    async def _repeat(self, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        while True:
            await self._sleep(every_s)
            try:
                await work()
            except ClauseError as error:
                logger(__name__).warning("upkeep of basins and seeds failed", reason=str(error))
