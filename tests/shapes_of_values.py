"""Resolved experiences made by hand, and how a graph gets them with vectors of a test's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ulid import ULID

from clause.arrays import Floats
from clause.graph.runner import Graph
from clause.values.axes import Axis, axis_texts, properties_of
from clause.values.ghap import GhapEntry, GhapOutcome, Lesson, Outcome, RootCause, Tier

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
_count = iter(range(1 << 40))


def resolved_entry(scope: str, *, tier: str = "silver", outcome: str = "falsified", **more: Any) -> GhapEntry:
    """A resolved experience; ids grow in the order of making."""
    falsified = outcome == "falsified"
    told: dict[str, Any] = {
        "id": str(ULID.from_timestamp(1_770_000_000 + next(_count))),
        "scope": scope,
        "domain": "debugging",
        "strategy": "check-assumptions",
        "goal": "make the import pass",
        "hypothesis": "the dates have another form",
        "action": "log the row",
        "prediction": "the day comes first",
        "outcome": GhapOutcome(status=Outcome(outcome), result="a second header", captured_at=NOON),
        "surprise": "the header repeats" if falsified else None,
        "root_cause": RootCause(category="oversight", description="nobody looked") if falsified else None,
        "lesson": Lesson(what_worked="reading the row"),
        "confidence_tier": Tier(tier),
        "created_at": NOON,
        "resolved_at": NOON,
    }
    return GhapEntry(**(told | more))


async def save_resolved(
    graph: Graph, told: Sequence[tuple[GhapEntry, Mapping[Axis, Floats]]], model: str = "hash"
) -> None:
    """Write experiences with the vectors given, on those axes that they have."""
    work: list[tuple[str, dict[str, Any]]] = []
    for entry, vectors in told:
        properties = {**properties_of(entry), "degree": 0, "change_id": entry.id}
        has = axis_texts(entry)
        by_name = {axis.value: vectors[axis] if axis in has else None for axis in Axis}
        key = {"id": entry.id, "scope": entry.scope, "change_id": entry.id, "model": model}
        work.append(("values/start_experience", {"id": entry.id, "properties": properties}))
        work.append(("values/embed_experience", {**key, **by_name}))
    await graph.write(work)
