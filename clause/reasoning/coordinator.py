"""The coordinator: runs SubgraphArchitect, PathNavigator and ContextCurator over one episode and reports it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from clause.graph.scopes import Caller
from clause.graph.timing import measure
from clause.reasoning.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.asking import Asked, Asker, PolicyBook
from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.episode import Episode
from clause.reasoning.finished import Finished
from clause.reasoning.integrations import Integrations, Noted, Walked, Wanted
from clause.reasoning.models import AgentHandoff, CoordinationRequest, CoordinationResponse, SelectedEvidence
from clause.reasoning.neighbourhood import NeighbourhoodPort
from clause.reasoning.outcome import answer_views, subgraph_view
from clause.reasoning.policy import Policy
from clause.reasoning.pool import TextSource, fill_pool
from clause.reasoning.recording import Reporter, shown
from clause.reasoning.turns import Table
from clause.reasoning.units import TokenCounter

NO_SEEDS = "no entity of these scopes is named in the question, and no start node was given"
NO_WALK = "the walk reached nothing that could answer the question"
TOO_WEAK = "the best answer's score is below the policy's threshold"


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
        integrations: Integrations | None = None,
    ) -> None:
        self._asker = asker
        self._port = port
        self.policies = policies
        self._texts = texts
        self._count = count
        self._reporter = reporter
        self._token_margin = token_margin
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
        policy = self.policies[request.policy]
        with measure() as timing:
            view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
            prices = Prices(request.lambdas.edge, request.lambdas.latency, request.lambdas.token)
            asked = await self._asker.ask(request.query, prices, view, start_nodes=request.start_nodes)
            allowed = budgets or self._budgets(request)
            causal_ms = await self._prepare(asked, request, repeat)
            finished = await self.play(asked, policy, allowed, max_rounds=request.max_rounds, hard=hard)
            noted = await self._conclude(finished, request, caller)
            evidence, provenance_ms = await self._reporter.evidence(finished)
        total_ms = (time.perf_counter() - started) * 1000
        response = CoordinationResponse(
            result=_result(finished, shown(evidence, enable=request.enable_provenance), noted),
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
                "thoughtseed_gen_ms": noted.thoughtseed_ms,
                "causal_pred_ms": causal_ms,
            },
            receipt=self._reporter.receipt(finished),
        )
        return self._reporter.record(request, finished, response, evidence, caller)

    async def play(
        self, asked: Asked, policy: Policy, budgets: Budgets, *, max_rounds: int = 1, hard: bool = True
    ) -> Finished:
        """One episode: rounds of edit, traverse, curate. `hard=False` takes the masks off, to measure; never to serve.

        Raises:
            BudgetError: a policy chose what a mask forbids.
        """
        agents = await policy.begin(asked.question, self._asker.embedder.embed)
        episode = Episode([seed.id for seed in asked.question.seeds], budgets, hard=hard, edge_score=agents.edge_score)
        table = Table(episode, asked.question, policy, agents, self._port, asked.view)
        finished = Finished(asked, policy, agents, episode, {ARCHITECT: [], NAVIGATOR: [], CURATOR: []})
        for _ in range(max_rounds):
            finished.turns[ARCHITECT].append(await table.architect())
            finished.turns[NAVIGATOR].append(await table.navigator())
            await self._fill(table)
            finished.turns[CURATOR].append(await table.curator())
        _conclude(finished)
        return finished

    def _asking(self) -> AbstractContextManager[None]:
        return nullcontext() if self._integrations is None else self._integrations.asking()

    async def _prepare(self, asked: Asked, request: CoordinationRequest, repeat: Collection[str] | None) -> float:
        if self._integrations is None:
            return 0.0
        return await self._integrations.prepare(asked.question, asked.view, causal=request.enable_causal, repeat=repeat)

    async def _conclude(self, finished: Finished, request: CoordinationRequest, caller: Caller) -> Noted:
        if self._integrations is None:
            return Noted()
        asked = finished.asked
        wanted = Wanted(
            request.enable_thoughtseeds, request.enable_curiosity, request.curiosity_threshold, request.record
        )
        foresights = getattr(finished.agents, "foresights", ())
        walked = Walked(finished.episode, asked.question, finished.policy, asked.view, foresights)
        noted = await self._integrations.conclude(walked, finished.paths, wanted=wanted, caller=caller)
        finished.fallbacks = noted.fallbacks
        return noted

    async def _fill(self, table: Table) -> None:
        found = await fill_pool(table.episode, table.question, table.view, self._count, self._texts)
        if table.policy.reads_vectors or found:
            table.question.vectors.update(await self._port.embeddings([node.id for node in found]))

    def _budgets(self, request: CoordinationRequest) -> Budgets:
        given = request.budgets
        return Budgets(given.edge_budget, given.step_budget, given.token_budget, self._token_margin)


def _conclude(finished: Finished) -> None:
    scores = finished.agents.answer_scores(finished.episode)
    finished.answers, finished.paths = answer_views(finished.episode, scores)
    best = max((answer["answer_score"] for answer in finished.answers), default=None)
    if not finished.asked.question.seeds:
        finished.reason = NO_SEEDS
    elif best is None:
        finished.reason = NO_WALK
    elif best < finished.policy.abstain_below:
        finished.reason = TOO_WEAK
    finished.abstained = finished.reason is not None


def _result(finished: Finished, evidence: Sequence[SelectedEvidence], noted: Noted) -> dict[str, Any]:
    nothing: dict[str, Any] = {"id": None, "nodes": [], "edges": [], "steps": [], "answer": None}
    return {
        "answers": finished.answers,
        "path": finished.paths[0] if finished.paths else nothing,
        "paths": finished.paths,
        "evidence": [item.model_dump(mode="json") for item in evidence],
        "subgraph": subgraph_view(finished.episode),
        "seeds": [seed.model_dump(mode="json") for seed in finished.asked.seeds],
        "abstained": finished.abstained,
        "reason": finished.reason,
        "intelligence": noted.told(),
    }


_ACTION_WORDS: dict[Agent, Callable[[Finished], str]] = {
    ARCHITECT: lambda finished: "built_subgraph" if finished.episode.subgraph.edges else "found_no_edge",
    NAVIGATOR: lambda finished: "walked_path" if finished.paths else "found_no_path",
    CURATOR: lambda finished: "selected_evidence" if finished.episode.picked else "found_no_evidence",
}


def _handoffs(finished: Finished) -> list[AgentHandoff]:
    resources: tuple[tuple[Agent, str], ...] = ((ARCHITECT, "edges"), (NAVIGATOR, "steps"), (CURATOR, "tokens"))
    return [
        AgentHandoff(
            step=place,
            agent=agent,
            action=_ACTION_WORDS[agent](finished),
            budget_used={resource: getattr(finished.spent(agent), resource)},
            latency_ms=finished.latency_ms(agent),
        )
        for place, (agent, resource) in enumerate(resources, start=1)
    ]
