"""The service over HTTP: `ClauseClient` has the methods of the library, `SyncClauseClient` has them without `await`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel, TypeAdapter

from clause.asking import Asking, Here
from clause.errors import UnavailableError, of_problem
from clause.library import Waiting

_T = TypeVar("_T")


class ClauseClient(Asking):
    """A running service: `async with ClauseClient("http://127.0.0.1:8420") as c: await c.coordinate("...")`.

    Every method takes and gives what the one of `Clause` does; fields are checked here before they are sent, and what
    the service refuses is raised as the same error.

    Args:
        url: where the service answers.
        key: an API key; the loopback does without.
        timeout_s, transport: seconds to wait for an answer; what carries the requests, where it is not the network.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout_s: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=timeout_s, transport=transport, trust_env=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def perform(
        self,
        path: str,
        request: BaseModel | None,
        gives: type[_T],
        here: Here[_T],  # noqa: ARG002 -- for the library
        *,
        inside: str = "",
    ) -> _T:
        """The answer of the service."""
        found = await self.request("GET" if request is None else "POST", path, request)
        return TypeAdapter(gives).validate_python(found[inside] if inside else found)

    async def request(
        self, method: str, path: str, body: BaseModel | Mapping[str, Any] | None = None, **more: Any
    ) -> Any:
        """The JSON answer of any route, such as `await c.request("POST", "/api/beliefs", BeliefCreate(...))`.

        Raises:
            ClauseError: the service refuses, as its own error.
            UnavailableError: it is away.
        """
        sent = body.model_dump(mode="json", exclude_unset=True) if isinstance(body, BaseModel) else body
        try:
            answer = await self._http.request(method, path, json=sent, **more)
            found = answer.json() if answer.content else None
        except (httpx.HTTPError, ValueError) as error:
            raise UnavailableError(f"no answer from {self._http.base_url}: {error or type(error).__name__}") from error
        if answer.is_error:
            raise of_problem(answer.status_code, found, answer.headers.get("Retry-After"))
        return found


class SyncClauseClient(Waiting):
    """A `ClauseClient` without `await`, for scripts: `with SyncClauseClient(url) as c: c.coordinate("...")`.

    Attributes:
        client: the client whose coroutine functions `call` runs.
    """

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        client = ClauseClient(url, key, **options)  # before there is a thread to end: it may refuse its options
        stack = ExitStack()
        portal = stack.enter_context(start_blocking_portal())
        stack.callback(portal.call, client.close)
        super().__init__(stack, portal.call)
        self.asked = self.client = client

    def request(self, method: str, path: str, body: BaseModel | Mapping[str, Any] | None = None, **more: Any) -> Any:
        """`ClauseClient.request`."""
        return self.call(self.client.request, method, path, body, **more)
