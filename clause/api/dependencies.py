"""Dependencies of routes as `Annotated` aliases: the open application, the caller, the page of a list."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from pydantic import Field

from clause.app import Container
from clause.errors import BadInputError
from clause.graph.scopes import Caller, default_scopes
from clause.operations.keys import presented, refusal
from clause.text.fields import Frozen

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
    route = request.scope.get("route")
    body = await request.json() if isinstance(route, APIRoute) and route.body_field and await request.body() else {}
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


Item = TypeVar("Item")
MAX_LIMIT = 100


class Page(Frozen, Generic[Item]):
    """One page, and the cursor of the next (null on the last)."""

    items: tuple[Item, ...] = Field(description="what this page holds")
    next_cursor: str | None = Field(None, description="pass it as `cursor` to get the next page; null: the last page")


class PageQuery(Frozen):
    """The page that is asked for: at most `limit` items after the one whose key is `after`."""

    limit: int = Field(20, ge=1, le=MAX_LIMIT)
    after: str | None = None


def encode(after: str) -> str:
    """The cursor of the page that follows the item with this key.

    >>> decode(encode("01JD7W9ZB6V3Q7T5N9S4E2M8XK"))
    '01JD7W9ZB6V3Q7T5N9S4E2M8XK'
    """
    return base64.urlsafe_b64encode(json.dumps({"after": after}).encode()).decode().rstrip("=")


def decode(cursor: str) -> str:
    """The key inside a cursor.

    Raises:
        BadInputError: no cursor of ours.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        after = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))["after"]
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error) as error:
        raise _foreign() from error
    if not isinstance(after, str):
        raise _foreign()
    return after


def _foreign() -> BadInputError:
    return BadInputError("not a cursor of this service", field="cursor", remedy="pass next_cursor as given")


def page_of(items: list[Item], limit: int, key_of: str = "id") -> Page[Item]:
    """A page of at most `limit` items, given one more than that where there are more (`key_of` names their key)."""
    shown = items[:limit]
    more = len(items) > limit
    return Page(items=tuple(shown), next_cursor=encode(str(getattr(shown[-1], key_of))) if more else None)


def _page_query(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="how many items at most")] = 20,
    cursor: Annotated[str | None, Query(max_length=1000, description="`next_cursor` of the page before")] = None,
) -> PageQuery:
    return PageQuery(limit=limit, after=decode(cursor) if cursor else None)


PageDependency = Annotated[PageQuery, Depends(_page_query)]
