"""Value formation on a real graph with the real clusterer: groups become clusters, values can be walked."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.settings import Settings
from clause.values.axes import Axis, UnknownClusterError
from clause.values.ghap import Lesson
from clause.values.models import RunRequest
from clause.values.neo4j_store import Neo4jVectorStore
from clause.values.room import Values
from tests.contract.vector_store_checks import DIMENSION, axis_vector
from tests.fakes.embedder import HashEmbedder
from tests.integration.graphs import wrong_counts
from tests.servers import statement
from tests.shapes_of_values import resolved_entry, save_resolved

pytestmark = pytest.mark.integration

_WALK = statement(
    "MATCH (v:Value {scope: $scope})-[:DERIVED_FROM]->(c:ValueCluster)<-[:IN_CLUSTER]-(e:Experience) "
    "MATCH (c)-[:OF_RUN]->(r:ClusteringRun) "
    "RETURN v.value_id AS value, c.cluster_id AS cluster, r.id AS run, count(e) AS members, v.degree AS degree, "
    "COLLECT { MATCH (v)-[:ABOUT]->(n:Entity) RETURN n.name ORDER BY n.name } AS about, c.degree AS of_cluster",
    mode="read",
    parameters="$scope STRING",
    columns="value, cluster, run, members, degree, about, of_cluster",
)


async def tell_groups(graph: Graph, scope: str, sizes: dict[int, int]) -> dict[str, int]:
    """Experiences around some axes: place by id."""
    rng = np.random.default_rng(7)
    told = {}
    for place, size in sizes.items():
        group = []
        for _ in range(size):
            vector = axis_vector(place) + rng.normal(scale=0.02, size=DIMENSION)
            vector = (vector / np.linalg.norm(vector)).astype(np.float32)
            lesson = Lesson(what_worked=f"{place} reading the row")
            entry = resolved_entry(scope, action=f"{place} log the row", lesson=lesson)
            told[entry.id] = place
            group.append((entry, dict.fromkeys(Axis, vector)))
        await save_resolved(graph, group)
    return told


class PlacedEmbedder(HashEmbedder):
    """Texts that begin with a number lie along that place."""

    def _vector(self, text: str) -> np.ndarray:
        head = text.split(maxsplit=1)[0]
        return axis_vector(int(head)) if head.isdigit() else super()._vector(text)


async def test_groups_become_clusters_as_the_service_is_set(ground: Ground, graph: Graph, scope: str) -> None:
    told = await tell_groups(graph, scope, {0: 14, 50: 10, 100: 8})
    usual = replace(ground, settings=Settings(default_scope=scope))
    values = Values.open(usual)
    try:
        run = await values.clusterer.run(RunRequest(axis="full"))
    finally:
        values.close()
    clusters = await values.store.get_clusters("full")
    assert (run.experiences, run.reduction) == (32, "pca 5")
    assert [{told[member] for member in cluster.member_ids} for cluster in clusters] == [{0}, {50}, {100}]
    listed = [kept.model_copy(update={"seconds": 0}) for kept in await values.clusterer.runs(scopes=[scope])]
    assert listed == [run.model_copy(update={"seconds": 0})]


async def test_values_can_be_walked(ground: Ground, values: Values, graph: Graph, scope: str) -> None:
    await tell_groups(graph, scope, {0: 14, 50: 10})
    run = await values.clusterer.run(RunRequest(axis="strategy"))
    (first, *_) = await values.store.get_clusters("strategy")
    embedder = PlacedEmbedder()
    store = type(values.store)(embedder, Neo4jVectorStore(graph, embedder), values.clusterer, ground)
    stored = await asyncio.gather(
        *(store.store_value(f"0 is what Acme and Globex want {i}", "strategy_0" if first.label == 0 else "strategy_1",
                            "strategy") for i in range(8))
    )  # fmt: skip
    assert len({value.id for value in stored}) == 8
    assert {frozenset(entity.name for entity in value.entities) for value in stored} == {frozenset(("Acme", "Globex"))}
    rows = await graph.execute(_WALK, {"scope": scope})
    assert {(row["cluster"], row["run"], row["members"], row["of_cluster"]) for row in rows} == {
        (first.cluster_id, run.id, 14, 8)
    }
    assert {(tuple(row["about"]), row["degree"]) for row in rows} == {(("Acme", "Globex"), 3)}
    assert [row for row in await wrong_counts(graph, scope) if "degree" in row] == []
    with pytest.raises(UnknownClusterError):
        await store.validate_value_candidate("0", f"strategy_7@{run.id}")


async def test_clustering_runs_as_a_job(ground: Ground, values: Values, graph: Graph, scope: str) -> None:
    await tell_groups(graph, scope, {0: 12, 50: 12})
    job = await ground.jobs.submit("cluster_values", {"axis": "surprise"}, scope, resource=f"cluster_values:{scope}")
    async with ground.jobs.lease(job.id) as lease:
        await values.job_kinds()["cluster_values"](lease)
    done = await ground.jobs.get(job.id, scopes=[scope])
    assert (done.done, done.total) == (24, 24)
    assert len(await values.store.get_clusters("surprise")) == 2


async def test_the_loop_keeps_its_pace_while_experiences_cluster(values: Values, graph: Graph, scope: str) -> None:
    """The loop turns on while the child works: were it held, it would turn a handful of times in these seconds."""
    await tell_groups(graph, scope, dict.fromkeys(range(0, 300, 50), 40))
    turns = 0
    working = asyncio.create_task(values.clusterer.run(RunRequest(axis="full")))
    while not working.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert (await working).clusters == 6
    assert turns > 100
