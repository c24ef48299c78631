"""An episode after its last turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clause.reasoning.actions import Agent
from clause.reasoning.asking import Asked
from clause.reasoning.budget import Spend
from clause.reasoning.episode import Episode
from clause.reasoning.policy import Agents, Policy
from clause.reasoning.turns import Turn


@dataclass(slots=True)
class Finished:
    """An episode after its last turn: the turns of each agent in order, and what they found."""

    asked: Asked
    policy: Policy
    agents: Agents
    episode: Episode
    turns: dict[Agent, list[Turn]] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)
    paths: list[dict[str, Any]] = field(default_factory=list)
    abstained: bool = False
    reason: str | None = None
    fallbacks: tuple[str, ...] = ()

    def spent(self, agent: Agent) -> Spend:
        """Everything one agent spent, over all rounds."""
        return sum((step.cost for step in self.episode.log if step.agent == agent), Spend())

    def latency_ms(self, agent: Agent) -> float:
        """An agent's milliseconds, over all rounds."""
        return sum(turn.latency_ms for turn in self.turns.get(agent, ()))
