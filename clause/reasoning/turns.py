"""One agent's turn: decide, read or act, until it stops. Serving drives the pure episode through here."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from clause.reasoning.actions import ARCHITECT, CURATOR, NAVIGATOR, Action, Agent, Look, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import NeighbourhoodPort, View
from clause.reasoning.policy import Agents, Decision, LeftOut, Policy, Question

MAX_LOOKS = 64
"""Reads one agent may ask for in one turn: a bound in operations, so that no policy can read the whole graph."""

WHOLE_NODE_CAP = 50
"""Edges of each (node, hop) when an agent asks for all neighbours of a node."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How an agent's turn ended. `latency_ms` is wall time and decides nothing."""

    agent: Agent
    stop: Stop
    left_out: LeftOut | None
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Table:
    """What the three agents of one request share."""

    episode: Episode
    question: Question
    policy: Policy
    agents: Agents
    port: NeighbourhoodPort
    view: View

    async def architect(self) -> Turn:
        """The SubgraphArchitect edits until it stops."""
        return await self._turn(ARCHITECT, self.agents.architect)

    async def navigator(self) -> Turn:
        """The PathNavigator walks until it stops."""
        return await self._turn(NAVIGATOR, self.agents.navigator)

    async def curator(self) -> Turn:
        """The ContextCurator picks until it stops."""
        return await self._turn(CURATOR, self.agents.curator)

    async def _turn(self, agent: Agent, decide: Callable[[Episode], Decision[Action | Look]]) -> Turn:
        started = time.perf_counter()
        looks = 0
        while True:
            decision = decide(self.episode)
            action: Action | Look = decision.action
            if isinstance(action, Look) and looks == MAX_LOOKS:
                action = Stop("NO_CANDIDATES")
            if isinstance(action, Look):
                looks += 1
                await self._look(action)
            elif isinstance(action, Stop):
                self.episode.stop(agent, action)
                spent_ms = (time.perf_counter() - started) * 1000
                return Turn(agent, action, decision.left_out, spent_ms)
            else:
                self.episode.step(action, decision.score)

    async def _look(self, look: Look) -> None:
        whole_cap = max(WHOLE_NODE_CAP, self.episode.remaining.edges + 1)
        cap = look.per_type or (WHOLE_NODE_CAP if look.hops is None else whole_cap)
        expansion = await self.port.expand(look.nodes, self.view, per_type=cap, hops=look.hops)
        self.episode.subgraph.learn(expansion, look.nodes, look.hops)
        if self.policy.reads_vectors:
            unseen = [node for node in expansion.nodes if node not in self.question.vectors]
            self.question.vectors.update(await self.port.embeddings(unseen))
