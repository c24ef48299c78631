"""The routes of basins, causes, curiosity and conflicts."""

from __future__ import annotations

from httpx import AsyncClient


async def test_a_basin_comes_with_its_version_as_etag(client: AsyncClient) -> None:
    answer = await client.get("/api/clause/basins/bas_1")
    assert (answer.status_code, answer.headers["ETag"]) == (200, '"2"')
    assert answer.json()["strength"] == 1.2
    assert (await client.get("/api/clause/basins/bas_2")).status_code == 404


async def test_a_strengthening_sent_twice_under_one_key_is_done_once(client: AsyncClient, container: object) -> None:
    body = {"concepts": ["rain"], "document_id": "d1"}
    for _ in range(2):
        answer = await client.post("/api/clause/basins/strengthen", json=body, headers={"Idempotency-Key": "k"})
        assert answer.status_code == 200
    assert len(container.rooms.intelligence.basins.asked) == 1  # type: ignore[attr-defined]


async def test_more_concepts_than_one_request_may_hold_are_refused(client: AsyncClient) -> None:
    body = {"concepts": ["rain"] * 101, "document_id": "d1"}
    answer = await client.post("/api/clause/basins/strengthen", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "concepts")


async def test_a_thoughtseed_that_a_path_names_can_be_read(client: AsyncClient) -> None:
    answer = await client.get("/api/clause/thoughtseeds/seed_1")
    assert (answer.json()["id"], answer.json()["basin_context"]["strength"]) == ("seed_1", 1.0)


async def test_triggers_and_conflicts_are_listed(client: AsyncClient) -> None:
    triggers = await client.get("/api/clause/curiosity/triggers", params={"status": "queued"})
    assert triggers.json()["items"][0]["priority"] == "high"
    assert (await client.get("/api/clause/curiosity/triggers", params={"status": "odd"})).status_code == 422
    assert (await client.get("/api/clause/conflicts")).json() == {"items": [], "rate": 0.0}
