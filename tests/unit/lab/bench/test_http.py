"""The HTTP row, on the real server with a container of fakes."""

from typing import Any, cast

from clause.lab.bench.http import http_bench
from tests.unit.api.fakes import FakeContainer


async def test_kept_connections_are_measured_beside_new_ones() -> None:
    container = FakeContainer()
    found = await http_bench(cast("Any", container), 20, "clause bench http")
    assert (found["n"], found["errors"]) == (20, 0)
    assert 0 < found["p50_ms"] <= found["p95_ms"]
    assert found["baseline"]["ms"] > 0
    assert found["baseline"]["ratio"] < 3  # a delayed acknowledgement made it 20
