"""Tensions on their way from the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clause.knowledge.models_tension import Tension


def tension_of(found: Mapping[str, Any]) -> Tension:
    """A tension from its properties and its sides `a` and `b` (id, content, status, overall)."""
    return Tension.model_validate(
        {
            **found,
            "signals": tuple(found["signals"]),
            "action": found.get("action"),
            "resolution": found.get("resolution") or "",
            "resolved_at": found.get("resolved_at"),
        }
    )
