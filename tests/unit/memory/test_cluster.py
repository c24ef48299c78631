"""The cluster of the seed: members, prototype, representative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.memory.cluster import MemoryCluster, prototype_of, representative_of
from clause.memory.models import ConsolidationError
from tests.unit.memory.test_cluster_assignment import units


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 12))
def test_the_prototype_is_the_normalised_mean_whatever_the_order(seed: int, count: int) -> None:
    vectors = units(seed, count)
    cluster = MemoryCluster.of(1, vectors[0], "0", {}, "m0")
    for place, vector in enumerate(vectors[1:], start=1):
        cluster = cluster.add_member(vector, str(place), {"n": place}, f"m{place}")
    mean = vectors.astype(np.float64).mean(axis=0)
    assert cluster.size == count
    assert np.allclose(cluster.prototype, mean / np.linalg.norm(mean), atol=1e-6)
    assert np.isclose(np.linalg.norm(cluster.prototype), 1.0)
    assert np.allclose(prototype_of(vectors[::-1].sum(axis=0, dtype=np.float64)), cluster.prototype, atol=1e-6)
    assert cluster.consolidate().prototype == pytest.approx(cluster.prototype, abs=1e-9)


def test_representative_selection() -> None:
    vectors = [[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]]
    cluster = MemoryCluster.of(7, vectors[0], "first", {}, "a")
    cluster = cluster.add_member(vectors[1], "middle", {}, "b").add_member(vectors[2], "last", {}, "c")
    assert cluster.representative_content == "middle"
    assert representative_of([1.0, 0.0], [[0.6, 0.8], [0.6, -0.8]], ["b", "a"]) == 1


def test_adding_leaves_the_cluster_before_as_it_was() -> None:
    one = MemoryCluster.of(1, [1.0, 0.0], "a", {"k": 1}, "m1")
    two = one.add_member([0.0, 1.0], "b", {}, "m2")
    assert (one.size, two.size, two.member_metadata) == (1, 2, [{"k": 1}, {}])


def test_a_consolidated_cluster_takes_no_member() -> None:
    closed = MemoryCluster.of(1, [1.0, 0.0], "a", {}, "m1").consolidate()
    assert (closed.is_consolidated, closed.compression) == (True, 1.0)
    with pytest.raises(ConsolidationError, match="open a sibling"):
        closed.add_member([1.0, 0.0], "b", {}, "m2")


def test_an_empty_cluster_cannot_be_consolidated() -> None:
    empty = MemoryCluster(
        cluster_id=1, prototype=[], member_embeddings=[], member_contents=[], member_metadata=[], member_ids=[]
    )
    with pytest.raises(ConsolidationError, match="has no member"):
        empty.consolidate()


def test_members_that_cancel_out_leave_no_direction() -> None:
    assert prototype_of([0.0, 0.0]).tolist() == [0.0, 0.0]
