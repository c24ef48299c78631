"""The confidence of a belief as it was settled, time after time: records, kept in the graph as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final

from clause.knowledge.beliefs.confidence import WEIGHTS

ABSENT: Final = -1.0
"""The number that is kept where a record has none; all that a record may lack is at least 0."""


@dataclass(frozen=True)
class ConfidenceRecord:
    """What a belief's confidence was made of from one settling to the next; the order is that of the numbers kept.

    Attributes:
        at: instant of the settling, in ms since 1970.
        source_reliability, method_quality, internal_consistency, corroboration, domain_applicability: dimensions in
            [0, 1]; None: absent.
        temporal_freshness: as it was given, before any fading.
        confirmed_at: instant of the last statement, in ms since 1970.
        sources: independent ones.
        open_tensions, statements: how many.
        ceiling: the least overall of what the belief was derived from; None where nothing caps it.
    """

    at: float
    source_reliability: float | None
    method_quality: float | None
    internal_consistency: float | None
    temporal_freshness: float | None
    corroboration: float | None
    domain_applicability: float | None
    confirmed_at: float
    sources: float
    open_tensions: float
    statements: float
    ceiling: float | None

    @property
    def dimensions(self) -> dict[str, float | None]:
        """The six dimensions by name, the freshness before any fading."""
        return {name: getattr(self, name) for name in WEIGHTS}

    def packed(self) -> list[float]:
        """The numbers that are kept for it."""
        return [ABSENT if value is None else value for value in astuple(self)]


SETTLED: Final = tuple(field.name for field in fields(ConfidenceRecord) if field.name != "at")
"""What `knowledge/settle` computes for a record, in the order in which it is kept behind the instant."""


def unpacked(history: Sequence[float]) -> list[ConfidenceRecord]:
    """The records of a belief's `history`, oldest first.

    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> one = ConfidenceRecord(millis(at), 0.9, 0.8, 1.0, 1.0, None, None, millis(at), 1.0, 0.0, 1.0, None)
    >>> unpacked(one.packed() * 2) == [one, one]
    True
    """
    size = len(SETTLED) + 1
    return [_record(history[at : at + size]) for at in range(0, len(history), size)]


def _record(numbers: Sequence[float]) -> ConfidenceRecord:
    values: list[Any] = [None if number == ABSENT else number for number in numbers]
    return ConfidenceRecord(*values)


def recorded_by(history: Sequence[float], instant: datetime) -> list[ConfidenceRecord]:
    """The records up to an instant; the first one at least."""
    records = unpacked(history)
    return [record for record in records if record.at <= millis(instant)] or records[:1]


def millis(at: datetime) -> float:
    """An instant in whole ms since 1970."""
    return float(int(at.timestamp() * 1000))


def instant_of(at: float) -> datetime:
    """The instant of so many ms since 1970, UTC."""
    return datetime.fromtimestamp(at / 1000, UTC)
