"""The rules by which tests choose a server and keep off other people's data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from clause.graph.wire import Address
from tests import servers
from tests.unit.graph.wires import ADDRESS, played


class PretendContainer:
    """Stands in for testcontainers' Neo4jContainer."""

    made: ClassVar[list[tuple[str, dict[str, Any]]]] = []
    running = 0

    def __init__(self, image: str, **options: Any) -> None:
        self.made.append((image, options))
        self.username, self.password = "neo4j", options["password"]

    def __enter__(self) -> PretendContainer:
        type(self).running += 1
        return self

    def __exit__(self, *error: object) -> None:
        type(self).running -= 1

    def get_connection_url(self) -> str:
        return "bolt://container:7687"


@contextmanager
def elsewhere() -> Iterator[Address]:
    yield ADDRESS


def test_a_given_server_comes_first():
    environ = {"CLAUSE_TEST_NEO4J_URI": "bolt://given:1", "CLAUSE_TEST_NEO4J_PASSWORD": "p"}
    with servers.server_for_tests(environ, engine=lambda: True) as address:
        assert (address.uri, address.user, address.database) == ("bolt://given:1", "neo4j", "neo4j")
        assert address.password.get_secret_value() == "p"


def test_a_container_comes_before_the_managed_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(servers, "container", elsewhere)
    with servers.server_for_tests({}, engine=lambda: True) as address:
        assert address is ADDRESS


def test_without_an_engine_the_managed_server_is_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(servers, "managed", elsewhere)
    with servers.server_for_tests({}, engine=lambda: False) as address:
        assert address is ADDRESS


def test_the_container_is_pinned_and_removed_afterwards():
    with servers.container(PretendContainer) as address:
        assert address.uri == "bolt://container:7687"
        assert PretendContainer.running == 1
    assert PretendContainer.running == 0
    ((image, options),) = PretendContainer.made
    assert image == servers.IMAGE
    assert ":" in image
    assert options["password"] == address.password.get_secret_value()


async def test_a_marked_database_is_ours():
    graph, wire, _ = played([[{"marks": 1}]])
    async with graph:
        await servers.claim(graph)
    assert len(wire.sent) == 1


async def test_an_empty_database_is_marked():
    graph, wire, _ = played([[{"marks": 0}]], [[{"nodes": 0}]], [[]])
    async with graph:
        await servers.claim(graph)
    assert [sent["read"] for sent in wire.sent] == [True, True, False]


async def test_a_database_with_somebody_elses_nodes_is_left_alone():
    graph, wire, _ = played([[{"marks": 0}]], [[{"nodes": 3}]])
    async with graph:
        with pytest.raises(servers.NotOursError):
            await servers.claim(graph)
    assert all(sent["read"] for sent in wire.sent)
