"""How well statements are merged and tensions found, against labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clause.evaluation.judging import Judge
from clause.evaluation.pair_sets import Pair
from clause.text.embedder import Embedder
from clause.text.guards import CANDIDATE, contradiction, may_merge
from clause.text.pairs import PairClassifier

Floats = NDArray[np.float32]


class Decision(NamedTuple):
    """What was decided for one pair."""

    merged: bool
    tension: bool


Decide = Callable[[Pair, Floats, Floats], Decision]


def decider(judge: Judge, *, classifier: PairClassifier | None = None, same_subject: bool = False) -> Decide:
    """How `judge` decides on a pair with the unit vectors of its statements.

    The cosine alone merges above .90 and finds no tension. `classifier` is the shipped one by default; `same_subject`
    tells the guards that both statements of a pair speak of the same thing, as NLI sets mean it.
    """

    def decide(pair: Pair, u: Floats, v: Floats) -> Decision:
        similarity = float(u @ v)
        if judge is Judge.COSINE:
            return Decision(similarity > CANDIDATE, False)
        vectors = (u, v) if judge is Judge.GUARDS else None
        merge = may_merge(pair.a, pair.b, similarity, vectors=vectors, classifier=classifier)
        tension = contradiction(
            pair.a, pair.b, similarity, vectors=vectors, classifier=classifier, same_subject=same_subject
        )
        return Decision(merge.allowed, tension.found)

    return decide


async def evaluate_pairs(
    pairs: Sequence[Pair], embedder: Embedder, decide: Decide, *, intervals: bool = False
) -> dict[str, Any]:
    """The figures of the issue: merge, tension, n, and milliseconds per pair beyond the embedding.

    With `intervals` also where precision and recall lie in 95 % of samples of as many pairs, drawn with replacement.

    A merge is right on a duplicate, a tension on a contradiction. Shares without a denominator are None;
    `contradictions_merged` is a count.
    """
    vectors = await embed_pairs(pairs, embedder)
    start = perf_counter()
    decisions = [decide(pair, vectors[pair.a], vectors[pair.b]) for pair in pairs]
    spent = perf_counter() - start
    merged = [decision.merged for decision in decisions]
    tense = [decision.tension for decision in decisions]
    duplicates = [pair.label == "duplicate" for pair in pairs]
    contradictions = [pair.label == "contradiction" for pair in pairs]
    merge: dict[str, Any] = {
        **shares(merged, duplicates),
        "contradictions_merged": sum(m and c for m, c in zip(merged, contradictions, strict=True)),
    }
    tension: dict[str, Any] = {**shares(tense, contradictions)}
    if intervals:
        merge["intervals"] = sampled(merged, duplicates)
        tension["intervals"] = sampled(tense, contradictions)
    return {
        "merge": merge,
        "tension": tension,
        "n": len(pairs),
        "ms_per_pair": 1000 * spent / len(pairs) if pairs else None,
    }


def sampled(
    predicted: Sequence[bool], true: Sequence[bool], *, samples: int = 10_000, seed: int = 0
) -> dict[str, list[float] | None]:
    """The percentile bootstrap intervals (95 %) of precision and recall; None where there is no denominator.

    Drawing pairs with replacement draws from four kinds of pairs, so that a sample is four counts.
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    >>> sampled([True] * 50, [True] * 50)
    {'precision': [1.0, 1.0], 'recall': [1.0, 1.0]}
    """
    said, real = np.asarray(predicted, dtype=bool), np.asarray(true, dtype=bool)
    kinds = np.array([(said & real).sum(), (said & ~real).sum(), (~said & real).sum(), (~said & ~real).sum()])
    if not kinds.sum():
        return {"precision": None, "recall": None}
    hits, wrong, missed, _ = np.random.default_rng(seed).multinomial(kinds.sum(), kinds / kinds.sum(), size=samples).T
    return {"precision": _interval(hits, hits + wrong), "recall": _interval(hits, hits + missed)}


def _interval(parts: NDArray[np.int64], wholes: NDArray[np.int64]) -> list[float] | None:
    there = wholes > 0
    return np.quantile(parts[there] / wholes[there], [0.025, 0.975]).tolist() if there.any() else None


async def embed_pairs(pairs: Sequence[Pair], embedder: Embedder) -> dict[str, Floats]:
    """The unit vector [d] of every statement; each text is embedded once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    if not texts:
        return {}
    return dict(zip(texts, await embedder.embed(texts), strict=True))


def shares(predicted: Sequence[bool], true: Sequence[bool]) -> dict[str, float | None]:
    """Precision, recall and F1 of yes and no; None where nothing was predicted or nothing is true.

    >>> shares([True, True, False], [True, False, False])
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666}
    >>> shares([False], [False])
    {'precision': None, 'recall': None, 'f1': None}
    """
    hits = sum(p and t for p, t in zip(predicted, true, strict=True))
    said, real = sum(predicted), sum(true)
    return {
        "precision": hits / said if said else None,
        "recall": hits / real if real else None,
        "f1": 2 * hits / (said + real) if said + real else None,
    }
