"""Carriers of messages: stdio for the client that started us, streamable HTTP with API keys for the others."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from typing import Any

from mcp.server.context import ServerRequestContext

from clause.errors import BadInputError, ClauseError
from clause.graph.scopes import Caller, default_scopes
from clause.mcp_bridge.server import CallerOf, LazyContainer, build_server, owner
from clause.operations.keys import is_loopback, presented, refusal
from clause.text.fields import unique

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

PATH = "/mcp"
MAX_BODY_BYTES = 1 << 20
_CALLER = "clause.caller"


def run_stdio(holder: LazyContainer) -> None:
    """Serve the client on stdin and stdout until it hangs up; nothing else is written to stdout.

    It owns everything, as whoever started it does, unless the settings hold an API key: then it has the key's scopes.
    """
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    _quiet()

    async def serve() -> None:
        server = build_server(holder, _bearer_of(holder))
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(serve())


def http_application(holder: LazyContainer) -> Application:
    """The ASGI application at /mcp: each request is answered for the caller of its API key.

    On the loopback a request without a key is the owner's; beyond it nobody is answered without one. No state is kept
    between requests, so that a key never speaks in a session of another.
    """
    settings = holder.settings
    server = build_server(holder, caller_of=_caller_of, live=False)
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        host="127.0.0.1" if is_loopback(settings.host) else settings.host,
    )
    return _Authenticated(inner, holder, local=is_loopback(settings.host))


def run_http(holder: LazyContainer, listener: socket.socket, application: Application) -> None:
    """Serve on `listener` until interrupted; what is wrong with the container is found out first.

    Raises:
        ClauseError: the container cannot be opened.
    """
    from clause.operations.listening import serve, server_of  # noqa: PLC0415

    _quiet()

    async def run() -> None:
        try:
            await holder.container()
            await serve(server_of(application, holder.settings), listener)
        finally:
            await holder.close()

    asyncio.run(run())


def _quiet() -> None:
    """The SDK tells of every session at the level of our own lines: only its warnings are worth one."""
    logging.getLogger("mcp").setLevel(logging.WARNING)


def _bearer_of(holder: LazyContainer) -> CallerOf:
    """Make the function that tells who asks over stdio."""
    key = holder.settings.api_key
    if key is None:
        return owner
    token = key.get_secret_value()

    async def bearer(_context: ServerRequestContext[Any, Any]) -> Caller:
        return await (await holder.container()).api_keys.caller(token)

    return bearer


async def _caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    if context.request is None:
        raise refusal()
    caller: Caller = context.request.scope[_CALLER]
    return caller


class _Authenticated:
    """Finds out who is asking before anything else does, and answers 401 where nobody may."""

    def __init__(self, inner: Any, holder: LazyContainer, *, local: bool) -> None:
        self._inner = inner
        self._holder = holder
        self._local = local

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                scope[_CALLER] = await self._caller(scope)
                receive = await _checked(receive)
            except ClauseError as error:
                await _refuse(error, send)
                return
        await self._inner(scope, receive, send)

    async def _caller(self, scope: Message) -> Caller:
        given = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(given)
        if sum(name in {"authorization", "x-api-key"} for name, _ in given) > 1:
            raise refusal()
        told = default_scopes(headers.get("x-read-scope"), "X-Read-Scope")
        if sum(name == "x-read-scope" for name, _ in given) > 1:
            raise BadInputError("the header X-Read-Scope comes more than once", field="X-Read-Scope", bound="once")
        token = presented(headers)
        if token is None and not self._local:
            raise refusal()
        caller = Caller() if token is None else await (await self._holder.container()).api_keys.caller(token)
        return replace(caller, default=told) if told else caller


async def _checked(receive: Receive) -> Receive:
    """The same messages, once their body is found to name nothing twice; one that is too large the SDK refuses."""
    messages: list[Message] = []
    body = b""
    while not messages or messages[-1].get("more_body"):
        messages.append(await receive())
        body += messages[-1].get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            break
    else:
        try:
            json.loads(body, object_pairs_hook=unique)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
            pass  # the SDK says so in its own words
        except ValueError as error:
            raise BadInputError(str(error), field="body") from error

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return again


async def _refuse(error: ClauseError, send: Send) -> None:
    body = json.dumps({"code": error.code, "message": error.message, "remedy": error.remedy}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
