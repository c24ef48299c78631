"""The origin's edge cases of validation on a real graph: one member, members that say the same, none, several."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.values.axes import Axis, EmptyClusterError, axis_texts
from clause.values.clusterer import Clusterer
from clause.values.clustering import Worker
from clause.values.models import ClusterInfo
from clause.values.neo4j_store import Neo4jVectorStore
from clause.values.value_store import ValueStore
from tests.contract.vector_store_checks import axis_vector, cluster_of, run_of
from tests.fakes.embedder import HashEmbedder
from tests.servers import statement
from tests.shapes_of_values import resolved_entry, save_resolved

pytestmark = pytest.mark.integration

SAID = "read rows first"
_REMOVE = statement(
    "MATCH (n:Experience {scope: $scope}) DETACH DELETE n RETURN count(*) AS gone",
    mode="write",
    parameters="$scope STRING",
    columns="gone",
)


@pytest.fixture
def store(ground: Ground, graph: Graph) -> ValueStore:
    embedder = HashEmbedder()
    vectors = Neo4jVectorStore(graph, embedder)
    return ValueStore(embedder, vectors, Clusterer(replace(ground, embedder=embedder), vectors, Worker()))


async def told(graph: Graph, scope: str, members: int) -> ClusterInfo:
    """A cluster of so many experiences that all say one thing."""
    said = dict.fromkeys(("goal", "hypothesis", "action", "prediction"), SAID)
    entries = [resolved_entry(scope, outcome="abandoned", **said, lesson=None) for _ in range(members)]
    entries = [
        entry.model_copy(update={"outcome": entry.outcome and entry.outcome.model_copy(update={"result": SAID})})
        for entry in entries
    ]
    await save_resolved(graph, [(entry, dict.fromkeys(Axis, axis_vector(0))) for entry in entries])
    run = run_of(scope)
    centroid = np.mean(await HashEmbedder().embed([axis_texts(entry)[Axis.FULL] for entry in entries]), axis=0)
    cluster = cluster_of(run, 0, tuple(sorted(entry.id for entry in entries)), centroid)
    await Neo4jVectorStore(graph, HashEmbedder()).save_run(run, [cluster], [0.8] * members)
    return cluster


@pytest.mark.parametrize("members", [1, 4], ids=["one member", "all say the same"])
async def test_without_a_spread_only_what_is_as_near_as_the_members_passes(
    store: ValueStore, graph: Graph, scope: str, members: int
) -> None:
    cluster = await told(graph, scope, members)
    same = await store.validate_value_candidate(SAID, cluster.cluster_id)
    assert same.valid, same.reason
    assert same.std_distance == pytest.approx(0.0, abs=1e-6)
    other = await store.validate_value_candidate("read columns later", cluster.cluster_id)
    assert not other.valid
    assert other.threshold == pytest.approx(same.threshold)


async def test_several_values_of_one_cluster_all_stay(store: ValueStore, graph: Graph, scope: str) -> None:
    cluster = await told(graph, scope, 3)
    made = [await store.store_value(SAID, cluster.cluster_id, "full") for _ in range(3)]
    assert len({value.id for value in made}) == 3
    listed = await store.list_values("full", scopes=[scope])
    assert [value.id for value in listed] == [value.id for value in reversed(made)]
    assert await store.list_values("strategy", scopes=[scope]) == []
    members = await store.get_cluster_members(cluster.cluster_id)
    assert {member.payload["goal"] for member in members} == {SAID}
    assert all(member.embedding.shape == axis_vector(0).shape for member in members)


async def test_a_cluster_whose_members_are_gone_is_a_value_error(store: ValueStore, graph: Graph, scope: str) -> None:
    cluster = await told(graph, scope, 2)
    await graph.execute(_REMOVE, {"scope": scope})
    for call in (
        store.validate_value_candidate(SAID, cluster.cluster_id),
        store.store_value(SAID, cluster.cluster_id, "full"),
    ):
        with pytest.raises(ValueError, match="no members") as raised:
            await call
        assert isinstance(raised.value, EmptyClusterError)
