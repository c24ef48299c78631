"""Each agent alone: /subgraph, /navigate, /curate and /edges/score, on the same episode machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from clause.arrays import AnyFloats, Vector
from clause.graph.scopes import Caller
from clause.reasoning.agents.heuristic import HeuristicAgents, HeuristicPolicy
from clause.reasoning.agents.policy import Policy, PolicyBook, Question
from clause.reasoning.agents.scoring import edge_scores, shaped_gain, signals_of
from clause.reasoning.answer.integrations import Conclusion, Integrations
from clause.reasoning.answer.report import Finished, Reporter, path_view
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR
from clause.reasoning.episode.budget import Budgets, Prices, TokenCounter, Unit, text_unit_id
from clause.reasoning.episode.driver import Driver, PortFeeder, begun
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import Path
from clause.reasoning.models import (
    ContextCurationRequest,
    ContextCurationResponse,
    CurationMetadata,
    EdgeScore,
    EdgeScoreRequest,
    EdgeScoreResponse,
    EdgeSignals,
    NavigationMetadata,
    PathNavigationRequest,
    PathNavigationResponse,
    SeedNode,
    SubgraphRequest,
    SubgraphResponse,
)
from clause.reasoning.neighbourhood.port import Edge, NeighbourhoodPort, View
from clause.reasoning.question.preparation import Asker, PreparedQuestion
from clause.reasoning.question.seeds import SeedFinder
from clause.text.mentions import find_mentions, key_names

BEARING = 0.18
"""Cosine with the query from which a text bears on it: between answers and other texts in tests/curated_pools.txt."""

LOOKED_AHEAD = 200
"""Edges that a named policy may gather before it walks."""

LOOKED_AHEAD_STEPS = 20
"""Steps that a named policy may walk before texts or edges are judged by its answer."""


class LoneAgents:
    """The three agents, one at a time: by their rules, or by the policy that a request names.

    Args:
        policies: who may be named; `heuristic`, or no name, are the rules.
    """

    def __init__(
        self,
        asker: Asker,
        port: NeighbourhoodPort,
        finder: SeedFinder,
        policies: PolicyBook,
        *,
        count: TokenCounter,
        reporter: Reporter,
        token_margin: int = 0,
        integrations: Integrations | None = None,
    ) -> None:
        self._asker = asker
        self._port = port
        self._finder = finder
        self._policies = policies
        self._count = count
        self._reporter = reporter
        self._token_margin = token_margin
        self._integrations = integrations

    async def subgraph(self, request: SubgraphRequest, caller: Caller) -> SubgraphResponse:
        """The SubgraphArchitect: the best edges around what the question names, one at a time.

        `hop_distance` and `min_edge_score` are the rules'; another policy reads how far the question goes.
        """
        started = time.perf_counter()
        view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
        prices = Prices(edge=request.lambda_edge)
        asked = await self._asker.ask(request.query, prices, view, start_nodes=request.start_nodes)
        named = self._named(request.policy)
        rules = HeuristicAgents(
            asked.question, hop_distance=request.hop_distance, min_edge_score=request.min_edge_score
        )
        agents = rules if named is None else await named.begin(asked.question, self._asker.embedder.embed)
        episode = begun(asked.question, agents, Budgets(edges=request.edge_budget))
        feeder = PortFeeder(self._port, view, asked.question, reads_vectors=named is None or named.reads_vectors)
        turn = await feeder.feed(Driver(episode, asked.question, agents, self._count).turn(ARCHITECT))
        found = rules.edges.chosen
        if named is not None:
            found = await self._signals(asked.question, list(episode.subgraph.edges), view)
        chosen = [_scored(edge, score, signals, request.lambda_edge) for edge, (score, signals) in found.items()]
        return SubgraphResponse(
            selected_edges=chosen,
            budget_used=episode.spend.edges,
            budget_total=request.edge_budget,
            stopped_reason=turn.stop.reason,
            construction_time_ms=(time.perf_counter() - started) * 1000,
            seeds=[SeedNode(id=seed.id, name=seed.name, score=seed.score, reason=seed.reason) for seed in asked.seeds],
            abstained=not asked.seeds,
            reason=None if asked.seeds else "no entity of these scopes is named in the question",
        )

    async def navigate(self, request: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
        """The PathNavigator on the graph itself, from one start node; a named policy looks ahead first."""
        with nullcontext() if self._integrations is None else self._integrations.asking():
            return await self._navigate(request, caller)

    async def _navigate(self, request: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
        started = time.perf_counter()
        view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
        asked = await self._asker.ask(request.query, Prices(), view, start_nodes=[request.start_node])
        named = self._named(request.policy)
        policy: Policy = named or HeuristicPolicy()
        agents = await policy.begin(asked.question, self._asker.embedder.embed)
        causal_ms = 0.0
        if self._integrations is not None:
            causal_ms = await self._integrations.prepare(asked.question, view, causal=request.enable_causal)
        edges = 0 if named is None else LOOKED_AHEAD
        episode = begun(asked.question, agents, Budgets(edges, request.step_budget), walk_known=named is None)
        feeder = PortFeeder(self._port, view, asked.question, policy.reads_vectors)
        driver = Driver(episode, asked.question, agents, self._count)
        if named is not None:
            await feeder.feed(driver.turn(ARCHITECT))
        turn = await feeder.feed(driver.turn(NAVIGATOR))
        finished = Finished.of(asked, policy, agents, episode, {NAVIGATOR: (turn,)})
        concluded = await self._conclude(finished, request, caller)
        actions = tuple(type(step.action).__name__.upper() for step in episode.log if step.agent == NAVIGATOR)
        return PathNavigationResponse(
            path=concluded.paths[0],
            metadata=NavigationMetadata(
                budget_used=episode.spend.steps,
                budget_total=request.step_budget,
                stopped_reason=turn.stop.reason,
                **concluded.counts.model_dump(),
                actions=actions,
                answers=finished.answers,
            ),
            performance={
                "latency_ms": (time.perf_counter() - started) * 1000,
                "thoughtseed_gen_ms": concluded.thoughtseed_ms,
                "causal_pred_ms": causal_ms,
            },
        )

    async def _conclude(self, finished: Finished, request: PathNavigationRequest, caller: Caller) -> Conclusion:
        """Draw the conclusion from the best path, or from the start alone where nothing was walked."""
        episode, seeds = finished.episode, finished.asked.seeds
        best = finished.paths[0] if finished.paths else path_view(Path((seeds[0].id,)), episode)
        if self._integrations is None:
            return Conclusion((best,))
        return await self._integrations.conclude(finished, [best], request, caller)

    async def curate(self, request: ContextCurationRequest, caller: Caller) -> ContextCurationResponse:
        """The ContextCurator over the given texts; without a query the pool's centroid stands for it.

        Nothing is read from `scopes` unless a policy is named, which answers the query there: the texts that say what
        it answers are the pool then, or all where none does. Evidence is kept in a scope that is the only one named.

        Raises:
            BadInputError: a scope is malformed, or nothing is stored there.
            ForbiddenError: a scope is not the caller's.
            NotFoundError: there is no policy of that name.
        """
        started = time.perf_counter()
        named = self._named(request.policy)
        view = View(()) if request.scopes is None else await self._asker.view(caller, request.scopes)
        texts = list(dict.fromkeys(request.evidence_pool))
        if named is not None and request.query:
            readable = await self._asker.view(caller, request.scopes)
            finished = await self._answered(await self._asker.ask(request.query, Prices(), readable), named)
            answers = key_names([] if finished.abstained else [answer.name for answer in finished.answers])
            texts = [text for text in texts if find_mentions(text, answers)] or texts
        units = [Unit(text_unit_id(text), text, tokens) for text, tokens in zip(texts, self._count(texts), strict=True)]
        vectors = await self._asker.embedder.embed(texts)
        embedding = await self._query_vector(request.query, vectors)
        question = Question(request.query or "", embedding, [], {}, Prices(token=request.lambda_tok))
        question.vectors.update({unit.id: vector for unit, vector in zip(units, vectors, strict=True)})
        episode = Episode([], Budgets(tokens=request.token_budget, token_margin=self._token_margin))
        episode.offer(units)
        feeder = PortFeeder(self._port, view, question, reads_vectors=False)
        agents = HeuristicAgents(question, least_bearing=BEARING if request.query else -1.0)
        turn = await feeder.feed(Driver(episode, question, agents, self._count).turn(CURATOR))
        evidence, provenance_ms = await self._reporter.curated(
            episode, question, view.scopes, caller=caller, enable=request.enable_provenance
        )
        return ContextCurationResponse(
            selected_evidence=evidence,
            metadata=CurationMetadata(
                tokens_used=episode.spend.tokens,
                tokens_total=request.token_budget,
                token_margin=self._token_margin,
                pool_size=len(units),
                learned_stop_triggered=turn.stop.reason == "GAIN_NEGATIVE",
                stopped_reason=turn.stop.reason,
                query_is="given" if request.query else "the centroid of the pool",
            ),
            performance={
                "latency_ms": (time.perf_counter() - started) * 1000,
                "provenance_overhead_ms": provenance_ms,
            },
        )

    async def score_edges(self, request: EdgeScoreRequest, caller: Caller) -> EdgeScoreResponse:
        """The five signals and the score of given edges: of the signals together, or, where a policy is named, how sure
        its answer is for edges that prove it, and 0 for all others.

        Raises:
            NotFoundError: an end is no known node, or there is no policy of that name.
            AmbiguousNameError: several nodes carry an end's name.
        """
        started = time.perf_counter()
        named = self._named(request.policy)
        view = await self._asker.view(caller, request.scopes)
        names = list(dict.fromkeys(name for triple in request.edges for name in (triple.source, triple.target)))
        ends = {name: seed.id for name, seed in (await self._finder.named(names, view)).items()}
        edges = [Edge(ends[triple.source], triple.relation, ends[triple.target]) for triple in request.edges]
        question = Question(
            request.query,
            await self._asker.embedder.embed_query(request.query),
            [],
            await self._asker.types(view),
            Prices(edge=request.lambda_edge),
        )
        found = await self._signals(question, edges, view)
        if named is not None:
            finished = await self._answered(await self._asker.ask(request.query, question.prices, view), named)
            best = max((answer.answer_score for answer in finished.answers), default=0.0)
            proof = {*finished.episode.subgraph.edges} if not finished.abstained else set()
            found = {edge: (best if edge in proof else 0.0, row) for edge, (_, row) in found.items()}
        return EdgeScoreResponse(
            scores=[_scored(edge, *found[edge], request.lambda_edge) for edge in edges],
            performance={"latency_ms": (time.perf_counter() - started) * 1000},
        )

    def _named(self, name: str | None) -> Policy | None:
        """The policy of that name; None: the rules."""
        return None if name in (None, HeuristicPolicy().name) else self._policies[name]

    async def _answered(self, asked: PreparedQuestion, policy: Policy) -> Finished:
        """Let a policy answer on the graph, within what a named policy may gather; nothing is recorded."""
        agents = await policy.begin(asked.question, self._asker.embedder.embed)
        episode = begun(asked.question, agents, Budgets(LOOKED_AHEAD, LOOKED_AHEAD_STEPS))
        feeder = PortFeeder(self._port, asked.view, asked.question, policy.reads_vectors)
        driver = Driver(episode, asked.question, agents, self._count)
        return Finished.of(asked, policy, agents, episode, await feeder.feed(driver.rounds()))

    async def _signals(
        self, question: Question, edges: Sequence[Edge], view: View
    ) -> dict[Edge, tuple[float, AnyFloats]]:
        """The score and the signals [5] of edges."""
        if not edges:
            return {}
        ends = list(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target)))
        around = await self._port.expand(ends, view, per_type=1)
        question.vectors.update(await self._port.embeddings(ends))
        rows = signals_of(question, [(edge.source, edge) for edge in edges], around.nodes, around.together)
        return {edge: (float(score), row) for edge, score, row in zip(edges, edge_scores(rows), rows, strict=True)}

    async def _query_vector(self, query: str | None, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> Vector:
        if query is not None:
            return await self._asker.embedder.embed_query(query)
        centroid: Vector = vectors.mean(axis=0)
        length = float(np.linalg.norm(centroid))
        return centroid / length if length else centroid


def _scored(edge: Edge, score: float, signals: AnyFloats, price: float) -> EdgeScore:
    names: Sequence[str] = ("phi_ent", "phi_rel", "phi_nbr", "phi_deg", "phi_basin")
    return EdgeScore(
        source=edge.source,
        relation=edge.relation,
        target=edge.target,
        signals=EdgeSignals(**{name: float(value) for name, value in zip(names, signals, strict=True)}),
        score=score,
        shaped_gain=float(shaped_gain(score, price)),
    )
