"""How long a piece of work waited for the database, and how many queries it sent, also across concurrent tasks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Timing:
    """Sums over one `measure()` block: `ms` spent in the driver (milliseconds), `round_trips` queries sent."""

    ms: float = 0.0
    round_trips: int = 0


_open: ContextVar[tuple[Timing, ...]] = ContextVar("clause_graph_timings", default=())


@contextmanager
def measure() -> Iterator[Timing]:
    """Collect the database time of everything awaited inside, tasks started inside included. Blocks may nest.

    >>> with measure() as timing:
    ...     charge(ms=2.5, round_trips=1)
    >>> timing
    Timing(ms=2.5, round_trips=1)
    """
    timing = Timing()
    token = _open.set((*_open.get(), timing))
    try:
        yield timing
    finally:
        _open.reset(token)


def charge(*, ms: float, round_trips: int) -> None:
    """Add to every open block of the current context."""
    for timing in _open.get():
        timing.ms += ms
        timing.round_trips += round_trips
