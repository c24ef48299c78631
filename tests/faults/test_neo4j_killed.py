"""Neo4j killed with -9 while questions are asked and graphs are loaded."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.errors import UnavailableError
from clause.graph.catalogue import Catalogue
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.graph.wire import Address
from clause.ingest.triples import load_triples
from tests.faults.conftest import kill
from tests.faults.serving import ready, until
from tests.integration.graphs import triples, wrong_counts
from tests.shapes import write_text

pytestmark = pytest.mark.integration

WRITERS = 8
LINES = 1_200
QUESTION = {"query": "who directed Kes", "budgets": {}, "scopes": ["kg:films"]}


def ask(client: httpx.Client) -> httpx.Response:
    return client.post("/api/clause/coordinate", json=QUESTION)


def answers(response: httpx.Response) -> list[str]:
    return [answer["name"] for answer in response.json()["result"]["answers"]]


def expect_unavailable(response: httpx.Response) -> None:
    assert response.status_code == 503, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["Retry-After"]) > 0
    problem = response.json()
    assert (problem["code"], problem["status"]) == ("unavailable", 503)
    assert "clause db start" in problem["remedy"]


def test_the_api_answers_503_while_neo4j_is_gone_and_recovers_by_itself(doomed: ManagedServer, api: str) -> None:
    asked = Counter[int]()
    with httpx.Client(base_url=api, timeout=120, trust_env=False) as client, ThreadPoolExecutor(4) as clients:
        before = answers(ask(client))

        def go_on() -> list[httpx.Response]:
            """Ask until the first answer that is none."""
            got = [ask(client)]
            while got[-1].status_code == 200:
                asked[200] += 1
                got.append(ask(client))
            return got

        asking = [clients.submit(go_on) for _ in range(4)]
        until(lambda: asked[200] >= 8)
        address = doomed.ensure()
        kill(doomed)  # each of the four is in the middle of a request, or about to send the next
        for one in asking:
            *good, last = one.result()
            assert {response.status_code for response in good} <= {200}
            expect_unavailable(last)
        gone = client.get("/health/ready")
        assert (gone.status_code, gone.json()["checks"]["neo4j"]["ready"]) == (503, False)
        assert client.get("/health/live").status_code == 200
        expect_unavailable(client.post("/api/jobs", json={"kind": "forget_keys"}))

        assert doomed.ensure() == address
        until(lambda: ready(api))
        after = ask(client)
        assert after.status_code == 200, after.text
        assert answers(after) == before == ["Ken Loach"], after.text
        job = client.post("/api/jobs", json={"kind": "forget_keys"})
        assert job.status_code == 202, job.text
        until(lambda: client.get(job.headers["Location"]).json()["state"] == "succeeded")


def test_a_server_that_hangs_is_not_called_running_and_is_found_again(doomed: ManagedServer) -> None:
    address, pid = doomed.ensure(), doomed.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        hanging = doomed.status()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (hanging.running, hanging.pid) == (False, pid)
    assert "answers nothing" in str(hanging.problem)
    assert "`clause db stop` and `clause db start`" in str(hanging.problem)
    assert doomed.ensure() == address
    assert (doomed.status().running, doomed.status().pid) == (True, pid)


def lines(writer: int) -> str:
    return "".join(f"a{number % 397}|r{writer}|b{number}\n" for number in range(LINES))


async def load(address: Address, path: Path, scope: str, told: dict[str, int]) -> Any:
    """One writer with connections of its own; how far it was told that it is, is in `told`."""

    def progress(message: str, done: int, total: int) -> None:
        told[scope] = done

    async with Graph(address, Catalogue.load()) as graph:
        return await load_triples(
            graph, None, path, scope, batch_size=50, progress=progress, jobs=Jobs(graph, lease_s=2.0)
        )


async def test_every_acknowledged_write_of_eight_writers_is_there_after_kill_9_and_none_twice(
    doomed: ManagedServer, tmp_path: Path
) -> None:
    address = await asyncio.to_thread(doomed.ensure)
    paths = {f"kg:writer{number}": write_text(tmp_path / f"{number}.txt", lines(number)) for number in range(WRITERS)}
    told: dict[str, int] = {}
    writing = [asyncio.create_task(load(address, path, scope, told)) for scope, path in paths.items()]
    while len(told) < WRITERS or max(told.values()) < LINES // 4:
        await asyncio.wait(writing, timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.to_thread(kill, doomed)
    ends = await asyncio.gather(*writing, return_exceptions=True)
    assert {type(end) for end in ends} == {UnavailableError}

    assert await asyncio.to_thread(doomed.ensure) == address
    async with Graph(address, Catalogue.load()) as graph:
        for scope, path in paths.items():
            whole = [tuple(line.split("|")) for line in path.read_text().splitlines()]
            found = await triples(graph, scope)
            assert len(found) == len(set(found))
            assert set(whole[: told[scope]]) <= set(found) < set(whole)
            assert await wrong_counts(graph, scope) == []
            report = await load(address, path, scope, told)
            assert report.created == LINES
            assert sorted(await triples(graph, scope)) == sorted(whole)
            assert await wrong_counts(graph, scope) == []
