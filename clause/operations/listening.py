"""Listening for HTTP: a socket of our own, and the server of both doors, which waits for no client for ever."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import threading
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from clause.errors import SettingsError
from clause.operations.keys import is_loopback, unguarded
from clause.settings import Settings

REQUEST_S: Final = 30.0
"""Seconds in which a whole request must have come, from the first moment that a connection waits for it."""

ANSWER_S: Final = 60.0
"""Seconds in which a client must have taken what waits for it."""

_GRACE_S = 5


def listen(host: str, port: int, *, keyed: bool = False) -> socket.socket:
    """A socket that is bound to `host` and `port` (0: any free one); close it when done.

    Args:
        host, port: where.
        keyed: everyone who comes needs an API key, as `keys_guard` found; without it, the loopback only.

    Raises:
        SettingsError: the address is not the loopback and not `keyed`, or the port is taken or not allowed.
    """
    if not keyed and not is_loopback(host):
        raise unguarded(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY on what it accepts only where the listener names its protocol: without, each answer on a
    # kept connection waits for the client's delayed acknowledgement, 40 ms
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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


def server_of(application: Any, settings: Settings) -> uvicorn.Server:
    """A server of an ASGI application, with the limits and the trusted proxies that both doors have."""
    config = uvicorn.Config(
        application,
        http=ImpatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)


async def serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve on `listener` until interrupted or terminated; then the caller goes on, and closes what it has opened.

    Once it has ended, uvicorn sends the process again the signal that it ended by, which would kill it there and then.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: None)
    await server.serve(sockets=[listener])


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose client is too slow to send a request or to take its answer."""

    request_s = REQUEST_S
    answer_s = ANSWER_S
    _sends: asyncio.TimerHandle | None = None
    _takes: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came; the time runs on until the request is whole."""
        super().data_received(data)
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY}:
            self._wait()
        else:
            self._rest()

    def pause_writing(self) -> None:
        """Wait for the client to take what was sent."""
        self.flow.pause_writing()
        if self._takes is None:
            self._takes = self.loop.call_later(self.answer_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client took it."""
        self.flow.resume_writing()
        if self._takes is not None:
            self._takes.cancel()
            self._takes = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._rest()
        if self._takes is not None:
            self._takes.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._sends is None:
            self._sends = self.loop.call_later(self.request_s, self._give_up)

    def _rest(self) -> None:
        if self._sends is not None:
            self._sends.cancel()
            self._sends = None

    def _give_up(self) -> None:
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.write(_TOO_SLOW)
        self.transport.close()


_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: 28\r\nConnection: close\r\n\r\nthe request came too slowly\n"
)
