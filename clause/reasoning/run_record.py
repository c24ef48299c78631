"""What is kept of a run: enough to explain it, to recompute its receipt, and to say what a replay does differently."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.models_coordination import CoordinationResponse
from clause.reasoning.models_text import Instant, Model
from clause.reasoning.steps import StepRecord


class RunSeed(Model):
    """Where a run started."""

    id: str
    name: str
    score: float
    reason: str


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
    seeds: tuple[RunSeed, ...] = ()
    budgets: Budgets
    prices: Prices
    as_of_valid: Instant | None = None
    as_of_recorded: Instant | None = None
    recorded_at: Instant
    steps: tuple[StepRecord, ...] = ()
    evidence: tuple[str, ...] = Field((), description="ids of the evidence it selected, in order")
    fallbacks: tuple[str, ...] = ()
    retractions: tuple[str, ...] = Field((), description="retractions in force of what the answer rests on")


class RunSummary(Model):
    """A line of the list of runs."""

    id: str
    scope: str
    query: str
    policy: str
    recorded_at: Instant


class Difference(Model):
    """One place where a replay differs from the record; null where one of them has nothing there."""

    path: str
    recorded: Any = None
    fresh: Any = None


def digest_of(response: CoordinationResponse) -> dict[str, Any]:
    """The deterministic part of a response, small: no run id, instants or milliseconds; long lists by their hash."""
    result = response.result
    subgraph = result.get("subgraph", {})
    return {
        "answers": [
            {"node": answer["node"], "answer_score": answer["answer_score"], "path_ids": answer["path_ids"]}
            for answer in result.get("answers", [])
        ],
        "path": result.get("path", {}).get("nodes", []),
        "paths": {"count": len(result.get("paths", [])), "sha256": _sha256(_decided(result.get("paths", [])))},
        "subgraph": {
            "nodes": len(subgraph.get("nodes", [])),
            "edges": len(subgraph.get("edges", [])),
            "sha256": _sha256(subgraph),
        },
        "evidence": [
            {
                "sha256": _sha256(item["text"]),
                "tokens": item["tokens"],
                "score": item["score"],
                "shaped_utility": item["shaped_utility"],
            }
            for item in result.get("evidence", [])
        ],
        "seeds": [{"id": seed["id"], "reason": seed["reason"]} for seed in result.get("seeds", [])],
        "abstained": result.get("abstained", False),
        "reason": result.get("reason"),
        "agent_handoffs": [
            {"agent": handoff.agent, "action": handoff.action, "budget_used": dict(handoff.budget_used)}
            for handoff in response.agent_handoffs
        ],
        "conflicts": [response.conflicts_detected, response.conflicts_resolved],
        "receipt": response.receipt,
    }


def differences(recorded: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[Difference]:
    """Where two digests differ, by path, in order; empty when a replay came out the same.

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


def _decided(paths: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Paths without the names of ThoughtSeeds: a replay writes none."""
    nameless = {"thoughtseed_id": None}
    return [{**path, "steps": [{**step, **nameless} for step in path.get("steps", ())]} for path in paths]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
