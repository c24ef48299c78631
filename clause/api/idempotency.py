"""`Idempotency-Key` on writes: the first answer is kept and given again, so that a retry does nothing twice.

The key is the caller's own, kept for a day; with another request it is refused, and while the first request is still
being answered too. A request without a key is simply done.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel

from clause.api.dependencies import CallerDependency, Services
from clause.api.strict_json import StrictJSONResponse
from clause.errors import BadInputError
from clause.graph.idempotency import IdempotencyKeys, StoredResponse, request_hash
from clause.graph.scopes import Caller

REPLAYED = "Idempotency-Replayed"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True)
class Once:
    """Does a write once for its key; `key` None does it each time."""

    keys: IdempotencyKeys
    scope: str
    key: str | None
    request: str

    async def answer(
        self,
        work: Callable[[], Awaitable[BaseModel]],
        *,
        status: int,
        headers: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _body: {},
    ) -> Response:
        """The answer of `work`, or the one kept from the first time (with the header `Idempotency-Replayed`).

        Args:
            work: does the write.
            status: of the answer when it succeeds.
            headers: made from the answer's body, so that a kept answer has them too.

        Raises:
            ConflictError: the key came with another request, or its first request is still being answered.
        """
        if self.key is None:
            body = (await work()).model_dump(mode="json")
            return StrictJSONResponse(body, status_code=status, headers=dict(headers(body)))
        claim = await self.keys.claim(self.scope, self.key, self.request)
        if isinstance(claim, StoredResponse):
            replayed = {**headers(claim.body), REPLAYED: "true"}
            return StrictJSONResponse(claim.body, status_code=claim.status, headers=replayed)
        try:
            body = (await work()).model_dump(mode="json")
        except Exception:
            await self.keys.release(claim)
            raise
        await self.keys.keep(claim, status, body)
        return StrictJSONResponse(body, status_code=status, headers=dict(headers(body)))


async def _once(
    request: Request,
    services: Services,
    caller: CallerDependency,
    idempotency_key: Annotated[
        str | None, Header(max_length=255, description="the same key and request are done once and answered twice")
    ] = None,
) -> Once:
    if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
        raise BadInputError(
            "not an Idempotency-Key", field="Idempotency-Key", bound="1 to 255 visible ASCII characters"
        )
    fingerprint = request_hash(request.method, str(request.url.path), await request.body())
    home = caller.home(services.settings.default_scope)
    return Once(services.keys, home, _own(caller, idempotency_key), fingerprint)


def _own(caller: Caller, key: str | None) -> str | None:
    """The caller's own key: the same word sent with another API key is another key."""
    return f"{caller.key_id}:{key}" if key is not None and caller.key_id is not None else key


Idempotent = Annotated[Once, Depends(_once)]
