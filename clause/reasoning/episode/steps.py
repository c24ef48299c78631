"""Steps of an episode as they are recorded: plain, frozen, enough to explain a run and to recompute its receipt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from clause.reasoning.agents.policy import LeftOut
from clause.reasoning.episode.actions import (
    Action,
    AddBundle,
    AddEdge,
    Agent,
    Backtrack,
    Continue,
    Delete,
    Pick,
    Restart,
    Stop,
)
from clause.reasoning.episode.budget import Unit
from clause.reasoning.episode.episode import Step
from clause.reasoning.models.answer import LeftOutItem
from clause.reasoning.neighbourhood.port import Hop
from clause.text.fields import Model

VISITED_OF_A_STEP = 200
"""Most nodes that one step is recorded to have visited."""

_WORDS: Mapping[type[Action], str] = {
    AddBundle: "ADD",
    AddEdge: "ADD",
    Delete: "DELETE",
    Continue: "CONTINUE",
    Backtrack: "BACKTRACK",
    Restart: "RESTART",
    Pick: "PICK",
    Stop: "STOP",
}


class StepRecord(Model):
    """One action as it happened. `reason` and `left_out` belong to STOP; `detail` says what the action was about."""

    index: int = Field(ge=1)
    agent: Agent
    action: str
    edges: int = Field(0, ge=0, description="edges edited")
    steps: int = Field(0, ge=0, description="Navigator steps")
    tokens: int = Field(0, ge=0, description="tokens of evidence")
    score: float | None = None
    reason: str | None = None
    left_out: LeftOutItem | None = None
    detail: dict[str, Any] = Field(default_factory=dict)
    visited: tuple[str, ...] = ()


def step_records(
    log: Sequence[Step], pool: Sequence[Unit], left_out: Mapping[Agent, Sequence[LeftOut | None]]
) -> list[StepRecord]:
    """The log of an episode as records.

    Args:
        log: every step and stop, in order.
        pool: the Curator's units, by place.
        left_out: for each agent, what each of its turns left out, in order; a turn ends with its Stop.
    """
    ended: dict[Agent, Iterator[LeftOut | None]] = {agent: iter(turns) for agent, turns in left_out.items()}
    records = []
    for index, step in enumerate(log, start=1):
        stop = step.action if isinstance(step.action, Stop) else None
        missed = next(ended.get(step.agent, iter(())), None) if stop else None
        records.append(
            StepRecord(
                index=index,
                agent=step.agent,
                action=_WORDS[type(step.action)],
                edges=step.cost.edges,
                steps=step.cost.steps,
                tokens=step.cost.tokens,
                score=step.score,
                reason=stop.reason if stop else None,
                left_out=_item(missed) if missed else None,
                detail=_detail(step, pool),
                visited=_visited(step),
            )
        )
    return records


def _item(missed: LeftOut) -> LeftOutItem:
    return LeftOutItem(what=missed.what, would_cost=missed.would_cost, score=missed.score)


def _detail(step: Step, pool: Sequence[Unit]) -> dict[str, Any]:
    match step.action:
        case AddBundle(front=front, hop=hop, node=node):
            return {**_hop(hop), "front": front, "node": node, "edges": [list(edge) for edge in step.edges]}
        case AddEdge() | Delete():
            return {"edges": [list(edge) for edge in step.edges]}
        case Continue(hop=hop, seed=seed, node=node):
            return {**_hop(hop), "seed": seed, "node": node}
        case Pick(unit):
            return {"unit": pool[unit].id, "kind": pool[unit].kind}
        case _:
            return {}


def _hop(hop: Hop) -> dict[str, Any]:
    return {"relation": hop.relation, "forward": hop.forward}


def _visited(step: Step) -> tuple[str, ...]:
    if not isinstance(step.action, Continue):
        return ()
    forward = step.action.hop.forward
    ends = dict.fromkeys(edge.target if forward else edge.source for edge in step.edges)
    return tuple(ends)[:VISITED_OF_A_STEP]
