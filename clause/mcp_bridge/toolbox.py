"""All tools, in the order in which they are offered."""

from __future__ import annotations

from itertools import chain

from clause.mcp_bridge.tool import MODES, Mode, Tool
from clause.mcp_bridge.tools import beliefs, graph, insights, knowledge, memory, reasoning, sessions, values

_ROOMS = (beliefs, knowledge, sessions, reasoning, memory, values, insights, graph)


def offered(mode: Mode) -> tuple[Tool, ...]:
    """The tools of a mode: those of the smaller ones first."""
    wanted = MODES[: MODES.index(mode) + 1]
    found = tuple(chain.from_iterable(room.TOOLS for room in _ROOMS))
    return tuple(tool for level in wanted for tool in found if tool.mode == level)
