"""A property graph of somebody's own on a Neo4j: loaded with classes, literals and what its relationships say; again,
and after it was broken off; and errors that say what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner
from ulid import ULID

from clause.cli.load import app
from clause.errors import NotFoundError, ServerError, UnavailableError
from clause.graph.canonical import scope_hash
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest import triples
from clause.ingest.triples import PropertyGraph, load_property_graph
from clause.operations.archive import export_scope
from clause.operations.restoration import import_archive
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration

MADE = statement(
    """CREATE (a:PgPlayer {name: 'Ida Kron', pg: $mark, born: date('1990-03-04'), height_m: 1.82, captain: true,
                       nicknames: ['Icy', 'Ace'], photo: null})
    CREATE (b:PgPlayer:PgCoach {name: 'Tom Vance', pg: $mark, born: date('1979-11-30'), captain: false})
    CREATE (same:PgPlayer {name: 'Ida Kron', pg: $mark, born: date('2001-01-01')})
    CREATE (nobody:PgPlayer {pg: $mark})
    CREATE (t:PgTeam {title: 'Lund Owls', pg: $mark, founded: 1931})
    CREATE (a)-[:PLAYS_FOR {since: 2011, weight: 3, signed: datetime('2011-05-01T10:00:00Z')}]->(t)
    CREATE (b)-[:TRAINS {since: date('2020-01-01'), opensAt: localtime('09:30'), term: duration('P1M3D'),
                         place: point({latitude: 1.5, longitude: 2}), noted: localdatetime('2024-05-01T00:30')}]->(t)
    CREATE (same)-[:PLAYS_FOR]->(t), (a)-[:PLAYS_FOR {since: 2019}]->(t),
           (b)-[:ADVISES]->(t), (b)-[:ADVISES {unpaid: true, days: 2}]->(t), (b)-[:ADVISES {days: 9}]->(t)""",
    parameters="$mark STRING",
)
MORE = statement(
    """MATCH (t:PgTeam {pg: $mark}) CREATE (:PgPlayer {name: 'Lena Foss', pg: $mark})-[:PLAYS_FOR]->(t)""",
    parameters="$mark STRING",
)
GONE = statement("MATCH (n {pg: $mark}) DETACH DELETE n", parameters="$mark STRING")
KEPT = statement(
    """MATCH (a:Entity {scope: $scope})-[r]->(b:Entity)
    RETURN a.name AS head, type(r) AS type, b.name AS tail, b.kind AS kind, properties(r) AS told
    ORDER BY head, type, tail""",
    mode="read",
    parameters="$scope STRING",
    columns="head, type, tail, kind, told",
)
LABELS = ("PgPlayer", "PgCoach", "PgTeam")


@pytest.fixture
async def mark(graph: Graph) -> AsyncIterator[str]:
    """The mark of a small property graph in the test's own server."""
    mark = f"pg-{ULID()}"
    await graph.execute(MADE, {"mark": mark})
    yield mark
    await graph.execute(GONE, {"mark": mark})


@pytest.fixture
async def scope(graph: Graph) -> AsyncIterator[str]:
    name = f"kg:pg-{ULID()}".lower()
    yield name
    await erase_scope(graph, name)


def origin(address: Address, labels: tuple[str, ...] = LABELS) -> PropertyGraph:
    texts = Catalogue.load()
    statements = {what: texts[f"ingest/source_{what}"] for what in ("counts", "nodes", "relationships")}
    return PropertyGraph(address, statements, labels)


async def kept(graph: Graph, scope: str) -> list[dict[str, Any]]:
    return await graph.execute(KEPT, {"scope": scope})


async def test_labels_become_classes_and_properties_literals(graph: Graph, mark: str, scope: str) -> None:
    report = await load_property_graph(graph, None, origin(graph.address), scope)
    found = await kept(graph, scope)
    said = {(row["head"], row["type"], row["tail"]) for row in found if row["type"] != "pg"}
    assert {
        ("Ida Kron", "is_a", "Pg Player"),
        ("Tom Vance", "is_a", "Pg Coach"),
        ("Ida Kron", "born", "1990-03-04"),
        ("Ida Kron", "height_m", "1.82"),
        ("Ida Kron", "captain", "true"),
        ("Ida Kron", "nicknames", "Ace"),
        ("Lund Owls", "founded", "1931"),
        ("Tom Vance", "TRAINS", "Lund Owls"),
    } <= said
    assert {row["kind"] for row in found if row["type"] == "born"} == {"literal"}
    assert not [row for row in found if row["type"] in {"name", "title", "photo"}]
    plays = [row["told"] for row in found if row["type"] == "PLAYS_FOR"]
    assert len(plays) == 2, "two players of one name stay two; twice from one player is one relationship"
    told = next(one for one in plays if "since" in one)
    assert (told["since"], told["kg_weight"], told["weight"]) == (2011, 3, 1.0)
    assert told["signed"].isoformat() == "2011-05-01T10:00:00+00:00"
    (advises,) = [row["told"] for row in found if row["type"] == "ADVISES"]
    assert (advises["unpaid"], advises["days"]) == (True, 2), "of several between the same two, what says most is kept"
    assert [row["head"] for row in found if row["type"] == "is_a" and row["head"].startswith("PgPlayer ")]
    assert report.bad_count == 0
    assert report.records == report.created + report.known


async def test_done_again_it_brings_what_was_added(graph: Graph, mark: str, scope: str) -> None:
    await load_property_graph(graph, None, origin(graph.address), scope)
    before = await kept(graph, scope)
    again = await load_property_graph(graph, None, origin(graph.address), scope)
    assert again.created == 0
    assert await kept(graph, scope) == before
    await graph.execute(MORE, {"mark": mark})
    assert (await load_property_graph(graph, None, origin(graph.address), scope)).created == 3
    assert [row for row in await kept(graph, scope) if row["head"] == "Lena Foss"]


async def test_what_relationships_say_of_days_and_times_comes_back_from_an_archive(
    graph: Graph, mark: str, scope: str, tmp_path: Path
) -> None:
    await load_property_graph(graph, None, origin(graph.address), scope)
    (told,) = [row["told"] for row in await kept(graph, scope) if row["type"] == "TRAINS"]
    assert (told["since"], told["opensAt"], told["term"]) == (date(2020, 1, 1), "09:30:00.000000000", "P1M3D")
    assert told["noted"].isoformat() == "2024-05-01T00:30:00+00:00"
    before = await scope_hash(graph, scope)
    await export_scope(graph, tmp_path / "graph.jsonl", scope)
    await erase_scope(graph, scope)
    await import_archive(graph, tmp_path / "graph.jsonl")
    assert await scope_hash(graph, scope) == before


async def test_broken_off_it_goes_on(graph: Graph, mark: str, scope: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    write = triples._TripleLoad._write

    async def breaks(self: Any, *given: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise UnavailableError("the source is away")
        await write(self, *given)

    monkeypatch.setattr(triples._TripleLoad, "_write", breaks)
    with pytest.raises(UnavailableError):
        await load_property_graph(graph, None, origin(graph.address), scope, batch_size=4)
    report = await load_property_graph(graph, None, origin(graph.address), scope, batch_size=4)
    assert report.resumed_at == 8
    whole = f"{scope}-whole"
    await load_property_graph(graph, None, origin(graph.address), whole)
    assert [{**row, "told": ""} for row in await kept(graph, scope)] == [
        {**row, "told": ""} for row in await kept(graph, whole)
    ]
    await erase_scope(graph, whole)


async def test_an_error_says_what_to_do(graph: Graph, mark: str, scope: str) -> None:
    with pytest.raises(NotFoundError, match="no node with the label PgReferee; it has: "):
        await load_property_graph(graph, None, origin(graph.address, ("PgReferee",)), scope)
    for wrong in (replace(graph.address, password=SecretStr("wrong")), replace(graph.address, database="nowhere")):
        with pytest.raises(ServerError, match="SOURCE_NEO4J_PASSWORD"):
            await load_property_graph(graph, None, origin(wrong), scope)
    with pytest.raises((ServerError, UnavailableError), match="check --uri"):
        await load_property_graph(graph, None, origin(replace(graph.address, uri="bolt://127.0.0.1:9")), scope)
    with pytest.raises(ServerError):
        await load_property_graph(graph, None, origin(replace(graph.address, uri="http://127.0.0.1:7474")), scope)


def test_the_command_says_what_it_needs() -> None:
    told = CliRunner().invoke(app, ["neo4j", "--help"])
    assert told.exit_code == 0
    assert all(word in told.output for word in ("--uri", "--label", "--database", "--scope"))
