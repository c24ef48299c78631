"""Serving the application: the listening socket is ours, so that a port that is taken is found out before anything."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from clause.api.app import Opener, build_app
from clause.container import Container
from clause.operations.listening import listen
from clause.settings import Settings
from clause.telemetry import Metrics

__all__ = ["listen", "run"]
_GRACE_S = 5


def run(settings: Settings, listener: socket.socket, *, opener: Opener = Container.serving) -> None:
    """Serve on `listener` until interrupted or terminated.

    The container is opened before the server starts, so that what is wrong with it is one of our own errors and no
    traceback; connections made meanwhile wait.
    """
    asyncio.run(_serve(settings, listener, opener))


async def _serve(settings: Settings, listener: socket.socket, opener: Opener) -> None:
    metrics = Metrics()
    async with opener(settings, metrics) as container:

        @asynccontextmanager
        async def opened(_settings: Settings, _metrics: Metrics) -> AsyncIterator[Container]:
            yield container

        config = uvicorn.Config(
            build_app(settings, opener=opened, metrics=metrics),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        await uvicorn.Server(config).serve(sockets=[listener])
