"""The loading row on a real Neo4j."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from clause.lab.bench.loading import bench_scope, load_bench
from clause.lab.bench.reasoning import round_trip_ms
from clause.policy.train.lessons import TypedWalks
from tests.unit.evaluation.films import snapshot

pytestmark = pytest.mark.integration


async def test_loading_is_measured_and_leaves_nothing_behind(graph, tmp_path):
    found = await load_bench(SimpleNamespace(graph=graph), TypedWalks(snapshot()), tmp_path, 10, "c")
    assert found["n"] == 10
    assert found["triples_per_s"] > 0
    async with bench_scope(graph, "kg:bench-load") as scope:
        size = await graph.one("ingest/graph_size", scope=scope)
        assert size["triples"] == 0


async def test_only_the_scopes_of_benches_are_ever_erased(graph, scope):
    await graph.run("graph/register_scope", scope=scope, recorded_at=datetime.now(UTC))
    (found,) = await graph.run("evaluation/erase_some", scope=scope, limit=100)
    assert found["erased"] == 0
    assert await round_trip_ms(graph, calls=2) > 0
