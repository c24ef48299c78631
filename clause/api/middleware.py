"""Middleware of every request: its id, log line and metrics, the guards of the loopback, body and rate limits.

Plain ASGI, so that server-sent events stream through. Order, outermost first: RequestContext, LoopbackGuard, RateLimit,
BodyLimit.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from http import HTTPStatus
from urllib.parse import urlsplit

import numpy as np
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from ulid import ULID

from clause import telemetry
from clause.api.problems import problem
from clause.errors import BadInputError
from clause.settings import Settings
from clause.telemetry import Metrics

REQUEST_ID = "X-Request-ID"
MAX_BODY_BYTES = 1 << 20
_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class BodyTooLargeError(BadInputError):
    """The request's body is larger than `MAX_BODY_BYTES`."""

    status = 413
    code = "body_too_large"


class RequestContext:
    """Gives the request an id (the caller's where it is well-formed), logs and counts it, answers what nobody caught.

    Args:
        app: the application inside.
        metrics: where requests are counted.
        monotonic_s: the clock of durations, in seconds.
        new_id: makes the id of a request that brings none.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        monotonic_s: Callable[[], float] = time.perf_counter,
        new_id: Callable[[], str] = lambda: str(ULID()),
    ) -> None:
        self.app = app
        self.metrics = metrics
        self.monotonic_s = monotonic_s
        self.new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request within its context."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        identity = given if _ACCEPTED_ID.fullmatch(given) else self.new_id()
        token = telemetry.request_id.set(identity)
        started_s = self.monotonic_s()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = identity
            await send(message)

        try:
            try:
                with telemetry.span(f"{scope['method']} request", request_id=identity) as opened:
                    try:
                        await self.app(scope, receive, send_with_id)
                    finally:
                        if opened is not None:
                            opened.update_name(f"{scope['method']} {_route(scope)}")
                            opened.set_attribute("http.response.status_code", status or 499)
            except ClientDisconnect:
                telemetry.logger(__name__).info("the client went away", path=scope["path"])
            except Exception:
                telemetry.logger(__name__).exception("unexpected error", path=scope["path"])
                if status:
                    raise
                answer = problem(scope["path"], 500, "internal", "something unexpected happened; it is in the log")
                await answer(scope, receive, send_with_id)
        finally:
            seconds = self.monotonic_s() - started_s
            route = _route(scope)
            self.metrics.observe_request(scope["method"], route, status or 499, seconds)
            telemetry.logger(__name__).info(
                "request", method=scope["method"], route=route, status=status or 499, ms=round(seconds * 1000, 2)
            )
            telemetry.request_id.reset(token)


def _route(scope: Scope) -> str:
    """The template of the path that answers; never the path itself."""
    return str(getattr(scope.get("route"), "path", "unmatched"))


class LoopbackGuard:
    """Refuses what a foreign web page could make a browser send to a service that trusts the loopback.

    A Host that is no name of the loopback (DNS rebinding) and an Origin that is not this service are refused.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 403."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if _name(host) not in _LOOPBACK_NAMES or (origin is not None and _place(origin) != host):
                detail = "this service answers on the loopback only, and to pages of its own"
                await problem(scope["path"], HTTPStatus.FORBIDDEN, "forbidden", detail)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _place(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


RATE_BEYOND_LOOPBACK = 50.0
"""Requests a second that one client may send to a service beyond the loopback, where nothing else is set."""


def rate_of(settings: Settings, *, local: bool) -> float:
    """The requests a second that one client may send; 0: no limit.

    >>> rate_of(Settings(), local=True), rate_of(Settings(), local=False), rate_of(Settings(rate_limit=0), local=False)
    (0.0, 50.0, 0.0)
    """
    if settings.rate_limit is not None:
        return settings.rate_limit
    return 0.0 if local else RATE_BEYOND_LOOPBACK


_SETS, _WAYS = 2048, 8
_LOCK_S = 0.1


class Allowance:
    """Token buckets by client that a crew shares: `per_s` requests a second each, bursts of twice that.

    A table of fixed size: of more clients than fit, those not seen for the longest time start with a full bucket again.
    """

    def __init__(self) -> None:
        self._cells = multiprocessing.get_context("spawn").Array(
            "d", _SETS * _WAYS * 3
        )  # who, what is left, when seen (the system's own clock)

    def take(self, client: str, per_s: float, now_s: float) -> bool:
        """True where the client's bucket held a request.

        >>> allowance = Allowance()
        >>> [allowance.take("10.0.0.1", 1.0, 7.0) for _ in range(3)], allowance.take("10.0.0.1", 1.0, 8.0)
        ([True, True, False], True)
        """
        number = int.from_bytes(blake2b(client.encode(), digest_size=6).digest(), "big") + 1  # exact as a float
        full = max(1.0, 2 * per_s)
        lock = self._cells.get_lock()
        if not lock.acquire(timeout=_LOCK_S):  # one of us was killed within
            return True
        try:
            table = np.frombuffer(memoryview(self._cells.get_obj()).cast("B")).reshape(_SETS, _WAYS, 3)
            row = table[number % _SETS]
            (known,) = np.nonzero(row[:, 0] == number)
            place = int(known[0]) if len(known) else int(np.argmin(row[:, 2]))
            left = min(full, row[place, 1] + (now_s - row[place, 2]) * per_s) if len(known) else full
            row[place] = number, left - 1 if left >= 1 else left, now_s
            return bool(left >= 1)
        finally:
            lock.release()


class RateLimit:
    """A token bucket for each client address: `per_s` requests a second, bursts of twice that; 0 sets no limit.

    `shared`: the buckets of several processes; None: this one's own.
    """

    def __init__(
        self,
        app: ASGIApp,
        per_s: float,
        monotonic_s: Callable[[], float] = time.monotonic,
        clients: int = 10_000,
        shared: Allowance | None = None,
    ) -> None:
        self.app = app
        self.shared = shared
        self.per_s = per_s
        self.monotonic_s = monotonic_s
        self.clients = clients
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 429 and Retry-After."""
        if scope["type"] == "http" and self.per_s > 0 and not self._take((scope.get("client") or ("",))[0]):
            answer = problem(
                scope["path"],
                HTTPStatus.TOO_MANY_REQUESTS,
                "rate_limited",
                "too many requests",
                headers={"Retry-After": str(max(1, round(1 / self.per_s)))},
                bound=f"at most {self.per_s:g} requests a second",
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _take(self, client: str) -> bool:
        now_s = self.monotonic_s()
        if self.shared is not None:
            return self.shared.take(client, self.per_s, now_s)
        full = max(1.0, 2 * self.per_s)
        left, seen_s = self._buckets.pop(client, (full, now_s))
        left = min(full, left + (now_s - seen_s) * self.per_s)
        self._buckets[client] = (left - 1 if left >= 1 else left, now_s)
        if len(self._buckets) > self.clients:
            self._buckets.popitem(last=False)
        return left >= 1


class BodyLimit:
    """Refuses a body larger than `max_bytes`: by its declared length at once, else while it is read."""

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a counted body, or refuse it with 413."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > self.max_bytes:
            error = self._error()
            answer = problem(scope["path"], error.status, error.code, error.message, field="body", bound=error.bound)
            await answer(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.max_bytes:
                raise self._error()
            return message

        await self.app(scope, counted, send)

    def _error(self) -> BodyTooLargeError:
        return BodyTooLargeError("the body is too large", field="body", bound=f"at most {self.max_bytes} bytes")
