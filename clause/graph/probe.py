"""What the server is: asked once at start, compared as tuples, refused with one line when it is too old."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clause.errors import ServerError
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
