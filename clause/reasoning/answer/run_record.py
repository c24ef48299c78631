"""The record of a run and its receipt: enough to explain it, to recompute the receipt, and to say what a replay does
differently.

A receipt is a pure function of the recorded steps, the budgets and the prices, so that it can be recomputed from a run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT, Budgets, Prices, Resource
from clause.reasoning.episode.steps import StepRecord
from clause.reasoning.models.answer import (
    AnswerPath,
    Difference,
    Receipt,
    RecordedAnswer,
    ResourceReceipt,
    SeedNode,
    StoppedBy,
)
from clause.reasoning.models.coordination import CoordinationResponse
from clause.text.fields import Instant, Model


class RunRecord(Model):
    """A recorded run, step by step.

    `digest` is the deterministic part of the response (`digest_of`). `fallbacks` names what was given up on the way
    (a causal score that was not ready, ...): a replay repeats them.
    """

    id: str
    scope: str = Field(description="whose the run is")
    scopes: tuple[str, ...] = Field(description="what it read")
    query: str
    request: dict[str, Any]
    digest: dict[str, Any]
    policy: str
    seeds: tuple[SeedNode, ...] = ()
    budgets: Budgets
    prices: Prices
    as_of_valid: Instant | None = None
    as_of_recorded: Instant | None = None
    recorded_at: Instant
    steps: tuple[StepRecord, ...] = ()
    evidence: tuple[str, ...] = Field((), description="ids of the evidence it selected, in order")
    doubt: float | None = Field(None, ge=0, le=1, description="1 where nothing was answered, else 1 - the best score")
    answers: tuple[RecordedAnswer, ...] = Field((), description="the best answers, as feedback judges them")
    fallbacks: tuple[str, ...] = ()
    retractions: tuple[str, ...] = Field((), description="retractions in force of what the answer rests on")
    rests: frozenset[str] = Field(frozenset(), exclude=True, description="nodes of which it tells, when it is written")


_COMPARED = {"changes", "answer_sha256"}


def digest_of(response: CoordinationResponse) -> dict[str, Any]:
    """The deterministic part of a response, small: no run id, instants or milliseconds; long lists by their hash."""
    result, other = response.result, response.counterfactual
    more: dict[str, Any] = {} if other is None else {"counterfactual": other.model_dump(include=_COMPARED)}
    return {
        **more,
        **({} if result.calibration is None else {"calibration": result.calibration.model_dump()}),
        "answers": [
            {"node": answer.node, "answer_score": answer.answer_score, "path_ids": list(answer.path_ids)}
            for answer in result.answers
        ],
        "path": [node.model_dump() for node in result.path.nodes],
        "paths": {"count": len(result.paths), "sha256": _sha256([_decided(path) for path in result.paths])},
        "subgraph": {
            "nodes": len(result.subgraph.nodes),
            "edges": len(result.subgraph.edges),
            "sha256": _sha256(result.subgraph.model_dump(mode="json")),
        },
        "evidence": [
            {
                "sha256": _sha256(item.text),
                "tokens": item.tokens,
                "score": item.score,
                "shaped_utility": item.shaped_utility,
            }
            for item in result.evidence
        ],
        "seeds": [{"id": seed.id, "reason": seed.reason} for seed in result.seeds],
        "abstained": result.abstained,
        "reason": result.reason,
        "agent_handoffs": [
            {"agent": handoff.agent, "action": handoff.action, "budget_used": dict(handoff.budget_used)}
            for handoff in response.agent_handoffs
        ],
        "conflicts": [response.conflicts_detected, response.conflicts_resolved],
        "receipt": {} if response.receipt is None else response.receipt.model_dump(mode="json"),
    }


def differences(recorded: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[Difference]:
    """List where two digests differ, by path, in order; empty when a replay came out the same.

    >>> differences({"a": [1, 2]}, {"a": [1, 3, 4]})
    [Difference(path='a[1]', recorded=2, fresh=3), Difference(path='a[2]', recorded=None, fresh=4)]
    """
    return list(_differences("", recorded, fresh))


def _differences(path: str, one: Any, other: Any) -> Iterator[Difference]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted(one.keys() | other.keys()):
            yield from _differences(f"{path}.{key}" if path else key, one.get(key), other.get(key))
    elif _is_list(one) and _is_list(other):
        for place in range(max(len(one), len(other))):
            pair = [items[place] if place < len(items) else None for items in (one, other)]
            yield from _differences(f"{path}[{place}]", *pair)
    elif one != other:
        yield Difference(path=path, recorded=one, fresh=other)


def _decided(path: AnswerPath) -> dict[str, Any]:
    """A path without the names of ThoughtSeeds: a replay writes none."""
    steps = tuple(step.model_copy(update={"thoughtseed_id": None}) for step in path.steps)
    return path.model_copy(update={"steps": steps}).model_dump(mode="json")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


_STOPPED_BY: dict[str, StoppedBy] = {
    "BUDGET_EXHAUSTED": "budget",
    "GAIN_NEGATIVE": "gain",
    "COMPLETE": "stop",
    "NO_CANDIDATES": "nothing_left",
}


def make_receipt(steps: Sequence[StepRecord], budgets: Budgets, prices: Prices) -> Receipt:
    """The receipt of an episode.

    >>> make_receipt([], Budgets(), Prices()).tokens.unit
    '100 tokens'
    """

    def line(agent: Agent, resource: Resource, price: float, unit: str, size: int = 1) -> ResourceReceipt:
        mine = [step for step in steps if step.agent == agent]
        spent = sum(int(getattr(step, resource)) for step in mine)
        last = next((step for step in reversed(mine) if step.action == "STOP"), None)
        return ResourceReceipt(
            budget=budgets.of(resource),
            spent=spent,
            price=price,
            unit=unit,
            paid=round(price * spent / size, 12),
            stopped_by=_STOPPED_BY[last.reason or "COMPLETE"] if last else "nothing_left",
            best_left_out=last.left_out if last else None,
        )

    return Receipt(
        edges=line(ARCHITECT, "edges", prices.edge, "edge"),
        steps=line(NAVIGATOR, "steps", prices.latency, "step"),
        tokens=line(CURATOR, "tokens", prices.token, f"{TOKENS_PER_PRICE_UNIT} tokens", TOKENS_PER_PRICE_UNIT),
        token_margin=budgets.token_margin,
    )
