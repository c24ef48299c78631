"""The HTTP row, on the real server with a container of fakes."""

import logging
import os
from collections.abc import Iterator
from typing import Any, cast

import pytest
import structlog

from clause.lab.bench.http import clients_bench, http_bench, serving
from tests.unit.api.fakes import FakeContainer


@pytest.fixture
def logging_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [*root.handlers])
    monkeypatch.setattr(root, "level", root.level)
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("logging_as_before")
async def test_kept_connections_are_measured_beside_new_ones_and_nothing_else_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    container = FakeContainer()
    found = await http_bench(cast("Any", container), 20, "clause bench http")
    assert (found["n"], found["errors"]) == (20, 0)
    assert 0 < found["p50_ms"] <= found["p95_ms"]
    assert found["baseline"]["ms"] > 0
    assert found["baseline"]["ratio"] < 3  # a delayed acknowledgement made it 20
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("logging_as_before")
async def test_many_clients_are_counted_beside_one_and_what_is_no_answer_by_its_status() -> None:
    async with serving(cast("Any", FakeContainer())) as url:
        asked = {"clients": 3, "seconds": 0.3, "command": "clause bench clients"}
        found = await clients_bench(url, os.getpid(), ["who directed Kes"], **asked)
        refused = await clients_bench(url, os.getpid(), ["x" * 20_000], **asked)
    assert found["n"] >= 3
    assert found["no_answer"] == {}
    assert 0 < found["p50_ms"] <= found["p95_ms"]
    assert found["baseline"]["name"] == "one client's p95"
    assert found["memory_mb"]["before"] > 0
    assert (refused["n"], set(refused["no_answer"])) == (0, {"422"})
