"""`clause serve` with two workers: one socket, one rate for a client, runs and figures that are one whoever is asked,
jobs that are done once, a worker that is killed is replaced, and all end together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from prometheus_client.mmap_dict import MmapedDict

from clause.graph.wire import Address
from clause.telemetry import METRICS_FOLDER
from tests.e2e.conftest import SCOPE
from tests.faults.serving import started, until
from tests.servers import environ_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
RATE = 20
"""Requests a second that a client may send, in bursts of twice that."""


class Served:
    """The parent of the workers, and where they answer; each request over a connection of its own."""

    def __init__(self, pid: int, url: str) -> None:
        self.parent = psutil.Process(pid)
        self.url = url

    @property
    def workers(self) -> set[psutil.Process]:
        """The processes behind the socket."""
        found = set()
        for child in self.parent.children():
            with suppress(psutil.NoSuchProcess):  # one that ended is no worker, even before it is waited for
                if "spawn_main" in " ".join(child.cmdline()):
                    found.add(child)
        return found

    @property
    def answered(self) -> set[int]:
        """Pids of the workers that have answered a request."""
        (one, *_) = self.workers
        files = Path(one.environ()[METRICS_FOLDER]).glob("counter_*.db")
        values = {int(file.stem.split("_")[1]): MmapedDict.read_all_values_from_file(str(file)) for file in files}
        return {pid for pid, rows in values.items() if any("clause_requests_total" in row[0] for row in rows)}

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        """The answer, once the rate allows one."""
        found: list[httpx.Response] = []

        def allowed() -> bool:
            found.append(httpx.request(method, f"{self.url}{path}", timeout=120, trust_env=False, **given))
            return found[-1].status_code != 429

        until(allowed)
        return found[-1]


@pytest.fixture(scope="module")
def served(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("workers")
    settings = {**environ_of(served_address, folder), "CLAUSE_WORKERS": "2", "CLAUSE_RATE_LIMIT": str(RATE)}
    process, url = started(folder / "serve.log", settings)
    service = Served(process.pid, url)

    def both() -> bool:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: service.ask("GET", "/health/live"), range(16)))
        return len(service.answered) == 2

    try:
        until(both)
        yield service
        behind = service.workers
        process.terminate()
        assert process.wait(timeout=60) == 0, (folder / "serve.log").read_text()
        assert psutil.wait_procs(behind, timeout=30)[1] == []
    finally:
        process.kill()


def test_a_client_has_one_rate_with_all_workers_together(served: Served) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: httpx.get(f"{served.url}/health/live", trust_env=False, timeout=60), range(400))
        statuses = [answer.status_code for answer in answers]
    allowed = 2 * RATE + RATE * (time.monotonic() - began)
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) <= allowed + 1


def test_an_answer_is_read_back_at_once_whichever_worker_gave_it(served: Served) -> None:
    body = {"query": "who directed Kes", "budgets": {}, "scopes": [SCOPE]}
    for _ in range(8):
        answer = served.ask("POST", "/api/clause/coordinate", json=body)
        assert answer.status_code == 200, answer.text
        run = served.ask("GET", f"/api/clause/runs/{answer.json()['run_id']}")
        assert run.status_code == 200, run.text


def test_a_run_that_nobody_made_is_still_unknown(served: Served) -> None:
    assert served.ask("GET", "/api/clause/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV").status_code == 404


def test_a_job_is_done_once_by_one_of_them(served: Served) -> None:
    jobs = [served.ask("POST", "/api/jobs", json={"kind": "embed", "scope": SCOPE}).json() for _ in range(4)]

    def told() -> list[dict[str, Any]]:
        return [served.ask("GET", f"/api/jobs/{job['id']}").json() for job in jobs]

    until(lambda: all(job["state"] == "succeeded" for job in told()))
    ended = sorted(told(), key=lambda job: job["started_at"])
    for one, other in pairwise(ended):
        assert one["finished_at"] <= other["started_at"]  # one resource, one holder


def test_the_figures_are_those_of_all(served: Served) -> None:
    before = counted(served)
    for _ in range(20):
        served.ask("GET", "/health/live")
    assert counted(served) - before >= 20


def counted(served: Served) -> float:
    """Requests to /health/live that the metrics tell, whoever is asked."""
    lines = served.ask("GET", "/metrics").text.splitlines()
    row = 'clause_requests_total{method="GET",route="/health/live",status="200"} '
    return sum(float(line.removeprefix(row)) for line in lines if line.startswith(row))


def test_a_worker_that_is_killed_is_replaced(served: Served) -> None:
    before = served.workers
    victim = next(iter(before))
    victim.kill()
    until(lambda: len(served.workers) == 2 and victim not in served.workers)
    assert served.ask("GET", "/health/live").status_code == 200
    assert len(served.workers & before) == 1
