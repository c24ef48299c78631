"""ETag and If-Match on versioned nodes: a write names the version it has seen, and loses if that moved on."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header

from clause.errors import BadInputError, PreconditionError

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
