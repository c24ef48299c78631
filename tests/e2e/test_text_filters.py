"""Filters of texts, by kind, confidence and time, on REST, MCP and in the library; and a reader at a stub."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.client import ClauseClient
from clause.graph.wire import Address
from tests.e2e.conftest import coordinated
from tests.e2e.mcp_clients import environment, over_stdio, told
from tests.faults.serving import serving
from tests.servers import environ_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

SCOPE = "user:kiln"
ASKED = "What glaze did Brid use on the blue jugs?"
SURE = "Brid used a cobalt glaze on the blue jugs."
RUMOUR = "Brid used a copper glaze on the blue jugs."
OLD = "Brid: the blue jugs got two coats of glaze before the first firing."
NEW = "Brid: the blue jugs cracked in the second firing, glaze and all."
OTHERS = [
    "The kiln takes nine hours to reach stoneware heat.",
    "Clay from the lower pit shrinks by an eighth.",
    "The saleroom wants forty mugs by Easter.",
]


class Reading(BaseHTTPRequestHandler):
    """Answers as chat completions do, with how many numbered texts it was given."""

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = sum(line.startswith("[") for line in sent["messages"][1]["content"].splitlines())
        body = json.dumps({"choices": [{"message": {"content": f"{sent['model']} read {texts}"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def url(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service with a reader, and what is kept of the pottery."""
    stub = ThreadingHTTPServer(("127.0.0.1", 0), Reading)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    reader = {"CLAUSE_READER_URL": f"http://127.0.0.1:{stub.server_port}/v1", "CLAUSE_READER_MODEL": "stub"}
    home = tmp_path_factory.mktemp("filters")
    environ = environ_of(served_address, home, **reader)
    with serving(home, environ) as address, httpx.Client(base_url=address, timeout=60, trust_env=False) as http:
        kept(http)
        yield address
        assert http.post("/api/erasures", json={"scope": SCOPE}).is_success
    stub.shutdown()
    stub.server_close()


def kept(http: httpx.Client) -> None:
    """Two beliefs of which one is doubted, two memories a year apart, and others beside them."""
    sure, doubted = {"source_reliability": 0.95, "method_quality": 0.9}, {"source_reliability": 0.2}
    for content, confidence in ((SURE, sure), (RUMOUR, doubted), *((other, sure) for other in OTHERS)):
        given = {"content": content, "scope": SCOPE, "confidence": confidence, "signal": "explicit_request"}
        assert http.post("/api/beliefs", json=given).is_success
    for content, said in ((OLD, "2025-03-01T10:00:00Z"), (NEW, "2026-03-01T10:00:00Z")):
        assert http.post("/api/memories", json={"content": content, "scope": SCOPE, "timestamp": said}).is_success


@pytest.fixture
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        yield client


def texts(answered: dict[str, Any]) -> set[str]:
    """The evidence, without who says it and when."""
    return {
        text
        for text in (SURE, RUMOUR, OLD, NEW, *OTHERS)
        for item in answered["result"]["evidence"]
        if same(text, item)
    }


def same(text: str, item: dict[str, Any]) -> bool:
    return text.removeprefix("Brid: ") in item["text"]


def test_only_the_kinds_that_are_asked_for_are_evidence(http: httpx.Client) -> None:
    everything = texts(coordinated(http, ASKED, SCOPE))
    assert {SURE, RUMOUR, OLD, NEW} <= everything
    memories = coordinated(http, ASKED, SCOPE, texts={"kinds": ["memory"]})
    assert texts(memories) == {OLD, NEW}
    assert memories["receipt"]["left_out"] == {"kinds": 5}
    beliefs = texts(coordinated(http, ASKED, SCOPE, texts={"kinds": ["belief"]}))
    assert {SURE, RUMOUR} <= beliefs
    assert not beliefs & {OLD, NEW}
    nothing = coordinated(http, ASKED, SCOPE, texts={"kinds": ["passage"]})
    assert texts(nothing) == set()
    assert nothing["result"]["abstained"]


def test_a_floor_leaves_the_rumour_out_and_the_receipt_says_so(http: httpx.Client) -> None:
    answered = coordinated(http, ASKED, SCOPE, texts={"floors": {"source_reliability": 0.6}})
    assert RUMOUR not in texts(answered)
    assert SURE in texts(answered)
    assert answered["receipt"]["left_out"] == {"floors.source_reliability": 1}
    assert coordinated(http, ASKED, SCOPE)["receipt"]["left_out"] == {}


def test_time_bounds_what_was_said(http: httpx.Client) -> None:
    found = coordinated(http, ASKED, SCOPE, texts={"kinds": ["memory"], "until": "2025-06-01T00:00:00Z"})
    assert texts(found) == {OLD}
    found = coordinated(http, ASKED, SCOPE, texts={"kinds": ["memory"], "since": "2025-06-01T00:00:00+02:00"})
    assert texts(found) == {NEW}


@pytest.mark.parametrize(
    "wrong",
    [
        {"kinds": ["rumour"]},
        {"floors": {"overall": 2}},
        {"floors": {"charm": 0.5}},
        {"since": "2026-01-01T00:00:00Z", "until": "2025-01-01T00:00:00Z"},
        {"since": "yesterday"},
    ],
)
def test_what_is_no_filter_is_refused(http: httpx.Client, wrong: dict[str, Any]) -> None:
    assert coordinated(http, ASKED, SCOPE, status=422, texts=wrong)["code"]


def test_filters_and_an_answer_without_something_go_together(http: httpx.Client) -> None:
    sure = next(item["node"] for item in coordinated(http, ASKED, SCOPE)["result"]["evidence"] if same(SURE, item))
    found = coordinated(http, ASKED, SCOPE, texts={"kinds": ["belief"]}, without={"beliefs": [sure]})
    assert SURE in texts(found)
    other = texts(found["counterfactual"])
    assert RUMOUR in other
    assert not other & {SURE, OLD, NEW}


async def test_mcp_and_the_library_take_the_same_filters(url: str, served_address: Address, tmp_path: Path) -> None:
    async with ClauseClient(url) as client:
        answered = await client.coordinate(ASKED, scopes=[SCOPE], texts={"kinds": ["memory"]})
    assert texts(answered.model_dump(mode="json")) == {OLD, NEW}
    async with over_stdio(environment(served_address, tmp_path, CLAUSE_MODE="full")) as client:
        given = {"query": ASKED, "scopes": [SCOPE], "texts": {"kinds": ["memory"]}, "detail": "all"}
        found = await told(client, "coordinate", **given)
    assert {text for text in (OLD, NEW, SURE, RUMOUR) if any(same(text, item) for item in found["evidence"])} == {
        OLD,
        NEW,
    }


def test_a_reader_writes_only_where_it_is_asked(http: httpx.Client) -> None:
    plain = coordinated(http, ASKED, SCOPE)
    assert plain["written"] is None
    answered = coordinated(http, ASKED, SCOPE, read=True)
    assert answered["written"]["text"] == f"stub read {len(answered['result']['evidence'])}"
    assert answered["written"]["reader"] == "stub"
    assert answered["answer_sha256"] == plain["answer_sha256"]
    replayed = http.post(f"/api/clause/runs/{answered['run_id']}/replay", json={}).json()
    assert replayed["same"]
    assert replayed["response"]["written"] is None
