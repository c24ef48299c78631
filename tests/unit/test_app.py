import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from clause import app as container
from clause.app import Container, job_kinds
from clause.errors import ClauseError, ConflictError, UnavailableError
from clause.graph import migrations
from clause.graph.database import find_address
from clause.graph.server import ManagedServer
from clause.graph.wire import Address
from clause.ingest import embedding, samples
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.fakes.embedder import HashEmbedder

EMBEDDER: Any = HashEmbedder()


class FakeLease:
    """A worker's lease that remembers what it was told."""

    def __init__(self, **parameters: Any) -> None:
        self.job = SimpleNamespace(scope="kg:films", parameters=parameters)
        self.told: list[tuple[Any, ...]] = []

    async def progress(self, done: Any = None, total: Any = None, message: Any = None) -> None:
        self.told.append((done, total, message))


class Keys:
    async def forget_expired(self) -> int:
        return 3


def kinds() -> dict[str, Any]:
    return job_kinds(None, EMBEDDER, Keys())  # type: ignore[arg-type]


async def test_a_server_that_the_settings_name_is_used_as_it_is() -> None:
    settings = Settings(neo4j_uri="neo4j://db", neo4j_user="ann", neo4j_password=SecretStr("x"), neo4j_database="films")
    assert await find_address(settings) == Address("neo4j://db", "ann", SecretStr("x"), "films")


async def test_without_one_the_managed_server_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[Path] = []

    def ensure(self: ManagedServer, _progress: object) -> Address:
        started.append(self.layout.home)
        return Address("bolt://127.0.0.1:7687")

    monkeypatch.setattr(ManagedServer, "ensure", ensure)
    assert (await find_address(Settings(home=tmp_path))).uri == "bolt://127.0.0.1:7687"
    assert started == [tmp_path]


async def test_the_jobs_that_may_be_started_do_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []

    async def embed_job(_graph: object, _embedder: object, scopes: list[str], _lease: object) -> None:
        done.append(scopes)

    async def load_sample(_graph: object, embedder: object) -> None:
        done.append(embedder)

    monkeypatch.setattr(embedding, "embed_job", embed_job)
    monkeypatch.setattr(samples, "load_sample", load_sample)
    lease = FakeLease()
    for kind in ("embed", "load_sample", "forget_keys"):
        await kinds()[kind](lease)
    assert done == [["kg:films"], EMBEDDER]
    assert lease.told == [(None, None, "loading the sample"), (3, 3, "3 idempotency keys forgotten")]


async def test_a_job_for_another_embedding_model_is_refused() -> None:
    with pytest.raises(ConflictError, match="the job is for other"):
        await kinds()["embed"](FakeLease(model="other"))


def opened(**parts: Any) -> Container:
    missing = dict.fromkeys(Container.__dataclass_fields__)
    return Container(**{**missing, "settings": Settings(), "metrics": Metrics(), "embedder": EMBEDDER, **parts})


class Graph:
    """A server that answers, or is away."""

    def __init__(self, error: ClauseError | None = None, building: Sequence[dict[str, Any]] = ()) -> None:
        self.error, self.building = error, building

    async def agent(self) -> str:
        if self.error:
            raise self.error
        return "Neo4j/2026.08.1"

    async def run(self, name: str) -> list[dict[str, Any]]:
        return list(self.building) if name == "graph/building" else [{}, {}]


async def readiness(monkeypatch: pytest.MonkeyPatch, graph: Graph, drifted: dict[str, str], warm: bool) -> dict:
    async def drift(_graph: object, **_: Any) -> dict[str, str]:
        return drifted

    loaded = asyncio.Event()

    async def load() -> None:
        await loaded.wait()

    monkeypatch.setattr(migrations, "drift", drift)
    warming = asyncio.create_task(load())
    if warm:
        loaded.set()
        await warming
    policies = {None: SimpleNamespace(name="learned")}
    found = await opened(
        graph=graph, warming=warming, coordinator=SimpleNamespace(policies=policies)
    ).readiness()  # fmt: skip
    loaded.set()
    await warming
    return {name: (check.ready, check.detail) for name, check in found.items()}


async def test_ready_parts_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await readiness(monkeypatch, Graph(), {}, warm=True) == {
        "neo4j": (True, "Neo4j/2026.08.1"),
        "migrations": (True, "2 applied"),
        "model": (True, f"{EMBEDDER.model}, {EMBEDDER.dimension} numbers"),
        "policy": (True, "learned"),
    }


async def test_parts_that_are_not_ready_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await readiness(monkeypatch, Graph(UnavailableError("Neo4j is away")), {"entity_id": "is missing"}, False)
    assert found["neo4j"] == (False, "Neo4j is away")
    assert found["migrations"] == (False, "the schema drifted: entity_id; run `clause doctor`")
    assert found["model"] == (False, f"{EMBEDDER.model} is still loading")
    assert found["policy"] == (True, "learned")


async def test_an_index_that_is_built_anew_after_a_crash_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    building = [{"name": "entity_names", "state": "POPULATING", "percent": 40.0}]
    found = await readiness(monkeypatch, Graph(building=building), {}, warm=True)
    ready, why = found["migrations"]
    assert (ready, why.split(";")[0]) == (False, "index entity_names is populating (40 % built)")


async def test_background_work_ends_with_the_stack_and_its_failure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    log = SimpleNamespace(error=lambda _event, **values: told.append(values))
    monkeypatch.setattr(container, "logger", lambda _name: log)

    async def forever() -> None:
        await asyncio.Event().wait()

    async def broken() -> None:
        raise UnavailableError("away")

    async with AsyncExitStack() as stack:
        endless = container._in_background(forever(), stack)
        failing = container._in_background(broken(), stack)
        await asyncio.gather(failing, return_exceptions=True)
    assert endless.cancelled()
    assert told == [{"error": "away"}]
