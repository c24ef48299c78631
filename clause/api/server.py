"""Serving the application: the listening socket is ours, so that a port that is taken is found out before anything."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from clause.api.app import Opener, build_app
from clause.api.dependencies import require_loopback
from clause.container import Container
from clause.errors import SettingsError
from clause.settings import Settings
from clause.telemetry import Metrics

_GRACE_S = 5


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound to `host` and `port` (0: any free one); close it when done.

    Raises:
        SettingsError: the address is not the loopback, or the port is taken or not allowed.
    """
    require_loopback(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        raise SettingsError(
            f"port {port} of {host} is {'taken by another program' if taken else f'refused: {error.strerror}'}",
            remedy="choose another with --port or CLAUSE_PORT, or 0 for a free one",
            field="port",
        ) from error
    return listener


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
