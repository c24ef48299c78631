"""What is made has an address of its own, also where two routers share a file: Location names the router's."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from httpx import AsyncClient

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
