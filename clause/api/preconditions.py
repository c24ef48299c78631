"""Headers that guard writes. ETag and If-Match: a write names the version it has seen, and loses if that moved on.
`Idempotency-Key`: the first answer is kept and given again, so that a retry does nothing twice.

The key is the caller's own, kept for a day; with another request it is refused. A request without a key is simply done.
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
from clause.errors import BadInputError, PreconditionError
from clause.graph.idempotency import IdempotencyKeys, RequestKey, StoredResponse

_TAG = re.compile(r'(?:W/)?"(\d{1,18})"')


def etag(version: int) -> str:
    """The entity tag of a node's version.

    >>> etag(3)
    '"3"'
    """
    return f'"{version}"'


def _if_match(
    if_match: Annotated[str | None, Header(max_length=1000, description='the ETag last seen, or "*"')] = None,
) -> tuple[int, ...] | None:
    return parse_if_match(if_match)


def parse_if_match(header: str | None) -> tuple[int, ...] | None:
    """The versions that an If-Match header accepts; None where it accepts any (absent or `*`).

    Raises:
        BadInputError: it holds a tag that is none of ours.

    >>> parse_if_match('"3", "4"')
    (3, 4)
    """
    if header is None or header.strip() == "*":
        return None
    tags = [tag.strip() for tag in header.split(",")]
    matches = [_TAG.fullmatch(tag) for tag in tags]
    if not all(matches):
        raise BadInputError("not an ETag of this service", field="If-Match", bound='a quoted version such as "3"')
    return tuple(int(match[1]) for match in matches if match)


def require_version(accepted: tuple[int, ...] | None, current: int) -> None:
    """Let a write pass only on a version that its If-Match accepts.

    Raises:
        PreconditionError: the node has moved on.
    """
    if accepted is not None and current not in accepted:
        raise PreconditionError(
            f"the version is now {current}", remedy="read it again and repeat the change", field="If-Match"
        )


IfMatch = Annotated[tuple[int, ...] | None, Depends(_if_match)]


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
    parts = (request.method.encode(), request.url.path.encode(), request.url.query.encode(), await request.body())
    default = services.settings.default_scope
    key = RequestKey.of(caller, idempotency_key, *parts, default_scope=default, field="Idempotency-Key")
    return Once(services.keys, key)


Idempotent = Annotated[Once, Depends(_once)]
