"""The open container of a server that starts without one: opened by the first call, closed with the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from clause.app import Container
from clause.settings import Settings
from clause.telemetry import Metrics

Opener = Callable[[Settings, Metrics], AbstractAsyncContextManager[Container]]


class LazyContainer:
    """Opens the container once, for the first who asks; when that fails, the next one tries again.

    One task opens, holds and closes it, so that a call that is cancelled takes nothing down with it.

    Args:
        settings: the service's settings.
        opener: opens the container.
    """

    def __init__(self, settings: Settings, opener: Opener = Container.serving) -> None:
        self.settings = settings
        self._opener = opener
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Container] | None = None
        self._task: asyncio.Task[None] | None = None

    async def container(self) -> Container:
        """The open container.

        Raises:
            ClauseError: it cannot be opened now.
        """
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._ready))
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """Close what was opened."""
        self._closing.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _hold(self, ready: asyncio.Future[Container]) -> None:
        try:
            async with self._opener(self.settings, Metrics()) as container:
                ready.set_result(container)
                await self._closing.wait()
        except Exception as error:
            if ready.done():
                raise
            self._ready = None
            ready.set_exception(error)
