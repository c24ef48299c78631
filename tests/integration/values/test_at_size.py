"""What serves all rooms: vectors of another model, and the bench of clustering."""

from __future__ import annotations

import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.ingest.embedding import embed_scope
from clause.insights.models import StoreInsight, Valences
from clause.insights.room import Insights
from clause.lab.bench.memory import clustering_bench
from clause.values.axes import Axis
from clause.values.room import Values
from tests.contract.vector_store_checks import axis_vector
from tests.fakes.embedder import HashEmbedder
from tests.servers import statement
from tests.shapes_of_values import resolved_entry, save_resolved

pytestmark = pytest.mark.integration

_MODELS = statement(
    "MATCH (n:Experience|Insight {scope: $scope}) RETURN n.id AS id, n.embedding_model AS model, "
    "size(n.embedding) AS full, size(n.strategy_embedding) AS strategy, size(n.surprise_embedding) AS surprise, "
    "size(n.root_cause_embedding) AS cause ORDER BY id",
    mode="read",
    parameters="$scope STRING",
    columns="id, model, full, strategy, surprise, cause",
)

_LEFT = statement(
    "MATCH (n:Experience|ValueCluster|ClusteringRun) WHERE n.scope STARTS WITH 'kg:bench-' RETURN count(n) AS left",
    mode="read",
    columns="left",
)


async def test_experiences_and_insights_get_the_vectors_of_another_model(
    ground: Ground, graph: Graph, scope: str
) -> None:
    falsified, confirmed = resolved_entry(scope), resolved_entry(scope, outcome="confirmed")
    vectors = dict.fromkeys(Axis, axis_vector(0))
    await save_resolved(graph, [(falsified, vectors), (confirmed, vectors)], model="before")
    insights = Insights.open(ground)
    request = StoreInsight(
        topic_key="user:ann", category="user_reflection", content="Ann asks why", salience_spent=1.0,
        valences=Valences(joy=1.0),
    )  # fmt: skip
    insight = (await insights.insights.store(request)).insight
    report = await embed_scope(graph, HashEmbedder(model="other"), scope)
    assert report.embedded >= 3
    found = {row["id"]: row for row in await graph.execute(_MODELS, {"scope": scope})}
    assert {row["model"] for row in found.values()} == {"other"}
    told = {
        name: [found[name][axis] for axis in ("full", "strategy", "surprise", "cause")]
        for name in (falsified.id, confirmed.id, insight.id)
    }
    assert told == {
        falsified.id: [384, 384, 384, 384],
        confirmed.id: [384, 384, None, None],
        insight.id: [384, None, None, None],
    }


async def test_the_bench_measures_the_arithmetic_and_a_whole_run(values: Values, graph: Graph) -> None:
    told = await clustering_bench(values, [200], stored=300, command="bench")
    assert [(row["name"], row["n"]) for row in told["rows"]] == [
        ("first run of the child", 100),
        ("labels", 200),
        ("run over stored experiences", 300),
    ]
    assert told["reduction"] == "pca 10"
    assert all(row["loop_lag"].keys() == {"p50_ms", "p99_ms", "max_ms"} for row in told["rows"][1:])
    assert not [row for row in await graph.run("graph/scopes") if row["id"].startswith("kg:bench-clustering")]
    assert await graph.execute(_LEFT, {}) == [{"left": 0}]
