"""Experiences as nodes: flat properties in the graph, nested models outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clause.graph.scopes import scope_token
from clause.values.axes import axis_texts
from clause.values.ghap import GhapEntry, GhapOutcome, GhapStep, Lesson, RootCause

_VECTORS = frozenset({"embedding", "strategy_embedding", "surprise_embedding", "root_cause_embedding"})


def hidden(node: Mapping[str, Any]) -> dict[str, Any]:
    """A node's properties without its vectors."""
    return {name: value for name, value in node.items() if name not in _VECTORS}


def open_key(scope: str, session_id: str | None) -> str:
    """The key that only one open experience may have: its scope and session.

    >>> open_key("user:ann", "7")
    'user:ann#7'
    """
    return f"{scope}#{session_id or ''}"


def properties_of(entry: GhapEntry) -> dict[str, Any]:
    """All properties of an experience's node but id, vectors and degree; None removes one."""
    outcome, cause, lesson = entry.outcome, entry.root_cause, entry.lesson
    texts = axis_texts(entry)
    return {
        "scope": entry.scope,
        "scope_token": scope_token(entry.scope),
        "session_id": entry.session_id,
        "open_key": None if outcome else open_key(entry.scope, entry.session_id),
        "name": entry.goal[:80],
        "content": next(iter(texts.values())),
        **{f"{axis.value}_text": text for axis, text in texts.items() if axis.value != "full"},
        "domain": entry.domain,
        "strategy": entry.strategy,
        "goal": entry.goal,
        "hypothesis": entry.hypothesis,
        "action": entry.action,
        "prediction": entry.prediction,
        "history": [step.model_dump_json(exclude_none=True) for step in entry.history],
        "outcome": outcome.status.value if outcome else None,
        "result": outcome.result if outcome else None,
        "auto_captured": outcome.auto_captured if outcome else None,
        "surprise": entry.surprise,
        "root_cause_category": cause.category if cause else None,
        "root_cause": cause.description if cause else None,
        "lesson": lesson.what_worked if lesson else None,
        "takeaway": lesson.takeaway if lesson else None,
        "confidence_tier": entry.confidence_tier.value if entry.confidence_tier else None,
        "recorded_at": entry.created_at,
        "resolved_at": entry.resolved_at,
        "run_id": entry.run_id,
        "version": entry.version,
    }


def entry_of(row: Mapping[str, Any]) -> GhapEntry:
    """The model of a row with the columns `entry` and `entities`."""
    node = row["entry"]
    outcome = node.get("outcome")
    cause = node.get("root_cause")
    return GhapEntry(
        id=node["id"],
        scope=node["scope"],
        session_id=node.get("session_id"),
        domain=node["domain"],
        strategy=node["strategy"],
        goal=node["goal"],
        hypothesis=node["hypothesis"],
        action=node["action"],
        prediction=node["prediction"],
        history=tuple(GhapStep.model_validate_json(step) for step in node["history"]),
        outcome=GhapOutcome(
            status=outcome,
            result=node["result"],
            captured_at=node["resolved_at"],
            auto_captured=node["auto_captured"],
        )
        if outcome
        else None,
        surprise=node.get("surprise"),
        root_cause=RootCause(category=node["root_cause_category"], description=cause) if cause else None,
        lesson=Lesson(what_worked=node["lesson"], takeaway=node.get("takeaway")) if node.get("lesson") else None,
        confidence_tier=node.get("confidence_tier"),
        entities=row["entities"],
        run_id=node.get("run_id"),
        created_at=node["recorded_at"],
        resolved_at=node.get("resolved_at"),
        version=node["version"],
    )
