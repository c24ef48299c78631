"""Temporal decay: what was recalled lately counts more (BR-MCS-004)."""

from __future__ import annotations

from datetime import datetime

from clause.memory.config import MCSConfig


def decayed(score: float, last_access_at: datetime, now: datetime, config: MCSConfig) -> float:
    """score * decay_factor ^ ((now - last_access) / unit); a last access to come counts as now.

    >>> from datetime import UTC, timedelta
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> decayed(1.0, then, then + timedelta(hours=2), MCSConfig()).__round__(4)
    0.9801
    """
    units = max(0.0, (now - last_access_at).total_seconds()) / config.decay_unit_seconds
    return float(score * config.decay_factor**units)
