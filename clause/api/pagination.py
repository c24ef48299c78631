"""Pages of a list: an opaque cursor, a limit, and where the next page starts."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError

Item = TypeVar("Item")
MAX_LIMIT = 100


class Page(BaseModel, Generic[Item]):
    """One page, and the cursor of the next (null on the last)."""

    model_config = ConfigDict(frozen=True)

    items: tuple[Item, ...] = Field(description="what this page holds")
    next_cursor: str | None = Field(None, description="pass it as `cursor` to get the next page; null: the last page")


class PageQuery(BaseModel):
    """The page that is asked for: at most `limit` items after the one whose key is `after`."""

    model_config = ConfigDict(frozen=True)

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
