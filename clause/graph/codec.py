"""Values on their way to and from the driver: float32 arrays travel as Vector, instants as UTC datetimes."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

import numpy as np
from neo4j import AsyncSession
from neo4j.time import Date, DateTime, Time
from neo4j.vector import Vector

from clause.errors import BadInputError

_PLAIN = frozenset({str, int, float, bool, type(None), bytes})


def encode(value: Any) -> Any:
    """A parameter as the driver takes it: an array [d] becomes one Vector, an array [n, d] a list of n Vectors.

    Mappings, lists, tuples and sets (sorted) are walked; numpy scalars become Python numbers.

    Raises:
        BadInputError: an array holds NaN or infinity, or has no or more than two axes; an instant has no time zone.

    >>> encode({"v": np.ones(2, dtype=np.float32), "k": (1, "a")})
    {'v': Vector(b'?\\x80\\x00\\x00?\\x80\\x00\\x00', 'f32'), 'k': [1, 'a']}
    """
    kind = type(value)
    if kind is list and all(type(item) in _PLAIN for item in value):
        return value  # a row, as most are: nothing to walk, nothing to copy
    if kind not in _PLAIN:
        for kinds, encoder in _ENCODERS:
            if isinstance(value, kinds):
                return encoder(value)
    return value


def decode(value: Any) -> Any:
    """A result value in Python's and numpy's own types: Vector -> float32 array [d], DateTime -> aware UTC datetime (a
    local one is read as UTC, whatever the machine's zone)."""
    if type(value) not in _PLAIN:
        for kinds, decoder in _DECODERS:
            if isinstance(value, kinds):
                return decoder(value)
    return value


def _vectors(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    if array.ndim not in {1, 2}:
        raise BadInputError(f"an array with {array.ndim} axes is no vector", bound="1 or 2 axes")
    if array.dtype.kind in "iub":
        return array.tolist()
    if not np.isfinite(array).all():
        raise BadInputError("a vector holds NaN or infinity", bound="finite numbers")
    if array.ndim == 1:
        return Vector(np.ascontiguousarray(array, dtype=np.float32))
    return [Vector(row) for row in np.ascontiguousarray(array, dtype=np.float32)]


def _instant(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise BadInputError(f"instant {value.isoformat()} has no time zone", remedy="pass an aware UTC datetime")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise BadInputError(f"instant {value.isoformat()} lies outside of the years 1 to 9999 in UTC") from None


def _in_utc(value: DateTime) -> datetime:
    instant = value.to_native()
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _list_from(value: list[Any]) -> list[Any]:
    return value if all(type(item) in _PLAIN for item in value) else [decode(item) for item in value]


_Table = tuple[tuple[type[Any] | tuple[type[Any], ...], Callable[[Any], Any]], ...]
_ENCODERS: _Table = (
    (np.ndarray, _vectors),
    (np.generic, lambda value: value.item()),
    (Mapping, lambda value: {key: encode(item) for key, item in value.items()}),
    ((list, tuple), lambda value: [encode(item) for item in value]),
    ((set, frozenset), lambda value: [encode(item) for item in sorted(value)]),
    (datetime, _instant),
)
_DECODERS: _Table = (
    (Vector, lambda value: value.to_numpy().astype(np.float32)),
    (list, _list_from),
    (dict, lambda value: {key: decode(item) for key, item in value.items()}),
    (DateTime, _in_utc),
    (Date, lambda value: value.to_native()),
)
WRITTEN: Final[tuple[tuple[str, type[Any], Callable[[Any], str], Callable[[str], Any]], ...]] = (
    ("$instant", datetime, lambda value: value.astimezone(UTC).isoformat(), datetime.fromisoformat),
    ("$date", date, date.isoformat, date.fromisoformat),
    ("$time", Time, Time.iso_format, Time.from_iso_format),
    ("$bytes", bytes, lambda value: base64.b64encode(value).decode(), base64.b64decode),
)
"""Properties that JSON has no word for: the name of each kind, its type, and how it is written and read."""
READ: Final[Mapping[str, Callable[[str], Any]]] = {"$float": float, **{name: read for name, _, _, read in WRITTEN}}
"""The readers of such properties, by the names of their kinds."""


RECORD_BYTES = 2 << 20
RESULT_BYTES = 16 << 20


class Meter:
    """Counts what a session's present connection receives; `full` once a limit is reached.

    Reaches into the driver, which has no limit of its own: `tests/attacks/test_cypher.py` tells when it has changed.
    """

    def __init__(self, session: AsyncSession) -> None:
        self.full = False
        self._of_record = self._of_result = 0
        inbox: Any = session._connection.inbox  # type: ignore[union-attr]
        self._inbox = inbox
        self._socket, self._pop = inbox._socket, inbox.pop
        inbox._socket, inbox.pop = self, self._next

    def remove(self) -> None:
        """Leave the connection as it was; it goes back to the pool."""
        self._inbox._socket = self._socket
        del self._inbox.pop

    async def _next(self, *given: Any, **named: Any) -> Any:
        self._of_record = 0
        return await self._pop(*given, **named)

    async def recv_into(self, buffer: Any, nbytes: int) -> int:
        """Bytes of the connection, as the driver asks for them.

        Raises:
            OSError: a limit is reached; the driver drops the connection.
        """
        read: int = await self._socket.recv_into(buffer, nbytes)
        self._of_record += read
        self._of_result += read
        if self._of_record > RECORD_BYTES or self._of_result > RESULT_BYTES:
            self.full = True
            raise OSError("the result is larger than its limit")
        return read

    def __getattr__(self, name: str) -> Any:
        """Everything else the socket does itself."""
        return getattr(self._socket, name)
