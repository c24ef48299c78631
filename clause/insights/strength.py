"""How strong an insight is now: its stored strength never changes, its topic's salience fades."""

from __future__ import annotations

from datetime import datetime, timedelta

IDLE_DAYS = 7
"""Days without activity before a topic's salience fades."""

DAILY = 0.99
"""What is left of it after each further day."""


def salience_at(salience: float, since: datetime, now: datetime) -> float:
    """A topic's salience at `now`, given what it was at its last activity: 1 % less a day after 7 idle days.

    >>> from datetime import UTC
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> salience_at(10.0, start, start + timedelta(days=7))
    10.0
    >>> round(salience_at(10.0, start, start + timedelta(days=8)), 6)
    9.9
    """
    idle_days = (now - since) / timedelta(days=1)
    left: float = DAILY ** max(0.0, idle_days - IDLE_DAYS)
    return salience * left


def effective_strength(strength: float, salience: float, original: float) -> float:
    """strength * min(1, salience / original): an insight fades with its topic and never grows beyond what it was.

    An insight of a topic without salience does not fade.

    >>> effective_strength(8.0, 5.0, 10.0), effective_strength(8.0, 20.0, 10.0), effective_strength(8.0, 0.0, 0.0)
    (4.0, 8.0, 8.0)
    """
    return strength if original <= 0 else strength * min(1.0, salience / original)


def strength_label(strength: float) -> str:
    """In words, from 8, 5 and 2 upwards.

    >>> [strength_label(strength) for strength in (8, 7.99, 5, 4.99, 2, 1.99)]
    ['strong memory', 'clear memory', 'clear memory', 'fading memory', 'fading memory', 'distant memory']
    """
    for least, label in ((8, "strong memory"), (5, "clear memory"), (2, "fading memory")):
        if strength >= least:
            return label
    return "distant memory"
