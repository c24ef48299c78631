"""The coordinator: warms up, runs SubgraphArchitect, PathNavigator and ContextCurator over one episode, and reports
it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext

from clause.graph.runner import Graph, measure
from clause.graph.scopes import Caller, readable_scopes
from clause.reasoning.agents import text_walk
from clause.reasoning.agents.policy import Policy, Recall
from clause.reasoning.answer.integrations import Conclusion, Integrations
from clause.reasoning.answer.report import Finished, Reporter, shown, subgraph_view
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.episode.budget import Budgets, Prices, Resource, TokenCounter
from clause.reasoning.episode.driver import Driver, PortFeeder, begun
from clause.reasoning.episode.pool import TextSource
from clause.reasoning.models import (
    AgentHandoff,
    AnswerPath,
    BudgetAllocation,
    CoordinationRequest,
    CoordinationResponse,
    CoordinationResult,
    SelectedEvidence,
)
from clause.reasoning.neighbourhood.port import FoundText, NeighbourhoodPort, View
from clause.reasoning.question.grounding import forgiven
from clause.reasoning.question.preparation import Asker, PolicyBook, PreparedQuestion
from clause.text.embedder import Embedder
from clause.text.tokens import count_tokens

PASSAGE = "passage"


class Coordinator:
    """Answers questions with three agents under hard budgets.

    Args:
        asker: makes a question out of a request.
        port: reads of the graph.
        policies: who decides.
        texts: finds passages and the like for a small pool; None: the pool is what the walk touched.
        count: exact token counts.
        reporter: provenance, receipts and recorded runs.
        token_margin: tokens kept free of every token budget.
        abstain_below: the score below which answers are withheld where a request does not say; None: the policy's.
        integrations: causes, ThoughtSeeds and curiosity; None: the flags of requests have no effect.
    """

    def __init__(
        self,
        asker: Asker,
        port: NeighbourhoodPort,
        policies: PolicyBook,
        *,
        texts: TextSource | None,
        count: TokenCounter,
        reporter: Reporter,
        token_margin: int = 0,
        abstain_below: float | None = None,
        integrations: Integrations | None = None,
    ) -> None:
        self._asker = asker
        self._port = port
        self.policies = policies
        self._texts = texts
        self._count = count
        self._reporter = reporter
        self._token_margin = token_margin
        self._abstain_below = abstain_below
        self._integrations = integrations

    async def coordinate(
        self,
        request: CoordinationRequest,
        caller: Caller,
        *,
        budgets: Budgets | None = None,
        hard: bool = True,
        repeat: Collection[str] | None = None,
    ) -> CoordinationResponse:
        """Answer a question.

        `budgets` replaces the request's own: evaluation goes below the API's bounds; `hard` as in `play`; `repeat`: the
        fallbacks of a recorded run, which a replay repeats.

        Raises:
            BadInputError: an unknown scope, policy or start node.
            UnavailableError: Neo4j is away.
        """
        with self._asking():
            return await self._coordinate(request, caller, budgets, hard, repeat)

    async def _coordinate(
        self,
        request: CoordinationRequest,
        caller: Caller,
        budgets: Budgets | None,
        hard: bool,
        repeat: Collection[str] | None,
    ) -> CoordinationResponse:
        started = time.perf_counter()
        self.policies[request.policy]  # an unknown name is refused before anything is read
        with measure() as timing:
            view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
            prices = Prices(request.lambdas.edge, request.lambdas.latency, request.lambdas.token)
            asked = await self._asker.ask(
                request.query, prices, view, start_nodes=request.start_nodes, reading=request.reading
            )
            asked.question.abstain_below = self._least(request)
            asked.question.recall = self._recalling(asked)
            policy = await self._policy(request, asked)
            allowed = budgets or self._budgets(request)
            causal_ms = await self._prepare(asked, request, repeat)
            finished = await self.play(asked, policy, allowed, max_rounds=request.max_rounds, hard=hard)
            concluded = await self._conclude(finished, request, caller)
            evidence, provenance_ms = await self._reporter.evidence(finished)
        total_ms = (time.perf_counter() - started) * 1000
        response = CoordinationResponse(
            result=_result(finished, concluded, shown(evidence, enable=request.enable_provenance)),
            agent_handoffs=_handoffs(finished),
            conflicts_detected=0,  # an answer makes no absolute write: docs/intelligence.md, Write conflicts
            conflicts_resolved=0,
            performance={
                "total_latency_ms": total_ms,
                "architect_ms": finished.latency_ms(ARCHITECT),
                "navigator_ms": finished.latency_ms(NAVIGATOR),
                "curator_ms": finished.latency_ms(CURATOR),
                "embed_ms": asked.embed_ms,
                "database_ms": timing.ms,
                "provenance_overhead_ms": provenance_ms,
                "thoughtseed_gen_ms": concluded.thoughtseed_ms,
                "causal_pred_ms": causal_ms,
            },
            receipt=self._reporter.receipt(finished),
        )
        return self._reporter.record(request, finished, response, evidence, caller, fallbacks=concluded.fallbacks)

    async def play(
        self, asked: PreparedQuestion, policy: Policy, budgets: Budgets, *, max_rounds: int = 1, hard: bool = True
    ) -> Finished:
        """One episode: rounds of edit, traverse, curate. `hard=False` takes the masks off, to measure; never to serve.

        Raises:
            BudgetError: a policy chose what a mask forbids.
        """
        agents = await policy.begin(asked.question, self._asker.embedder.embed)
        episode = begun(asked.question, agents, budgets, hard=hard)
        driver = Driver(episode, asked.question, agents, self._count)
        feeder = PortFeeder(self._port, asked.view, asked.question, policy.reads_vectors, self._texts)
        turns = await feeder.feed(driver.rounds(max_rounds))
        return Finished.of(asked, policy, agents, episode, turns)

    def _recalling(self, asked: PreparedQuestion) -> Recall:
        """Recall for one question; asked again for as many texts it reads nothing."""
        found: dict[int, Sequence[FoundText]] = {}

        async def recall(limit: int) -> Sequence[FoundText]:
            if limit not in found and self._texts is not None:
                question = asked.question
                found[limit] = await self._texts.recall(question.text, question.embedding, asked.view, limit=limit)
            return found.get(limit, ())

        return recall

    async def _policy(self, request: CoordinationRequest, asked: PreparedQuestion) -> Policy:
        """Who decides: whom the request names; where there are passages and no triples, the walk over texts."""
        unnamed = request.policy is None and request.reading is None
        if unnamed and not asked.question.relationship_types and text_walk.NAME in self.policies.names:
            found = await asked.question.recall(text_walk.SEARCHED)
            if any(text.node.kind == PASSAGE for text in found):
                return self.policies[text_walk.NAME]
        return self.policies[request.policy]

    def _asking(self) -> AbstractContextManager[None]:
        return nullcontext() if self._integrations is None else self._integrations.asking()

    async def _prepare(
        self, asked: PreparedQuestion, request: CoordinationRequest, repeat: Collection[str] | None
    ) -> float:
        if self._integrations is None:
            return 0.0
        return await self._integrations.prepare(asked.question, asked.view, causal=request.enable_causal, repeat=repeat)

    async def _conclude(self, finished: Finished, request: CoordinationRequest, caller: Caller) -> Conclusion:
        if self._integrations is None:
            return Conclusion(finished.paths)
        return await self._integrations.conclude(finished, finished.paths, request, caller)

    def _least(self, request: CoordinationRequest) -> float | None:
        """The score below which this request wants no answer; who chose a reading means it, whatever the setting."""
        if request.abstain_below is not None:
            return request.abstain_below
        return self._abstain_below if request.reading is None else 0.0

    def _budgets(self, request: CoordinationRequest) -> Budgets:
        given = request.budgets
        return Budgets(given.edge_budget, given.step_budget, given.token_budget, self._token_margin)


def _result(finished: Finished, concluded: Conclusion, evidence: Sequence[SelectedEvidence]) -> CoordinationResult:
    return CoordinationResult(
        answers=finished.answers,
        path=concluded.paths[0] if concluded.paths else AnswerPath(),
        paths=concluded.paths,
        evidence=tuple(evidence),
        subgraph=subgraph_view(finished.episode),
        seeds=finished.asked.seeds,
        abstained=finished.abstained,
        reason=finished.reason,
        form=finished.account.form,
        readings=finished.account.readings,
        did_you_mean=forgiven(finished.asked.question),
        intelligence=concluded.counts,
    )


_ACTION_WORDS: dict[Agent, Callable[[Finished], str]] = {
    ARCHITECT: lambda finished: "built_subgraph" if finished.episode.subgraph.edges else "found_no_edge",
    NAVIGATOR: lambda finished: "walked_path" if finished.paths else "found_no_path",
    CURATOR: lambda finished: "selected_evidence" if finished.episode.picked else "found_no_evidence",
}


def _handoffs(finished: Finished) -> list[AgentHandoff]:
    resources: tuple[tuple[Agent, Resource], ...] = ((ARCHITECT, "edges"), (NAVIGATOR, "steps"), (CURATOR, "tokens"))
    return [
        AgentHandoff(
            step=place,
            agent=agent,
            action=_ACTION_WORDS[agent](finished),
            budget_used={resource: finished.spent(agent).of(resource)},
            latency_ms=finished.latency_ms(agent),
        )
        for place, (agent, resource) in enumerate(resources, start=1)
    ]


FRONTIERS = (1, 10, 30)
"""Sizes of frontiers that are read; Neo4j plans a statement anew while the size of its parameters changes a lot."""


async def warm(embedder: Embedder, policies: PolicyBook) -> None:
    """Load the embedding model, the tokenizer and the default policy."""
    await embedder.warm()
    await asyncio.to_thread(count_tokens, "warm")
    policy = await asyncio.to_thread(policies.__getitem__, None)
    await asyncio.to_thread(policy.warm)


async def rehearse(graph: Graph, port: NeighbourhoodPort, coordinator: Coordinator) -> int:
    """Ask one question that nobody reads and nothing records; how many entities it found to ask about."""
    caller = Caller()
    scopes = await readable_scopes(graph, caller)
    entities = await graph.run("reasoning/some_entities", scopes=list(scopes), limit=max(FRONTIERS))
    if not entities:
        return 0
    for size in FRONTIERS:
        await port.expand([row["id"] for row in entities[:size]], View(scopes), per_type=50)
    question = CoordinationRequest(
        query=f"what about {entities[0]['name']}"[:1000],
        budgets=BudgetAllocation(),
        record=False,
        enable_provenance=False,
    )
    await coordinator.coordinate(question, caller)
    return len(entities)
