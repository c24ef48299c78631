"""The coordinator: warms up, runs SubgraphArchitect, PathNavigator and ContextCurator over one episode, and reports
it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from clause.graph.runner import Graph, measure
from clause.graph.scopes import Caller, readable_scopes
from clause.reasoning.agents import statements, text_walk
from clause.reasoning.agents.policy import Agents, Policy, PolicyBook
from clause.reasoning.answer.calibration import moved
from clause.reasoning.answer.counterfactual import compared
from clause.reasoning.answer.evidence import EvidenceReader, EvidenceRecord, accounted, written_by
from clause.reasoning.answer.integrations import Conclusion, Integrations
from clause.reasoning.answer.report import Finished, Reporter, shown, subgraph_view
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.episode.budget import Budgets, Prices, Resource, TokenCounter
from clause.reasoning.episode.driver import Driver, PortFeeder, begun
from clause.reasoning.models import (
    AgentHandoff,
    AnswerPath,
    AnswerReading,
    BudgetAllocation,
    CoordinationRequest,
    CoordinationResponse,
    CoordinationResult,
    SelectedEvidence,
)
from clause.reasoning.neighbourhood.port import Hop, NeighbourhoodPort, View
from clause.reasoning.question.name_links import forgiven
from clause.reasoning.question.preparation import Asker, PreparedQuestion

_READ_TEXTS = frozenset({text_walk.NAME, "two-step", "pagerank", statements.NAME})


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer before it is recorded: the episode, the response, its evidence, and what was gone without."""

    finished: Finished
    response: CoordinationResponse
    evidence: Sequence[EvidenceRecord]
    fallbacks: tuple[str, ...]


class Coordinator:
    """Answers questions with three agents under hard budgets.

    Args:
        asker: makes a question out of a request.
        port: reads of the graph.
        policies: who decides.
        count: exact token counts.
        reporter: provenance, receipts and recorded runs.
        token_margin: tokens kept free of every token budget.
        abstain_below: the score below which answers are withheld where a request does not say; None: the policy's.
        integrations: causes, ThoughtSeeds and curiosity; None: the flags of requests have no effect.
        reader: writes answers from evidence for requests that want it; None: for none.
    """

    def __init__(
        self,
        asker: Asker,
        port: NeighbourhoodPort,
        policies: PolicyBook,
        *,
        count: TokenCounter,
        reporter: Reporter,
        token_margin: int = 0,
        abstain_below: float | None = None,
        integrations: Integrations | None = None,
        reader: EvidenceReader | None = None,
    ) -> None:
        self._asker = asker
        self._port = port
        self.policies = policies
        self._count = count
        self._reporter = reporter
        self._token_margin = token_margin
        self._abstain_below = abstain_below
        self._integrations = integrations
        self._reader = reader

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
        self.policies[request.policy]  # an unknown name is refused before anything is read
        view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
        view, left_out = await self._asker.withholding.passing(request.texts, view)
        answered = await self._answered(request, caller, view, budgets=budgets, hard=hard, repeat=repeat)
        response = accounted(answered.response, left_out)
        if request.without is not None:
            hidden = await self._asker.withholding.of(request.without, view)
            bare = request.model_copy(update={"without": None, "record": False})
            seen = replace(view, hidden=view.hidden.beside(hidden))
            other = await self._answered(bare, caller, seen, budgets=budgets, hard=hard, repeat=repeat)
            found = compared(request.without, hidden, response, other.response)
            response = response.model_copy(update={"counterfactual": found})
        response = self._reporter.record(
            request, answered.finished, response, answered.evidence, caller, fallbacks=answered.fallbacks
        )
        wanted = request.read and repeat is None
        return await written_by(self._reader, request.query, response) if wanted else response

    async def _answered(
        self,
        request: CoordinationRequest,
        caller: Caller,
        view: View,
        *,
        budgets: Budgets | None,
        hard: bool,
        repeat: Collection[str] | None,
    ) -> Answered:
        """The answer to a question as a view sees it; nothing is recorded yet."""
        started = time.perf_counter()
        with measure() as timing:
            prices = Prices(request.lambdas.edge, request.lambdas.latency, request.lambdas.token)
            asked = await self._asker.ask(
                request.query, prices, view, start_nodes=request.start_nodes, reading=request.reading
            )
            asked.question.abstain_below = self._least(request)
            policy = await self._policy(request, asked)
            allowed = budgets or self._budgets(request)
            causal_ms = await self._prepare(asked, request, repeat)
            instead = self._instead(request)
            finished = await self.play(
                asked, policy, allowed, instead=instead, max_rounds=request.max_rounds, hard=hard
            )
            concluded, (origins, provenance_ms) = await asyncio.gather(
                self._conclude(finished, request, caller), self._reporter.origins(finished)
            )
            evidence = self._reporter.evidence(finished, origins)  # scored by vectors that concluding read
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
        response = response.model_copy(update={"answer_sha256": answer_sha256(response)})
        return Answered(finished, response, evidence, concluded.fallbacks)

    async def deciding(self, caller: Caller, scopes: Sequence[str]) -> Policy:
        """Choose who decides in some scopes where a request names nobody; it raises what `coordinate` does."""
        return await self.policies.chosen((await self._asker.view(caller, scopes)).policy)

    async def play(
        self,
        asked: PreparedQuestion,
        policy: Policy,
        budgets: Budgets,
        *,
        instead: Policy | None = None,
        max_rounds: int = 1,
        hard: bool = True,
    ) -> Finished:
        """One episode: rounds of edit, traverse, curate. `hard=False` takes the masks off, to measure; never to serve.

        `instead` decides where `policy` finds no answer in the graph and `instead` knows one.

        Raises:
            BudgetError: a policy chose what a mask forbids.
        """
        policy, agents = await self._begun(asked, policy, instead)
        episode = begun(asked.question, agents, budgets, hard=hard)
        driver = Driver(episode, asked.question, agents, self._count)
        texts = self._asker.texts if agents.account.texts is None else None
        feeder = PortFeeder(self._port, asked.view, asked.question, policy.reads_vectors, texts)
        turns = await feeder.feed(driver.rounds(max_rounds))
        return Finished.of(asked, policy, agents, episode, turns)

    async def _begun(self, asked: PreparedQuestion, policy: Policy, instead: Policy | None) -> tuple[Policy, Agents]:
        walk = self.policies[text_walk.NAME] if text_walk.NAME in self.policies.names else None
        embed = self._asker.embedder.embed
        return await statements.begun_by(asked.question, embed, policy, instead=instead, walk=walk)

    async def _policy(self, request: CoordinationRequest, asked: PreparedQuestion) -> Policy:
        """Choose who decides: whom the request names, else its scopes chose, else the default; where there are no
        triples, the walk over passages, or statements, unless the scopes chose a way to read texts."""
        chosen = asked.view.policy if request.policy is None else None
        if _unnamed(request) and not asked.question.relationship_types and chosen not in _READ_TEXTS:
            kinds = {text.node.kind for text in await asked.question.recall(text_walk.SEARCHED)}
            if statements.PASSAGE in kinds and text_walk.NAME in self.policies.names:
                return self.policies[text_walk.NAME]
            if kinds & statements.KINDS and statements.NAME in self.policies.names:
                return self.policies[statements.NAME]
        return await self.policies.chosen(chosen) if chosen else self.policies[request.policy]

    def _instead(self, request: CoordinationRequest) -> Policy | None:
        """Choose who answers where the graph does not: what is kept in words, unless the request says who decides."""
        return self.policies[statements.NAME] if _unnamed(request) and statements.NAME in self.policies.names else None

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


def _unnamed(request: CoordinationRequest) -> bool:
    return request.policy is None and request.reading is None


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
        readings=tuple(_calibrated(reading, finished) for reading in finished.account.readings),
        did_you_mean=forgiven(finished.asked.question),
        intelligence=concluded.counts,
        calibration=finished.asked.calibration,
    )


def _calibrated(reading: AnswerReading, finished: Finished) -> AnswerReading:
    probability = moved(reading.probability, finished.asked.calibration)
    return reading.model_copy(update={"probability": probability})


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


def answer_sha256(response: CoordinationResponse) -> str:
    """One hash over an answer: the same for the same graph, policy and request, whichever machine gives it.

    It covers the answers, readings, walks, evidence with provenance, subgraph, handoffs and receipt in their order.
    Left out are the run's id, instants and what follows from them (recency), milliseconds, and what an answer gives
    rise to after it (ThoughtSeeds, curiosity). Numbers count to two decimals, as they are shown: the sums of another
    processor differ in the sixth.
    """
    text = json.dumps(_canonical(response.model_dump(mode="json", exclude=_NOT_HASHED)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


_STEPS_OF_PATH = {"steps": {"__all__": {"thoughtseed_id"}}}
_NOT_HASHED: Any = {
    "run_id": True,
    "performance": True,
    "answer_sha256": True,
    "counterfactual": True,
    "written": True,
    "receipt": {"left_out"},
    "agent_handoffs": {"__all__": {"latency_ms"}},
    "result": {
        "intelligence": True,
        "path": _STEPS_OF_PATH,
        "paths": {"__all__": _STEPS_OF_PATH},
        "evidence": {"__all__": {"provenance": {"extraction_timestamp": True, "trust_signals": {"recency_score"}}}},
    },
}
_CELL = 0.01
_BORDER = 0.0037
"""A cell of numbers begins so far above its multiple of `_CELL`: round numbers, which rules give, lie inside one."""


def _canonical(value: Any) -> Any:
    """A JSON value with each float as the number of its cell.

    >>> _canonical({"score": 0.7000001}) == _canonical({"score": 0.6999999}) != _canonical({"score": 0.72})
    True
    """
    if isinstance(value, float):
        return math.floor((value - _BORDER) / _CELL)
    if isinstance(value, dict):
        return {key: _canonical(inner) for key, inner in value.items()}
    return [_canonical(inner) for inner in value] if isinstance(value, list) else value


FRONTIERS = (1, 10, 30)
"""Sizes of frontiers that are read; Neo4j plans a statement anew while the size of its parameters changes a lot."""


async def rehearse(graph: Graph, port: NeighbourhoodPort, coordinator: Coordinator) -> int:
    """Ask one question that nobody reads and nothing records; how many entities it found to ask about."""
    caller = Caller()
    scopes = await readable_scopes(graph, caller)
    entities = await graph.run("reasoning/some_entities", scopes=list(scopes), limit=max(FRONTIERS))
    if not entities:
        return 0
    for size in FRONTIERS:
        await port.expand([row["id"] for row in entities[:size]], View(scopes), per_type=50)
    for kind in (await port.relationship_types(View(scopes)))[:1]:
        await port.starts(Hop(kind.name, forward=True), View(scopes), limit=1)
    question = CoordinationRequest(
        query=f"what about {entities[0]['name']}"[:1000],
        budgets=BudgetAllocation(),
        record=False,
        enable_provenance=False,
    )
    await coordinator.coordinate(question, caller)
    return len(entities)
