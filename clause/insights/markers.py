"""How long ago something was, in words, as a reader of a prompt understands it."""

from __future__ import annotations

from datetime import datetime, timedelta

from clause.insights.strength import strength_label


def relative_time(then: datetime, now: datetime) -> str:
    """`then` as seen from `now`: whole units, rounded down; both with a time zone. What lies ahead is `just now`.

    Raises:
        TypeError: one of them has no time zone.

    >>> from datetime import UTC
    >>> now = datetime(2026, 6, 1, tzinfo=UTC)
    >>> [relative_time(now - timedelta(minutes=age), now) for age in (59, 60, 7 * 24 * 60 - 1)]
    ['just now', '1 hour ago', '6 days ago']
    """
    if then.tzinfo is None or now.tzinfo is None:
        raise TypeError("an instant without a time zone could be any")
    age = now - then
    if age < timedelta(hours=1):
        return "just now"
    if age < timedelta(days=1):
        return _ago(age // timedelta(hours=1), "hour")
    if age < timedelta(days=7):
        return _ago(age.days, "day")
    if age < timedelta(days=30):
        return _ago(age.days // 7, "week")
    return _ago(age.days // 30, "month")


def temporal_marker(strength: float, then: datetime, now: datetime) -> str:
    """How well and from when something is remembered.

    >>> from datetime import UTC
    >>> temporal_marker(6.0, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    'clear memory from 3 days ago'
    """
    return f"{strength_label(strength)} from {relative_time(then, now)}"


def _ago(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"
