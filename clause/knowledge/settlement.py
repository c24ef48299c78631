"""What ends a transaction that may lower a belief: its confidence derived anew, and its lineage's below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from clause.knowledge.authority import capping
from clause.knowledge.belief_rows import settling

Work = list[tuple[str, Mapping[str, Any]]]


def settled(ids: Iterable[str], scopes: Sequence[str], now: datetime) -> Work:
    """Two statements: settle these beliefs, then keep what was derived from them below them."""
    touched = sorted(set(ids))
    return [settling(touched, scopes, now), capping(touched, scopes, now)]
