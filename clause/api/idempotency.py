"""`Idempotency-Key` on writes: the first answer is kept and given again, so that a retry does nothing twice.

The key is the caller's own, kept for a day; with another request it is refused. A request without a key is simply done.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel

from clause.api.dependencies import CallerDependency, Services
from clause.api.strict_json import StrictJSONResponse
from clause.graph.idempotency import IdempotencyKeys, RequestKey, StoredResponse

REPLAYED = "Idempotency-Replayed"


@dataclass(frozen=True)
class Once:
    """Does a write once for its key; `key` None does it each time."""

    keys: IdempotencyKeys
    key: RequestKey | None

    async def answer(
        self,
        work: Callable[[], Awaitable[BaseModel]],
        *,
        status: int,
        headers: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _body: {},
        whole: bool = True,
    ) -> Response:
        """The answer of `work`, or the one kept from the first time (with the header `Idempotency-Replayed`).

        Args:
            work: does the write; again from its beginning where the database asks for that.
            status: of the answer when it succeeds.
            headers: made from the answer's body, so that a kept answer has them too.
            whole: False for what is too large for one transaction, and may be done again.

        Raises:
            ConflictError: the key came with another request.
        """

        async def done() -> StoredResponse:
            return StoredResponse(status, (await work()).model_dump(mode="json"))

        found = await done() if self.key is None else await self.keys.once(self.key, done, whole=whole)
        told = {**headers(found.body), **({REPLAYED: "true"} if found.replayed else {})}
        return StrictJSONResponse(found.body, status_code=found.status, headers=told)


async def _once(
    request: Request,
    services: Services,
    caller: CallerDependency,
    idempotency_key: Annotated[
        str | None, Header(max_length=255, description="the same key and request are done once and answered twice")
    ] = None,
) -> Once:
    if idempotency_key is None:
        return Once(services.keys, None)
    parts = (request.method.encode(), request.url.path.encode(), await request.body())
    default = services.settings.default_scope
    key = RequestKey.of(caller, idempotency_key, *parts, default_scope=default, field="Idempotency-Key")
    return Once(services.keys, key)


Idempotent = Annotated[Once, Depends(_once)]
