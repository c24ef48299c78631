"""A managed Neo4j of the faults' own, which may be killed, and the API on top of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from clause.graph.catalogue import Catalogue
from clause.graph.migrations import migrate
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.ingest.triples import load_triples
from tests.faults.serving import serving
from tests.servers import quick_server
from tests.shapes import write_text

FILMS = """\
Kes|directed_by|Ken Loach
Riff-Raff|directed_by|Ken Loach
Kes|written_by|Barry Hines
Kes|release_year|1969
"""


@pytest.fixture(scope="package")
def doomed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagedServer]:
    """A running, migrated server that holds a few films in kg:films."""
    home = tmp_path_factory.mktemp("doomed")
    films = write_text(home / "films.txt", FILMS)
    server = quick_server(home / "home")

    async def load() -> None:
        async with Graph(server.ensure(), Catalogue.load()) as graph:
            await migrate(graph)
            await load_triples(graph, None, films, "kg:films")

    try:
        asyncio.run(load())
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="package")
def api(doomed: ManagedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a ready API that shares the server's home."""
    folder: Path = tmp_path_factory.mktemp("api")
    with serving(folder, {"CLAUSE_HOME": str(doomed.layout.home)}) as url:
        yield url


def kill(server: ManagedServer) -> None:
    """End the server as `kill -9` does, and wait until it is gone."""
    pid = server.status().pid
    assert pid is not None
    process = psutil.Process(pid)
    process.kill()
    process.wait(30)
