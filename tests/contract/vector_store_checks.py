"""What a vector store of values must hold: one list of checks, for the fake in memory and for a real Neo4j.

A subclass gives the fixtures `store` (a VectorStore), `scope` (of its own, empty) and `tell` (adds a resolved
experience with a given vector on each axis and returns its id).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from ulid import ULID

from clause.arrays import Floats
from clause.text.linking import Linking
from clause.values.axes import Axis, number_of
from clause.values.models import ClusterInfo, ClusteringRun, ValidationResult
from clause.values.vector_store import ValueDraft, VectorStore

Tell = Callable[..., Awaitable[str]]
NOON = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
DIMENSION = 384


def axis_vector(place: int, lean: float = 0.0) -> Floats:
    """A unit vector along one place, leaning towards the next by `lean` (a tangent)."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[place], vector[place + 1] = 1.0, lean
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def run_of(scope: str, clusters: int = 1, **more: Any) -> ClusteringRun:
    told = {"axis": "full", "experiences": 3, "noise": 0, "reduction": "none", "seconds": 0.0, "created_at": NOON}
    return ClusteringRun(id=str(ULID()), scope=scope, clusters=clusters, **(told | more))


def cluster_of(run: ClusteringRun, label: int, members: tuple[str, ...], centroid: Floats) -> ClusterInfo:
    return ClusterInfo(
        cluster_id=f"{run.axis}_{label}@{run.id}",
        axis=run.axis,
        label=label,
        centroid=centroid,
        member_ids=members,
        size=len(members),
        avg_weight=0.8,
        run_id=run.id,
        scope=run.scope,
    )


def draft_of(cluster: ClusterInfo, text: str = "Look first.", at: datetime = NOON) -> ValueDraft:
    judged = ValidationResult(
        valid=True, similarity=0.9, candidate_distance=0.1, mean_distance=0.2, std_distance=0.1, threshold=0.25
    )
    return ValueDraft(str(ULID()), text, cluster.centroid, cluster, judged, Linking(((),), ()), at)


class VectorStoreChecks:
    """The checks."""

    async def test_vectors_come_in_the_order_of_ids_with_their_weights(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        first = await tell(axis_vector(0), tier="gold")
        second = await tell(axis_vector(2), tier="abandoned", domain="testing")
        found = await store.vectors(Axis.FULL, scope)
        assert found.ids == (first, second)
        assert found.weights.tolist() == [1.0, 0.2]
        np.testing.assert_array_equal(found.vectors, np.stack([axis_vector(0), axis_vector(2)]))
        assert (await store.vectors(Axis.FULL, scope, "testing")).ids == (second,)
        nothing = await store.vectors(Axis.FULL, "kg:nobody")
        assert (nothing.ids, nothing.vectors.shape) == ((), (0, DIMENSION))

    async def test_the_last_two_axes_are_there_only_where_falsified(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        await tell(axis_vector(0), outcome="confirmed")
        falsified = await tell(axis_vector(2), outcome="falsified")
        for axis in (Axis.SURPRISE, Axis.ROOT_CAUSE):
            assert (await store.vectors(axis, scope)).ids == (falsified,)
        assert len((await store.vectors(Axis.STRATEGY, scope)).ids) == 2

    async def test_a_run_is_kept_with_its_clusters_largest_first(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        ids = [await tell(axis_vector(place), tier="gold") for place in (0, 2, 4)]
        run = run_of(scope, 2)
        small, large = cluster_of(run, 0, (ids[0],), axis_vector(0)), cluster_of(run, 1, tuple(ids[1:]), axis_vector(2))
        await store.save_run(run, [small, large], [1.0, 1.0, 1.0])
        found = await store.clusters(run.id, [scope])
        assert [cluster.cluster_id for cluster in found] == [large.cluster_id, small.cluster_id]
        assert found[0].member_ids == tuple(sorted(ids[1:]))
        np.testing.assert_array_equal(found[0].centroid, large.centroid)
        assert await store.clusters(run.id, ["kg:nobody"]) == []
        assert (await store.runs([scope], Axis.FULL)) == [run]
        members = await store.members(found[0])
        assert [(member.id, member.weight) for member in members] == [(id, 1.0) for id in sorted(ids[1:])]
        np.testing.assert_array_equal(members[0].embedding, axis_vector(2))
        assert members[0].payload["goal"]

    async def test_members_come_in_pages(self, store: VectorStore, scope: str, tell: Tell) -> None:
        ids = [await tell(axis_vector(place)) for place in range(5)]
        run = run_of(scope)
        cluster = cluster_of(run, 0, tuple(ids), axis_vector(0))
        await store.save_run(run, [cluster], [0.8] * 5)
        first = await store.members(cluster, limit=2)
        rest = await store.members(cluster, after=first[-1].id)
        assert [member.id for member in (*first, *rest)] == ids

    async def test_the_newest_run_comes_first(self, store: VectorStore, scope: str) -> None:
        runs = [run_of(scope, 0) for _ in range(3)]
        for run in runs:
            await store.save_run(run, [], [])
        newest = sorted((run.id for run in runs), reverse=True)
        assert [run.id for run in await store.runs([scope], limit=9)] == newest
        assert [run.id for run in await store.runs([scope], before=newest[0], limit=1)] == [newest[1]]
        assert await store.runs([scope], Axis.STRATEGY) == []
        assert [run.id for run in await store.runs([scope], run_id=newest[2], limit=9)] == [newest[2]]
        assert await store.runs(["user:nobody"], run_id=newest[2]) == []

    async def test_an_unknown_cluster_or_value_is_none(self, store: VectorStore) -> None:
        assert await store.cluster("full_0@01JD7W9ZB6V3Q7T5N9S4E2M8XK") is None
        assert await store.value("value_full_0_20260501T120000000000Z") is None

    async def test_a_cluster_without_members_has_no_vectors(self, store: VectorStore, scope: str) -> None:
        run = run_of(scope)
        cluster = cluster_of(run, 0, (), axis_vector(0))
        await store.save_run(run, [cluster], [])
        assert (await store.member_vectors(cluster)).shape == (0, DIMENSION)

    async def test_values_stored_at_one_instant_have_ids_of_their_own(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        cluster = await self._one_cluster(store, scope, tell)
        stored = await asyncio.gather(*(store.add_value(draft_of(cluster, f"value {i}")) for i in range(16)))
        assert len({value.id for value in stored}) == 16
        assert {value.text for value in await store.values([scope])} == {f"value {i}" for i in range(16)}

    async def test_a_value_comes_back_whole(self, store: VectorStore, scope: str, tell: Tell) -> None:
        cluster = await self._one_cluster(store, scope, tell)
        stored = await store.add_value(draft_of(cluster))
        for name in (stored.id, stored.node_id):
            found = await store.value(name)
            assert found is not None
            assert found.model_dump() == stored.model_dump()
        assert (stored.cluster_id, stored.axis, stored.cluster_size, stored.scope) == (
            cluster.cluster_id, "full", cluster.size, scope,
        )  # fmt: skip
        assert stored.metadata["validation"] == {
            "similarity": 0.9, "candidate_distance": 0.1, "mean_distance": 0.2, "std_distance": 0.1, "threshold": 0.25,
        }  # fmt: skip
        assert stored.metadata["cluster_label"] == 0
        np.testing.assert_array_equal(stored.embedding, cluster.centroid)

    async def test_values_come_newest_first_and_by_axis(self, store: VectorStore, scope: str, tell: Tell) -> None:
        cluster = await self._one_cluster(store, scope, tell)
        for hours in (1, 3, 2):
            await store.add_value(draft_of(cluster, f"{hours}", NOON + timedelta(days=365, hours=hours)))
        found = await store.values([scope])
        assert [number_of(value.id) for value in found] == sorted((number_of(v.id) for v in found), reverse=True)
        assert await store.values([scope], Axis.STRATEGY) == []
        assert [value.id for value in await store.values([scope], Axis.FULL, before=found[0].id, limit=1)] == [
            found[1].id
        ]
        assert await store.values(["kg:nobody"]) == []

    async def test_values_are_found_by_the_domain_and_strategy_of_their_experiences(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        cluster = await self._one_cluster(store, scope, tell)
        stored = await store.add_value(draft_of(cluster))
        found = await store.values_of_context([scope], "debugging", "check-assumptions", 10)
        assert [value.id for value in found] == [stored.id]
        assert await store.values_of_context([scope], "testing", "check-assumptions", 10) == []
        assert await store.values_of_context(["kg:nobody"], "debugging", "check-assumptions", 10) == []

    async def test_a_slash_in_a_domain_is_none_between_it_and_a_strategy(
        self, store: VectorStore, scope: str, tell: Tell
    ) -> None:
        ids = tuple([await tell(axis_vector(place), domain="ci/cd", strategy="bisect") for place in (0, 2)])
        run = run_of(scope)
        cluster = cluster_of(run, 0, ids, axis_vector(0))
        await store.save_run(run, [cluster], [0.8, 0.8])
        stored = await store.add_value(draft_of(cluster))
        found = await store.values_of_context([scope], "ci/cd", "bisect", 10)
        assert [value.id for value in found] == [stored.id]
        assert await store.values_of_context([scope], "ci", "cd/bisect", 10) == []

    async def _one_cluster(self, store: VectorStore, scope: str, tell: Tell) -> ClusterInfo:
        ids = tuple([await tell(axis_vector(place)) for place in (0, 2)])
        run = run_of(scope)
        cluster = cluster_of(run, 0, ids, axis_vector(0))
        await store.save_run(run, [cluster], [0.8, 0.8])
        return cluster
