"""Questions that the graph cannot answer, and how well a system abstains from answering them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import nextafter
from typing import NamedTuple

from clause.evaluation.metaqa import type_pattern
from clause.evaluation.questions import Question
from clause.evaluation.triples import TripleGraph
from clause.reasoning.neighbourhood import Hop

PEOPLE = tuple(Hop(relation, False) for relation in ("directed_by", "starred_actors", "written_by"))


class Abstaining(NamedTuple):
    """How a threshold does: of the questions abstained from, how many had no answer, and the other way round."""

    threshold: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def unanswerable(graph: TripleGraph, questions: Sequence[Question], count: int, seed: int = 0) -> list[Question]:
    """`count` questions that have no answer: a question's entity replaced by one without that relationship.

    The replacement is of the same side (a film for a film, a person for a person or tag), is in the graph, and the
    type's walk from it is empty. Needs questions with a type and a topic entity.
    """
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    nodes = sorted(graph)
    films = [node for node in nodes if Hop("directed_by", True) in graph.hops(node)]
    people = [node for node in nodes if any(hop in graph.hops(node) for hop in PEOPLE)]
    found: list[Question] = []
    for question in rng.sample(list(questions), len(questions)):
        if len(found) == count:
            break
        if question.kind is None or question.entity is None or question.entity not in question.text:
            continue
        pattern = type_pattern(question.kind)
        pool = films if pattern[0].forward else people
        stranger = next((node for node in rng.sample(pool, min(50, len(pool))) if not graph.walk(node, pattern)), None)
        if stranger is not None:
            text = question.text.replace(question.entity, stranger, 1)
            found.append(replace(question, text=text, answers=(), entity=stranger))
    return found


def answerable(questions: Sequence[Question], count: int, seed: int = 0) -> list[Question]:
    """`count` of the questions, drawn with the seed."""
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    return rng.sample(list(questions), min(count, len(questions)))


def abstaining(best_scores: Sequence[float], has_answer: Sequence[bool], threshold: float) -> Abstaining:
    """Precision and recall of abstaining when the best score of a question is below `threshold`.

    A question without any answer has the score -1, so that every threshold abstains from it. With nothing to abstain
    from, or nothing abstained from, the share is 1.

    >>> abstaining([-1.0, 0.2, 0.9], [False, False, True], threshold=0.5)
    Abstaining(threshold=0.5, precision=1.0, recall=1.0)
    """
    below = [score < threshold for score in best_scores]
    right = sum(low and not answered for low, answered in zip(below, has_answer, strict=True))
    without = sum(not answered for answered in has_answer)
    return Abstaining(threshold, right / sum(below) if any(below) else 1.0, right / without if without else 1.0)


def calibrate(best_scores: Sequence[float], has_answer: Sequence[bool]) -> Abstaining:
    """The threshold with the best F1 of abstaining; the lowest of those that tie. 0 stands for "no answers at all"."""
    thresholds = sorted({0.0, *(nextafter(score, 2.0) for score in best_scores if score >= 0)})
    return max((abstaining(best_scores, has_answer, threshold) for threshold in thresholds), key=lambda found: found.f1)
