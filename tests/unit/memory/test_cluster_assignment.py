"""Joining one after the other, against a slow loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.memory.cluster import Group, OpenCluster, assign, prototype_of


def units(seed: int, count: int, dimension: int = 3) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def slowly(vectors: np.ndarray, threshold: float) -> list[list[int]]:
    """Clusters as lists of places, each vector compared with the mean of every cluster so far."""
    clusters: list[list[int]] = []
    for place, vector in enumerate(vectors.astype(np.float64)):
        means = [prototype_of(vectors[members].astype(np.float64).sum(axis=0)) for members in clusters]
        nearest = max(range(len(clusters)), key=lambda one: means[one] @ vector, default=None)
        if nearest is not None and means[nearest] @ vector > threshold:
            clusters[nearest].append(place)
        else:
            clusters.append([place])
    return clusters


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), count=st.integers(0, 25), threshold=st.sampled_from([0.5, 0.85, 0.95]))
def test_a_batch_joins_as_if_each_memory_came_alone(seed: int, count: int, threshold: float) -> None:
    vectors = units(seed, count)
    found = assign(vectors, [], threshold)
    assert [[place for place, _ in group.members] for group in found] == slowly(vectors, threshold)
    for group in found:
        members = [place for place, _ in group.members]
        assert np.allclose(group.sum, vectors[members].astype(np.float64).sum(axis=0), atol=1e-9)


def test_a_memory_joins_the_nearest_stored_cluster_and_moves_it() -> None:
    known = [OpenCluster("far", np.array([0.0, 1.0])), OpenCluster("near", np.array([2.0, 0.0]))]
    (group,) = assign(np.array([[0.96, 0.28]], dtype=np.float32), known, 0.85)
    assert (group.joins, [place for place, _ in group.members]) == ("near", [0])
    assert np.isclose(group.members[0][1], 0.96)
    assert np.allclose(group.sum, [0.96, 0.28])


def test_a_similarity_equal_to_the_threshold_does_not_join() -> None:
    vectors = np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)]], dtype=np.float32)
    assert len(assign(vectors, [], float(vectors[0].astype(float) @ vectors[1].astype(float)))) == 2
    assert len(assign(vectors, [], 0.49)) == 1


def test_a_forced_memory_opens_a_cluster_that_later_ones_may_join() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    groups = assign(vectors, [], 0.85, [False, True, False])
    assert [[place for place, _ in group.members] for group in groups] == [[0, 2], [1]]


def test_groups_say_nothing_of_clusters_that_nobody_joined() -> None:
    known = [OpenCluster("idle", np.array([0.0, 1.0]))]
    groups = assign(np.array([[1.0, 0.0]], dtype=np.float32), known, 0.85)
    assert [group.joins for group in groups] == [None]
    assert isinstance(groups[0], Group)
