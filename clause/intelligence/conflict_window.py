"""The share of agents' writes in the last 60 seconds that met another's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from clause.errors import UnavailableError

WINDOW = timedelta(seconds=60)
ENOUGH = 20
"""Writes within the window before its share says anything."""
RETRY_AFTER_S = 5


class ConflictWindow:
    """Counts writes and conflicts in a sliding window.

    Args:
        now: the clock.
        limit: share above which writes are refused; 0 never refuses.

    >>> from datetime import UTC
    >>> window = ConflictWindow(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    >>> window.note(False); window.note(True)
    >>> window.rate
    0.5
    """

    def __init__(self, now: Callable[[], datetime], limit: float = 0.0) -> None:
        self._now = now
        self._limit = limit
        self._writes: deque[tuple[datetime, bool]] = deque()

    def note(self, conflicted: bool) -> None:
        """One write, and whether it met another's."""
        self._writes.append((self._now(), conflicted))

    @property
    def rate(self) -> float:
        """The share of conflicts among the writes of the window; 0 without writes."""
        before = self._now() - WINDOW
        while self._writes and self._writes[0][0] <= before:
            self._writes.popleft()
        return sum(conflicted for _, conflicted in self._writes) / len(self._writes) if self._writes else 0.0

    def admit(self) -> None:
        """Let a write pass.

        Raises:
            UnavailableError: too many writes met others' lately; reads go on.
        """
        rate = self.rate
        if self._limit and len(self._writes) >= ENOUGH and rate > self._limit:
            raise UnavailableError(
                f"{rate:.0%} of the writes of the last minute met others'",
                remedy="read again, and write in a while",
                retry_after_s=RETRY_AFTER_S,
            )
