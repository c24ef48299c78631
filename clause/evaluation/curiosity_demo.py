"""A demonstration that a reader can run: what curiosity finds changes a later answer."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from clause.evaluation.bench_loading import bench_scope, write_triples
from clause.evaluation.bench_rows import Services
from clause.graph.scopes import Caller
from clause.ingest.triples import load_triples
from clause.reasoning.models import PathNavigationRequest
from clause.reasoning.neo4j_neighbourhood import Neo4jNeighbourhood
from clause.rooms import Rooms

SCOPE = "kg:bench-curiosity"
TRIPLES = (
    ("Heat", "directed_by", "Michael Mann"),
    ("Collateral", "directed_by", "Michael Mann"),
    ("Heat", "starred_actors", "Al Pacino"),
    ("Heat", "starred_actors", "Robert De Niro"),
    ("Collateral", "starred_actors", "Tom Cruise"),
)
QUESTION = "Which actors has Michael Mann worked with?"


class DemoServices(Services, Protocol):
    """What the demonstration drives (the container has it)."""

    @property
    def rooms(self) -> Rooms:
        """The rooms."""
        ...

    @property
    def port(self) -> Any:
        """Reads of the graph; `forget` drops what it remembers of relationship types."""
        ...


async def curiosity_demo(services: DemoServices) -> dict[str, Any]:
    """Ask, let curiosity work, ask again, in a small graph of its own, which is erased afterwards.

    The walk may take one step. At first that leads from the director to films alone; what the worker finds are ways to
    actors, so that the same question is answered by actors.
    """
    async with bench_scope(services.graph, SCOPE):
        with TemporaryDirectory() as folder:
            path = write_triples(Path(folder) / "demo.txt", TRIPLES)
            await load_triples(services.graph, services.embedder, path, SCOPE)
        return await _demonstrate(services)


async def _demonstrate(services: DemoServices) -> dict[str, Any]:
    _forget(services)
    caller, room = Caller((SCOPE,), (SCOPE,)), services.rooms.intelligence
    request = PathNavigationRequest(
        query=QUESTION, start_node="Michael Mann", step_budget=1, curiosity_threshold=0.0, scopes=[SCOPE]
    )
    before = await services.agents.navigate(request, caller)
    await room.settled()
    report = await room.investigator.work(caller=caller)
    _forget(services)
    after = await services.agents.navigate(request.model_copy(update={"enable_curiosity": False}), caller)
    await room.settled()
    return {
        "question": QUESTION,
        "before": sorted(answer["name"] for answer in before.metadata["answers"]),
        "triggers": before.metadata["curiosity_triggers_spawned"],
        "findings": report.findings,
        "after": sorted(answer["name"] for answer in after.metadata["answers"]),
        "path": after.path["edges"],
    }


def _forget(services: DemoServices) -> None:
    """Relationship types are believed for a few seconds; the demonstration does not wait for that."""
    if isinstance(services.port, Neo4jNeighbourhood):
        services.port.forget()
