from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from clause.graph.scopes import Caller
from clause.reasoning.answer.runs import digest_of
from tests.unit.api.fakes import FakeContainer
from tests.unit.api.test_reasoning import expect_problem


async def test_a_recorded_run_is_read_with_its_request(client: AsyncClient, container: FakeContainer) -> None:
    container.runs.add("run1", {})
    run = (await client.get("/api/clause/runs/run1")).json()
    assert (run["id"], run["request"]["query"], run["policy"]) == ("run1", "who directed it", "heuristic")
    assert run["recorded_at"] == "2026-01-01T00:00:00Z"


async def test_the_pages_hold_every_run_once_newest_first(client: AsyncClient, container: FakeContainer) -> None:
    for number in range(5):
        container.runs.add(f"run{number}", {})
    seen: list[str] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = (await client.get("/api/clause/runs", params=query)).json()
        seen += [run["id"] for run in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert seen == ["run4", "run3", "run2", "run1", "run0"]


async def test_a_replay_that_comes_out_the_same_says_so_and_records_nothing(
    client: AsyncClient, container: FakeContainer
) -> None:
    fresh = await container.coordinator.coordinate(container.runs_request(), Caller())
    container.runs.add("run1", digest_of(fresh))
    replay = (await client.post("/api/clause/runs/run1/replay")).json()
    assert (replay["same"], replay["differences"]) == (True, [])
    request = container.coordinator.asked[-1]
    assert (request.record, request.policy) == (False, "heuristic")


async def test_a_replay_names_what_differs(client: AsyncClient, container: FakeContainer) -> None:
    fresh = await container.coordinator.coordinate(container.runs_request(), Caller())
    container.runs.add("run1", {**digest_of(fresh), "abstained": False})
    replay = (await client.post("/api/clause/runs/run1/replay")).json()
    assert replay["same"] is False
    assert replay["differences"] == [{"path": "abstained", "recorded": False, "fresh": True}]


async def test_an_unknown_run_and_another_callers_run_are_not_found(app: FastAPI, container: FakeContainer) -> None:
    async def bob(_request: object) -> Caller:
        return Caller(readable=("user:bob",), writable=("user:bob",))

    container.runs.add("run1", {})
    app.state.authenticate = bob
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client,
    ):
        for path in ("run1", "none"):
            expect_problem(await client.get(f"/api/clause/runs/{path}"), 404, field="run_id")
            expect_problem(await client.post(f"/api/clause/runs/{path}/replay"), 404, field="run_id")
        assert (await client.get("/api/clause/runs")).json()["items"] == []
