"""The ground of public models: their configuration, and the checked kinds of text and time that all rooms use."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A frozen model that refuses unknown fields, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def readable(text: str) -> str:
    """`text` unchanged when it says something: not blank, and of characters that UTF-8 can carry.

    Raises:
        ValueError: only blanks, NULs or other control characters; or a lone surrogate.

    >>> readable("What causes climate change?")
    'What causes climate change?'
    >>> readable("  " + chr(0))
    Traceback (most recent call last):
    ...
    ValueError: the text is blank: it needs at least one visible character
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"the text has a lone surrogate at character {error.start}") from None
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise ValueError("the text is blank: it needs at least one visible character")
    return text


def utc(instant: datetime) -> datetime:
    """The same instant in UTC."""
    return instant.astimezone(UTC)


def utc_now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(UTC)


Instant = Annotated[AwareDatetime, AfterValidator(utc)]
"""An instant with its zone, kept in UTC."""


MAX_TEXT = 10_000
"""Most characters of a query or of one evidence snippet."""

QueryText = Annotated[
    str,
    Field(min_length=3, max_length=MAX_TEXT, description="Natural language query"),
    AfterValidator(readable),
]
Snippet = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(readable)]
NodeName = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(readable)]
ScopeName = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(readable)]
Scopes = Annotated[
    list[ScopeName] | None,
    Field(description="Scopes to read; unset: all that the caller may read", min_length=1, max_length=100),
]
AsOfValid = Annotated[Instant | None, Field(description="Use what was true at this instant (unset: now)")]
AsOfRecorded = Annotated[Instant | None, Field(description="Use what was known at this instant (unset: now)")]
