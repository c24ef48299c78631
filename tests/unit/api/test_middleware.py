import pytest
from httpx import ASGITransport, AsyncClient
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from clause import telemetry
from clause.api import problems
from clause.api.middleware import BodyLimit, LoopbackGuard, RateLimit, RequestContext
from clause.telemetry import Metrics


def client_of(app: ASGIApp, host: str = "127.0.0.1:8420") -> AsyncClient:
    return AsyncClient(transport=ASGITransport(app), base_url=f"http://{host}")


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)} {telemetry.request_id.get()}")(scope, receive, send)


async def broken(scope: Scope, receive: Receive, send: Send) -> None:
    raise ZeroDivisionError("secret inner words")


async def test_a_well_formed_request_id_is_kept_and_given_back() -> None:
    async with client_of(RequestContext(echo, Metrics())) as client:
        answer = await client.get("/", headers={"X-Request-ID": "abc-1"})
    assert (answer.text, answer.headers["X-Request-ID"]) == ("0 abc-1", "abc-1")


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "é", 'a"b'])
def test_ids_that_are_not_well_formed_are_listed_for_replacement(given: str) -> None:
    from clause.api.middleware import _ACCEPTED_ID

    assert _ACCEPTED_ID.fullmatch(given) is None


async def test_a_malformed_request_id_is_replaced() -> None:
    async with client_of(RequestContext(echo, Metrics(), new_id=lambda: "fresh")) as client:
        answer = await client.get("/", headers={"X-Request-ID": "a b"})
    assert answer.headers["X-Request-ID"] == "fresh"


async def test_an_unexpected_error_is_a_problem_that_says_nothing_of_the_inside() -> None:
    async with client_of(RequestContext(broken, Metrics())) as client:
        answer = await client.get("/x")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == problems.MEDIA_TYPE
    assert answer.json()["code"] == "internal"
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]
    assert "secret" not in answer.text


async def test_requests_are_counted_by_route_and_status() -> None:
    metrics = Metrics()
    async with client_of(RequestContext(echo, metrics)) as client:
        await client.get("/some/path")
    assert (
        metrics.registry.get_sample_value(
            "clause_requests_total", {"method": "GET", "route": "unmatched", "status": "200"}
        )
        == 1
    )


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "10.0.0.1:8420"])
async def test_a_host_that_is_not_the_loopback_is_refused(host: str) -> None:
    async with client_of(LoopbackGuard(echo), host) as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["localhost:8420", "127.0.0.1", "[::1]:8420"])
async def test_the_names_of_the_loopback_are_accepted(host: str) -> None:
    async with client_of(LoopbackGuard(echo), host) as client:
        assert (await client.get("/")).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"), [("http://127.0.0.1:8420", 200), ("http://evil.example", 403), ("null", 403)]
)
async def test_only_pages_of_this_service_may_ask_from_a_browser(origin: str, status: int) -> None:
    async with client_of(LoopbackGuard(echo)) as client:
        assert (await client.post("/", headers={"Origin": origin})).status_code == status


async def test_a_malformed_host_is_refused() -> None:
    async with client_of(LoopbackGuard(echo)) as client:
        assert (await client.get("/", headers={"Host": "[::1"})).status_code == 403


async def test_a_burst_beyond_the_rate_waits_for_the_bucket_to_fill() -> None:
    now_s = 0.0
    limited = RateLimit(echo, per_s=1, monotonic_s=lambda: now_s)
    async with client_of(limited) as client:
        statuses = [(await client.get("/")).status_code for _ in range(3)]
        refused = await client.get("/")
        now_s = 1.0
        later = await client.get("/")
    assert statuses == [200, 200, 429]
    assert refused.headers["Retry-After"] == "1"
    assert later.status_code == 200


async def test_no_rate_is_no_limit() -> None:
    async with client_of(RateLimit(echo, per_s=0, monotonic_s=lambda: 0.0)) as client:
        assert {(await client.get("/")).status_code for _ in range(50)} == {200}


async def test_the_buckets_of_many_clients_do_not_grow_without_bound() -> None:
    limited = RateLimit(echo, per_s=1, monotonic_s=lambda: 0.0, clients=3)
    for number in range(10):
        transport = ASGITransport(limited, client=(f"10.0.0.{number}", 1))
        async with AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get("/")
    assert len(limited._buckets) == 3


async def test_a_body_up_to_the_limit_is_read() -> None:
    async with client_of(BodyLimit(echo, 10)) as client:
        assert (await client.post("/", content=b"x" * 10)).text.startswith("10 ")


async def test_a_body_that_says_it_is_too_large_is_refused() -> None:
    async with client_of(BodyLimit(echo, 10)) as client:
        answer = await client.post("/", content=b"x" * 11)
    assert (answer.status_code, answer.json()["bound"]) == (413, "at most 10 bytes")
