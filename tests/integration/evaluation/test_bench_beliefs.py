"""The rows of beliefs on a real Neo4j, small."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.knowledge.room import Knowledge
from clause.lab.bench.beliefs import SCOPE, beliefs_bench, sentences
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]


@pytest.fixture
def ground(graph: Graph, tmp_path: Path) -> Iterator[Ground]:
    pool = CpuPool(1)
    yield Ground(graph, HashEmbedder(), Jobs(graph), pool, Settings(home=tmp_path), Metrics())
    pool.close()


async def test_beliefs_are_stated_and_asked_beside_a_baseline_and_leave_nothing_behind(ground: Ground) -> None:
    rooms = SimpleNamespace(ground=ground, knowledge=Knowledge.open(ground))
    services = SimpleNamespace(graph=ground.graph, rooms=rooms)
    found = await beliefs_bench(services, 40, 5, "c")
    assert found["beliefs"] == 40
    for part in ("create", "query"):
        assert (found[part]["n"], found[part]["errors"]) == (5, 0)
        assert found[part]["p50_ms"] > 0
        assert found[part]["beyond_embedding_ms"] == pytest.approx(found[part]["p50_ms"] - found["embedding_ms"])
    assert await ground.graph.run("knowledge/count_beliefs", scopes=[SCOPE]) == []


def test_sentences_are_different_and_the_same_in_every_run() -> None:
    assert len(set(sentences(200, seed=1))) == 200
    assert list(sentences(20, seed=1)) == list(sentences(20, seed=1))
