from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from pydantic import SecretStr

from clause.errors import BadInputError, ClauseError, ConflictError, MigrationError, ServerError, UnavailableError
from clause.graph.catalogue import Catalogue
from clause.graph.database import probe
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.knowledge.beliefs.creation import take_numbers
from tests.servers import statement

pytestmark = pytest.mark.integration

NASTY = [
    "",
    "emoji \U0001f600\U0001f468\u200d\U0001f469",
    "\u05e9\u05dc\u05d5\u05dd \u202e right to left",
    "a\x00b",
    "'}) DETACH DELETE n //",
    '`$scope` \\ " ${x} {{dimension}}',
    "AND OR NOT ( [ { ~ ^ * ? : \\",
    "x" * 10_000,
]


async def test_the_server_is_probed_once_and_new_enough(graph: Graph):
    found = await probe(graph)
    assert found.vector_search
    assert found.version[0] >= 2026


@pytest.mark.parametrize("nasty", NASTY, ids=range(len(NASTY)))
async def test_any_text_comes_back_as_it_was_sent(graph: Graph, scope: str, nasty: str):
    keep = statement("CREATE (:Probe {scope: $scope, text: $text})", parameters="$scope STRING, $text STRING")
    find = statement(
        "MATCH (n:Probe {scope: $scope}) RETURN n.text AS text", mode="read", parameters="$scope STRING", columns="text"
    )
    await graph.execute(keep, {"scope": scope, "text": nasty})
    assert await graph.execute(find, {"scope": scope}) == [{"text": nasty}]


@pytest.mark.parametrize("bad", ["\ud800", 2**70], ids=["lone surrogate", "more than 64 bits"])
async def test_a_value_that_cannot_be_stored_is_bad_input_and_spoils_no_connection(graph: Graph, bad: object):
    echo = statement("RETURN $x AS x", mode="read", parameters="$x ANY", columns="x")
    with pytest.raises(BadInputError):
        await graph.execute(echo, {"x": bad})
    assert await graph.execute(echo, {"x": 1}) == [{"x": 1}]


async def test_vectors_and_instants_come_back_as_numpy_and_utc(graph: Graph, scope: str):
    keep = statement(
        "CREATE (:Probe {scope: $scope, embedding: toFloatList($v), at: $at})",
        parameters="$scope STRING, $v VECTOR, $at ZONED DATETIME",
    )
    find = statement(
        "MATCH (n:Probe {scope: $scope}) RETURN vector(n.embedding, 3, FLOAT32) AS v, n.at AS at",
        mode="read",
        parameters="$scope STRING",
        columns="v, at",
    )
    v, at = np.array([0.1, -2.5, 3e8], dtype=np.float32), datetime(2026, 11, 21, 22, 49, 35, 123456, tzinfo=UTC)
    await graph.execute(keep, {"scope": scope, "v": v, "at": at})
    (row,) = await graph.execute(find, {"scope": scope})
    assert row["v"].dtype == np.float32
    assert row["v"].tobytes() == v.tobytes()
    assert row["at"] == at
    assert row["at"].tzinfo is UTC


async def test_rows_keep_their_order_and_their_kinds_however_many_they_are(graph: Graph):
    count = statement(
        "UNWIND range(1, 5000) AS i RETURN i, vector([i, 1], 2, FLOAT32) AS v, datetime.fromEpoch(i, 0) AS at, "
        "null AS nothing, [i, [i]] AS nested, {k: i} AS map ORDER BY i % 7 DESC, i",
        mode="read",
        columns="i, v, at, nothing, nested, map",
    )
    assert count.packed is not None
    rows = await graph.execute(count, {})
    assert [row["i"] for row in rows] == sorted(range(1, 5001), key=lambda i: (-(i % 7), i))
    for row in rows[::997]:
        i = row["i"]
        assert row["v"].tolist() == [i, 1]
        assert row["v"].dtype == np.float32
        assert row["at"] == datetime.fromtimestamp(i, UTC)
        assert (row["nothing"], row["nested"], row["map"]) == (None, [i, [i]], {"k": i})
    assert [*rows[0]] == list(count.columns)


async def test_no_row_is_an_empty_list(graph: Graph):
    nothing = statement("UNWIND [] AS i RETURN i AS x, 1 AS y", mode="read", columns="x, y")
    assert await graph.execute(nothing, {}) == []


async def test_a_read_statement_cannot_write(graph: Graph):
    disguised = replace(statement("CREATE (:Probe)"), mode="read")
    with pytest.raises(ClauseError, match="AccessMode"):
        await graph.execute(disguised, {})


async def test_statements_of_one_transaction_happen_all_or_not_at_all(graph: Graph, scope: str):
    register = ("graph/register_scope", {"scope": scope, "recorded_at": datetime(2026, 1, 1, tzinfo=UTC)})
    clash = {"id": scope, "scope": scope, "recorded_at": None}
    twin = statement(
        "CREATE (:Scope {id: $id, scope: $scope, recorded_at: $recorded_at})",
        parameters="$id STRING, $scope STRING, $recorded_at ANY",
    )
    with pytest.raises(ConflictError):
        await graph.execute_all([(graph.catalogue["graph/register_scope"], register[1]), (twin, clash)])
    assert scope not in [row["id"] for row in await graph.run("graph/scopes")]
    await graph.write([register, register])
    assert [row["id"] for row in await graph.run("graph/scopes")].count(scope) == 1


async def test_a_read_sees_the_write_before_it_also_from_another_task(graph: Graph, scope: str):
    async def mine(number: int) -> bool:
        await graph.run("graph/register_scope", scope=f"{scope}-{number}", recorded_at=datetime.now(UTC))
        return f"{scope}-{number}" in [row["id"] for row in await graph.run("graph/scopes")]

    try:
        assert all(await asyncio.gather(*(mine(number) for number in range(20))))
    finally:
        erase = statement("MATCH (s:Scope) WHERE s.scope STARTS WITH $scope DELETE s", parameters="$scope STRING")
        await graph.execute(erase, {"scope": scope})


async def test_a_statement_that_runs_too_long_is_ended_by_the_server(graph: Graph):
    endless = statement(
        "UNWIND range(1, 1000000000) AS i UNWIND range(1, 1000000) AS j RETURN count(*) AS n", mode="read", columns="n"
    )
    with pytest.raises(UnavailableError, match="longer than its limit"):
        await graph.execute(endless, {}, timeout_s=0.2)


async def test_deadlocks_are_tried_again_until_both_are_done(graph: Graph, scope: str):
    make = statement("UNWIND ['a', 'b'] AS k CREATE (:Probe {scope: $scope, k: k, n: 0})", parameters="$scope STRING")
    add = statement("MATCH (n:Probe {scope: $scope, k: $k}) SET n.n = n.n + 1", parameters="$scope STRING, $k STRING")
    total = statement(
        "MATCH (n:Probe {scope: $scope}) RETURN sum(n.n) AS n", mode="read", parameters="$scope STRING", columns="n"
    )
    await graph.execute(make, {"scope": scope})

    async def both(first: str, second: str) -> None:
        for _ in range(10):
            await graph.execute_all([(add, {"scope": scope, "k": first}), (add, {"scope": scope, "k": second})])

    await asyncio.gather(both("a", "b"), both("b", "a"))
    assert await graph.execute(total, {"scope": scope}) == [{"n": 40}]


async def test_a_missing_index_names_the_migration_to_run(graph: Graph):
    search = statement(
        "MATCH (n:Entity) SEARCH n IN (VECTOR INDEX no_such_index FOR [1.0] LIMIT 1) SCORE AS s RETURN s",
        mode="read",
        columns="s",
    )
    with pytest.raises(MigrationError, match="clause migrate"):
        await graph.execute(search, {})


async def test_words_that_are_no_full_text_query_are_bad_input(graph: Graph):
    search = statement(
        "CALL db.index.fulltext.queryNodes('entity_names', $words) YIELD score RETURN score",
        mode="read",
        parameters="$words STRING",
        columns="score",
    )
    for words in ("(", "AND", "/", ""):
        with pytest.raises(BadInputError, match="escape"):
            await graph.execute(search, {"words": words})


@pytest.mark.parametrize("vector", [np.ones(3, np.float32), np.zeros(384, np.float32)], ids=["length", "zero"])
async def test_a_query_vector_of_wrong_length_or_without_direction_is_bad_input(graph: Graph, vector: np.ndarray):
    search = statement(
        "MATCH (n:Entity) SEARCH n IN (VECTOR INDEX entity_embedding FOR $v LIMIT 1) SCORE AS s RETURN s",
        mode="read",
        parameters="$v VECTOR",
        columns="s",
    )
    with pytest.raises(BadInputError, match="vector"):
        await graph.execute(search, {"v": vector})


async def test_counters_never_give_a_number_twice(graph: Graph, scope: str):
    ranges = await asyncio.gather(*(take_numbers(graph, scope, "cluster", 3) for _ in range(20)))
    assert sorted(number for taken in ranges for number in taken) == list(range(1, 61))
    with pytest.raises(BadInputError):
        await take_numbers(graph, scope, "cluster", 0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"password": SecretStr("wrong")}, "CLAUSE_NEO4J_PASSWORD"),
        ({"database": "elsewhere"}, "CLAUSE_NEO4J_DATABASE"),
    ],
)
async def test_a_wrong_setting_is_one_clear_line(server_address: Address, change: dict[str, object], says: str):
    async with Graph(replace(server_address, **change), Catalogue.load()) as graph:
        with pytest.raises(ServerError) as caught:
            await probe(graph)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_port_where_nothing_or_another_service_answers_is_one_clear_line(server_address: Address):
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4)
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        await writer.drain()
        writer.close()

    async def nap(seconds: float) -> None: ...

    other = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = other.sockets[0].getsockname()[1]
    async with other:
        for answers, kind in ((True, ServerError), (False, UnavailableError)):
            if not answers:
                other.close()
            address = replace(server_address, uri=f"bolt://127.0.0.1:{port}")
            async with Graph(address, Catalogue.load(), sleep=nap) as graph:
                with pytest.raises(kind, match="CLAUSE_NEO4J_URI") as caught:
                    await probe(graph)
            assert "\n" not in str(caught.value)
