"""Actions of the three agents: plain values, to which `clause.reasoning.episode.episode.Episode` gives their effect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from clause.reasoning.models.agents import StoppedReason
from clause.reasoning.neighbourhood.port import Edge, Hop

Agent = Literal["SubgraphArchitect", "PathNavigator", "ContextCurator"]
ARCHITECT: Agent = "SubgraphArchitect"
NAVIGATOR: Agent = "PathNavigator"
CURATOR: Agent = "ContextCurator"

BUNDLE_COUNTS = (1, 2, 3, 5, 8, 13, 21, 34, 55)
"""Sizes a bundle may have besides "all that there are" (policy.md)."""


@dataclass(frozen=True, slots=True)
class Look:
    """Ask for the neighbours of some nodes before deciding; costs nothing that is budgeted, and is reported as read.

    `per_type` caps the edges of each (node, hop); None leaves the cap to the coordinator. `thought` is waited for
    first: what the agent must work out before it can say what to read; without nodes nothing is read.
    """

    nodes: tuple[str, ...]
    hops: tuple[Hop, ...] | None = None
    per_type: int | None = None
    thought: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class AddBundle:
    """Add up to `count` edges of one typed direction around a front, or around one `node` of it."""

    front: int
    hop: Hop
    count: int
    node: str | None = None


@dataclass(frozen=True, slots=True)
class AddEdge:
    """Add one edge that touches the working subgraph."""

    edge: Edge


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete edges from the working subgraph; each counts as an edit and none may be added again."""

    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Continue:
    """Walk one typed direction from the whole front, or from one `node` of it; `seed` chooses where to start."""

    hop: Hop
    seed: str | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Backtrack:
    """Go one hop back."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Go back to the seeds to walk another pattern; what was walked stays walked. Free: only hops cost steps."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Take one unit of the pool (by its place there) into the evidence set."""

    unit: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Yield. Never a step, never priced. `reason` says why, in the words of `stopped_reason`."""

    reason: StoppedReason = "COMPLETE"


ArchitectAction = AddBundle | AddEdge | Delete | Stop
NavigatorAction = Continue | Backtrack | Restart | Stop
CuratorAction = Pick | Stop
Action = ArchitectAction | NavigatorAction | CuratorAction
