"""What the commands join: the coordinator over Neo4j and over a snapshot, seeds, and passage retrieval."""

import json
from types import SimpleNamespace

import pytest

from clause.cli import console as opening
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import PlayedSystem, ServiceSystem
from clause.ingest.triples import load_triples
from clause.lab.baselines import BASELINES
from clause.lab.commands import measuring
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.question.preparation import Asker, PolicyBook
from clause.reasoning.question.seeds import SeedFinder
from clause.text.tokens import count_all
from tests.fakes.embedder import HashEmbedder
from tests.unit.evaluation.films import TRIPLES

pytestmark = pytest.mark.integration


@pytest.fixture
def container(graph):
    """The parts of a container that the commands use, with an embedder that needs no model."""
    embedder = HashEmbedder()
    port = Neo4jNeighbourhood(graph, dimension=embedder.dimension)
    seeds, runs = SeedFinder(graph, embedder), RunRecorder(graph)
    coordinator = Coordinator(
        Asker(graph, port, seeds, embedder),
        port,
        PolicyBook(BASELINES, default="relation-path"),
        texts=None,
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
    for ask in (opening.coordinate(container), await opening.snapshot_coordinate(container, [scope])):
        system = ServiceSystem(ask, policy="relation-path", budgets=Budgets(5, 2, 40), scopes=[scope])
        answers.append((await system.answer(question)).answers)
    assert [name for name, _ in answers[0]] == ["Ali"]
    assert answers[0] == answers[1]
    stage = await measuring.snapshot_stage(container, [scope], "text")
    played = PlayedSystem(stage, "relation-path", lambda _question: Budgets(5, 2, 40))
    assert (await played.answer(question)).answers == answers[0]
    assert (await measuring.find_seeds(container, [scope])(question.text))[0] == "Heat"


async def test_passages_are_loaded_once_and_found_by_words_and_by_meaning(container, scope, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    texts = {"Heat": "Heat is a film by Michael Mann.", "Kes": "Kes is a film about a kestrel and a boy."}
    lines = [
        json.dumps({"id": place, "title": title, "text": text}) for place, (title, text) in enumerate(texts.items())
    ]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    await measuring.load_passages(container, corpus, scope)
    await measuring.load_passages(container, corpus, scope)
    retrievers = measuring.passage_retrievers(container, scope)
    assert list(retrievers) == ["dense", "bm25", "fusion"]
    for retrieve in retrievers.values():
        found = await retrieve("a kestrel and a boy")
        assert found[0] == "Kes"
        assert len(found) == len(set(found))
