"""The routes of memories and clusters over a real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from clause.api.app import build_app
from clause.app import Rooms
from clause.graph.idempotency import IdempotencyKeys
from clause.graph.scheduler import JobRunner
from clause.ground import Ground
from clause.memory.room import Memory
from clause.reasoning.answer.runs import RunRecorder
from clause.settings import Settings

pytestmark = pytest.mark.integration


@pytest.fixture
async def client(memory: Memory, ground: Ground) -> AsyncIterator[AsyncClient]:
    container = SimpleNamespace(
        rooms=replace(Rooms.open(ground), memory=memory),
        runs=RunRecorder(ground.graph),
        embedder=ground.embedder,
        jobs=ground.jobs,
        keys=IdempotencyKeys(ground.graph),
        settings=Settings(),
    )

    @asynccontextmanager
    async def opener(*_: Any) -> AsyncIterator[Any]:
        yield container

    app = build_app(Settings(), opener=opener)
    transport = ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=transport, base_url="http://127.0.0.1:8420") as c,
    ):
        yield c


async def test_a_memory_is_kept_found_shown_and_deleted(client: AsyncClient, scope: str) -> None:
    body = {"content": "Ann: tea in the garden", "scope": scope, "metadata": {"n": 1}}
    made = await client.post("/api/memories", json=body)
    assert (made.status_code, made.json()["is_new_cluster"]) == (201, True)
    shown = await client.get(made.headers["Location"])
    assert (shown.json()["content"], shown.json()["metadata"], shown.headers["ETag"]) == (
        body["content"],
        {"n": 1},
        '"1"',
    )
    found = await client.post("/api/memories/search", json={"query_text": "tea", "scopes": [scope]})
    (result,) = found.json()["results"]
    assert (result["memory_id"], len(result["embedding"])) == (made.json()["memory_id"], 384)
    stale = await client.delete(made.headers["Location"], headers={"If-Match": '"9"'})
    assert stale.status_code == 412
    gone = await client.delete(made.headers["Location"], headers={"If-Match": '"1"'})
    assert (gone.status_code, gone.json()["cluster_removed"]) == (200, True)
    missing = await client.get(made.headers["Location"])
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_a_retry_with_the_same_key_keeps_one_memory(client: AsyncClient, scope: str) -> None:
    body = {"content": "tea", "scope": scope}
    answers = [await client.post("/api/memories", json=body, headers={"Idempotency-Key": f"k-{scope}"}) for _ in "ab"]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    listed = await client.get("/api/memories", params={"scope": scope})
    assert len(listed.json()["items"]) == 1


async def test_pages_of_memories_and_clusters(client: AsyncClient, scope: str) -> None:
    texts = [{"content": f"word{n}", "scope": scope} for n in range(5)]
    made = await client.post("/api/memories/batch", json={"memories": texts})
    ids = [one["memory_id"] for one in made.json()["results"]]
    assert (made.status_code, len(set(ids))) == (201, 5)
    for path, key in (("/api/memories", "memory_id"), ("/api/clusters", "cluster_id")):
        seen: list[Any] = []
        query = {"scope": scope, "limit": "2"}
        while True:
            page = (await client.get(path, params=query)).json()
            seen += [one[key] for one in page["items"]]
            if page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
        assert len(seen) == len(set(seen)) == 5
        assert seen == sorted(seen, reverse=True)
    foreign = (await client.get("/api/memories", params={"scope": scope, "limit": "2"})).json()["next_cursor"]
    refused = await client.get("/api/clusters", params={"scope": scope, "cursor": foreign})
    assert (refused.status_code, refused.json()["field"]) == (400, "cursor")


async def test_a_cluster_is_shown_with_its_members_and_consolidated_by_a_job(
    client: AsyncClient, memory: Memory, ground: Ground, scope: str
) -> None:
    words = ("today", "again", "slowly", "quietly", "outside", "happily")
    body = {"memories": [{"content": f"green tea in the old garden {word}", "scope": scope} for word in words]}
    number = (await client.post("/api/memories/batch", json=body)).json()["results"][0]["cluster_id"]
    before = (await client.get(f"/api/clusters/{number}")).json()
    queued = await client.post("/api/clusters/consolidate", json={"scope": scope})
    await JobRunner(ground.jobs, memory.job_kinds()).drain()
    after = await client.get(f"/api/clusters/{number}")
    assert (before["queued"], before["consolidated"]) == (True, False)
    assert (queued.status_code, queued.headers["Location"]) == (202, f"/api/jobs/{queued.json()['id']}")
    assert (after.json()["queued"], after.json()["consolidated"], after.json()["compression"]) == (False, True, 6.0)
    assert after.headers["ETag"] == f'"{after.json()["version"]}"'
    members = (await client.get(f"/api/clusters/{number}/members")).json()
    vectors = (await client.get(f"/api/clusters/{number}/members", params={"embeddings": "true"})).json()
    assert (len(members["member_contents"]), members["member_embeddings"]) == (6, [])
    assert len(vectors["member_embeddings"]) == 6
    missing = await client.get("/api/clusters/999999999")
    assert (missing.status_code, missing.json()["code"]) == (404, "cluster_not_found")


async def test_figures_and_refusals(client: AsyncClient, scope: str) -> None:
    private = {"content": "tea", "scope": scope, "metadata": {"mail": "ann@example.org"}}
    refused = await client.post("/api/memories", json=private)
    assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (
        422, "personal_data", "metadata.mail",
    )  # fmt: skip
    assert "ann@" not in refused.text
    nothing = await client.post("/api/memories/search", json={"scopes": [scope]})
    assert (nothing.status_code, nothing.json()["field"]) == (400, "query_text")
    await client.post("/api/memories", json={**private, "pii_consent": True})
    figures = (await client.get("/api/memories/stats", params={"scope": scope})).json()
    assert (figures["memories"], figures["clusters"]) == (1, 1)


async def test_the_monitor_says_when_to_recall(client: AsyncClient) -> None:
    same = (await client.post("/api/memories/monitor", json={"turns": ["green tea"] * 5})).json()
    assert (same["newest"]["action"], len(same["readings"])) == ("CONTINUE", 5)
    moved = {"turns": [*["green tea"] * 4, "a flat tyre on the road"]}
    assert (await client.post("/api/memories/monitor", json=moved)).json()["newest"]["action"] == "RETRIEVE_CONSOLIDATE"
    vector = [1.0] + [0.0] * 383
    given = (await client.post("/api/memories/monitor", json={"embeddings": [vector, vector], "window": 2})).json()
    assert given["newest"]["turns"] == 2
    for wrong in ({}, {"turns": ["a"], "embeddings": [vector]}, {"embeddings": [[1.0]]}):
        assert (await client.post("/api/memories/monitor", json=wrong)).status_code == 422
