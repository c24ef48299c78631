"""The coordinator's episodes as systems under test, without what only a response needs: for asking often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.questions import Question
from clause.evaluation.service import Seeds
from clause.evaluation.system import Outcome
from clause.reasoning.asking import Asked, Asker
from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.finished import Finished
from clause.reasoning.neighbourhood import View

NO_PRICES = Prices()
"""The API's default prices."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A coordinator and the questions that were prepared for it, each once."""

    asker: Asker
    coordinator: Coordinator
    view: View
    seeds: Seeds = "text"
    _asked: dict[Question, Asked] = field(default_factory=dict)

    async def ask(self, question: Question, prices: Prices) -> Asked:
        """The question ready for the agents, at these prices.

        Raises:
            BadInputError, NotFoundError: the question cannot be asked.
        """
        if question not in self._asked:
            gold = self.seeds == "gold" and question.entity is not None
            start_nodes = [question.entity or ""] if gold else None
            self._asked[question] = await self.asker.ask(question.text, prices, self.view, start_nodes=start_nodes)
        asked = self._asked[question]
        return replace(asked, question=replace(asked.question, prices=prices))


@dataclass(frozen=True, slots=True)
class PlayedSystem:
    """One policy on a stage under one set of limits and prices. `budgets` may depend on the question."""

    stage: Stage
    name: str
    budgets: Callable[[Question], Budgets]
    prices: Prices = NO_PRICES
    hard: bool = True

    async def answer(self, question: Question) -> Outcome:
        """One question; refused input is an outcome without answers that carries the refusal."""
        policy, budgets = self.stage.coordinator.policies[self.name], self.budgets(question)
        try:
            asked = await self.stage.ask(question, self.prices)
        except (BadInputError, NotFoundError) as error:
            return Outcome(abstained=True, error=str(error))
        started = time.perf_counter()
        finished = await self.stage.coordinator.play(asked, policy, budgets, hard=self.hard)
        return read_episode(finished, (time.perf_counter() - started) * 1000)


def read_episode(finished: Finished, latency_ms: float) -> Outcome:
    """A finished episode as an outcome. Answers of one name count once, with the best score."""
    episode = finished.episode
    scores: dict[str, float] = {}
    for answer in finished.answers:
        scores[answer["name"]] = max(answer["answer_score"], scores.get(answer["name"], 0.0))
    return Outcome(
        answers=tuple(sorted(scores.items(), key=lambda item: -item[1])),
        supported=frozenset(answer["name"] for answer in finished.answers if answer["supported"]),
        evidence=tuple(episode.pool[place].text for place in episode.picked),
        seeds=tuple(seed.name for seed in finished.asked.seeds),
        edges=episode.spend.edges,
        steps=episode.spend.steps,
        tokens=episode.spend.tokens,
        edges_read=episode.subgraph.edges_read,
        violations=episode.budgets.exceeded_by(episode.spend),
        latency_ms=latency_ms,
        abstained=finished.abstained,
    )
