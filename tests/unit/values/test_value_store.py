"""The value store as seed 000 asks for it, over an in-memory store and an embedder with given vectors."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import SecretStr

from clause.arrays import Floats
from clause.errors import ConflictError, ForbiddenError, NotFoundError, SetupError
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.graph.wire import Address
from clause.values.axes import EmptyClusterError, InvalidAxisError, UnknownClusterError, ValueRejectedError
from clause.values.clustering import cosine_distances, judge
from clause.values.neo4j_store import Neo4jVectorStore
from tests.contract.vector_store_checks import DIMENSION, axis_vector
from tests.unit.values.conftest import ANN, SCOPE, World

EVE = Caller(readable=("user:eve",), writable=("user:eve",))


def at_distance(distance: float, place: int = 5) -> Floats:
    """A unit vector at this cosine distance from the first axis."""
    cosine = 1.0 - distance
    vector = np.zeros(DIMENSION)
    vector[0], vector[place] = cosine, np.sqrt(1.0 - cosine**2)
    return vector.astype(np.float32)


SPREAD = [at_distance(0.1), at_distance(0.2, 6), at_distance(0.3, 7)]
CENTRE = axis_vector(0)
MEAN, STD = 0.2, float(np.std([0.1, 0.2, 0.3]))
THRESHOLD = MEAN + 0.5 * STD


async def test_valid_value_candidate(world: World) -> None:
    """Distance <= mean + 0.5*std."""
    cluster = await world.cluster(SPREAD, CENTRE)
    world.embedder.given["inside"] = at_distance(THRESHOLD - 0.001)
    result = await world.store.validate_value_candidate("inside", cluster.cluster_id)
    assert (result.valid, result.reason) == (True, None)
    assert result.candidate_distance == pytest.approx(THRESHOLD - 0.001, abs=1e-6)
    assert result.similarity == pytest.approx(1.0 - THRESHOLD + 0.001, abs=1e-6)
    assert result.mean_distance == pytest.approx(MEAN, abs=1e-6)
    assert result.std_distance == pytest.approx(STD, abs=1e-6)
    assert result.threshold == pytest.approx(THRESHOLD, abs=1e-6)


async def test_invalid_value_candidate(world: World) -> None:
    """Distance > mean + 0.5*std, with an explanation that names the threshold."""
    cluster = await world.cluster(SPREAD, CENTRE)
    world.embedder.given["outside"] = at_distance(THRESHOLD + 0.001)
    result = await world.store.validate_value_candidate("outside", cluster.cluster_id)
    assert (result.valid, result.similarity) == (False, None)
    assert result.candidate_distance == pytest.approx(THRESHOLD + 0.001, abs=1e-6)
    assert result.reason == (
        "Value too far from centroid (distance=0.242, threshold=0.241 [mean=0.200 + 0.5*std=0.082])"
    )


async def test_a_candidate_exactly_at_the_threshold_passes(world: World) -> None:
    members = [at_distance(0.25), at_distance(0.25, 6)]
    cluster = await world.cluster(members, CENTRE)
    world.embedder.given["as far as they"] = at_distance(0.25, 9)
    assert (await world.store.validate_value_candidate("as far as they", cluster.cluster_id)).valid


async def test_multiple_values_per_cluster(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    for text in ("one", "two", "three"):
        world.embedder.given[text] = at_distance(0.05)
        stored = await world.store.store_value(text, cluster.cluster_id, "full")
        assert (stored.cluster_id, stored.cluster_size) == (cluster.cluster_id, 3)
    found = await world.store.list_values()
    assert [value.text for value in found] == ["three", "two", "one"]
    assert len({value.id for value in found}) == 3


async def test_filtering_by_axis(world: World) -> None:
    for axis in ("full", "strategy", "surprise", "root_cause"):
        cluster = await world.cluster(SPREAD, CENTRE, axis=axis)
        world.embedder.given[axis] = at_distance(0.0)
        await world.store.store_value(axis, cluster.cluster_id, axis)
    for axis in ("full", "strategy", "surprise", "root_cause"):
        assert [value.text for value in await world.store.list_values(axis)] == [axis]
    assert [value.text for value in await world.store.list_values()] == ["root_cause", "surprise", "strategy", "full"]


async def test_empty_clusters(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    for member in cluster.member_ids:
        world.memory.remove(member)
    with pytest.raises(ValueError, match="no members") as raised:
        await world.store.validate_value_candidate("anything", cluster.cluster_id)
    assert isinstance(raised.value, EmptyClusterError)
    with pytest.raises(ValueError, match="no members"):
        await world.store.store_value("anything", cluster.cluster_id, "full")


async def test_single_member_clusters(world: World) -> None:
    """Only candidates at the member's own distance, which is none, pass."""
    cluster = await world.cluster([at_distance(0.1)])
    world.embedder.given |= {"the same": at_distance(0.1), "nearly": at_distance(0.1001)}
    same = await world.store.validate_value_candidate("the same", cluster.cluster_id)
    assert (same.valid, same.std_distance) == (True, 0.0)
    assert not (await world.store.validate_value_candidate("nearly", cluster.cluster_id)).valid


async def test_very_tight_clusters(world: World) -> None:
    """Standard deviation 0: only candidates at the members' own distance pass."""
    cluster = await world.cluster([at_distance(0.1), at_distance(0.1, 6)], CENTRE)
    world.embedder.given |= {"as near": at_distance(0.1, 9), "a little further": at_distance(0.1001)}
    near = await world.store.validate_value_candidate("as near", cluster.cluster_id)
    assert near.valid
    assert near.std_distance == pytest.approx(0.0, abs=1e-9)
    assert not (await world.store.validate_value_candidate("a little further", cluster.cluster_id)).valid


async def test_a_value_is_stored_with_everything_that_is_asked_of_it(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    world.embedder.given["Look first."] = at_distance(0.1)
    value = await world.store.store_value("  Look first. ", cluster.cluster_id, "full")
    assert value.id.startswith("value_full_0_")
    assert value.text == "Look first."
    assert (value.axis, value.scope) == ("full", SCOPE)
    np.testing.assert_array_equal(value.embedding, at_distance(0.1))
    validation = value.metadata["validation"]
    assert validation["candidate_distance"] == pytest.approx(0.1, abs=1e-6)
    assert validation["mean_distance"] == pytest.approx(0.2, abs=1e-6)
    assert validation["similarity"] == pytest.approx(0.9, abs=1e-6)
    assert value.metadata["cluster_label"] == 0
    assert await world.store.get(value.id) == value
    assert "embedding" not in value.model_dump()


async def test_storing_validates_again_and_raises(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    world.embedder.given["outside"] = at_distance(0.9)
    with pytest.raises(ValueError, match="too far from centroid") as raised:
        await world.store.store_value("outside", cluster.cluster_id, "full")
    assert isinstance(raised.value, ValueRejectedError)
    assert raised.value.details["validation"]["threshold"] == pytest.approx(THRESHOLD, abs=1e-6)
    assert await world.store.list_values() == []


async def test_an_axis_that_is_not_the_clusters_is_an_error(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    for axis in ("strategy", "domain", ""):
        with pytest.raises(ValueError, match="axis") as raised:
            await world.store.store_value("anything", cluster.cluster_id, axis)
        assert isinstance(raised.value, InvalidAxisError)


@pytest.mark.parametrize(
    "cluster_id", ["full_0", "full_0@01JD7W9ZB6V3Q7T5N9S4E2M8XK", "domain_0", "full", "full_-1", ""]
)
async def test_invalid_cluster_ids_are_value_errors(world: World, cluster_id: str) -> None:
    for call in (
        world.store.get_cluster_members(cluster_id),
        world.store.validate_value_candidate("anything", cluster_id),
        world.store.store_value("anything", cluster_id, "full"),
    ):
        with pytest.raises(ValueError, match="cluster") as raised:
            await call
        assert isinstance(raised.value, UnknownClusterError)


async def test_an_invalid_axis_is_a_value_error(world: World) -> None:
    with pytest.raises(ValueError, match="no axis"):
        await world.store.get_clusters("domain")
    with pytest.raises(ValueError, match="no axis"):
        await world.store.list_values("everything")


async def test_members_have_embeddings_and_payloads(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    members = await world.store.get_cluster_members(cluster.cluster_id)
    assert tuple(member.id for member in members) == cluster.member_ids
    np.testing.assert_array_equal(members[1].embedding, SPREAD[1])
    assert (members[0].payload["goal"], members[0].weight) == ("make the import pass", 0.8)


async def test_a_foreign_cluster_is_as_unknown_as_none(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    world.embedder.given["x"] = CENTRE
    value = await world.store.store_value("x", cluster.cluster_id, "full", caller=ANN)
    with pytest.raises(UnknownClusterError):
        await world.store.validate_value_candidate("x", cluster.cluster_id, caller=EVE)
    with pytest.raises(NotFoundError):
        await world.store.get(value.id, caller=EVE)
    with pytest.raises(NotFoundError):
        await world.store.get("value_full_0_20260501T120000000000Z", caller=ANN)
    reader = Caller(readable=("user:ann",), writable=())
    with pytest.raises(ForbiddenError):
        await world.store.store_value("x", cluster.cluster_id, "full", caller=reader)


def test_distances_are_computed_in_double_precision() -> None:
    rng = np.random.default_rng(0)
    vectors, centroid = rng.normal(size=(50, DIMENSION)), rng.normal(size=DIMENSION)
    slow = [1 - float(v @ centroid) / float(np.linalg.norm(v) * np.linalg.norm(centroid)) for v in vectors]
    np.testing.assert_allclose(cosine_distances(vectors, centroid), slow, rtol=0, atol=1e-14)


def test_the_threshold_uses_the_population_deviation_and_a_tolerance() -> None:
    members = np.array([[1.0, 0.0], [0.0, 1.0]])
    result = judge([1.0, 0.0], members, [1.0, 0.0])
    assert (result.mean_distance, result.std_distance, result.threshold) == (0.5, 0.5, 0.75)
    edge = np.array([np.cos(np.arccos(0.25)), np.sin(np.arccos(0.25))])
    assert judge(edge, members, [1.0, 0.0]).valid
    assert not judge([0.2499, np.sqrt(1 - 0.2499**2)], members, [1.0, 0.0]).valid


async def test_what_is_away_is_a_runtime_error(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)

    async def away(*_texts: object) -> None:
        raise SetupError("the embedding model cannot be loaded")

    world.embedder.embed_query = away  # type: ignore[assignment, method-assign]
    with pytest.raises(RuntimeError, match="cannot be loaded"):
        await world.store.validate_value_candidate("anything", cluster.cluster_id)
    async with Graph(Address("bolt://127.0.0.1:1", "neo4j", SecretStr("x")), Catalogue.load()) as closed:
        await closed.close()
        with pytest.raises(RuntimeError, match="not open"):
            await Neo4jVectorStore(closed, world.embedder).values([SCOPE])


async def test_a_cluster_of_another_model_asks_for_a_new_run(world: World) -> None:
    cluster = await world.cluster(SPREAD, CENTRE)
    world.memory.kept_clusters[cluster.cluster_id] = cluster.model_copy(update={"embedding_model": "another"})
    with pytest.raises(ConflictError, match="run clustering again"):
        await world.store.validate_value_candidate("anything", cluster.cluster_id)
