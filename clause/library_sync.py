"""The library without `await`: for notebooks and scripts, where one call follows another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from inspect import signature
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio.from_thread import start_blocking_portal

from clause.library import Clause

if TYPE_CHECKING:
    from clause.graph.scopes import Caller
    from clause.reasoning.models import (
        ContextCurationResponse,
        CoordinationResponse,
        PathNavigationResponse,
        SubgraphResponse,
    )
    from clause.settings import Settings

_T = TypeVar("_T")


class SyncClause:
    """A `Clause` on an event loop of its own, in a thread of its own, so that it works inside a running loop too.

    `with SyncClause.open() as c: c.coordinate("who directed Kes")`; across the cells of a notebook,
    `c = SyncClause.open()` and in the end `c.close()`. Any other method of the library or of a room is called through
    `call`, which also says who is asking: `c.call(c.clause.memory.store.read, request)`.

    Attributes:
        clause: the open library, whose coroutine functions `call` runs.
    """

    def __init__(self, clause: Clause, stack: ExitStack, call: Callable[..., Any]) -> None:
        self.clause = clause
        self._stack = stack
        self._call = call

    @classmethod
    def open(cls, settings: Settings | None = None, **given: Any) -> Self:
        """Open the library; arguments are those of `Clause.open`."""
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            clause = stack.enter_context(portal.wrap_async_context_manager(Clause.open(settings, **given)))
            return cls(clause, stack.pop_all(), portal.call)

    def close(self) -> None:
        """Close what was opened and end the thread; closing again does nothing."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def caller(self) -> Caller:
        """Who is asking."""
        return self.clause.caller

    def call(self, function: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        """The result of a coroutine function of the library or of a room, waited for here.

        One that asks for a `caller` is given this library's, unless another is named.
        """
        if "caller" in signature(function).parameters:
            named.setdefault("caller", self.caller)

        async def run() -> _T:
            return await function(*arguments, **named)

        result: _T = self._call(run)
        return result

    def coordinate(self, query: str, **fields: Any) -> CoordinationResponse:
        """`Clause.coordinate`."""
        return self.call(self.clause.coordinate, query, **fields)

    def subgraph(self, query: str, **fields: Any) -> SubgraphResponse:
        """`Clause.subgraph`."""
        return self.call(self.clause.subgraph, query, **fields)

    def navigate(self, query: str, start_node: str, **fields: Any) -> PathNavigationResponse:
        """`Clause.navigate`."""
        return self.call(self.clause.navigate, query, start_node, **fields)

    def curate(self, evidence_pool: Sequence[str], **fields: Any) -> ContextCurationResponse:
        """`Clause.curate`."""
        return self.call(self.clause.curate, evidence_pool, **fields)
