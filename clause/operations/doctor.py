"""What is wrong with this installation, and how to mend it: every check of `checks`, in the order in which to mend."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping

from pydantic import BaseModel, ConfigDict, Field, SecretStr, computed_field

from clause.errors import ClauseError
from clause.graph.address import Address
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.operations import checks
from clause.settings import Settings

_TIMEOUT_S = 30.0
"""A server that just started answers its first statements slowly."""


class Check(BaseModel):
    """One part: whether it is well, what was found, and how to mend it where it is not."""

    model_config = ConfigDict(frozen=True)

    name: str
    ok: bool
    found: str
    remedy: str | None = None


class Examination(BaseModel):
    """All checks, in the order in which to mend them."""

    model_config = ConfigDict(frozen=True)

    checks: tuple[Check, ...] = Field(description="from the ground up")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return all(check.ok for check in self.checks)


async def examine(environ: Mapping[str, str] | None = None) -> Examination:
    """Run every check on the installation that `environ` (default: this process' environment) describes."""
    environ = os.environ if environ is None else environ
    settings = Settings.load(checks.usable(environ))
    managed = settings.neo4j_uri is None
    found = [
        perform("settings", lambda: checks.known_settings(environ)),
        perform("python", checks.python_version),
        perform("home", lambda: checks.home(settings.home)),
        perform("api port", lambda: checks.api_port(settings.host, settings.port, settings.home / "api.json")),
    ]
    if managed:
        server = ManagedServer(settings.home, settings.neo4j_heap_mb)
        found += [
            perform("java", checks.java_at_hand),
            perform("jars", checks.fetched),
            perform("server", lambda: checks.running(server.status())),
        ]
    if all(check.ok for check in found if check.name == "server"):
        found += await _examine_graph(settings)
    return Examination(checks=tuple(found))


def perform(name: str, check: Callable[[], str]) -> Check:
    """The outcome of one check.

    >>> perform("moon", lambda: "full")
    Check(name='moon', ok=True, found='full', remedy=None)
    """
    try:
        return Check(name=name, ok=True, found=check())
    except ClauseError as error:
        return Check(name=name, ok=False, found=error.message, remedy=error.remedy)


async def perform_async(name: str, check: Callable[[], Awaitable[str]]) -> Check:
    """The outcome of one check that asks the database."""
    try:
        return Check(name=name, ok=True, found=await check())
    except ClauseError as error:
        return Check(name=name, ok=False, found=error.message, remedy=error.remedy)


async def _examine_graph(settings: Settings) -> list[Check]:
    """The checks that ask the database: who it is, whether it lets us in, its schema, its embedding model."""
    try:
        address = _address(settings)
    except ClauseError as error:
        return [Check(name="password", ok=False, found=error.message, remedy=error.remedy)]
    async with Graph(address, Catalogue.load(), timeout_s=_TIMEOUT_S, pool_size=1) as graph:
        first = await perform_async("database", lambda: checks.database(graph))
        if not first.ok:
            return [first]
        return [
            first,
            await perform_async("migrations", lambda: checks.migrations(graph)),
            await perform_async("embedder", lambda: checks.embedder(graph, settings.embedder)),
        ]


def _address(settings: Settings) -> Address:
    if settings.neo4j_uri is None:
        return ManagedServer(settings.home, settings.neo4j_heap_mb).ensure()
    password = settings.neo4j_password or SecretStr("")
    return Address(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database)
