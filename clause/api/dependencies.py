"""Dependencies of routes as `Annotated` aliases: the open application, the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from clause.app import Container
from clause.graph.scopes import Caller, default_scopes
from clause.operations.keys import presented, refusal

READ_SCOPE = "X-Read-Scope"

Authenticate = Callable[[Request], Awaitable[Caller]]
"""Says who is asking: the Caller of its API key's scopes; raises UnauthorizedError for a key that opens nothing."""


async def owner_of_everything(_request: Request) -> Caller:
    """The caller on the loopback: reads and writes every scope."""
    return Caller(readable=None, writable=None)


async def key_or_owner(request: Request) -> Caller:
    """On the loopback: who brings an API key has its scopes, who brings none owns everything."""
    token = presented(request.headers)
    return await owner_of_everything(request) if token is None else await _container(request).api_keys.caller(token)


async def key_alone(request: Request) -> Caller:
    """Beyond the loopback: nobody without an API key."""
    token = presented(request.headers)
    if token is None:
        raise refusal()
    return await _container(request).api_keys.caller(token)


async def resolve_caller(request: Request) -> Caller:
    """The caller who is asking, with the scopes that may be read and written; the one place where it is decided.

    A request that only reads, and names no scope, reads those of the header X-Read-Scope, else those of the API key.
    """
    authenticate: Authenticate = request.app.state.authenticate
    caller = await authenticate(request)
    told = default_scopes(request.headers.get(READ_SCOPE), READ_SCOPE)
    caller = replace(caller, default=told) if told else caller
    if caller.default is None or _writes(request):
        return caller
    body = await request.json() if await request.body() else {}
    return caller.reading({**(body if isinstance(body, dict) else {}), **request.query_params})


def _writes(request: Request) -> bool:
    """True for the operations that take an Idempotency-Key: all that write do."""
    route = request.scope.get("route")
    fields = get_flat_params(route.dependant) if isinstance(route, APIRoute) else []
    return any(field.alias == "idempotency-key" for field in fields)


def _container(request: Request) -> Container:
    container: Container = request.app.state.container
    return container


Services = Annotated[Container, Depends(_container)]
CallerDependency = Annotated[Caller, Depends(resolve_caller)]
