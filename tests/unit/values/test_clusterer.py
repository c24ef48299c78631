"""The clusterer over the fake: runs are kept, ids mean the latest run or a given one, few experiences are refused."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import psutil
import pytest

from clause.errors import ForbiddenError, NotFoundError
from clause.graph.scopes import Caller
from clause.values.axes import InsufficientDataError, UnknownClusterError
from clause.values.clusterer import OWNER
from clause.values.clustering import Density, Worker, clusters_of, labels_of, reduce, unit
from clause.values.models import RunRequest
from tests.contract.vector_store_checks import DIMENSION, axis_vector
from tests.unit.values.conftest import ANN, SCOPE, World

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
FULL = RunRequest(axis="full")


def tell_groups(world: World, sizes: dict[int, int], **more: object) -> dict[int, list[str]]:
    """Experiences around some axes: for each place its ids."""
    rng = np.random.default_rng(7)
    told = {}
    for place, size in sizes.items():
        noise = rng.normal(scale=0.02, size=(size, DIMENSION)).astype(np.float32)
        told[place] = [world.tell(vector, **more) for vector in unit(axis_vector(place) + noise)]
    return told


async def test_clusters_come_largest_first_and_are_the_groups(world: World) -> None:
    told = tell_groups(world, {0: 8, 50: 14, 100: 10})
    run = await world.clusterer.run(FULL)
    found = await world.store.get_clusters("full")
    assert (run.experiences, run.clusters, run.noise, run.reduction) == (32, 3, 0, "none")
    assert [cluster.size for cluster in found] == [14, 10, 8]
    assert [set(cluster.member_ids) for cluster in found] == [set(told[50]), set(told[100]), set(told[0])]
    assert all(cluster.cluster_id == f"full_{cluster.label}@{run.id}" for cluster in found)
    assert all(cluster.avg_weight == pytest.approx(0.8) for cluster in found)


async def test_fewer_than_twenty_are_refused_by_name(world: World) -> None:
    tell_groups(world, {0: 10, 50: 9})
    with pytest.raises(InsufficientDataError, match="19 experiences") as refused:
        await world.clusterer.run(FULL)
    assert refused.value.details == {"experiences": 19, "needed": 20}
    world.tell(axis_vector(0))
    assert (await world.clusterer.run(FULL)).experiences == 20


async def test_the_last_two_axes_count_only_what_was_falsified(world: World) -> None:
    tell_groups(world, {0: 15, 50: 15}, outcome="confirmed")
    with pytest.raises(InsufficientDataError, match="0 experiences have the axis surprise"):
        await world.clusterer.run(RunRequest(axis="surprise"))
    assert (await world.clusterer.run(RunRequest(axis="strategy"))).clusters == 2


async def test_a_domain_narrows_what_is_looked_at(world: World) -> None:
    tell_groups(world, {0: 12, 50: 12}, domain="testing")
    tell_groups(world, {100: 12})
    run = await world.clusterer.run(RunRequest(axis="full", domain=" Testing "))
    assert (run.domain, run.experiences) == ("testing", 24)


async def test_a_short_id_means_the_latest_run_and_a_long_one_stays(world: World) -> None:
    tell_groups(world, {0: 12, 50: 10})
    first = await world.clusterer.run(FULL)
    before = await world.clusterer.cluster("full_0")
    assert before.cluster_id == f"full_0@{first.id}"
    tell_groups(world, {150: 30})
    second = await world.clusterer.run(FULL)
    assert (await world.clusterer.cluster("full_0")).run_id == second.id
    assert await world.clusterer.cluster(f"full_0@{first.id}") == before
    assert len(await world.clusterer.clusters("full", run_id=first.id)) == 2
    assert [run.id for run in await world.clusterer.runs(axis="full", scopes=[SCOPE])] == [second.id, first.id]


async def test_the_latest_run_is_that_of_the_callers_own_scope(world: World) -> None:
    tell_groups(world, {0: 12, 50: 10})
    await world.clusterer.run(FULL, caller=ANN)
    bob = Caller(readable=("user:bob",), writable=("user:bob",))
    assert await world.clusterer.clusters("full", caller=bob) == []
    with pytest.raises(UnknownClusterError):
        await world.clusterer.cluster("full_0", caller=bob)
    with pytest.raises(ForbiddenError):
        await world.clusterer.run(RunRequest(axis="full", scope=SCOPE), caller=bob)
    with pytest.raises(ForbiddenError):
        await world.clusterer.clusters("full", scope=SCOPE, caller=bob)
    reader = Caller(readable=("user:ann",), writable=())
    with pytest.raises(ForbiddenError):
        await world.clusterer.run(RunRequest(axis="full", scope=SCOPE), caller=reader)


async def test_a_run_is_found_by_its_id_in_whatever_scope_it_is(world: World) -> None:
    bob = "user:bob"
    tell_groups(world, {0: 12, 50: 10}, scope=bob)
    world.scopes.append(bob)
    run = await world.clusterer.run(RunRequest(axis="full", scope=bob))
    found = await world.clusterer.clusters("full", run_id=run.id)
    assert [cluster.size for cluster in found] == [12, 10]
    assert found == await world.clusterer.clusters("full", scope=bob)
    assert await world.clusterer.clusters("strategy", run_id=run.id) == []
    for caller, scope, run_id in ((OWNER, None, "nothing"), (OWNER, SCOPE, run.id), (ANN, None, run.id)):
        with pytest.raises(NotFoundError, match="no clustering run"):
            await world.clusterer.clusters("full", scope=scope, run_id=run_id, caller=caller)


async def test_without_a_run_there_are_no_clusters(world: World) -> None:
    assert await world.store.get_clusters("root_cause") == []


async def test_everything_may_be_noise(world: World) -> None:
    rng = np.random.default_rng(3)
    for vector in unit(rng.normal(size=(20, DIMENSION)).astype(np.float32)):
        world.tell(vector)
    world.density = Density(reduction="none", min_cluster_size=10)
    run = await World(memory=world.memory, density=world.density).clusterer.run(FULL)
    assert (run.clusters, run.noise) == (0, 20)
    assert await world.store.get_clusters("full") == []


async def test_a_centroid_is_the_mean_weighted_by_tier(world: World) -> None:
    tiers = ["gold", "silver", "bronze", "abandoned"] * 5
    rng = np.random.default_rng(1)
    vectors = unit(axis_vector(0) + rng.normal(scale=0.02, size=(20, DIMENSION)).astype(np.float32))
    other = unit(axis_vector(60) + rng.normal(scale=0.02, size=(6, DIMENSION)).astype(np.float32))
    for vector, tier in zip(vectors, tiers, strict=True):
        world.tell(vector, tier=tier)
    for vector in other:
        world.tell(vector)
    await world.clusterer.run(FULL)
    found = (await world.store.get_clusters("full"))[0]
    weights = [{"gold": 1.0, "silver": 0.8, "bronze": 0.5, "abandoned": 0.2}[tier] for tier in tiers]
    assert found.avg_weight == pytest.approx(np.mean(weights))
    np.testing.assert_allclose(found.centroid, np.average(vectors, axis=0, weights=weights), atol=1e-6)


def test_labels_do_not_depend_on_the_lengths_of_vectors() -> None:
    rng = np.random.default_rng(5)
    centres = unit(rng.normal(size=(3, 64)).astype(np.float32))
    vectors = unit(np.repeat(centres, 12, axis=0) + rng.normal(scale=0.02, size=(36, 64)).astype(np.float32))
    longer = vectors * rng.uniform(0.5, 3.0, size=(36, 1)).astype(np.float32)
    density = Density(reduction="pca", components=5)
    np.testing.assert_array_equal(labels_of(vectors, density), labels_of(longer, density))
    assert set(labels_of(vectors, density)) == {0, 1, 2}


@pytest.mark.parametrize(("reduction", "columns"), [("none", 64), ("pca", 10)])
def test_a_reduction_leaves_the_dimensions_asked_for(reduction: str, columns: int) -> None:
    vectors = unit(np.random.default_rng(2).normal(size=(30, 64)).astype(np.float32))
    density = Density(reduction=reduction)  # type: ignore[arg-type]
    assert reduce(vectors, density).shape == (30, columns)
    np.testing.assert_array_equal(reduce(vectors, density), reduce(vectors, density))


def test_few_points_keep_fewer_dimensions() -> None:
    vectors = unit(np.random.default_rng(2).normal(size=(6, 64)).astype(np.float32))
    assert reduce(vectors, Density(reduction="pca")).shape == (6, 4)
    assert reduce(vectors[:3], Density(reduction="pca")).shape == (3, 64)


def test_noise_belongs_to_no_cluster() -> None:
    vectors = np.eye(4, dtype=np.float32)
    found = clusters_of(vectors, np.ones(4), np.array([1, -1, 1, 0]))
    assert [(cluster.label, cluster.members.tolist()) for cluster in found] == [(1, [0, 2]), (0, [3])]


async def test_work_goes_to_a_child_that_is_replaced_when_it_dies() -> None:

    worker = Worker()
    try:
        child = await worker.run(os.getpid)
        assert child != os.getpid()
        assert await worker.run(os.getpid) == child
        with pytest.raises(BrokenProcessPool):
            await worker.run(os._exit, 1)
        assert await worker.run(os.getpid) not in {child, os.getpid()}
        with pytest.raises(ValueError, match="math domain"):
            await worker.run(math.sqrt, -1.0)
    finally:
        worker.close()
    worker.close()


def test_the_child_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os\n"
        "from clause.values.clustering import Worker\n"
        "async def main():\n"
        "    print(await Worker().run(os.getpid), flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(main())\n"
    )
    run = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert run.returncode == -9, run.stderr
    child = psutil.Process(int(run.stdout)) if psutil.pid_exists(int(run.stdout)) else None
    if child is not None:
        child.wait(timeout=60)
