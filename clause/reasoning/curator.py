"""The heuristic ContextCurator: listwise relevance less redundancy, priced by tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clause.reasoning.actions import CuratorAction, Pick, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.policy import Decision, LeftOut, Question
from clause.reasoning.pool import unit_vectors
from clause.reasoning.scoring import Floats, relevance, shaped_utility


@dataclass(slots=True)
class HeuristicCurator:
    """Picks the unit of the greatest shaped utility while that is above 0; at least one when anything fits.

    Attributes:
        scores: listwise score of each picked unit, by its place in the pool.
    """

    question: Question
    scores: dict[int, float] = field(default_factory=dict)
    _vectors: Floats | None = None
    _similarity: Floats = field(default_factory=lambda: np.zeros(0))
    _overlap: Floats = field(default_factory=lambda: np.zeros(0))

    def decide(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit, or stop."""
        open_places = [place for place in range(len(episode.pool)) if place not in set(episode.picked)]
        if not open_places:
            return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))
        utilities = self._utilities(episode)
        fitting = set(episode.pickable())
        ranked = sorted(open_places, key=lambda place: (-utilities[place][1], place))
        best = next((place for place in ranked if place in fitting), None)
        unit = episode.pool[ranked[0]]
        left_out = LeftOut(unit.text, unit.tokens, utilities[ranked[0]][0])
        if best is None:
            return Decision(Stop("BUDGET_EXHAUSTED"), left_out=left_out)
        score, utility = utilities[best]
        if utility <= 0 and episode.picked:
            return Decision(Stop("GAIN_NEGATIVE"), left_out=left_out)
        self.scores[best] = score
        assert self._vectors is not None  # noqa: S101 -- set when the utilities were computed
        self._overlap = self._overlap + self._vectors @ self._vectors[best]
        return Decision(Pick(best), score=score)

    def _utilities(self, episode: Episode) -> Mapping[int, tuple[float, float]]:
        if self._vectors is None or len(self._vectors) != len(episode.pool):
            self._vectors = unit_vectors(episode.pool, self.question).astype(np.float64)
            self._similarity = self._vectors @ self.question.embedding.astype(np.float64)
            self._overlap = self._vectors @ self._vectors[episode.picked].sum(axis=0)
        scores = relevance(self._similarity, self._overlap, len(episode.picked))
        price = self.question.prices.token
        return {
            place: (float(scores[place]), shaped_utility(float(scores[place]), unit.tokens, price))
            for place, unit in enumerate(episode.pool)
        }
