"""Why a belief is held with its confidence, and what would raise it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clause.knowledge.confidence import WEIGHTS, Origin, corroboration_label, independences
from clause.knowledge.models import Belief, ConfidenceDimensions
from clause.knowledge.models_query import ConfidenceExplanation, Corroborations, DimensionExplained, SourceCounted

ADVICE: Final[Mapping[str, tuple[float, str]]] = {
    "source_reliability": (0.5, "verify the source"),
    "corroboration": (0.3, "find further sources"),
    "temporal_freshness": (0.5, "refresh it: state it again or supersede it"),
    "internal_consistency": (0.5, "review its tensions"),
}
"""Below which value of a dimension what is advised; a dimension that is absent counts as 0 for corroboration alone."""


def explain(belief: Belief, statements: Sequence[Mapping[str, Any]], ceiling: float | None) -> ConfidenceExplanation:
    """The explanation of a belief, given rows of `knowledge/statements`."""
    values = belief.confidence
    present = {name: weight for name, weight in WEIGHTS.items() if getattr(values, name) is not None}
    total = sum(present.values())
    counted = count_sources(statements)
    return ConfidenceExplanation(
        belief_id=belief.id,
        content=belief.content,
        overall=values.overall,
        stage=belief.stage,
        label=corroboration_label(max(0, belief.sources - 1)),
        dimensions=tuple(
            DimensionExplained(
                name=name,
                value=getattr(values, name),
                weight=weight,
                share=present.get(name, 0.0) / total if total else 0.0,
                how=_how(name, belief),
            )
            for name, weight in WEIGHTS.items()
        ),
        ceiling=ceiling,
        advice=advice(values),
        sources=counted,
    )


def corroborations(belief: Belief, statements: Sequence[Mapping[str, Any]]) -> Corroborations:
    """Who says a belief besides its first source."""
    more = max(0, belief.sources - 1)
    return Corroborations(
        belief_id=belief.id,
        corroborations=more,
        label=corroboration_label(more),
        statements=belief.statements,
        corroboration=belief.confidence.corroboration,
        sources=count_sources(statements),
    )


def count_sources(statements: Sequence[Mapping[str, Any]]) -> tuple[SourceCounted, ...]:
    """Each statement with what it counts for, in order of recording."""
    origins = [
        Origin(
            origin=row["origin"] or "",
            session=row["session_id"],
            reliability=row["reliability"],
            words=frozenset(row["words"] or ()),
            recalled=bool(row["recalled"]),
        )
        for row in statements
    ]
    return tuple(
        SourceCounted(
            source_id=row["source_id"],
            kind=row["kind"] or "unknown",
            title=row["title"] or "",
            session_id=row["session_id"],
            reliability=row["reliability"],
            independence=value,
            recorded_at=row["recorded_at"],
        )
        for row, value in zip(statements, independences(origins), strict=True)
    )


def advice(values: ConfidenceDimensions) -> tuple[str, ...]:
    """What would raise the confidence.

    >>> advice(ConfidenceDimensions(source_reliability=0.4, temporal_freshness=0.9, overall=0.5))
    ('verify the source', 'find further sources')
    """
    absent = {"corroboration": 0.0}
    return tuple(
        said
        for name, (bound, said) in ADVICE.items()
        if (value := getattr(values, name) if getattr(values, name) is not None else absent.get(name)) is not None
        and value < bound
    )


def _how(name: str, belief: Belief) -> str:
    """How one dimension came to be, in words."""
    said = {
        "source_reliability": f"it came by {belief.signal.replace('_', ' ')}, or as the caller set it",
        "method_quality": f"it was extracted by {belief.extraction_method}, from {belief.signal.replace('_', ' ')}",
        "internal_consistency": f"{belief.open_tensions} open tensions",
        "temporal_freshness": f"last stated {belief.confirmed_at.date()}, half-life {belief.decay}",
        "corroboration": f"{belief.sources} independent sources in {belief.statements} statements",
        "domain_applicability": "as the caller set it",
    }
    value = getattr(belief.confidence, name)
    return f"absent: {said[name]}" if value is None else said[name]
