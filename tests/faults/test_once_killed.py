"""The API and Neo4j killed with -9 again and again under writers of all kinds, which send each request until it is
answered: nothing is lost, nothing is done twice, nothing is counted twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from ulid import ULID

from clause.graph.catalogue import Catalogue, Statement
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from tests.faults.conftest import kill
from tests.faults.serving import started, until
from tests.servers import statement

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

Body = dict[str, Any]


def counting(pattern: str, what: str = "count(n)") -> Statement:
    """How much of something a scope holds."""
    return statement(f"MATCH {pattern} RETURN {what} AS n", mode="read", parameters="$scope STRING", columns="n")


PROVENANCES = counting("(:Belief {scope: $scope})-[:HAS_PROVENANCE]->(n:Provenance)")


@dataclass(frozen=True)
class Kind:
    """One kind of write.

    Attributes:
        request: (path, body) of the n-th request of a scope, given what `before` answered.
        counted: how much of it the scope holds.
        before: (path, body) of what must be there first.
        each: by how much a request changes what is counted.
        first: what is counted before the first request.
    """

    request: Callable[[int, str, Body], tuple[str, Body]]
    counted: Statement
    before: Callable[[str], tuple[str, Body]] | None = None
    each: int = 1
    first: int = 0


def words(number: int) -> str:
    """A text that no other one resembles."""
    return f"The {('harbour', 'orchard', 'theatre', 'glacier', 'railway')[number % 5]} was measured as lot {ULID()}"


KINDS: Mapping[str, Kind] = {
    "memory": Kind(
        lambda n, scope, _: ("/api/memories", {"content": f"note {n} of {scope}", "scope": scope}),
        counting("(n:Memory {scope: $scope})"),
    ),
    "batch": Kind(
        lambda n, scope, _: (
            "/api/memories/batch",
            {"memories": [{"content": f"part {part} of {n} of {scope}", "scope": scope} for part in "abc"]},
        ),
        counting("(n:Memory {scope: $scope})"),
        each=3,
    ),
    "belief": Kind(
        lambda n, scope, _: ("/api/beliefs", {"content": words(n), "scope": scope}),
        PROVENANCES,
    ),
    "corroboration": Kind(
        lambda n, _, first: (
            f"/api/beliefs/{first['belief']['id']}/corroborations",
            {"source": {"kind": "document", "title": f"Guide {n}"}},
        ),
        PROVENANCES,
        before=lambda scope: ("/api/beliefs", {"content": "The tower is closed in winter", "scope": scope}),
        first=1,
    ),
    "exchange": Kind(
        lambda n, _, first: (f"/api/sessions/{first['session']['id']}/exchanges", {"role": "user", "content": f"{n}"}),
        counting("(n:Exchange {scope: $scope})", "count(n) + 1000000 * (max(n.sequence) - count(n))"),
        before=lambda scope: ("/api/sessions", {"platform": "test", "scope": scope}),
    ),
    "pattern": Kind(
        lambda n, _, first: (f"/api/patterns/{first['pattern']['id']}/reinforce", {}),
        counting("(n:Pattern {scope: $scope})", "sum(n.occurrences)"),
        before=lambda scope: (
            "/api/patterns",
            {"type": "working_style", "description": "Writes the test before the code", "scope": scope},
        ),
        first=1,
    ),
    "salience": Kind(
        lambda n, scope, _: ("/api/topics/salience", {"topic_key": "user:ann", "amount": 1, "scope": scope}),
        counting("(n:Topic {scope: $scope})", "toInteger(round(sum(n.salience)))"),
    ),
    "job": Kind(
        lambda n, scope, _: ("/api/jobs", {"kind": "fade_patterns", "parameters": {"n": n}, "scope": scope}),
        counting("(n:Job {scope: $scope, kind: 'fade_patterns'}) WHERE n.parameters <> '{}'"),
    ),
}


@dataclass
class Writer:
    """Sends the requests of one kind one after the other, each until it is answered."""

    kind: Kind
    scope: str
    url: str
    stop: threading.Event
    acknowledged: int = 0
    repeated: int = 0

    def work(self) -> None:
        """Write until told to stop."""
        with httpx.Client(base_url=self.url, timeout=60, trust_env=False) as http:
            first = self._send(http, "before", *self.kind.before(self.scope)) if self.kind.before else {}
            while not self.stop.is_set():
                number = self.acknowledged
                self._send(http, str(number), *self.kind.request(number, self.scope, first))
                self.acknowledged += 1

    def _send(self, http: httpx.Client, word: str, path: str, body: Body) -> Body:
        deadline = time.monotonic() + 900
        while time.monotonic() < deadline:
            try:
                answer = http.post(path, json=body, headers={"Idempotency-Key": f"{self.scope}/{word}"})
            except httpx.TransportError:
                pass
            else:
                if answer.is_success:
                    found: Body = answer.json()
                    return found
                assert answer.status_code == 503, answer.text
            self.repeated += 1
            self.stop.wait(0.1)
        raise AssertionError(f"{path} was never answered")


@contextmanager
def writers(url: str) -> Iterator[list[Writer]]:
    """One writer of each kind at work, in a scope of its own; stopped and looked after at the end."""
    stop = threading.Event()
    mark = str(ULID()).lower()
    found = [Writer(kind, f"user:{name}-{mark}", url, stop) for name, kind in KINDS.items()]
    with ThreadPoolExecutor(len(found)) as pool:
        working = [pool.submit(one.work) for one in found]
        try:
            yield found
        finally:
            stop.set()
        for one in working:
            one.result()


def all_went_on(found: Sequence[Writer], before: Sequence[int], by: int) -> bool:
    """True once each writer was answered that often since then."""
    return all(one.acknowledged >= was + by for one, was in zip(found, before, strict=True))


async def counts(server: ManagedServer, found: list[Writer]) -> dict[str, tuple[int, int]]:
    """(what is there, what was acknowledged) by scope."""
    async with Graph(server.ensure(), Catalogue.load()) as graph:
        return {
            one.scope: (
                int((await graph.execute(one.kind.counted, {"scope": one.scope}))[0]["n"]),
                one.kind.first + one.kind.each * one.acknowledged,
            )
            for one in found
        }


def rounds(server: ManagedServer, folder: Path, number: int) -> None:
    """Kill the API and Neo4j in turn, `number` times, while all kinds are written."""
    settings = {"CLAUSE_HOME": str(server.layout.home), "CLAUSE_PERIODIC_JOBS": "false"}
    log = folder / "serve.log"
    process, url = started(log, settings)
    port = int(url.rpartition(":")[2])
    try:
        with writers(url) as found:
            for turn in range(number):
                before = [one.acknowledged for one in found]
                until(partial(all_went_on, found, before, 2))
                if turn % 2:
                    kill(server)
                    server.ensure()
                else:
                    process.kill()
                    process.wait(timeout=60)
                    process, url = started(log, settings, port)
            before = [one.acknowledged for one in found]
            until(partial(all_went_on, found, before, 1))
        assert sum(one.repeated for one in found) >= number
        compared = asyncio.run(counts(server, found))
        assert {scope: pair for scope, pair in compared.items() if pair[0] != pair[1]} == {}
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_what_is_killed_twice_loses_nothing_and_does_nothing_twice(doomed: ManagedServer, tmp_path: Path) -> None:
    doomed.ensure()
    rounds(doomed, tmp_path, 2)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_what_is_killed_twenty_times_loses_nothing_and_does_nothing_twice(
    doomed: ManagedServer, tmp_path: Path
) -> None:
    doomed.ensure()
    rounds(doomed, tmp_path, 20)
