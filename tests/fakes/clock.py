"""A clock that tests move by hand."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class Clock:
    """An instant that stands until it is moved.

    >>> clock = Clock()
    >>> clock.forward(days=2)
    >>> clock().day
    3
    """

    at: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The instant."""
        return self.at

    def forward(self, **time: float) -> None:
        """Move it on: `days=2`, `seconds=61`, as `timedelta` takes them."""
        self.at += timedelta(**time)
