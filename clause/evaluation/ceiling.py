"""The ceiling: what a perfect typed walk gets on this knowledge graph, question type by question type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from clause.evaluation.metaqa import type_pattern
from clause.evaluation.metrics import em_at_1, f1
from clause.evaluation.questions import Question
from clause.evaluation.triples import TripleGraph


class Ceiling(NamedTuple):
    """Mean EM@1 (in expectation) and F1 of the perfect walk over `n` questions."""

    n: int
    em_at_1: float
    f1: float


def ceiling(graph: TripleGraph, questions: Sequence[Question]) -> Ceiling | None:
    """The ceiling of `questions`; None where one of them has no type or no topic entity.

    The walk follows the type's pattern from the topic entity, the whole front at each hop, never back onto that entity;
    all its ends tie, so EM@1 is the share of them that are gold.
    """
    scores = [_score(graph, question) for question in questions]
    known = [score for score in scores if score is not None]
    if not known or len(known) < len(scores):
        return None
    return Ceiling(len(known), sum(em for em, _ in known) / len(known), sum(share for _, share in known) / len(known))


def ceilings_by_type(graph: TripleGraph, questions: Iterable[Question]) -> Mapping[str, Ceiling]:
    """The ceiling of each question type, by its name; questions without one are left out."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        if question.kind is not None:
            groups.setdefault(question.kind, []).append(question)
    found = {kind: ceiling(graph, group) for kind, group in sorted(groups.items())}
    return {kind: value for kind, value in found.items() if value is not None}


def _score(graph: TripleGraph, question: Question) -> tuple[float, float] | None:
    if question.kind is None or question.entity is None:
        return None
    ends = graph.walk(question.entity, type_pattern(question.kind))
    return em_at_1([(end, 1.0) for end in ends], question.answers), f1(ends, question.answers)
