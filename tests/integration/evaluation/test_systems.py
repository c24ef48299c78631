"""The service as a system under test, on a real Neo4j and on a snapshot of it."""

import pytest

from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import ServiceSystem
from clause.evaluation.training_material import export_snapshot
from clause.graph.scopes import Caller
from clause.ingest.triples import load_triples
from clause.lab.baselines import BASELINES
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from clause.text.tokens import count_all
from tests.fakes.embedder import HashEmbedder
from tests.unit.evaluation.films import NAMES, RELATIONS, TRIPLES

pytestmark = pytest.mark.integration

QUESTION = GoldQuestion("which movies have the same director of Heat", ("Ali",), "Heat")


@pytest.fixture
async def films(graph, scope, tmp_path):
    """The films of the unit tests, loaded into a scope of their own; the embedder that made their vectors."""
    embedder = HashEmbedder()
    path = tmp_path / "films.txt"
    path.write_text("".join("|".join(triple) + "\n" for triple in TRIPLES), encoding="utf-8")
    await load_triples(graph, embedder, path, scope)
    return embedder


def coordinator(graph, port, embedder):
    asker = Asker(graph, port, SeedFinder(graph, embedder), embedder)
    reporter = Reporter(Provenance(graph), RunRecorder(graph))
    book = PolicyBook(BASELINES, default="relation-path")
    return Coordinator(asker, port, book, count=count_all, reporter=reporter)


def system(made, scope, policy, seeds, budgets=Budgets(200, 10, 2048)):  # noqa: B008 -- frozen
    async def ask(request, limits):
        return await made.coordinate(request, Caller(None, None), budgets=limits)

    return ServiceSystem(ask, policy=policy, budgets=budgets, scopes=[scope], seeds=seeds)


async def test_an_exported_snapshot_holds_the_scope_whatever_the_pages(graph, scope, films):
    stored = Neo4jNeighbourhood(graph, dimension=films.dimension)
    view = View((scope,))
    whole = await export_snapshot(graph, stored, view, dimension=films.dimension)
    paged = await export_snapshot(graph, stored, view, dimension=films.dimension, page=3)
    assert sorted(whole.names) == NAMES
    assert set(whole.types) == set(RELATIONS)
    assert (paged.ids, paged.names) == (whole.ids, whole.names)
    name_of = dict(zip(whole.ids, whole.names, strict=True))
    expansion = whole.expand_now(whole.ids, per_type=99)
    edges = {edge for by_hop in expansion.neighbours.values() for found in by_hop.values() for edge in found}
    assert {(name_of[edge.source], edge.relation, name_of[edge.target]) for edge in edges} == set(TRIPLES)
    vectors = await whole.embeddings(whole.ids)
    assert len(vectors) == len(NAMES)


@pytest.mark.parametrize("policy", sorted(BASELINES))
async def test_every_baseline_does_the_same_on_neo4j_and_on_the_snapshot(graph, scope, films, policy):
    stored = Neo4jNeighbourhood(graph, dimension=films.dimension)
    snapshot = await export_snapshot(graph, stored, View((scope,)), dimension=films.dimension)
    for seeds in ("gold", "text"):
        here = await system(coordinator(graph, stored, films), scope, policy, seeds).answer(QUESTION)
        there = await system(coordinator(graph, snapshot, films), scope, policy, seeds).answer(QUESTION)
        assert here.error is None
        assert here.answers == there.answers
        assert (here.edges, here.steps, here.tokens) == (there.edges, there.steps, there.tokens)
        assert here.violations == ()


async def test_a_baseline_answers_from_the_text_with_its_path_in_the_evidence(graph, scope, films):
    stored = Neo4jNeighbourhood(graph, dimension=films.dimension)
    made = coordinator(graph, stored, films)
    outcome = await system(made, scope, "relation-path-depth-first", "text").answer(QUESTION)
    assert [name for name, _ in outcome.answers] == ["Ali"]
    assert outcome.supported == {"Ali"}
    assert outcome.seeds[0] == "Heat"
    assert outcome.edges == 2


async def test_an_unknown_gold_entity_is_an_outcome_with_the_refusal(graph, scope, films):
    made = coordinator(graph, Neo4jNeighbourhood(graph, dimension=films.dimension), films)
    outcome = await system(made, scope, "khop", "gold").answer(GoldQuestion("who directed Kes", ("Loach",), "Kes"))
    assert "no entity is called 'Kes'" in outcome.error
    assert outcome.answers == ()
