"""Train the pattern classifier from (question, answers) pairs, by weak labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from clause.errors import BadInputError
from clause.evaluation.pattern_classifier import PatternClassifier, grams
from clause.evaluation.patterns import Pattern, shortest_patterns
from clause.evaluation.questions import Question
from clause.evaluation.triples import TripleGraph

Progress = Callable[[int, int], None]


def draw(sets: Sequence[Sequence[Question]], per_set: int, seed: int) -> list[Question]:
    """At most `per_set` questions of each set, drawn with one seed."""
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    return [question for questions in sets for question in rng.sample(list(questions), min(per_set, len(questions)))]


def train_pattern_classifier(
    graph: TripleGraph,
    questions: Sequence[Question],
    *,
    rarest_gram: int = 8,
    rarest_pattern: int = 8,
    strength: float = 100.0,
    progress: Progress = lambda _done, _total: None,
) -> PatternClassifier:
    """A classifier of the patterns that reproduce the answers; question types are not looked at.

    Questions with one shortest pattern train a first model; it chooses among the shortest patterns of the others (a
    director who also wrote every film), and the second model trains on them all. `rarest_gram` and `rarest_pattern` are
    the least counts that are kept, `strength` is the inverse of the L2 penalty.

    Raises:
        BadInputError: fewer than two patterns remain.
    """
    texts, candidates = [], []
    for done, question in enumerate(questions, start=1):
        found = [] if question.entity is None else shortest_patterns(graph, question.entity, question.answers)
        if found:
            texts.append(question.masked)
            candidates.append(found)
        progress(done, len(questions))
    sure = [(text, found[0]) for text, found in zip(texts, candidates, strict=True) if len(found) == 1]
    first = _fit(sure, rarest_gram, rarest_pattern, strength)
    chosen = [(text, _choose(first, text, found)) for text, found in zip(texts, candidates, strict=True)]
    second = _fit(chosen, rarest_gram, rarest_pattern, strength)
    about: dict[str, float] = {"questions": len(questions), "labelled": len(texts), "unambiguous": len(sure)}
    about |= {"rarest_gram": rarest_gram, "rarest_pattern": rarest_pattern, "strength": strength}
    return PatternClassifier(second.vocabulary, second.patterns, second.weights, second.bias, about)


def _choose(model: PatternClassifier, text: str, candidates: Sequence[Pattern]) -> Pattern:
    if len(candidates) == 1:
        return candidates[0]
    shares = dict(model.predict(text, top=len(model.patterns)))
    return max(candidates, key=lambda pattern: shares.get(pattern, 0.0))


def _fit(
    examples: Sequence[tuple[str, Pattern]], rarest_gram: int, rarest_pattern: int, strength: float
) -> PatternClassifier:
    counts = Counter(pattern for _, pattern in examples)
    examples = [example for example in examples if counts[example[1]] >= rarest_pattern]
    patterns = sorted({pattern for _, pattern in examples})
    if len(patterns) < 2:
        raise BadInputError("too few questions: at least two relationship patterns are needed", field="questions")
    known = Counter(gram for text, _ in examples for gram in grams(text))
    vocabulary = {gram: row for row, gram in enumerate(sorted(gram for gram in known if known[gram] >= rarest_gram))}
    rows = [sorted(vocabulary[gram] for gram in grams(text) if gram in vocabulary) for text, _ in examples]
    indices = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(max(1, len(row)))) for row in rows])
    ends = np.cumsum([0, *map(len, rows)])
    features: Any = csr_matrix((values, indices, ends), shape=(len(rows), len(vocabulary)))
    labels = [patterns.index(pattern) for _, pattern in examples]
    model = LogisticRegression(C=strength, max_iter=300).fit(features, labels)
    weights, bias = model.coef_.T, model.intercept_
    if len(patterns) == 2:  # scikit-learn keeps one column for two classes
        weights, bias = np.hstack([0 * weights, weights]), np.concatenate([0 * bias, bias])
    return PatternClassifier(vocabulary, tuple(patterns), weights.astype(np.float32), bias.astype(np.float32))
