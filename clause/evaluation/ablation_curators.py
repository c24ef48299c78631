"""Curators without learning that rank single units: by likeness, by likeness less redundancy, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clause.reasoning.actions import CuratorAction, Pick, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.policy import Decision, Question
from clause.reasoning.pool import unit_vectors

CuratorTurn = Callable[[Episode], Decision[CuratorAction]]
RELEVANCE = 0.7
"""Weight of likeness against redundancy in MMR."""


class ListCurator:
    """Picks the units of one order, each that still fits."""

    def __init__(self, order: Callable[[Episode], list[int]]) -> None:
        self._order = order
        self._queue: list[int] | None = None

    def __call__(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit that fits, or stop."""
        if self._queue is None:
            self._queue = self._order(episode)
        fitting = set(episode.pickable())
        while self._queue:
            place = self._queue.pop(0)
            if place in fitting:
                return Decision(Pick(place))
        return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))


def first_fit(_question: Question) -> CuratorTurn:
    """The order of the pool: what was walked first."""
    return ListCurator(lambda episode: list(range(len(episode.pool))))


def top_k(question: Question) -> CuratorTurn:
    """By falling cosine with the question; k is what the token budget allows."""

    def order(episode: Episode) -> list[int]:
        likeness = unit_vectors(episode.pool, question) @ question.embedding
        return [int(place) for place in np.argsort(-likeness, kind="stable")]

    return ListCurator(order)


def mmr(question: Question) -> CuratorTurn:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): 0.7 likeness - 0.3 the likest picked unit."""

    def order(episode: Episode) -> list[int]:
        vectors = unit_vectors(episode.pool, question)
        likeness = vectors @ question.embedding
        nearest = np.zeros(len(vectors), dtype=np.float32)
        still_open = np.ones(len(vectors), dtype=bool)
        ranked: list[int] = []
        for _ in range(len(vectors)):
            scores = np.where(still_open, RELEVANCE * likeness - (1 - RELEVANCE) * nearest, -np.inf)
            best = int(np.argmax(scores))
            ranked.append(best)
            still_open[best] = False
            nearest = np.maximum(nearest, vectors @ vectors[best])
        return ranked

    return ListCurator(order)
