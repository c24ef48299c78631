"""Opens the graph that the settings name, else the managed local one, and refuses a server that is too old."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import SecretStr

from clause.errors import EmbedderMismatchError, ServerError
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.settings import Settings
from clause.telemetry import Metrics, Progress, silent

if TYPE_CHECKING:
    from clause.graph.runner import Graph

OLDEST = (2026, 1)
"""The first version with SEARCH over filtered vector indexes."""

_CYPHER = "25"
_AURA = re.compile(r"aura", re.IGNORECASE)
_NUMBERS = re.compile(r"/(\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class Capabilities:
    """One server: `version` as numbers (year first since 2025), `edition`, whether it is Aura, Cypher versions."""

    version: tuple[int, ...]
    edition: str
    aura: bool
    cypher: tuple[str, ...]

    @property
    def vector_search(self) -> bool:
        """True when SEARCH with filters over a vector index works. Aura names a version of its own and has it."""
        return _CYPHER in self.cypher and (self.aura or self.version >= OLDEST)


async def probe(graph: Graph) -> Capabilities:
    """Ask the server what it can do.

    Raises:
        ServerError: it is no Neo4j, too old, or refuses the password.
        UnavailableError: nothing answers.
    """
    agent = await graph.agent()
    version, aura = version_of(agent), bool(_AURA.search(agent))
    if not aura and version < OLDEST:
        raise _too_old(agent)
    rows = await graph.run("graph/components")
    kernel = next((row for row in rows if row["name"] == "Neo4j Kernel"), {"edition": "unknown"})
    cypher: list[str] = next((row["versions"] for row in rows if row["name"] == "Cypher"), [])
    capabilities = Capabilities(version, str(kernel["edition"]), aura, tuple(cypher))
    if not capabilities.vector_search:
        raise _too_old(agent)
    return capabilities


def version_of(agent: str) -> tuple[int, ...]:
    """The numbers in what a server calls itself; () when there are none.

    >>> version_of("Neo4j/2026.08.1"), version_of("Neo4j/5.27-aura"), version_of("other")
    ((2026, 8, 1), (5, 27), ())
    """
    found = _NUMBERS.search(agent)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def _too_old(agent: str) -> ServerError:
    oldest = ".".join(f"{part:02}" for part in OLDEST)
    return ServerError(f"{agent} is too old", remedy=f"use Neo4j {oldest} or newer")


async def find_address(settings: Settings, progress: Progress = silent) -> Address:
    """Find where Neo4j answers: the server that the settings name, else the managed one, started if need be."""
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password or SecretStr("")
        return Address(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database)
    from clause.graph.server import ManagedServer  # noqa: PLC0415 -- an external server needs none of it

    return await asyncio.to_thread(ManagedServer(settings.home, settings.neo4j_heap_mb).ensure, progress)


@asynccontextmanager
async def open_graph(
    settings: Settings, *, progress: Progress = silent, metrics: Metrics | None = None
) -> AsyncIterator[Graph]:
    """The graph alone, open and probed, not migrated."""
    from clause.graph.catalogue import Catalogue  # noqa: PLC0415
    from clause.graph.runner import Graph  # noqa: PLC0415

    async def sleep(seconds: float) -> None:
        if metrics is not None:
            metrics.retries.inc()
        await asyncio.sleep(seconds)

    graph = Graph(
        await find_address(settings, progress),
        Catalogue.load(),
        timeout_s=settings.neo4j_timeout_s,
        pool_size=settings.neo4j_pool_size,
        sleep=sleep,
    )
    async with graph:
        await probe(graph)
        yield graph


async def check_embedding_model(graph: Graph, model: str, dimension: int, *, now: datetime | None = None) -> None:
    """Record `model` and `dimension` (numbers in a vector) in a graph that has no record; compare them otherwise.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model or with another dimension.
    """
    row = await graph.one(
        "graph/claim_embedding_model", model=model, dimension=dimension, recorded_at=now or datetime.now(UTC)
    )
    if row is not None and (row["model"], row["dimension"]) != (model, dimension):
        raise EmbedderMismatchError(
            f"the graph was embedded by {row['model']} ({row['dimension']} numbers), "
            f"the embedder is {model} ({dimension} numbers)",
            remedy="set CLAUSE_EMBEDDER to the first, or run `clause reembed`",
        )


async def replace_embedding_model(graph: Graph, model: str, dimension: int, *, now: datetime | None = None) -> None:
    """Record another model: the last step of embedding everything anew."""
    await graph.run(
        "graph/replace_embedding_model", model=model, dimension=dimension, recorded_at=now or datetime.now(UTC)
    )
