"""The rows of `clause bench` on a service of fakes."""

from collections import Counter
from types import SimpleNamespace

import pytest

from clause.lab.bench.http import start_bench
from clause.lab.bench.loading import ERASED_AT_ONCE, erase, growth_bench, load_bench, triples, write_triples
from clause.lab.bench.reasoning import (
    coordinate_bench,
    curate_bench,
    navigate_bench,
    round_trip_ms,
    subgraph_bench,
)
from clause.policy.train.lessons import TypedWalks
from tests.fakes.embedder import HashEmbedder
from tests.unit.evaluation.films import TRIPLES, snapshot
from tests.unit.evaluation.test_service import response

GRAPH = TypedWalks(snapshot())
PERFORMANCE = {"embed_ms": 3.0, "database_ms": 2.0, "architect_ms": 1.0, "navigator_ms": 1.0, "curator_ms": 1.0}


class Services:
    """Counts what is asked of each part; a scope holds what was loaded until it is erased."""

    def __init__(self):
        self.calls = Counter()
        self.asked = []
        self.held = 7
        self.graph = SimpleNamespace(run=self.run)
        self.embedder = HashEmbedder()
        self.coordinator = SimpleNamespace(coordinate=self.coordinate)
        self.agents = SimpleNamespace(subgraph=self.one, navigate=self.one, curate=self.one)

    async def run(self, name, **parameters):
        self.calls[name] += 1
        if name == "evaluation/erase_some":
            erased, self.held = min(self.held, parameters["limit"]), max(0, self.held - parameters["limit"])
            return [{"erased": erased}]
        if name == "graph/building":
            return []
        return [{"one": 1}]

    async def coordinate(self, request, caller):
        self.asked.append(request)
        return response().model_copy(update={"performance": PERFORMANCE})

    async def one(self, request, caller):
        self.asked.append(request)


@pytest.fixture
def services():
    return Services()


async def test_coordinate_asks_new_questions_with_the_apis_own_defaults(services):
    found = await coordinate_bench(services, GRAPH, policy="khop", clients=2, calls=5, command="c")
    assert len({request.query for request in services.asked}) == len(services.asked) == 6
    assert {(request.policy, request.record, request.enable_provenance) for request in services.asked} == {
        ("khop", True, True)
    }
    assert found["breakdown"] == {"embed_ms": 3.0, "database_ms": 2.0, "agents_ms": 3.0, "round_trips": 0.0}
    assert found["least"]["ratio"] >= 0
    assert found["errors"] == 0
    assert services.calls["evaluation/round_trip"] == 220


@pytest.mark.parametrize(
    ("bench", "check"),
    [
        (subgraph_bench, lambda request: request.edge_budget == 50),
        (navigate_bench, lambda request: request.step_budget == 10 and request.start_node in GRAPH),
        (curate_bench, lambda request: len(request.evidence_pool) == 20 and request.query not in request.evidence_pool),
    ],
)
async def test_each_agent_alone_has_its_row(services, bench, check, monkeypatch):
    monkeypatch.setattr(
        "clause.lab.bench.reasoning.bench_questions", lambda _graph, count: [f"question {i}" for i in range(count)]
    )
    found = await bench(services, GRAPH, 10, "c")
    assert services.asked
    assert all(map(check, services.asked))
    assert found["n"] >= 9
    assert found["baseline"]["ms"] >= 0


async def test_the_start_is_timed_once(services):
    started = []
    found = await start_bench(lambda: started.append(1), services, "c")
    assert started == [1]
    assert found["n"] == 1


async def test_a_round_trip_is_measured_warm(services):
    assert await round_trip_ms(services.graph, calls=3) >= 0
    assert services.calls["evaluation/round_trip"] == 13


async def test_loading_writes_a_file_loads_it_and_erases_the_scope_before_and_after(services, tmp_path, monkeypatch):
    seen = []

    async def load(graph, embedder, path, scope):
        seen.append((embedder, scope, path.read_text().splitlines()))
        return SimpleNamespace(created=len(seen[-1][2]))

    monkeypatch.setattr("clause.lab.bench.loading.load_triples", load)
    found = await load_bench(services, GRAPH, tmp_path, 3, "c")
    assert found["n"] == 3
    assert found["triples_per_s"] > 0
    assert seen == [(None, "kg:bench-load", ["|".join(triple) for triple in sorted(TRIPLES)[:3]])]
    assert found["bare_batched_writes_per_s"] > 0
    assert services.calls["evaluation/bare_triples"] == 2
    assert services.calls["evaluation/erase_some"] == 7
    assert services.held == 0


async def test_growth_asks_the_same_questions_before_and_after_copies_are_added(services, tmp_path, monkeypatch):
    copies = []

    async def load(graph, embedder, path, scope):
        copies.append(path.read_text())

    monkeypatch.setattr("clause.lab.bench.loading.load_triples", load)
    found = await growth_bench(services, GRAPH, tmp_path, policy="heuristic", times=[2, 3], calls=10, command="c")
    queries = [request.query for request in services.asked]
    third = len(queries) // 3
    assert queries[:third] == queries[third : 2 * third] == queries[2 * third :]
    assert [row["times"] for row in found["rows"]] == [1, 2, 3]
    assert all(row["rss_mb"] > 0 for row in found["rows"])
    assert [text.splitlines()[0].count(" #") for text in copies] == [0, 2, 2]
    assert found["name"] == "coordinate at 3x the graph"
    assert found["baseline"]["name"] == "the graph once"


async def test_erasing_goes_on_until_nothing_is_left(services):
    services.held = 3 * ERASED_AT_ONCE
    await erase(services.graph, "kg:bench-x")
    assert services.held == 0
    assert services.calls["evaluation/erase_some"] == 4


def test_a_triple_file_may_rename_every_node(tmp_path):
    path = write_triples(tmp_path / "t.txt", [("a", "r", "b")], copy=2)
    assert path.read_text() == "a #2|r|b #2\n"


def test_a_connected_copy_leads_to_the_one_before(tmp_path):
    path = write_triples(tmp_path / "t.txt", [("a", "r", "b"), ("b", "r", "c")], copy=2, connected=True)
    assert path.read_text() == "a #2|r|b #1\nb #2|r|c #2\n"
    first = write_triples(tmp_path / "f.txt", [("a", "r", "b")], copy=0, connected=True)
    assert first.read_text() == "a|r|b\n"
    assert triples(snapshot()) == sorted(TRIPLES)
