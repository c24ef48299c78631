"""The service as a system under test: every question goes through `Coordinator.coordinate`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.questions import Question
from clause.evaluation.system import Outcome, System
from clause.reasoning.budget import Budgets, Spend
from clause.reasoning.models import BudgetAllocation, CoordinationRequest, CoordinationResponse

Coordinate = Callable[[CoordinationRequest, Budgets], Awaitable[CoordinationResponse]]
Seeds = Literal["text", "gold"]


class ServiceSystem:
    """Asks in process, without HTTP; nothing is recorded in the graph.

    Args:
        coordinate: a coordinator's method, for one caller and these budgets.
        policy: the policy that each request names.
        budgets: the hard limits, for all questions or for each; they may go below what the API accepts.
        scopes: where to read.
        seeds: `gold` passes the question's topic entity as `start_nodes`; `text` lets the service find it.
    """

    def __init__(
        self,
        coordinate: Coordinate,
        *,
        policy: str = "heuristic",
        budgets: Budgets | Callable[[Question], Budgets],
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
        """The policy's name."""
        return self._policy

    def request(self, question: Question) -> CoordinationRequest:
        """What is asked; the budgets go beside it, because evaluation may go below the API's bounds."""
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

    async def answer(self, question: Question) -> Outcome:
        """One question; refused input is an outcome without answers that carries the refusal."""
        budgets = self._budgets(question) if callable(self._budgets) else self._budgets
        started = time.perf_counter()
        try:
            response = await self._coordinate(self.request(question), budgets)
        except (BadInputError, NotFoundError) as error:
            return Outcome(latency_ms=_since(started), abstained=True, error=str(error))
        return read_response(response, budgets, _since(started))


def read_response(response: CoordinationResponse, budgets: Budgets, latency_ms: float) -> Outcome:
    """A response as an outcome. Answers of one name count once, with the best score."""
    result = response.result
    spend = _spend(response)
    scores: dict[str, float] = {}
    for answer in result["answers"]:
        scores[answer["name"]] = max(answer["answer_score"], scores.get(answer["name"], 0.0))
    return Outcome(
        answers=tuple(sorted(scores.items(), key=lambda item: -item[1])),
        supported=frozenset(answer["name"] for answer in result["answers"] if answer["supported"]),
        evidence=tuple(_text(evidence) for evidence in result["evidence"]),
        seeds=tuple(seed["name"] for seed in result["seeds"]),
        edges=spend.edges,
        steps=spend.steps,
        tokens=spend.tokens,
        edges_read=int(result["subgraph"].get("edges_read", 0)),
        violations=budgets.exceeded_by(spend),
        latency_ms=latency_ms,
        timings=dict(response.performance),
        abstained=bool(result["abstained"]),
    )


def _spend(response: CoordinationResponse) -> Spend:
    used: dict[str, int] = {}
    for handoff in response.agent_handoffs:
        for resource, amount in handoff.budget_used.items():
            used[resource] = used.get(resource, 0) + amount
    return Spend(used.get("edges", 0), used.get("steps", 0), used.get("tokens", 0))


def _text(evidence: Mapping[str, Any]) -> str:
    return str(evidence["text"])


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def evidence_titles(system: System, texts: Mapping[str, str]) -> Callable[[str], Awaitable[Sequence[str]]]:
    """The titles of the documents whose passages a system picks as evidence, in order; `texts` is title -> text."""

    def titles_of(picked: str) -> list[str]:
        return [title for title, text in texts.items() if picked in text][:1]

    async def retrieve(text: str) -> list[str]:
        outcome = await system.answer(Question(text, ()))
        return [title for picked in outcome.evidence for title in titles_of(picked)]

    return retrieve
