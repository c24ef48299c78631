"""Each agent alone: /subgraph, /navigate, /curate and /edges/score, on the same episode machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from clause.graph.scopes import Caller
from clause.reasoning.actions import NAVIGATOR, Stop
from clause.reasoning.asking import Asker
from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.curator import HeuristicCurator
from clause.reasoning.episode import Episode
from clause.reasoning.fronts import Path
from clause.reasoning.heuristics import HeuristicAgents, HeuristicPolicy
from clause.reasoning.integrations import Integrations, Noted, Walked, Wanted
from clause.reasoning.models import (
    ContextCurationRequest,
    ContextCurationResponse,
    EdgeScore,
    EdgeScoreRequest,
    EdgeScoreResponse,
    EdgeSignals,
    PathNavigationRequest,
    PathNavigationResponse,
    SubgraphRequest,
    SubgraphResponse,
)
from clause.reasoning.neighbourhood import Edge, NeighbourhoodPort, Vector
from clause.reasoning.outcome import answer_views, path_view
from clause.reasoning.policy import Question
from clause.reasoning.recording import Reporter
from clause.reasoning.scoring import Floats, edge_scores, shaped_gain
from clause.reasoning.seeds import SeedFinder
from clause.reasoning.signals import signals_of
from clause.reasoning.turns import Table
from clause.reasoning.units import TokenCounter, Unit, text_unit_id

UNLIMITED_TOKENS = 8192


class LoneAgents:
    """The three agents, one at a time."""

    def __init__(
        self,
        asker: Asker,
        port: NeighbourhoodPort,
        finder: SeedFinder,
        *,
        count: TokenCounter,
        reporter: Reporter,
        token_margin: int = 0,
        integrations: Integrations | None = None,
    ) -> None:
        self._asker = asker
        self._port = port
        self._finder = finder
        self._count = count
        self._reporter = reporter
        self._token_margin = token_margin
        self._integrations = integrations

    async def subgraph(self, request: SubgraphRequest, caller: Caller) -> SubgraphResponse:
        """The heuristic SubgraphArchitect: the best edges around what the question names, one at a time."""
        started = time.perf_counter()
        view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
        prices = Prices(edge=request.lambda_edge)
        asked = await self._asker.ask(request.query, prices, view, start_nodes=request.start_nodes)
        agents = HeuristicAgents(
            asked.question, hop_distance=request.hop_distance, min_edge_score=request.min_edge_score
        )
        episode = Episode([seed.id for seed in asked.seeds], Budgets(edges=request.edge_budget))
        table = Table(episode, asked.question, HeuristicPolicy(), agents, self._port, view)
        turn = await table.architect()
        chosen = [
            _scored(edge, score, signals, request.lambda_edge) for edge, (score, signals) in agents.edges.chosen.items()
        ]
        return SubgraphResponse(
            selected_edges=chosen,
            budget_used=episode.spend.edges,
            budget_total=request.edge_budget,
            stopped_reason=turn.stop.reason,
            construction_time_ms=(time.perf_counter() - started) * 1000,
            seeds=[seed.model_dump(include={"id", "name", "score", "reason"}) for seed in asked.seeds],
            abstained=not asked.seeds,
            reason=None if asked.seeds else "no entity of these scopes is named in the question",
        )

    async def navigate(self, request: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
        """The PathNavigator on the graph itself, from one start node."""
        with nullcontext() if self._integrations is None else self._integrations.asking():
            return await self._navigate(request, caller)

    async def _navigate(self, request: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
        started = time.perf_counter()
        view = await self._asker.view(caller, request.scopes, request.as_of_valid, request.as_of_recorded)
        asked = await self._asker.ask(request.query, Prices(), view, start_nodes=[request.start_node])
        policy = HeuristicPolicy()
        agents = await policy.begin(asked.question, self._asker.embedder.embed)
        causal_ms = 0.0
        if self._integrations is not None:
            causal_ms = await self._integrations.prepare(asked.question, view, causal=request.enable_causal)
        episode = Episode([seed.id for seed in asked.seeds], Budgets(steps=request.step_budget), walk_known=True)
        turn = await Table(episode, asked.question, policy, agents, self._port, view).navigator()
        answers, paths = answer_views(episode, agents.answer_scores(episode))
        best = paths[0] if paths else path_view(Path((asked.seeds[0].id,)), episode)
        noted = await self._note(request, Walked(episode, asked.question, policy, view), best, caller)
        return PathNavigationResponse(
            path=best,
            metadata={
                "budget_used": episode.spend.steps,
                "budget_total": request.step_budget,
                "final_action": "STOP",
                "stopped_reason": turn.stop.reason,
                **noted.told(),
                "actions": [type(step.action).__name__.upper() for step in episode.log if step.agent == NAVIGATOR],
                "answers": answers,
            },
            performance={
                "latency_ms": (time.perf_counter() - started) * 1000,
                "thoughtseed_gen_ms": noted.thoughtseed_ms,
                "causal_pred_ms": causal_ms,
            },
        )

    async def _note(
        self, request: PathNavigationRequest, walked: Walked, path: dict[str, Any], caller: Caller
    ) -> Noted:
        if self._integrations is None:
            return Noted()
        wanted = Wanted(request.enable_thoughtseeds, request.enable_curiosity, request.curiosity_threshold)
        return await self._integrations.conclude(walked, [path], wanted=wanted, caller=caller)

    async def curate(self, request: ContextCurationRequest, caller: Caller) -> ContextCurationResponse:
        """The ContextCurator over the given texts; without a query the pool's centroid stands for it."""
        started = time.perf_counter()
        texts = list(dict.fromkeys(request.evidence_pool))
        units = [Unit(text_unit_id(text), text, tokens) for text, tokens in zip(texts, self._count(texts), strict=True)]
        vectors = await self._asker.embedder.embed(texts)
        embedding = await self._query_vector(request.query, vectors)
        question = Question(request.query or "", embedding, [], {}, Prices(token=request.lambda_tok))
        question.vectors.update({unit.id: vector for unit, vector in zip(units, vectors, strict=True)})
        episode = Episode([], Budgets(tokens=request.token_budget, token_margin=self._token_margin))
        episode.offer(units)
        curator = HeuristicCurator(question)
        while not isinstance((decision := curator.decide(episode)).action, Stop):
            episode.step(decision.action, decision.score)
        evidence, provenance_ms = await self._reporter.curated(
            episode, question, caller=caller, enable=request.enable_provenance
        )
        reason = decision.action.reason
        return ContextCurationResponse(
            selected_evidence=evidence,
            metadata={
                "tokens_used": episode.spend.tokens,
                "tokens_total": request.token_budget,
                "token_margin": self._token_margin,
                "price_unit": "100 tokens",
                "pool_size": len(units),
                "learned_stop_triggered": reason != "BUDGET_EXHAUSTED",
                "stopped_reason": reason,
                "query_is": "given" if request.query else "the centroid of the pool",
            },
            performance={
                "latency_ms": (time.perf_counter() - started) * 1000,
                "provenance_overhead_ms": provenance_ms,
            },
        )

    async def score_edges(self, request: EdgeScoreRequest, caller: Caller) -> EdgeScoreResponse:
        """The five signals and the score of given edges.

        Raises:
            NotFoundError: an end is no known node.
            AmbiguousNameError: several nodes carry an end's name.
        """
        started = time.perf_counter()
        view = await self._asker.view(caller, request.scopes)
        names = list(dict.fromkeys(name for triple in request.edges for name in (triple.source, triple.target)))
        ends = {name: seed.id for name, seed in (await self._finder.named(names, view)).items()}
        edges = [Edge(ends[triple.source], triple.relation, ends[triple.target]) for triple in request.edges]
        around = await self._port.expand(list(dict.fromkeys(ends.values())), view, per_type=1)
        question = Question(
            request.query,
            await self._asker.embedder.embed_query(request.query),
            [],
            await self._asker.types(view),
            Prices(edge=request.lambda_edge),
            dict(await self._port.embeddings(list(ends.values()))),
        )
        signals = signals_of(question, [(edge.source, edge) for edge in edges], around.nodes, around.together)
        scores = edge_scores(signals)
        return EdgeScoreResponse(
            scores=[
                _scored(edge, float(score), row, request.lambda_edge)
                for edge, score, row in zip(edges, scores, signals, strict=True)
            ],
            performance={"latency_ms": (time.perf_counter() - started) * 1000},
        )

    async def _query_vector(self, query: str | None, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> Vector:
        if query is not None:
            return await self._asker.embedder.embed_query(query)
        centroid: Vector = vectors.mean(axis=0)
        length = float(np.linalg.norm(centroid))
        return centroid / length if length else centroid


def _scored(edge: Edge, score: float, signals: Floats, price: float) -> EdgeScore:
    names: Sequence[str] = ("phi_ent", "phi_rel", "phi_nbr", "phi_deg", "phi_basin")
    return EdgeScore(
        source=edge.source,
        relation=edge.relation,
        target=edge.target,
        signals=EdgeSignals(**{name: float(value) for name, value in zip(names, signals, strict=True)}),
        score=score,
        shaped_gain=float(shaped_gain(score, price)),
    )
