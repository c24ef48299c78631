"""`clause serve` as a process of its own, on the real server, with a small graph loaded; and a client for it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from clause.graph.address import Address

SCOPE = "kg:e2e"
TRIPLES = """\
Kes|directed_by|Ken Loach
Riff-Raff|directed_by|Ken Loach
Looks and Smiles|directed_by|Ken Loach
Kes|written_by|Barry Hines
Looks and Smiles|written_by|Barry Hines
Kes|release_year|1969
Riff-Raff|release_year|1991
Naked|directed_by|Mike Leigh
Naked|release_year|1993
"""
_READY_S = 120


@pytest.fixture(scope="session")
def served_address(migrated_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Address:
    """The test server, holding the small graph."""
    file = tmp_path_factory.mktemp("e2e") / "films.txt"
    file.write_text(TRIPLES, encoding="utf-8")

    async def load() -> None:
        from clause.graph.catalogue import Catalogue
        from clause.graph.embedding_model import replace_embedding_model
        from clause.graph.runner import Graph
        from clause.ingest.triples import load_triples
        from clause.text.embedder import SentenceTransformerEmbedder

        embedder = SentenceTransformerEmbedder()
        async with Graph(migrated_address, Catalogue.load()) as graph:
            await replace_embedding_model(graph, embedder.model, embedder.dimension)
            await load_triples(graph, embedder, file, SCOPE)
        embedder.close()

    asyncio.run(load())
    return migrated_address


@pytest.fixture(scope="package")
def service(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running `clause serve`, ready; gone before other tests, whose jobs and clusters it would work on."""
    folder: Path = tmp_path_factory.mktemp("serve")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")},
        "CLAUSE_HOME": str(folder),
        "CLAUSE_NEO4J_URI": served_address.uri,
        "CLAUSE_NEO4J_USER": served_address.user,
        "CLAUSE_NEO4J_PASSWORD": served_address.password.get_secret_value(),
        "CLAUSE_NEO4J_DATABASE": served_address.database,
    }
    command = [sys.executable, "-m", "clause.cli.main", "serve", "--port", "0", "--json"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "}\n")
            url = json.loads("".join(lines) + "}")["api"]
            _wait(url, process, folder / "log")
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)
    assert process.returncode in (0, -15), (folder / "log").read_text()


def _wait(url: str, process: subprocess.Popen[str], log: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            if httpx.get(f"{url}/health/ready", timeout=5, trust_env=False).is_success:
                return
        except httpx.TransportError:
            continue
    raise AssertionError(f"not ready: {log.read_text()}")


@pytest.fixture
def http(service: str) -> Iterator[httpx.Client]:
    """A client of the running service."""
    with httpx.Client(base_url=service, timeout=60, trust_env=False) as client:
        yield client
