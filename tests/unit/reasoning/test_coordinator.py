"""The coordinator: three turns, hard budgets, one report; and each agent alone. The graph is a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.arrays import Vector
from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.agents.single_agent import LoneAgents
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import NO_SEEDS, TOO_WEAK, Reporter
from clause.reasoning.answer.run_record import digest_of
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Budgets, Spend
from clause.reasoning.models import (
    ContextCurationRequest,
    CoordinationRequest,
    EdgeScoreRequest,
    PathNavigationRequest,
    SeedEntity,
    SubgraphRequest,
)
from clause.reasoning.neighbourhood.port import Node, View
from clause.reasoning.question.preparation import Asker
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import embedded_films
from tests.unit.reasoning.films import NAMES

OWNER = Caller()


class FakeGraph:
    """Answers the three statements that the coordinator sends besides the port's, and keeps what is written."""

    def __init__(self) -> None:
        self.written: list[tuple[str, Mapping[str, Any]]] = []
        self.entities: list[dict[str, Any]] = []
        self.chosen: str | None = None

    async def run(self, name: str, /, **given: Any) -> list[dict[str, Any]]:
        scopes = [{"id": "kg:films", "policy": self.chosen}]
        named = [row for row in scopes if row["id"] in given.get("ids", ())]
        known = {"graph/scopes": scopes, "graph/named_scopes": named, "reasoning/some_entities": self.entities}
        return known.get(name, [])

    async def write(self, work: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self.written += work


class NameFinder:
    """Finds seeds by their whole names."""

    async def find(self, query: str, view: View, limit: int = 8) -> list[SeedEntity]:
        return [_seed(node) for node, name in NAMES.items() if name in query][:limit]

    async def resolve(self, start_nodes: Sequence[str], view: View) -> list[SeedEntity]:
        return list((await self.named(start_nodes, view)).values())

    async def named(self, names: Sequence[str], view: View) -> dict[str, SeedEntity]:
        if unknown := [name for name in names if name not in NAMES]:
            raise NotFoundError(f"no entity is called {unknown[0]!r}", field="start_nodes")
        return {name: _seed(name) for name in names}


class OneText:
    """Always the same passage."""

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        return [Node("passage", "Michael Mann", "passage", text="Michael Mann directs crime films.")]


def _seed(node: str) -> SeedEntity:
    return SeedEntity(id=node, name=NAMES[node], score=1.0, reason="exact")


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


class House:
    """A coordinator and the lone agents over the film graph."""

    def __init__(self, port: Any, *, texts: OneText | None = None, margin: int = 0) -> None:
        embedder = HashEmbedder()
        self.graph: Any = FakeGraph()
        self.runs = RunRecorder(self.graph)
        finder: Any = NameFinder()
        asker = Asker(self.graph, port, finder, embedder, texts=texts)  # type: ignore[arg-type]
        reporter = Reporter(Provenance(self.graph), self.runs)
        book = PolicyBook({"heuristic": HeuristicPolicy}, default="heuristic")
        self.coordinator = Coordinator(asker, port, book, count=count, reporter=reporter, token_margin=margin)
        self.agents = LoneAgents(asker, port, finder, book, count=count, reporter=reporter, token_margin=margin)


@pytest.fixture
async def house() -> House:
    return House(await embedded_films(HashEmbedder()))


def request(**fields: Any) -> CoordinationRequest:
    return CoordinationRequest(**{"query": "who is Heat directed by", "budgets": {}, **fields})


async def test_three_handoffs_in_order_whatever_the_rounds(house: House) -> None:
    response = await house.coordinator.coordinate(request(max_rounds=3), OWNER)
    assert [handoff.agent for handoff in response.agent_handoffs] == [
        "SubgraphArchitect",
        "PathNavigator",
        "ContextCurator",
    ]
    assert response.result.answers
    assert response.result.path.steps


async def test_the_same_request_gives_the_same_answer(house: House) -> None:
    one = await house.coordinator.coordinate(request(), OWNER)
    other = await house.coordinator.coordinate(request(), OWNER)
    assert digest_of(one) == digest_of(other)
    assert one.run_id != other.run_id


async def test_the_run_is_written_after_the_answer_and_its_receipt_recomputes(house: House) -> None:
    response = await house.coordinator.coordinate(request(), OWNER)
    await house.runs.settled()
    names = [name for name, _ in house.graph.written]
    assert names == ["graph/register_scope", "reasoning/write_evidence", "reasoning/write_runs"]
    (row,) = house.graph.written[-1][1]["rows"]
    assert response.run_id == row["id"]
    assert json.loads(row["properties"]["digest"])["receipt"] == response.receipt.model_dump(mode="json")


async def test_without_recording_there_is_no_run(house: House) -> None:
    response = await house.coordinator.coordinate(request(record=False, enable_provenance=False), OWNER)
    await house.runs.settled()
    assert response.run_id is None
    assert house.graph.written == []
    assert all(item.provenance is None for item in response.result.evidence)


async def test_who_may_not_write_is_answered_but_not_recorded(house: House) -> None:
    response = await house.coordinator.coordinate(request(), Caller(readable=("kg:films",), writable=()))
    assert response.run_id is None
    assert response.result.answers


async def test_a_question_that_names_nothing_abstains_with_the_reason(house: House) -> None:
    response = await house.coordinator.coordinate(request(query="what is the weather"), OWNER)
    assert response.result.abstained
    assert response.result.reason == NO_SEEDS
    assert response.result.answers == ()


async def test_a_request_says_how_sure_an_answer_must_be_and_else_the_setting_does(house: House) -> None:
    unsure = await house.coordinator.coordinate(request(abstain_below=1.0), OWNER)
    assert (unsure.result.abstained, unsure.result.reason) == (True, TOO_WEAK)
    house.coordinator._abstain_below = 1.0
    assert (await house.coordinator.coordinate(request(), OWNER)).result.abstained
    assert not (await house.coordinator.coordinate(request(abstain_below=0.0), OWNER)).result.abstained


async def test_an_unknown_policy_is_named_with_the_known_ones(house: House) -> None:
    with pytest.raises(NotFoundError, match="known: heuristic"):
        await house.coordinator.coordinate(request(policy="oracle"), OWNER)


async def test_a_small_pool_is_filled_from_the_indexes() -> None:
    filled = House(await embedded_films(HashEmbedder()), texts=OneText())
    response = await filled.coordinator.coordinate(request(query="crime films of nobody"), OWNER)
    assert [item.text for item in response.result.evidence] == ["Michael Mann directs crime films."]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 12), st.integers(0, 5), st.integers(0, 60), st.integers(0, 8), st.integers(1, 3))
async def test_no_budget_is_ever_exceeded(edges: int, steps: int, tokens: int, margin: int, rounds: int) -> None:
    house = House(await embedded_films(HashEmbedder()), texts=OneText())
    budgets = Budgets(edges, steps, tokens, margin)
    response = await house.coordinator.coordinate(
        request(query="Heat and Michael Mann crime", max_rounds=rounds), OWNER, budgets=budgets
    )
    used = {key: value for handoff in response.agent_handoffs for key, value in handoff.budget_used.items()}
    assert used["edges"] <= edges
    assert used["steps"] <= steps
    assert used["tokens"] <= max(0, tokens - margin)
    assert sum(item.tokens for item in response.result.evidence) == used["tokens"]
    assert {name: getattr(response.receipt, name).spent for name in used} == used
    assert budgets.exceeded_by(Spend(**used)) == ()


async def test_the_architect_alone_says_what_it_took_and_why_it_stopped(house: House) -> None:
    response = await house.agents.subgraph(
        SubgraphRequest(query="who is Heat directed by", edge_budget=2, min_edge_score=0.0), OWNER
    )
    assert response.stopped_reason == "BUDGET_EXHAUSTED"
    assert response.budget_used == len(response.selected_edges) == 2
    assert response.selected_edges[0].relation == "directed_by"
    assert response.selected_edges[0].shaped_gain == pytest.approx(response.selected_edges[0].score - 0.01)
    assert response.basins_strengthened == []


async def test_a_floor_on_scores_leaves_weak_edges_out(house: House) -> None:
    response = await house.agents.subgraph(SubgraphRequest(query="who is Heat directed by", min_edge_score=0.9), OWNER)
    assert response.selected_edges == []
    assert response.stopped_reason == "NO_CANDIDATES"


async def test_the_navigator_alone_keeps_to_its_steps(house: House) -> None:
    response = await house.agents.navigate(
        PathNavigationRequest(query="Heat directed by", start_node="heat", step_budget=1), OWNER
    )
    assert len(response.path.steps) <= 1
    assert response.metadata.budget_used <= 1
    assert response.metadata.final_action == "STOP"


async def test_an_unknown_start_node_is_named(house: House) -> None:
    with pytest.raises(NotFoundError, match="rosebud"):
        await house.agents.navigate(PathNavigationRequest(query="where is it", start_node="rosebud"), OWNER)


async def test_the_curator_alone_says_when_the_centroid_stood_for_the_query(house: House) -> None:
    pool = ["Heat is a crime film", "Heat is a crime film", "Ali is a drama"]
    response = await house.agents.curate(ContextCurationRequest(evidence_pool=pool), OWNER)
    assert response.metadata.query_is == "the centroid of the pool"
    assert response.metadata.pool_size == 2
    assert response.metadata.tokens_used == sum(item.tokens for item in response.selected_evidence)
    assert all(item.provenance is not None for item in response.selected_evidence)
    uris = [item.provenance.source_uri for item in response.selected_evidence if item.provenance]
    assert all(uri.startswith("request:") for uri in uris)
    await house.runs.settled()
    assert [name for name, _ in house.graph.written] == ["reasoning/write_evidence"]


async def test_given_edges_are_scored_in_the_order_given(house: House) -> None:
    triples = [
        {"source": "heat", "relation": "has_genre", "target": "crime"},
        {"source": "heat", "relation": "directed_by", "target": "mann"},
    ]
    response = await house.agents.score_edges(EdgeScoreRequest(query="Heat directed by", edges=triples), OWNER)
    assert [score.relation for score in response.scores] == ["has_genre", "directed_by"]
    assert response.scores[1].signals.phi_rel > response.scores[0].signals.phi_rel


@pytest.mark.parametrize(
    ("chosen", "asked", "decides"),
    [
        ("mine", {}, "mine"),
        ("mine", {"scopes": ["kg:films"]}, "mine"),
        ("mine", {"policy": "heuristic"}, "heuristic"),
        ("gone", {}, "heuristic"),
        (None, {}, "heuristic"),
    ],
)
async def test_a_request_wins_over_its_scopes_choice_and_that_over_the_default(
    house: House, chosen: str | None, asked: dict[str, Any], decides: str
) -> None:
    house.graph.chosen = chosen
    makers: dict[str, Any] = {"heuristic": HeuristicPolicy, "mine": lambda: HeuristicPolicy(name="mine")}
    house.coordinator.policies = PolicyBook(makers, default="heuristic")
    await house.coordinator.coordinate(request(**asked), OWNER)
    await house.runs.settled()
    rows = [row for name, given in house.graph.written for row in given.get("rows", ()) if "policy" in row]
    assert [row["policy"] for row in rows] == [decides]
