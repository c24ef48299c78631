"""The service over HTTP: `ClauseClient` has the library's questions under the same names, `SyncClauseClient` without
`await`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel

from clause.errors import UnavailableError, of_problem
from clause.library import checked
from clause.reasoning.models import (
    ContextCurationRequest,
    ContextCurationResponse,
    CoordinationRequest,
    CoordinationResponse,
    EdgeScoreRequest,
    EdgeScoreResponse,
    PathNavigationRequest,
    PathNavigationResponse,
    SubgraphRequest,
    SubgraphResponse,
)

if TYPE_CHECKING:
    from clause.reasoning.answer.run_record import RunRecord, RunSummary

_M = TypeVar("_M", bound=BaseModel)
_T = TypeVar("_T")
_ASK = "/api/clause"


class ClauseClient:
    """A running service: `async with ClauseClient("http://127.0.0.1:8420") as c: await c.coordinate("...")`.

    Every method takes and gives what the one of `Clause` does; fields are checked here before they are sent, and what
    the service refuses is raised as the same error.

    Args:
        url: where the service answers.
        key: an API key; the loopback does without.
        timeout_s: seconds to wait for an answer.
        transport: carries the requests, where it is not the network.
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

    async def coordinate(self, query: str, **fields: Any) -> CoordinationResponse:
        """All three agents answer a question; `fields` are those of `CoordinationRequest`, budgets have defaults."""
        request = checked(CoordinationRequest, {"budgets": {}, **fields, "query": query})
        return await self._post("coordinate", request, CoordinationResponse)

    async def subgraph(self, query: str, **fields: Any) -> SubgraphResponse:
        """The SubgraphArchitect alone; `fields` are those of `SubgraphRequest`."""
        return await self._post("subgraph", checked(SubgraphRequest, {**fields, "query": query}), SubgraphResponse)

    async def navigate(self, query: str, start_node: str, **fields: Any) -> PathNavigationResponse:
        """The PathNavigator alone, from a node's id, exact name or alias; `fields` of `PathNavigationRequest`."""
        request = checked(PathNavigationRequest, {**fields, "query": query, "start_node": start_node})
        return await self._post("navigate", request, PathNavigationResponse)

    async def curate(self, evidence_pool: Sequence[str], **fields: Any) -> ContextCurationResponse:
        """The ContextCurator alone, on given texts; `fields` are those of `ContextCurationRequest`."""
        request = checked(ContextCurationRequest, {**fields, "evidence_pool": list(evidence_pool)})
        return await self._post("curate", request, ContextCurationResponse)

    async def score_edges(self, query: str, edges: Sequence[Any], **fields: Any) -> EdgeScoreResponse:
        """The five signals and the score of `edges`: mappings or `EdgeTriple`s of source, relation, target."""
        request = checked(EdgeScoreRequest, {**fields, "query": query, "edges": list(edges)})
        return await self._post("edges/score", request, EdgeScoreResponse)

    async def run(self, run_id: str) -> RunRecord:
        """A recorded run with its request, budgets, seeds and every step."""
        from clause.reasoning.answer.run_record import RunRecord  # noqa: PLC0415

        return RunRecord.model_validate(await self.request("GET", f"{_ASK}/runs/{run_id}"))

    async def runs(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The newest recorded runs, at most `limit` (100 in one call)."""
        from clause.reasoning.answer.run_record import RunSummary  # noqa: PLC0415

        found = await self.request("GET", f"{_ASK}/runs", params={"limit": limit})
        return tuple(map(RunSummary.model_validate, found["items"]))

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
            raise of_problem(answer.status_code, found)
        return found

    async def _post(self, name: str, request: BaseModel, gives: type[_M]) -> _M:
        return gives.model_validate(await self.request("POST", f"{_ASK}/{name}", request))


class SyncClauseClient:
    """A `ClauseClient` without `await`, for scripts: `with SyncClauseClient(url) as c: c.coordinate("...")`.

    Attributes:
        client: the client whose coroutine functions `call` runs.
    """

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        self.client = ClauseClient(url, key, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and end the thread."""
        self.call(self.client.close)
        self._stack.close()

    def call(self, function: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        """The result of a method of the client, waited for here: `c.call(c.client.run, run_id)`."""
        result: _T = self._portal.call(partial(function, *arguments, **named))
        return result

    def coordinate(self, query: str, **fields: Any) -> CoordinationResponse:
        """`ClauseClient.coordinate`."""
        return self.call(self.client.coordinate, query, **fields)

    def run(self, run_id: str) -> RunRecord:
        """`ClauseClient.run`."""
        return self.call(self.client.run, run_id)

    def request(self, method: str, path: str, body: BaseModel | Mapping[str, Any] | None = None, **more: Any) -> Any:
        """`ClauseClient.request`."""
        return self.call(self.client.request, method, path, body, **more)
