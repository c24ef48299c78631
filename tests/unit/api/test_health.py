from httpx import AsyncClient

from clause.app import Check
from tests.unit.api.fakes import FakeContainer


async def test_a_live_process_says_so_with_its_version(client: AsyncClient) -> None:
    assert (await client.get("/health/live")).json() == {"status": "alive", "version": "0.1.0"}


async def test_ready_names_every_part(client: AsyncClient) -> None:
    answer = await client.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert set(answer.json()["checks"]) == {"neo4j", "migrations", "model", "policy"}


async def test_one_part_away_is_503_with_what_is_wrong_and_when_to_ask_again(
    client: AsyncClient, container: FakeContainer
) -> None:
    container.checks["neo4j"] = Check(ready=False, detail="Neo4j is away")
    answer = await client.get("/health/ready")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "2"
    assert answer.json()["checks"]["neo4j"] == {"ready": False, "detail": "Neo4j is away"}


async def test_metrics_are_in_the_text_format(client: AsyncClient) -> None:
    answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "# TYPE clause_requests_total counter" in answer.text
