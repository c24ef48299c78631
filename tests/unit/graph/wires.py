"""A wire that plays a script of outcomes, for tests of what stands above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import SecretStr

from clause.errors import UnavailableError
from clause.graph.catalogue import Catalogue, parse
from clause.graph.runner import Graph
from clause.graph.wire import Address, AttemptError, ExplorationLimits, ExplorationResult, Rows, Work

ADDRESS = Address("bolt://nowhere:7687", password=SecretStr("hush"))


def text(
    name: str = "demo/one",
    *,
    mode: str = "read",
    returns: str = "many",
    parameters: str = "none",
    columns: str = "x",
    body: str = "CYPHER 25 RETURN 1 AS x",
) -> str:
    """A section of a statement file."""
    return (
        f"// {name}, of a test\n// mode:       {mode}\n// returns:    {returns}\n"
        f"// parameters: {parameters}\n// columns:    {columns}\n{body}\n"
    )


CATALOGUE = Catalogue(
    parse(
        "\n".join(
            [
                text(returns="one"),
                text("demo/maybe", returns="maybe"),
                text("demo/many", parameters="$k INTEGER", body="CYPHER 25 RETURN $k AS x"),
                text(
                    "demo/search",
                    parameters="$limit INTEGER",
                    columns="ranking, passes, x",
                    body="CYPHER 25 RETURN 'a' AS ranking, true AS passes, $limit AS x",
                ),
                text("demo/put", mode="write", returns="none", columns="none", body="CYPHER 25 CREATE (:X)"),
            ]
        )
    )
)


def away(*, retry: bool = True, unknown: bool = False) -> AttemptError:
    """The fault of a server that is away."""
    return AttemptError(UnavailableError("away"), retry=retry, unknown=unknown)


class PlayedWire:
    """Implements Wire: each send takes the next outcome, rows for its statements or a fault."""

    def __init__(self, outcomes: Iterable[list[Rows] | AttemptError], agent: str = "Neo4j/2026.08.1") -> None:
        self.outcomes = list(outcomes)
        self.sent: list[dict[str, Any]] = []
        self.given: list[Mapping[str, Any]] = []
        self.opened = self.closed = 0
        self.name = agent

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    async def send(self, work: Work, *, read: bool, atomic: bool, timeout_s: float) -> list[Rows]:
        self.sent.append({"names": [s.name for s, _ in work], "read": read, "atomic": atomic, "timeout_s": timeout_s})
        self.given += [parameters for _, parameters in work]
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, AttemptError):
            raise outcome
        return outcome

    async def explore(self, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits) -> ExplorationResult:
        self.sent.append({"text": text, "parameters": parameters, "limits": limits})
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, AttemptError):
            raise outcome
        return ExplorationResult(("x",), tuple(outcome[0]), cut=False)

    async def agent(self) -> str:
        return self.name


class Naps:
    """A sleep that only notes how long it was asked to wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def played(*outcomes: list[Rows] | AttemptError, agent: str = "Neo4j/2026.08.1") -> tuple[Graph, PlayedWire, Naps]:
    """A graph on a played wire, and both its ends."""
    wire, naps = PlayedWire(outcomes, agent), Naps()
    ticks = iter(range(1000))
    return Graph(ADDRESS, CATALOGUE, wire=wire, sleep=naps, clock=lambda: float(next(ticks))), wire, naps
