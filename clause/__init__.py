"""Memory and reasoning for agents, on a graph."""

from __future__ import annotations

__version__ = "0.1.0"
