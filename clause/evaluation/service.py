"""Systems under test: the service through `Coordinator.coordinate`, and its episodes without what only a response
needs."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import ValidationError

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.harness import AnswerOutcome
from clause.evaluation.question_files import GoldQuestion
from clause.reasoning.answer.report import Finished
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import RESOURCES, Budgets, Prices, Spend
from clause.reasoning.models import Answer, BudgetAllocation, CoordinationRequest, CoordinationResponse
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.preparation import Asker, PreparedQuestion

Coordinate = Callable[[CoordinationRequest, Budgets], Awaitable[CoordinationResponse]]
Seeds = Literal["text", "gold"]


class ServiceSystem:
    """Asks in process, without HTTP; nothing is recorded in the graph.

    Args:
        coordinate: a coordinator's method, for one caller and these budgets.
        policy: the policy that each request names; None: what the service chooses.
        budgets: the hard limits, for all questions or for each; they may go below what the API accepts.
        scopes: where to read.
        seeds: `gold` passes the question's topic entity as `start_nodes`; `text` lets the service find it.
    """

    def __init__(
        self,
        coordinate: Coordinate,
        *,
        policy: str | None = "heuristic",
        budgets: Budgets | Callable[[GoldQuestion], Budgets],
        scopes: Sequence[str] | None = None,
        seeds: Seeds = "text",
    ) -> None:
        self._coordinate = coordinate
        self._policy = policy
        self._budgets = budgets
        self._scopes = None if scopes is None else list(scopes)
        self._seeds = seeds

    @property
    def name(self) -> str:
        """The policy's name; of what the service chooses, nothing."""
        return self._policy or ""

    def request(self, question: GoldQuestion) -> CoordinationRequest:
        """The request of a question; the budgets go beside it, because evaluation may go below the API's bounds."""
        gold = self._seeds == "gold" and question.entity is not None
        return CoordinationRequest(
            query=question.text,
            budgets=BudgetAllocation(),
            start_nodes=[question.entity or ""] if gold else None,
            scopes=self._scopes,
            policy=self._policy,
            enable_provenance=False,
            record=False,
        )

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """One question; refused input is an outcome without answers that carries the refusal."""
        budgets = self._budgets(question) if callable(self._budgets) else self._budgets
        started = time.perf_counter()
        try:
            response = await self._coordinate(self.request(question), budgets)
        except (BadInputError, NotFoundError, ValidationError) as error:
            return AnswerOutcome(latency_ms=_since(started), abstained=True, error=str(error))
        return read_response(response, budgets, _since(started))


def read_response(response: CoordinationResponse, budgets: Budgets, latency_ms: float) -> AnswerOutcome:
    """A response as an outcome. Answers of one name count once, with the best score."""
    result = response.result
    used = [handoff.budget_used for handoff in response.agent_handoffs]
    spend = Spend(*(sum(one.get(resource, 0) for one in used) for resource in RESOURCES))
    return AnswerOutcome(
        answers=_best(result.answers),
        supported=frozenset(answer.name for answer in result.answers if answer.supported),
        evidence=tuple(item.text for item in result.evidence),
        seeds=tuple(seed.name for seed in result.seeds),
        edges=spend.edges,
        steps=spend.steps,
        tokens=spend.tokens,
        edges_read=result.subgraph.edges_read,
        violations=budgets.exceeded_by(spend),
        latency_ms=latency_ms,
        abstained=result.abstained,
    )


def _best(answers: Sequence[Answer]) -> tuple[tuple[str, float], ...]:
    scores: dict[str, float] = {}
    for answer in answers:
        scores[answer.name] = max(answer.answer_score, scores.get(answer.name, 0.0))
    return tuple(sorted(scores.items(), key=lambda item: -item[1]))


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


NO_PRICES = Prices()
"""The API's default prices."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A coordinator and the questions that were prepared for it, each once."""

    asker: Asker
    coordinator: Coordinator
    view: View
    seeds: Seeds = "text"
    _asked: dict[GoldQuestion, PreparedQuestion] = field(default_factory=dict)

    async def ask(self, question: GoldQuestion, prices: Prices) -> PreparedQuestion:
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
    budgets: Callable[[GoldQuestion], Budgets]
    prices: Prices = NO_PRICES
    hard: bool = True

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """One question; refused input is an outcome without answers that carries the refusal."""
        policy, budgets = self.stage.coordinator.policies[self.name], self.budgets(question)
        try:
            asked = await self.stage.ask(question, self.prices)
        except (BadInputError, NotFoundError) as error:
            return AnswerOutcome(abstained=True, error=str(error))
        started = time.perf_counter()
        finished = await self.stage.coordinator.play(asked, policy, budgets, hard=self.hard)
        return read_episode(finished, (time.perf_counter() - started) * 1000)


def read_episode(finished: Finished, latency_ms: float) -> AnswerOutcome:
    """A finished episode as an outcome. Answers of one name count once, with the best score."""
    episode = finished.episode
    return AnswerOutcome(
        answers=_best(finished.answers),
        supported=frozenset(answer.name for answer in finished.answers if answer.supported),
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
