"""Insights, topics and values over REST, on the real application over a real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import Request
from httpx import ASGITransport, AsyncClient

from clause.api.app import build_app
from clause.graph.idempotency import IdempotencyKeys
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.insights.room import Insights
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.fakes.clock import Clock

pytestmark = pytest.mark.integration

WHOLE: dict[str, Any] = {
    "topic_key": "user:ann",
    "category": "user_reflection",
    "content": "an evening with Ann at the lake",
    "salience_spent": 6.0,
    "valences": {"warmth": 0.9},
}
TENSE = {**WHOLE, "valences": {"tension": 0.9}}


@pytest.fixture
async def http(ground: Ground, room: Insights) -> AsyncIterator[AsyncClient]:
    """A client of the application; `X-As` says on whose behalf it asks."""
    container = SimpleNamespace(
        rooms=SimpleNamespace(insights=room), settings=ground.settings, keys=IdempotencyKeys(ground.graph)
    )

    @asynccontextmanager
    async def opener(_settings: Settings, _metrics: Metrics) -> AsyncIterator[Any]:
        yield container

    async def authenticate(request: Request) -> Caller:
        own = request.headers.get("X-As")
        return Caller(readable=(own,), writable=(own,)) if own else Caller()

    app = build_app(Settings(), opener=opener, authenticate=authenticate)
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1:8420") as client,
    ):
        yield client


async def test_an_insight_is_stored_once_read_and_marked(http: AsyncClient, scope: str) -> None:
    key = {"Idempotency-Key": f"{scope}/1"}
    stored = await http.post("/api/insights", json=WHOLE, headers=key)
    assert stored.status_code == 201, stored.text
    insight = stored.json()["insight"]
    assert insight["strength"] == 6.0
    again = await http.post("/api/insights", json=WHOLE, headers=key)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (stored.json(), "true")
    read = await http.get(stored.headers["Location"])
    assert (read.json(), read.headers["ETag"]) == (insight, '"1"')

    place = f"/api/insights/{insight['id']}/quarantine"
    hidden = await http.put(place, json={"quarantined": True}, headers={"If-Match": '"1"'})
    assert (hidden.json()["quarantined"], hidden.headers["ETag"]) == (True, '"2"')
    assert (await http.put(place, json={"quarantined": False}, headers={"If-Match": '"1"'})).status_code == 412
    assert (await http.get(stored.headers["Location"])).status_code == 404
    changes = (await http.get(f"/api/insights/{insight['id']}/changes")).json()["items"]
    assert [change["mark"] for change in changes] == ["quarantined"]
    assert "content" not in changes[0]


async def test_insights_are_chosen_by_profile_and_formatted(http: AsyncClient, clock: Clock) -> None:
    await http.post("/api/insights", json=WHOLE)
    await http.post("/api/insights", json={**WHOLE, "topic_key": "server:9:user:ann", "content": "on a server"})
    clock.forward(days=3)
    asked = {"topic_key": "user:ann", "profile": {"recency_weight": 0.9}, "limit": 5}
    (item,) = (await http.post("/api/insights/retrieve", json=asked)).json()["items"]
    assert item["temporal_marker"] == "clear memory from 3 days ago"
    both = (await http.post("/api/insights/retrieve", json={**asked, "include_servers": True})).json()["items"]
    assert [found["topic_key"] for found in both] == ["user:ann", "server:9:user:ann"]
    raw = (await http.post("/api/insights/retrieve_raw", json={**asked, "profile": "deep"})).json()["items"]
    assert [found["valences"]["warmth"] for found in raw] == [0.9]
    unknown = await http.post("/api/insights/retrieve", json={**asked, "profile": "shallow"})
    assert (unknown.status_code, unknown.json()["field"]) == (400, "profile")
    found = await http.post("/api/insights/search", json={"query": "evening at the lake", "limit": 1})
    assert found.json()["items"][0]["insight"]["content"] == WHOLE["content"]


async def test_categories_are_listed_in_pages(http: AsyncClient, scope: str, clock: Clock) -> None:
    ids = []
    for number in range(3):
        body = {**WHOLE, "content": f"w{number}", "category": "self_reflection"}
        ids.append((await http.post("/api/insights", json=body)).json()["insight"]["id"])
        clock.forward(hours=1)
    where = {"category": "self_reflection", "scope": scope, "limit": 2}
    page = (await http.get("/api/insights", params=where)).json()
    rest = (await http.get("/api/insights", params={**where, "cursor": page["next_cursor"]})).json()
    assert [item["id"] for item in (*page["items"], *rest["items"])] == ids[::-1]
    assert rest["next_cursor"] is None
    since = {"category": "self_reflection", "scope": scope, "since": clock.at.isoformat()}
    assert (await http.get("/api/insights", params=since)).json()["items"] == []


async def test_conflicts_are_listed_settled_and_a_synthesis_proposed(http: AsyncClient, scope: str) -> None:
    await http.post("/api/insights", json=WHOLE)
    answers = [(await http.post("/api/insights", json=TENSE)).json() for _ in range(3)]
    assert answers[-1]["synthesis"]["reason"] == "three_unresolved"
    proposals = (await http.get("/api/insights/syntheses", params={"scope": scope})).json()["items"]
    assert [proposal["topic_key"] for proposal in proposals] == ["user:ann"]
    listed = (await http.get("/api/insights/conflicts", params={"scope": scope, "resolved": "false"})).json()["items"]
    assert len(listed) == 3
    place = f"/api/insights/conflicts/{listed[0]['id']}"
    one = await http.get(place)
    assert one.json() == listed[0]
    settle = {"resolution": "paradox_kept", "reason": "both are so"}
    settled = await http.post(f"{place}/resolve", json=settle, headers={"If-Match": one.headers["ETag"]})
    assert (settled.json()["resolution"], settled.headers["ETag"]) == ("paradox_kept", '"2"')
    assert (await http.post(f"{place}/resolve", json=settle)).status_code == 409


async def test_topics_earn_salience_and_are_found_by_key(http: AsyncClient, scope: str) -> None:
    body = {"topic_key": "server:9:subject:ci/cd & more", "amount": 2.5}
    earned = await http.post("/api/topics/salience", json=body, headers={"Idempotency-Key": f"{scope}/t"})
    assert (earned.status_code, earned.json()["current_salience"]) == (200, 2.5)
    found = await http.get(f"/api/topics/{body['topic_key'].replace('&', '%26')}")
    assert (found.json(), found.headers["ETag"]) == (earned.json(), '"1"')
    listed = (await http.get("/api/topics", params={"scope": scope, "kind": "subject"})).json()["items"]
    assert [topic["key"] for topic in listed] == [body["topic_key"]]
    assert (await http.get("/api/topics/user:nobody")).status_code == 404
    assert (await http.get("/api/topics/user:%25")).status_code == 400


async def test_another_tenant_sees_and_marks_nothing(http: AsyncClient, scope: str) -> None:
    insight = (await http.post("/api/insights", json=WHOLE)).json()["insight"]
    conflict = (await http.post("/api/insights", json=TENSE)).json()["conflicts"][0]
    eve = {"X-As": "user:eve"}
    for method, path, body in (
        ("GET", f"/api/insights/{insight['id']}", None),
        ("GET", f"/api/insights/{insight['id']}/changes", None),
        ("PUT", f"/api/insights/{insight['id']}/quarantine", {"quarantined": True}),
        ("GET", f"/api/insights/conflicts/{conflict['id']}", None),
        ("POST", f"/api/insights/conflicts/{conflict['id']}/resolve", {"resolution": "paradox_kept"}),
        ("GET", "/api/topics/user:ann", None),
    ):
        answer = await http.request(method, path, json=body, headers=eve)
        assert answer.status_code == 404, (method, path, answer.text)
    for path, params in (
        ("/api/insights", {"category": "user_reflection"}),
        ("/api/insights/conflicts", {}),
        ("/api/topics", {}),
    ):
        assert (await http.get(path, params=params, headers=eve)).json()["items"] == []
        assert (await http.get(path, params={**params, "scope": scope}, headers=eve)).status_code == 403
    assert (await http.post("/api/insights", json={**WHOLE, "scope": scope}, headers=eve)).status_code == 403
