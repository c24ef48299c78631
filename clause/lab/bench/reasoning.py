"""The rows of `clause bench`: each drives one part of the service and sets its figure beside a baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from clause.graph.runner import Graph, measure
from clause.graph.scopes import Caller
from clause.lab.bench.timing import bench_questions, coordinate_row, hash_of, row, timed
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.agents.policy import Question
from clause.reasoning.agents.scoring import edge_scores, signals_of
from clause.reasoning.agents.single_agent import LoneAgents
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Prices
from clause.reasoning.models import (
    BudgetAllocation,
    ContextCurationRequest,
    CoordinationRequest,
    PathNavigationRequest,
    SubgraphRequest,
)
from clause.reasoning.neighbourhood.port import Edge, Node, RelationshipType
from clause.text.embedder import Embedder

SCOPES = ["kg:metaqa"]
OWNER = Caller(None, None)
BOLT = "bare Bolt round trip"
SNIPPETS = 20
EDGES_IN_A_BATCH = 1000


class ReasoningServices(Protocol):
    """The services that the rows drive (the container has them)."""

    @property
    def graph(self) -> Graph:
        """The database."""
        ...

    @property
    def embedder(self) -> Embedder:
        """The embedding model."""
        ...

    @property
    def coordinator(self) -> Coordinator:
        """All three agents."""
        ...

    @property
    def agents(self) -> LoneAgents:
        """Each agent alone."""
        ...


async def coordinate_bench(
    services: ReasoningServices, graph: TypedWalks, *, policy: str, clients: int, calls: int, command: str
) -> dict[str, Any]:
    """POST /coordinate without HTTP, with the API's default budgets, provenance and recording."""
    performances: list[dict[str, float]] = []

    async def ask(text: str) -> None:
        request = CoordinationRequest(query=text, budgets=BudgetAllocation(), scopes=SCOPES, policy=policy)
        response = await services.coordinator.coordinate(request, OWNER)
        performances.append(response.performance)

    async def embed(text: str) -> None:
        await services.embedder.embed([f"{text}, please"])

    async def bare() -> tuple[float, float]:
        embedded = await timed(embed, questions[:50], warm_up=5)
        return await round_trip_ms(services.graph), embedded.percentile_ms(50)

    warm_up = max(1, calls // 10)
    questions = bench_questions(graph, calls + warm_up)
    before = await bare()
    with measure() as timing:
        figure = await timed(ask, questions, clients=clients, warm_up=warm_up)
    baseline_ms, embedding_ms = np.mean([before, await bare()], axis=0).tolist()
    return coordinate_row(
        figure,
        performances[warm_up:],
        clients=clients,
        policy=policy,
        baseline_ms=baseline_ms,
        embedding_ms=embedding_ms,
        round_trips=timing.round_trips / max(1, len(performances)),
        command=command,
    )


async def subgraph_bench(services: ReasoningServices, graph: TypedWalks, calls: int, command: str) -> dict[str, Any]:
    """POST /subgraph without HTTP: 50 edges, no least score, so that the budget is what stops."""

    async def ask(text: str) -> None:
        request = SubgraphRequest(query=text, edge_budget=50, min_edge_score=0.0, lambda_edge=0.0, scopes=SCOPES)
        await services.agents.subgraph(request, OWNER)

    return await _on_questions("subgraph, 50 edges", ask, services, bench_questions(graph, calls), command)


async def navigate_bench(services: ReasoningServices, graph: TypedWalks, calls: int, command: str) -> dict[str, Any]:
    """POST /navigate without HTTP: at most 10 steps from a film."""
    films = [node for node in graph.nodes if any(hop.forward and graph.leaves(node, hop) for hop in graph.hops)]

    async def ask(text: str) -> None:
        start = films[hash_of(text) % len(films)]
        request = PathNavigationRequest(query=text, start_node=start, step_budget=10, scopes=SCOPES)
        await services.agents.navigate(request, OWNER)

    return await _on_questions("navigate, 10 steps", ask, services, bench_questions(graph, calls), command)


async def curate_bench(services: ReasoningServices, graph: TypedWalks, calls: int, command: str) -> dict[str, Any]:
    """POST /curate without HTTP: 20 snippets; beside it, embedding one text."""
    texts = bench_questions(graph, (calls + 5) * (SNIPPETS + 1))
    pools = [texts[start : start + SNIPPETS + 1] for start in range(0, len(texts), SNIPPETS + 1)]

    async def ask(pool: list[str]) -> None:
        query, *snippets = pool
        await services.agents.curate(ContextCurationRequest(evidence_pool=snippets, query=query), OWNER)

    async def embed(pool: list[str]) -> None:
        await services.embedder.embed([f"{pool[0]}, please"])

    figure = await timed(ask, pools, warm_up=5)
    single = await timed(embed, pools, warm_up=5)
    return row("curate, 20 snippets", figure, "a single embedding", single.percentile_ms(50), command)


async def edges_bench(calls: int, command: str) -> dict[str, Any]:
    """1,000 edges scored in a batch; beside it, the bare product of their vectors with the query."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((EDGES_IN_A_BATCH + 3, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = [f"n{place}" for place in range(EDGES_IN_A_BATCH + 1)]
    nodes = {name: Node(name, name, degree=place % 60) for place, name in enumerate(names)}
    kind = RelationshipType("r", "r", "r of", vectors[-1], vectors[-2])
    question = Question("q", vectors[-3], [], {"r": kind}, Prices(), dict(zip(names, vectors, strict=False)))
    edges = [(names[0], Edge(names[0], "r", name)) for name in names[1:]]

    async def score(_call: int) -> None:
        edge_scores(signals_of(question, edges, nodes))

    async def multiply(_call: int) -> None:
        vectors @ question.embedding

    figure = await timed(score, range(calls + 5), warm_up=5)
    brute = await timed(multiply, range(calls + 5), warm_up=5)
    return row("1,000 edges scored in a batch", figure, "brute-force numpy", brute.percentile_ms(50), command)


async def round_trip_ms(graph: Graph, calls: int = 100) -> float:
    """The median of a bare Bolt round trip, warm."""

    async def trip(_call: int) -> None:
        await graph.run("evaluation/round_trip")

    return (await timed(trip, range(calls + 10), warm_up=10)).percentile_ms(50)


async def _on_questions(
    name: str, ask: Callable[[str], Any], services: ReasoningServices, texts: list[str], command: str
) -> dict[str, Any]:
    baseline_ms = await round_trip_ms(services.graph)
    figure = await timed(ask, texts, warm_up=max(1, len(texts) // 10))
    return row(name, figure, BOLT, baseline_ms, command)
