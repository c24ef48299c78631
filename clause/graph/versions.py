"""Optimistic versions: an ETag names the version a reader saw, If-Match refuses a write to any other."""

from __future__ import annotations

from clause.errors import BadInputError, PreconditionError


def etag(version: int) -> str:
    """The strong entity tag of a version.

    >>> etag(3)
    '"3"'
    """
    return f'"{version}"'


def require_match(version: int, if_match: str | None) -> None:
    """Do nothing when `if_match` is absent, `*`, or a list of tags that names `version`.

    Raises:
        BadInputError: a tag is not quoted digits.
        PreconditionError: the stored version is another one.

    >>> require_match(3, '"2", "3"')
    """
    if if_match is None or if_match.strip() == "*":
        return
    tags = [tag.strip() for tag in if_match.split(",")]
    for tag in tags:
        if not (len(tag) > 2 and tag[0] == tag[-1] == '"' and tag[1:-1].isdigit()):
            raise BadInputError(f"If-Match {tag!r} is no tag of ours", field="If-Match", bound='"<version>" or *')
    if etag(version) not in tags:
        raise PreconditionError(
            f"the stored version is {version}", remedy="read it again, then write", field="If-Match"
        )
