"""What is made has an address of its own, also where two routers share a file: Location names the router's.

What is asked for by its name is found whatever stands in the name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from httpx import AsyncClient

from clause.errors import NotFoundError
from clause.sessions.models import Pattern, PatternRecorded
from clause.values.models import ClusteringRun
from tests.unit.api.fakes import FakeContainer

AT = datetime(2026, 1, 1, tzinfo=UTC)


async def test_a_pattern_is_found_among_patterns(client: AsyncClient, container: FakeContainer) -> None:
    pattern = Pattern(
        id="p1", scope="public", type="preference", description="tabs", confidence=0.5, occurrences=1, sessions=0,
        status="emerging", first_seen=AT, last_seen=AT, version=1,
    )  # fmt: skip

    async def record(*_: object, **__: object) -> PatternRecorded:
        return PatternRecorded(pattern=pattern, created=True)

    container.rooms.sessions = SimpleNamespace(patterns=SimpleNamespace(record=record))
    made = await client.post("/api/patterns", json={"type": "preference", "description": "tabs"})
    assert (made.status_code, made.headers["Location"]) == (201, "/api/patterns/p1"), made.text


async def test_the_clusters_of_a_run_are_found_among_value_clusters(
    client: AsyncClient, container: FakeContainer
) -> None:
    clustering = ClusteringRun(
        id="r1", scope="public", axis="full", experiences=0, noise=0, clusters=0, reduction="pca", seconds=0.0,
        created_at=AT,
    )  # fmt: skip

    async def run(*_: object, **__: object) -> ClusteringRun:
        return clustering

    container.rooms.values = SimpleNamespace(clusterer=SimpleNamespace(run=run))
    made = await client.post("/api/value_clusters/runs", json={"axis": "full"})
    assert (made.status_code, made.headers["Location"]) == (201, "/api/value_clusters?axis=full&run_id=r1"), made.text


@pytest.mark.parametrize(
    "name", ["Face/Off", "Fahrenheit 9/11", "a/b/c", "AC/DC/", "/dev/null", "50% & more?", "relations"]
)
async def test_an_entity_and_a_room_are_found_by_a_name_with_a_slash(
    client: AsyncClient, container: FakeContainer, name: str
) -> None:
    asked: list[tuple[str, str]] = []

    def noting(what: str) -> Callable[..., Awaitable[None]]:
        async def find(named: str, **_: object) -> None:
            asked.append((what, named))
            raise NotFoundError("nobody is called so")

        return find

    entities = SimpleNamespace(get=noting("entity"), neighbours=noting("relations"))
    container.rooms.knowledge = SimpleNamespace(entities=entities)
    container.rooms.sessions = SimpleNamespace(sessions=SimpleNamespace(find_by_room=noting("room")))
    told = quote(name, safe="")
    for path in (f"/api/entities/{told}", f"/api/entities/{told}/relations", f"/api/sessions/by-room/{told}"):
        assert (await client.get(path)).json()["detail"] == "nobody is called so"
    assert asked == [("entity", name), ("relations", name), ("room", name)]
