"""Work as tasks of a Ray cluster of two nodes, each a set of processes on this machine."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from clause.errors import SetupError
from clause.evaluation.harness import AnswerOutcome, ask_all
from clause.evaluation.question_files import GoldQuestion
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.lab.studies import SpreadSystem
from clause.memory.models import MCSConfig
from clause.memory.room import Memory
from clause.policy.config import LearningConfig
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.learner import Match, Rollouts, TrainingGround
from clause.policy.train.rollout import Arena
from clause.reasoning.episode.budget import Budgets
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.embedder import SentenceTransformerEmbedder
from clause.workers import CpuPool, RayPool
from tests.fakes.embedder import HashEmbedder
from tests.integration.memory.reading_back import clusters
from tests.integration.memory.test_consolidation import OWNER, TEA, note, six
from tests.unit.policy.cinema import DIRECTED, DIRECTS, STARS, actors, cinema, task

CONFIG = LearningConfig(iterations=10, episodes=24, epochs=1, minibatch=64, price_share=0.25)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    yield cluster.address
    cluster.shutdown()


@pytest.fixture(scope="module")
def pool(address: str) -> Iterator[RayPool]:
    with RayPool.at(address) as made:
        assert made is not None
        yield made


def node_of(place: int, waits_s: float) -> str:
    import time

    import ray

    time.sleep(waits_s)
    return str(ray.get_runtime_context().get_node_id())


def test_tasks_run_on_both_nodes(pool: RayPool) -> None:
    assert len(set(pool.map(node_of, [(place, 1.0) for place in range(4)]))) == 2


def killed_once(mark: Path, value: int) -> int:
    """Its process is killed the first time."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


async def test_a_task_whose_process_was_killed_is_done_again(pool: RayPool, tmp_path: Path) -> None:
    assert await pool.run(killed_once, tmp_path / "one", 3) == 3
    assert pool.map(killed_once, [(tmp_path / f"of {value}", value) for value in range(4)]) == [0, 1, 2, 3]


async def test_what_a_task_raises_passes_through(pool: RayPool) -> None:
    with pytest.raises(ZeroDivisionError):
        await pool.run(divmod, 1, 0)


class Fragile:
    """Counts its calls, and dies at the one that it is told of, once."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    async def double(self, value: int) -> int:
        if value == 2:
            killed_once(self.mark, value)
        return 2 * value


async def test_an_actor_whose_process_was_killed_is_made_again_and_its_call_repeated(
    pool: RayPool, tmp_path: Path
) -> None:
    one, two = pool.actors(Fragile, 5, tmp_path / "mark")
    asked = [(one if value % 2 else two).double.remote(value) for value in range(6)]
    assert [await answer for answer in asked] == [0, 2, 4, 6, 8, 10]


def test_rollouts_and_judging_are_those_of_processes_here(pool: RayPool) -> None:
    tasks = [task(f"film{film}", p) for film in range(8) for p in ((DIRECTED,), (DIRECTED, DIRECTS, STARS))]
    ground, networks = TrainingGround(Arena(cinema()), tasks, tasks), serving_networks(actors(1))
    matches = [Match(place, Budgets(20, 4, 200)) for place in range(len(tasks))]

    def outcome(rollouts: Rollouts) -> tuple[list[list[float]], list[tuple[float, bool]]]:
        played = [rollouts.collect(networks, np.random.default_rng(seed), CONFIG) for seed in (3, 4)]
        return [one.rewards.ravel().tolist() for round_ in played for one in round_], rollouts.judged(networks, matches)

    with Rollouts(ground, 2) as here, Rollouts(ground, 2, pool) as spread:
        assert outcome(spread) == outcome(here)


async def test_texts_are_embedded_as_here(pool: RayPool) -> None:
    texts = [f"the {word} of number {number}" for number in range(100) for word in ("owner", "keeper of the keys")]
    here, spread = SentenceTransformerEmbedder(), SentenceTransformerEmbedder(cluster=pool)
    np.testing.assert_allclose(await spread.embed(texts), await here.embed(texts), atol=1e-6)
    assert (await spread.embed([])).shape == (0, 384)
    here.close()
    spread.close()


class Echo:
    """Answers with the question, and dies at the third of them, once."""

    name = "echo"

    def __init__(self, mark: Path) -> None:
        self.mark, self.closed = mark, False

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        assert not self.closed
        if question.text == "3":
            killed_once(self.mark, 3)
        return AnswerOutcome(((question.text, 1.0),))


@asynccontextmanager
async def opened(mark: Path) -> AsyncIterator[Echo]:
    made = Echo(mark)
    yield made
    made.closed = True


async def test_questions_are_answered_by_processes_in_turn_a_killed_one_too(pool: RayPool, tmp_path: Path) -> None:
    questions = [GoldQuestion(str(number), (str(number),)) for number in range(12)]
    spread = SpreadSystem("echo", partial(opened, tmp_path / "mark"), pool, clients=4)
    (tmp_path / "here").touch()
    assert await ask_all(spread, questions, clients=4) == await ask_all(Echo(tmp_path / "here"), questions, clients=1)


@pytest.mark.integration
async def test_memories_consolidate_as_here(pool: RayPool, graph: Graph, no_model: None, scope: str) -> None:
    threads = CpuPool(1)
    ground = Ground(graph, HashEmbedder(), Jobs(graph, lease_s=30.0), threads, Settings(), Metrics())
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash"))
    ends = []
    for where, work in (
        (scope, memory.consolidation),
        (f"{scope}-spread", memory.consolidation.spread_by(pool)),
    ):
        await six(memory, where)
        await memory.store.write(note(f"{TEA} by the river", where), caller=OWNER)
        report = await work.run(where, caller=OWNER)
        counts = report.model_dump(exclude={"job_id", "scope"})
        ends.append((counts, [(row["size"], row["consolidated"], row["sum"]) for row in await clusters(graph, where)]))
    assert ends[0] == ends[1]
    assert ends[0][0]["consolidated"] == 1
    await memory.settled()
    threads.close()


def test_no_cluster_there_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "")
    with pytest.raises(SetupError, match="Ray") as refused:
        asyncio.run(asyncio.to_thread(RayPool, "127.0.0.1:1"))
    assert "ray start --head" in str(refused.value.remedy)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SetupError, match="Ray is not installed") as refused:
        RayPool("auto")
    assert "clause-memory[ray]" in str(refused.value.remedy)
