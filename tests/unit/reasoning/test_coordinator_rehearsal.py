"""The rehearsal asks once and leaves nothing behind."""

from __future__ import annotations

from typing import Any
from unittest.mock import AsyncMock

import pytest

from clause.reasoning.coordinator import FRONTIERS, rehearse
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import embedded_films
from tests.unit.reasoning.films import NAMES
from tests.unit.reasoning.test_coordinator import House


async def test_a_rehearsal_reads_frontiers_and_starts_and_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    port = await embedded_films(HashEmbedder())
    starts = AsyncMock(wraps=port.starts)
    monkeypatch.setattr(type(port), "starts", starts)
    house = House(port)
    graph: Any = house.graph
    graph.entities = [{"id": node, "name": name} for node, name in NAMES.items()]
    assert await rehearse(graph, port, house.coordinator) == len(NAMES)
    await house.runs.settled()
    assert graph.written == []
    assert starts.await_count == 1
    assert max(FRONTIERS) >= len(NAMES)


async def test_an_empty_graph_has_nothing_to_rehearse() -> None:
    port = await embedded_films(HashEmbedder())
    house = House(port)
    assert await rehearse(house.graph, port, house.coordinator) == 0
