"""What routes ask for: the container, the caller, as `Annotated` aliases."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from clause.container import Container
from clause.errors import SettingsError
from clause.graph.scopes import Caller

Authenticate = Callable[[Request], Awaitable[Caller]]
"""Says who is asking. API keys plug in here: they give the Caller of the key's scopes, or raise ForbiddenError."""


async def owner_of_everything(_request: Request) -> Caller:
    """The caller on the loopback: reads and writes every scope."""
    return Caller(readable=None, writable=None)


async def resolve_caller(request: Request) -> Caller:
    """Who is asking, with the scopes that may be read and written; the one place where it is decided."""
    authenticate: Authenticate = request.app.state.authenticate
    return await authenticate(request)


def require_loopback(host: str) -> None:
    """Let the service bind to the loopback only, because everyone who reaches it owns everything.

    Raises:
        SettingsError: `host` is another address.

    >>> require_loopback("127.0.0.1")
    >>> require_loopback("0.0.0.0")
    Traceback (most recent call last):
    ...
    clause.errors.SettingsError: 0.0.0.0 is not the loopback, and there are no API keys yet; use 127.0.0.1
    """
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise SettingsError(
            f"{host} is not the loopback, and there are no API keys yet",
            remedy="use 127.0.0.1",
            field="host",
            bound="127.0.0.1, ::1 or localhost",
        )


def _container(request: Request) -> Container:
    container: Container = request.app.state.container
    return container


Services = Annotated[Container, Depends(_container)]
CallerDependency = Annotated[Caller, Depends(resolve_caller)]
