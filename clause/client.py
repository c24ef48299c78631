"""The service over HTTP: `ClauseClient` has the library's questions, `SyncClauseClient` has them without `await`."""

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
from clause.library import whole
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
    from clause.reasoning.answer.run_record import RunRecord
    from clause.reasoning.models.answer import RunSummary

Pool = Sequence[str] | ContextCurationRequest
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

    async def coordinate(self, query: str | CoordinationRequest, **fields: Any) -> CoordinationResponse:
        """All three agents answer a question, or a whole request; budgets have defaults."""
        fields = {"budgets": {}, **fields} if isinstance(query, str) else fields
        request = whole(CoordinationRequest, query, "query", fields)
        return await self._post("coordinate", request, CoordinationResponse)

    async def subgraph(self, query: str | SubgraphRequest, **fields: Any) -> SubgraphResponse:
        """The SubgraphArchitect alone, on a question or a whole request; `fields` are those of `SubgraphRequest`."""
        return await self._post("subgraph", whole(SubgraphRequest, query, "query", fields), SubgraphResponse)

    async def navigate(
        self, query: str | PathNavigationRequest, start_node: str | None = None, **fields: Any
    ) -> PathNavigationResponse:
        """The PathNavigator alone, from a node's id, exact name or alias; `fields` of `PathNavigationRequest`."""
        request = whole(PathNavigationRequest, query, "query", fields, start_node=start_node)
        return await self._post("navigate", request, PathNavigationResponse)

    async def curate(self, evidence_pool: Pool, **fields: Any) -> ContextCurationResponse:
        """The ContextCurator alone, on given texts or a whole request; `fields` of `ContextCurationRequest`."""
        request = whole(ContextCurationRequest, evidence_pool, "evidence_pool", fields)
        return await self._post("curate", request, ContextCurationResponse)

    async def score_edges(self, query: str | EdgeScoreRequest, edges: Any = None, **fields: Any) -> EdgeScoreResponse:
        """The five signals and the score of `edges`: mappings or `EdgeTriple`s; or of those of a whole request."""
        request = whole(EdgeScoreRequest, query, "query", fields, edges=edges)
        return await self._post("edges/score", request, EdgeScoreResponse)

    async def run(self, run_id: str) -> RunRecord:
        """A recorded run with its request, budgets, seeds and every step."""
        from clause.reasoning.answer.run_record import RunRecord  # noqa: PLC0415

        return RunRecord.model_validate(await self.request("GET", f"{_ASK}/runs/{run_id}"))

    async def runs(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The newest recorded runs, at most `limit` (100 in one call)."""
        from clause.reasoning.models.answer import RunSummary  # noqa: PLC0415

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

    def coordinate(self, query: str | CoordinationRequest, **fields: Any) -> CoordinationResponse:
        """`ClauseClient.coordinate`."""
        return self.call(self.client.coordinate, query, **fields)

    def run(self, run_id: str) -> RunRecord:
        """`ClauseClient.run`."""
        return self.call(self.client.run, run_id)

    def request(self, method: str, path: str, body: BaseModel | Mapping[str, Any] | None = None, **more: Any) -> Any:
        """`ClauseClient.request`."""
        return self.call(self.client.request, method, path, body, **more)
