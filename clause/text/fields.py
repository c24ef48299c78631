"""The ground of public models: their configuration, and the checked kinds of text and time that all rooms use."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from clause.errors import OutOfBoundsError

_M = TypeVar("_M", bound=BaseModel)


class Frozen(BaseModel):
    """A model that does not change once it is made: what crosses a border."""

    model_config = ConfigDict(frozen=True)


def request_config(**example: Any) -> ConfigDict:
    """The configuration of a request that refuses unknown fields and shows an example of itself in its schema."""
    return ConfigDict(frozen=True, extra="forbid", json_schema_extra={"example": example})


class Model(BaseModel):
    """A frozen model that refuses unknown fields, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __getitem__(self, name: str) -> Any:
        """A field by its name, as in the JSON: `answer.path["steps"]`."""
        if name not in type(self).model_fields:
            raise KeyError(name)
        return getattr(self, name)


def readable(text: str) -> str:
    """`text` unchanged when it says something: not blank, and of characters that UTF-8 can carry.

    Raises:
        ValueError: only blanks, NULs or other control characters; or a lone surrogate.

    >>> readable("What causes climate change?")
    'What causes climate change?'
    >>> readable("  " + chr(0))
    Traceback (most recent call last):
    ValueError: the text is blank: it needs at least one visible character
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"the text has a lone surrogate at character {error.start}") from None
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise ValueError("the text is blank: it needs at least one visible character")
    return text


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names all differ: `json.loads(text, object_pairs_hook=unique)`.

    Raises:
        ValueError: a name comes twice, which readers settle in different ways.

    >>> unique([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"the name {twice[:80]!r} comes twice in one object")
    return found


def utc(instant: datetime) -> datetime:
    """The same instant in UTC.

    Raises:
        ValueError: in UTC it lies outside of the years 1 to 9999.

    >>> utc(datetime.fromisoformat("2026-03-01T01:00+02:00")).isoformat()
    '2026-02-28T23:00:00+00:00'
    """
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("the instant lies outside of the years 1 to 9999 in UTC") from None


def utc_now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(UTC)


Instant = Annotated[AwareDatetime, AfterValidator(utc)]
"""An instant with its zone, kept in UTC."""
FOREVER = datetime.max.replace(tzinfo=UTC)  # later than whatever was recorded
_COMPACT = (4, 8, 12, 14)  # digits of a year, or of a day without and with its time; other numbers are no dates
_BETWEEN = frozenset(["at", "date", "gmt", "in", "m", "nd", "of", "on", "rd", "st", "t", "th", "the", "time", "utc"])
_EARLY, _LATE = datetime(2000, 1, 1), datetime(2001, 2, 28)  # noqa: DTZ001 -- they only tell which parts were written
_FOUR_DIGITS = re.compile(r"(?<![+\-.\d])\d{4}(?!\d)")
_BESIDE_OFFSET = re.compile(
    r"(?:UTC|GMT) ?(?=[+-]\d)|(?:(?<=[+-]\d{4})|(?<=[+-]\d\d:\d\d)|(?<=\dZ)) ?[(\[][^\d()\[\]]+[)\]]$"
)
_ZONES = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2}
"""Hours ahead of UTC where a short name is used for one zone; what it is in summer has a name of its own."""


def read_instant(text: str) -> datetime | None:
    """The instant that a text writes out in ISO 8601, or as a date and its year in words; UTC where it names no zone.
    None where a part of it stays open ("8 May", "2 days ago") or is not understood (a strange zone).

    >>> str(read_instant("1:56 pm on 08.05.2023")), read_instant("2 days ago")
    ('2023-05-08 13:56:00+00:00', None)
    """
    text = _BESIDE_OFFSET.sub("", text.strip())
    if not any(letter.isdigit() for letter in text) or len(text) < 4 or (text.isdigit() and len(text) not in _COMPACT):
        return None
    from dateutil import parser  # noqa: PLC0415 -- takes a moment to import

    try:
        with suppress(ValueError):
            found: datetime = parser.isoparse(text)
            return utc(found if found.tzinfo else found.replace(tzinfo=UTC))
        day = bool(re.search(r"(?<!\d)\d{1,2}([.-])\d{1,2}\1\d{2,4}", text))  # first, as in `quantities.read_date`
        found, skipped = parser.parse(text, fuzzy_with_tokens=True, default=_EARLY, tzinfos=_zone, dayfirst=day)
        late = parser.parse(text, fuzzy=True, default=_LATE, tzinfos=_zone, dayfirst=day)
        whole = found == late or (found.day == 1 and late == found.replace(day=28, hour=0, minute=0))
        dated = (_FOUR_DIGITS.findall(text) or [f"{found.year:04}"]) == [f"{found.year:04}"] and f"{found:%y}" in text
        dated &= _BETWEEN.issuperset(re.findall(r"\w+", " ".join(skipped).casefold()))
        return utc(found) if whole and dated else None
    except (ValueError, OverflowError, AttributeError, TypeError, KeyError):
        return None


def _zone(name: str | None, offset: int | None) -> int:
    if offset is None:
        return 3600 * _ZONES[name] if name and name.casefold() not in _BETWEEN else 0
    if offset and (name or abs(offset) > 14 * 3600):  # `CET+1` is read as if it was west
        raise ValueError("no zone is called so")
    return offset


MAX_TEXT = 10_000
"""Most characters of a query or of one evidence snippet."""
MAX_POOL = 500
"""Most snippets of one request: each is embedded while the caller, and everybody else, waits."""
QueryText = Annotated[
    str, Field(min_length=3, max_length=MAX_TEXT, description="Natural language query"), AfterValidator(readable)
]
Snippet = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(readable)]
NodeName = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(readable)]
ScopeName = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(readable)]
Scopes = Annotated[
    list[ScopeName] | None,
    Field(description="Scopes to read; unset: all that the caller may read", min_length=1, max_length=100),
]
AsOfValid = Annotated[Instant | None, Field(description="Use what was true then (unset: as_of_recorded, or now)")]
AsOfRecorded = Annotated[Instant | None, Field(description="Use what was known at this instant (unset: now)")]


def whole(model: type[_M], first: Any, name: str, fields: dict[str, Any], **more: Any) -> _M:
    """A request: `first` itself, changed where fields say so, if it is one; else with `first` as its field `name`."""
    said = fields | {field: value for field, value in more.items() if value is not None}
    if isinstance(first, model):
        return checked(model, {**first.model_dump(exclude_unset=True), **said}) if said else first
    return checked(model, {**said, name: first})


def checked(model: type[_M], fields: dict[str, Any]) -> _M:
    """A request; what it refuses is one of our own errors."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise OutOfBoundsError(f"{place}: {first['msg']}", field=place) from error
