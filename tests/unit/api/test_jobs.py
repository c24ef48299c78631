import json

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from clause.errors import UnavailableError
from clause.graph.scopes import Caller
from tests.unit.api.fakes import FakeContainer
from tests.unit.api.test_reasoning import expect_problem

LOAD = {"kind": "load_sample", "parameters": {}}


async def test_a_started_job_is_accepted_with_its_address(client: AsyncClient) -> None:
    answer = await client.post("/api/jobs", json=LOAD)
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    found = await client.get(answer.headers["Location"])
    assert found.json() == answer.json()
    assert found.headers["ETag"] == '"1"'


async def test_a_retry_with_the_same_key_starts_nothing_twice(client: AsyncClient, container: FakeContainer) -> None:
    answers = [await client.post("/api/jobs", json=LOAD, headers={"Idempotency-Key": "k1"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert [answer.status_code for answer in answers] == [202, 202]
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers] == [None, "true"]
    assert answers[1].headers["Location"] == answers[0].headers["Location"]
    assert len(container.jobs.jobs) == 1


async def test_without_a_key_each_request_starts_a_job(client: AsyncClient, container: FakeContainer) -> None:
    for _ in range(2):
        await client.post("/api/jobs", json=LOAD)
    assert len(container.jobs.jobs) == 2


async def test_a_key_with_another_request_is_a_conflict(client: AsyncClient) -> None:
    await client.post("/api/jobs", json=LOAD, headers={"Idempotency-Key": "k1"})
    other = {**LOAD, "parameters": {"more": 1}}
    answer = await client.post("/api/jobs", json=other, headers={"Idempotency-Key": "k1"})
    expect_problem(answer, 409, code="conflict", field="Idempotency-Key")


@pytest.mark.parametrize(("key", "status"), [("a b", 400), ("", 400), ("x" * 256, 422)])
async def test_a_malformed_key_is_refused(client: AsyncClient, key: str, status: int) -> None:
    expect_problem(await client.post("/api/jobs", json=LOAD, headers={"Idempotency-Key": key}), status)


async def test_a_write_that_failed_may_be_sent_again_with_its_key(
    client: AsyncClient, container: FakeContainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object, **__: object) -> None:
        raise UnavailableError("Neo4j is away")

    with monkeypatch.context() as patch:
        patch.setattr(container.jobs, "submit", away)
        expect_problem(await client.post("/api/jobs", json=LOAD, headers={"Idempotency-Key": "k1"}), 503)
    assert (await client.post("/api/jobs", json=LOAD, headers={"Idempotency-Key": "k1"})).status_code == 202


async def test_only_known_kinds_are_started(client: AsyncClient) -> None:
    answer = await client.post("/api/jobs", json={"kind": "rm"})
    expect_problem(answer, 400, code="bad_input", field="kind", bound="one of load_sample, vanishing")


async def test_a_malformed_scope_is_refused(client: AsyncClient) -> None:
    expect_problem(await client.post("/api/jobs", json={**LOAD, "scope": "kg:"}), 400, field="scope")


async def test_an_unknown_job_is_not_found_everywhere(client: AsyncClient) -> None:
    expect_problem(await client.get("/api/jobs/none"), 404, field="job_id")
    expect_problem(await client.get("/api/jobs/none/events"), 404, field="job_id")
    expect_problem(await client.post("/api/jobs/none/cancel"), 404, field="job_id")


async def test_the_pages_of_the_list_hold_every_job_once_newest_first(client: AsyncClient) -> None:
    for _ in range(5):
        await client.post("/api/jobs", json=LOAD)
    seen: list[str] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = (await client.get("/api/jobs", params=query)).json()
        seen += [job["id"] for job in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert seen == [f"job{number:03}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [("limit=0", 422, "limit"), ("limit=101", 422, "limit"), ("cursor=!!", 400, "cursor"), ("state=odd", 422, "state")],
)
async def test_a_page_that_cannot_be_is_refused(client: AsyncClient, query: str, status: int, field: str) -> None:
    expect_problem(await client.get(f"/api/jobs?{query}"), status, field=field)


async def test_the_list_may_be_narrowed_to_a_state(client: AsyncClient) -> None:
    await client.post("/api/jobs", json=LOAD)
    assert len((await client.get("/api/jobs?state=queued")).json()["items"]) == 1
    assert (await client.get("/api/jobs?state=failed")).json()["items"] == []


async def test_a_job_can_be_cancelled(client: AsyncClient) -> None:
    address = (await client.post("/api/jobs", json=LOAD)).headers["Location"]
    assert (await client.post(f"{address}/cancel")).json()["state"] == "cancelled"


async def test_events_are_the_snapshots_until_the_end(client: AsyncClient) -> None:
    address = (await client.post("/api/jobs", json=LOAD)).headers["Location"]
    answer = await client.get(f"{address}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    states = [
        json.loads(line.removeprefix("data: "))["state"] for line in answer.text.splitlines() if line.startswith("data")
    ]
    assert states == ["queued", "succeeded"]


async def test_a_stream_that_breaks_says_so_as_its_last_event(client: AsyncClient) -> None:
    address = (await client.post("/api/jobs", json={"kind": "vanishing"})).headers["Location"]
    answer = await client.get(f"{address}/events")
    assert 'event: error\r\ndata: {"code":"not_found"}' in answer.text


async def test_a_caller_of_other_scopes_neither_sees_nor_starts_nor_cancels_jobs(
    app: FastAPI, container: FakeContainer
) -> None:
    async def somebody(_request: object) -> Caller:
        return Caller(readable=("user:ann",), writable=("user:ann",))

    job = await container.jobs.submit("load_sample", {}, "user:bob")
    app.state.authenticate = somebody
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client,
    ):
        assert (await client.get("/api/jobs")).json()["items"] == []
        expect_problem(await client.get(f"/api/jobs/{job.id}"), 404)
        expect_problem(await client.post(f"/api/jobs/{job.id}/cancel"), 404)
        expect_problem(await client.post("/api/jobs", json={**LOAD, "scope": "user:bob"}), 403, code="forbidden")
        assert (await client.post("/api/jobs", json={**LOAD, "scope": "user:ann"})).status_code == 202
