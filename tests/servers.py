"""Servers for tests, and the rule that only a database marked as ours is ever written to."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, reduce
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import SecretStr

from clause.graph.catalogue import Catalogue, Statement, parse
from clause.graph.migration_scripts import chained, load_scripts
from clause.graph.migrations import migrate
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.graph.server.downloads import VERSION
from clause.graph.wire import Address

IMAGE = "neo4j:2026.08.1-community@sha256:eabfbb042bdaca2fd5e1950db1329b22c794eee80f0eacc4e7a729d44b2e863f"
HEAP_MB = 512
QUICK_START = (  # half the time to start, a tenth less to plan anew: tests are short, and plan much and repeat little
    "-XX:TieredStopAtLevel=1",
    "-XX:CompileThresholdScaling=0.1",
    "-XX:+UseSerialGC",
)
KEPT_PLANS = {  # else planned anew: every test fills the graph and empties it, with lists of another length
    "dbms.cypher.min_replan_interval": "1h",
    "internal.cypher.use_parameter_size": "false",
}


def given(environ: Mapping[str, str]) -> Address | None:
    """The server named by CLAUSE_TEST_NEO4J_URI, _USER, _PASSWORD and _DATABASE."""
    uri = environ.get("CLAUSE_TEST_NEO4J_URI")
    if not uri:
        return None
    return Address(
        uri,
        environ.get("CLAUSE_TEST_NEO4J_USER", "neo4j"),
        SecretStr(environ.get("CLAUSE_TEST_NEO4J_PASSWORD", "")),
        environ.get("CLAUSE_TEST_NEO4J_DATABASE", "neo4j"),
    )


def docker_answers() -> bool:
    """True when a Docker engine answers."""
    import docker

    try:
        docker.from_env(timeout=2).ping()
    except Exception:
        return False
    return True


@contextmanager
def container(make: Callable[..., Any] | None = None) -> Iterator[Address]:
    """A pinned Neo4j in a container, removed afterwards. Unverified where no engine answers."""
    if make is None:
        from testcontainers.community.neo4j import Neo4jContainer

        make = Neo4jContainer
    with make(IMAGE, password="clause-tests") as running:
        yield Address(running.get_connection_url(), running.username, SecretStr(running.password))


@cache
def run_before() -> tuple[Path, Path]:
    """The home of a Neo4j that has run once and is migrated, and what Java learned meanwhile; made once on a machine.

    A start from both takes 4 s where a first one takes 9, and half the processor (on 2 cores); migrating took 11.
    """
    schema = reduce(chained, (script.checksum for script in load_scripts()), "")
    kept = Path(tempfile.gettempdir(), f"clause-tests-{getpass.getuser()}-{VERSION}-{schema[:8]}")
    kept.mkdir(mode=0o700, exist_ok=True)
    home, learned = kept / "home", kept / "java.aot"
    with FileLock(kept / "lock"):
        if not home.exists():
            making = kept / "making"
            shutil.rmtree(making, ignore_errors=True)
            first = ManagedServer(making, HEAP_MB, (*QUICK_START, f"-XX:AOTCacheOutput={learned}"))
            with ThreadPoolExecutor(1) as apart:  # a test that asks first may run a loop of its own
                apart.submit(lambda: asyncio.run(_migrated(first.ensure()))).result()
            first.stop()
            making.replace(home)
    return home, learned


async def _migrated(address: Address) -> None:
    async with Graph(address, Catalogue.load()) as graph:
        await claim(graph)
        await migrate(graph)


def quick_start() -> tuple[str, ...]:
    """The flags of a Java that starts Neo4j quickly."""
    return (*QUICK_START, f"-XX:AOTCache={run_before()[1]}")


def quick_server(home: Path) -> ManagedServer:
    """A server that starts quickly in `home`, which is new or was made here."""
    if not home.exists():
        shutil.copytree(run_before()[0], home)
    return ManagedServer(home, HEAP_MB, quick_start(), KEPT_PLANS)


@contextmanager
def managed() -> Iterator[Address]:
    """The managed local server in a temporary home, stopped and removed afterwards."""
    home = Path(tempfile.mkdtemp(prefix="clause-tests-"))
    server = quick_server(home / "home")
    try:
        yield server.ensure()
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _borrowed(address: Address) -> Iterator[Address]:
    yield address


def server_for_tests(
    environ: Mapping[str, str] = os.environ, engine: Callable[[], bool] = docker_answers
) -> AbstractContextManager[Address]:
    """The first of: a given server, a container, the managed server."""
    address = given(environ)
    if address is not None:
        return _borrowed(address)
    return container() if engine() else managed()


def statement(text: str, *, mode: str = "write", parameters: str = "none", columns: str = "none") -> Statement:
    """A statement of a test's own."""
    returns = "none" if columns == "none" else "many"
    head = f"// test/own, of a test\n// mode: {mode}\n// returns: {returns}\n"
    (own,) = parse(f"{head}// parameters: {parameters}\n// columns: {columns}\nCYPHER 25 {text}")
    return own


_MARKED = statement("MATCH (n:TestDatabase) RETURN count(n) AS marks", mode="read", columns="marks")
_COUNT = statement("MATCH (n) RETURN count(n) AS nodes", mode="read", columns="nodes")
_MARK = statement("MERGE (n:TestDatabase {id: 'clause', scope: 'public'}) SET n.recorded_at = datetime()")
_UPKEEP = "SchemaVersion|MigrationLock|EmbeddingModel|TestDatabase"  # of the public scope, and no test's
_OWN = statement(
    f"MATCH (n:!({_UPKEEP}) {{scope: $scope}}) RETURN elementId(n) AS id",
    mode="read",
    parameters="$scope STRING",
    columns="id",
)
_SLICE = 5000
_CUT = statement(
    f"UNWIND $ids AS id MATCH (n)-[r]-() WHERE elementId(n) = id "
    f"WITH DISTINCT r LIMIT {_SLICE} DELETE r RETURN count(*) AS gone",
    parameters="$ids LIST<STRING>",
    columns="gone",
)
_ERASE = statement(
    "UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id DETACH DELETE n",
    parameters="$ids LIST<STRING>",
)


class NotOursError(RuntimeError):
    """The database holds data and no mark that it is for tests."""


async def claim(graph: Graph) -> None:
    """Mark an empty database as ours; refuse any other that is not marked yet."""
    if (await graph.execute(_MARKED, {}))[0]["marks"]:
        return
    if (await graph.execute(_COUNT, {}))[0]["nodes"]:
        raise NotOursError(f"{graph.address.uri} holds nodes and is not marked (:TestDatabase): tests leave it alone")
    await graph.execute(_MARK, {})


async def erase_scope(graph: Graph, scope: str) -> None:
    """Remove every node of a scope, in slices: a hub's relationships do not fit one transaction."""
    own = [row["id"] for row in await graph.execute(_OWN, {"scope": scope})]  # the one look at all nodes
    for first in range(0, len(own), _SLICE):
        ids = own[first : first + _SLICE]
        while (await graph.execute(_CUT, {"ids": ids}))[0]["gone"] == _SLICE:
            pass
        await graph.execute(_ERASE, {"ids": ids})


def environ_of(address: Address, home: Path, **more: str) -> dict[str, str]:
    """The environment of a process of ours on this server, at home in this folder."""
    return {
        "CLAUSE_HOME": str(home),
        "CLAUSE_NEO4J_URI": address.uri,
        "CLAUSE_NEO4J_USER": address.user,
        "CLAUSE_NEO4J_PASSWORD": address.password.get_secret_value(),
        "CLAUSE_NEO4J_DATABASE": address.database,
        **more,
    }
