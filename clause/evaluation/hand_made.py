"""The learned agents' places taken by rules of hand, without any reward: what reinforcement learning must beat.

Both see what the agents see: the plan of the cloned reader, and of each option the answers it may bring for what it
costs. They differ from the teacher of the warm start only in what they rank by.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from clause.policy.mind import Mind, Pilot
from clause.policy.observations import ARCHITECT_OPTION, CURATOR_OPTION, EDGE
from clause.policy.perceptron import Floats
from clause.policy.teacher import depth_first
from clause.reasoning.actions import ARCHITECT, CURATOR, Agent

if TYPE_CHECKING:
    from clause.policy.agents import LearnedAgents


@dataclass(slots=True)
class RankedByHand(Mind):
    """Edges inside a bundle by falling efficiency; what is done is the pilot's."""

    def rank(self, rows: Floats, context: Floats) -> Floats:  # noqa: ARG002 -- as Mind's
        """Answers for what they cost."""
        ranks: Floats = rows[:, EDGE.index("efficiency")]
        return ranks


def efficiency_depth_first(agents: LearnedAgents) -> LearnedAgents:
    """Depth first, the best edge of each front first; whole paths in the order in which they were reached."""
    return _piloted(agents, depth_first)


def efficiency_greedy(agents: LearnedAgents) -> LearnedAgents:
    """Always the bundle with the most answers for its cost, then the walks with the fewest tokens for an answer."""
    return _piloted(agents, greedy)


def greedy(agent: Agent, options: Floats, context: Floats) -> int:
    """The row with the most answers for its cost that exceeds nothing; 0, STOP, where there is none."""
    if agent == ARCHITECT:
        return _best(options, ARCHITECT_OPTION, options[:, ARCHITECT_OPTION.index("efficiency")])
    if agent == CURATOR:
        return _best(options, CURATOR_OPTION, -options[:, CURATOR_OPTION.index("tokens_per_answer")])
    return depth_first(agent, options, context)


def _best(options: Floats, names: tuple[str, ...], worth: Floats) -> int:
    kept = (options[:, names.index("exceeds")] == 0) & (options[:, names.index("is_stop")] == 0)
    if "is_delete" in names:
        kept &= options[:, names.index("is_delete")] == 0
    return int(np.where(kept, worth, -np.inf).argmax()) if kept.any() else 0


def _piloted(agents: LearnedAgents, pilot: Pilot) -> LearnedAgents:
    return replace(agents, mind=RankedByHand(agents.mind.networks, pilot=pilot), deletes=False)
