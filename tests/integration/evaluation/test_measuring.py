"""What the commands join: the coordinator over Neo4j and over a snapshot, seeds, and passage retrieval."""

import json
from types import SimpleNamespace

import pytest

from clause.cli import console as opening
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import PlayedSystem, ServiceSystem
from clause.graph.scopes import Caller
from clause.ingest.triples import load_triples
from clause.lab.baselines import BASELINES
from clause.lab.commands import evaluate, measuring
from clause.lab.passages import Corpus, PassageQuestion, passages_study
from clause.reasoning.agents import text_walk
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.agents.text_walk import TextWalkPolicy
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.answer.texts import IndexedTexts
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from clause.text.tokens import count_all
from tests.fakes.embedder import HashEmbedder
from tests.unit.evaluation.films import TRIPLES

pytestmark = pytest.mark.integration

TEXT_POLICIES = {text_walk.NAME: TextWalkPolicy, "two-step": text_walk.two_step, "pagerank": text_walk.pagerank}


@pytest.fixture
def container(graph):
    """The parts of a container that the commands use, with an embedder that needs no model."""
    embedder = HashEmbedder()
    port = Neo4jNeighbourhood(graph, dimension=embedder.dimension)
    seeds, runs = SeedFinder(graph, embedder), RunRecorder(graph)
    coordinator = Coordinator(
        Asker(graph, port, seeds, embedder, texts=IndexedTexts(graph)),
        port,
        PolicyBook({**BASELINES, **TEXT_POLICIES}, default="relation-path"),
        count=count_all,
        reporter=Reporter(Provenance(graph), runs),
    )
    return SimpleNamespace(graph=graph, embedder=embedder, seeds=seeds, runs=runs, coordinator=coordinator)


async def test_service_and_snapshot_give_one_answer(container, scope, tmp_path):
    path = tmp_path / "films.txt"
    path.write_text("".join("|".join(triple) + "\n" for triple in TRIPLES), encoding="utf-8")
    await load_triples(container.graph, container.embedder, path, scope)
    question = GoldQuestion("which movies have the same director of Heat", ("Ali",), "Heat")
    answers = []
    _, on_snapshot, _ = await opening.on_snapshot(container, [scope], container.embedder)
    for ask in map(measuring.coordinate, (container.coordinator, on_snapshot)):
        system = ServiceSystem(ask, policy="relation-path", budgets=Budgets(5, 2, 40), scopes=[scope])
        answers.append((await system.answer(question)).answers)
    assert [name for name, _ in answers[0]] == ["Ali"]
    assert answers[0] == answers[1]
    stage = await measuring.snapshot_stage(container, [scope], "text")
    played = PlayedSystem(stage, "relation-path", lambda _question: Budgets(5, 2, 40))
    assert (await played.answer(question)).answers == answers[0]
    assert (await evaluate.find_seeds(container, [scope])(question.text))[0] == "Heat"


async def test_every_way_ranks_the_passages_of_a_corpus_that_is_loaded_once(container, scope, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    texts = {
        "Kes (1969 film)": "Kes is a film about a kestrel and a boy, directed by Ken Loach.",
        "Ken Loach": "Ken Loach was born in Nuneaton and studied law.",
        "Kestrel": "A kestrel is a small falcon that hovers over fields.",
        "Barnsley": "Barnsley is a town where coal was mined.",
    }
    lines = [
        json.dumps({"id": place, "title": title, "text": text}) for place, (title, text) in enumerate(texts.items())
    ]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    await measuring.load_passages(container, corpus, scope)
    await measuring.load_passages(container, corpus, scope)
    asked = [PassageQuestion("Where was the director of Kes born?", ("kes (1969 film)", "ken loach"))]
    names = ("dense", "bm25", "fusion", "pagerank", "two-step", "coordinate")
    ways = {name: measuring.passage_way(container, scope, name, 40) for name in names}
    found = await passages_study(ways, asked, Corpus.read(corpus), tokens=40, command="c")
    assert list(found["modes"]) == list(names)
    for name in ("two-step", "coordinate"):
        assert found["modes"][name]["recall"] == {"2": 1.0, "5": 1.0, "10": 1.0}, name
        assert found["modes"][name]["evidence_recall"] == 1.0, name
    for figures in found["modes"].values():
        assert 0 < figures["tokens_mean"] <= 40
        assert figures["recall"]["2"] <= figures["recall"]["5"] <= figures["recall"]["10"] == 1.0
        assert figures["p50_ms"] > 0
    request = CoordinationRequest(query=asked[0].text, budgets=BudgetAllocation(), scopes=[scope], record=False)
    answers = [await container.coordinator.coordinate(request, Caller(None, None)) for _ in range(2)]
    first, again = answers
    texts_of = [[item.text for item in answer.result.evidence] for answer in answers]
    assert texts_of[0] == texts_of[1] == list(dict.fromkeys(texts_of[0]))
    assert first.receipt == again.receipt
    assert first.result.subgraph == again.result.subgraph
    walked = {(edge.from_node, edge.relation) for edge in first.result.subgraph.edges}
    assert {relation for _, relation in walked} == {"ABOUT", "MENTIONS"}
    assert (first.result.answers, first.result.abstained, first.result.reason) == ((), True, text_walk.NO_STATEMENT)
