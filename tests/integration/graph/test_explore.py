"""Statements that an agent wrote, on a real server: the guard's table of attacks, and honest questions."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from clause.errors import BadInputError, ClauseError, ForbiddenError, UnavailableError
from clause.graph.runner import Graph
from clause.graph.wire import ExplorationLimits
from tests.servers import statement

pytestmark = pytest.mark.integration

QUICK = ExplorationLimits(timeout_s=5.0, rows=50, characters=20_000)

ATTACKS = {
    "a plain write": "CREATE (:Evil {id: 'x'})",
    "another word for it": "INSERT (:Evil)",
    "a merge that would match": "MERGE (n:TestDatabase {id: 'clause'}) RETURN n",
    "a property": "MATCH (n) SET n.evil = true",
    "a label": "MATCH (n) SET n:Evil RETURN n",
    "removing a property": "MATCH (n) REMOVE n.scope",
    "deleting": "MATCH (n) DETACH DELETE n",
    "a write in FOREACH": "MATCH (n) FOREACH (x IN [1] | SET n.y = x)",
    "a write in CALL": "CALL { CREATE (x:Evil) RETURN x } RETURN x",
    "a write two calls deep": "CALL () { CALL () { CREATE (x:Evil) RETURN x } RETURN x } RETURN x",
    "a write for each row": "MATCH (n) CALL (n) { SET n.y = 1 } RETURN count(*)",
    "a write in own transactions": "UNWIND range(1, 9) AS i CALL (i) { CREATE (:Evil) } IN TRANSACTIONS OF 1 ROWS",
    "a write in one branch": "WHEN true THEN { CREATE (x:Evil) RETURN 1 AS a } ELSE { RETURN 2 AS a }",
    "a write after NEXT": "RETURN 1 AS a NEXT CREATE (:Evil) RETURN a",
    "a write in a union": "RETURN 1 AS a UNION CREATE (x:Evil) RETURN 2 AS a",
    "a second statement": "MATCH (n) RETURN n LIMIT 1; MATCH (n) DETACH DELETE n",
    "a write behind a comment": "// MATCH (n) RETURN n\nCREATE (:Evil)",
    "a write between comments": "/* RETURN */ CREATE /* RETURN 1 */ (:Evil)",
    "a write in escapes": "\\u0043REATE (:Evil)",
    "a quoted end": "MATCH (n) WHERE n.name = '\\'' CREATE (:Evil)",
    "a file": "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "a file in an escape": "LOAD CSV FROM '\\u0066ile:///etc/passwd' AS line RETURN line",
    "a file one call deep": "CALL () { LOAD CSV FROM 'file:///import.csv' AS line RETURN line } RETURN line",
    "an address": "LOAD CSV FROM $address AS line RETURN line",
    "ending transactions": "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "ending connections": "CALL dbms.killConnection('bolt-1')",
    "emptying caches": "CALL db.clearQueryCaches()",
    "settings of the server": "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "settings, another way": "SHOW SETTINGS YIELD name, value RETURN name, value",
    "users": "SHOW USERS",
    "statements of others": "SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery",
    "a new user": "CREATE USER evil SET PASSWORD 'evil-evil'",
    "a new password": "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "dropping a constraint": "DROP CONSTRAINT entity_id IF EXISTS",
    "a new index": "CREATE INDEX evil IF NOT EXISTS FOR (n:Entity) ON (n.evil)",
    "stopping the database": "STOP DATABASE neo4j",
    "another database": "USE system MATCH (n) RETURN n",
    "watching statements": "CALL db.stats.collect('QUERIES')",
    "rebuilding statistics": "CALL `db`.`resampleIndex`('entity_name')",
    "planning anew": "CALL db.prepareForReplanning()",
    "waiting for ever": "CALL db.awaitIndexes(100000)",
    "a function of a plugin": "RETURN apoc.load.json('http://127.0.0.1:1/')",
    "a function that runs Cypher": "RETURN apoc.cypher.runFirstColumnSingle('CREATE (:Evil)', {})",
    "calling a model": "CALL genai.vector.encodeBatch(['x'], 'OpenAI', {token: 'x'}) YIELD index RETURN index",
    "measuring with a profile": "PROFILE MATCH (n) RETURN n",
    "never ending": "UNWIND range(1, 100000000000) AS x WITH x WHERE x % 7 = -1 RETURN x",
    "an own time limit": "CYPHER 25 timeout=0 MATCH (n) RETURN n",
    "more memory than there is": "UNWIND range(1, 1000000000) AS x RETURN collect('a text of its own: ' + x) AS all",
    "nothing at all": " \n ",
    "a NUL": "MATCH (n) RETURN n\0CREATE (:Evil)",
    "no end": "RETURN " + "(" * 5000 + "1" + ")" * 5000,
    "too long": "RETURN " + "1 + " * 5000 + "1",
}

HONEST = {
    "counting": "MATCH (n:Film) RETURN count(n) AS films",
    "an older Cypher": "CYPHER 5 MATCH (n:Film) RETURN count(n) AS films",
    "a trailing semicolon": "MATCH (n:Film) RETURN count(n) AS films;",
    "a parameter": "MATCH (n:Film {name: $name}) RETURN n.name",
    "a node": "MATCH (n:Film) RETURN n ORDER BY n.name LIMIT 1",
    "a relationship": "MATCH (:Film)-[r:BY]->(:Person) RETURN r LIMIT 2",
    "a path": "MATCH p = (:Film)-[:BY]->(:Person) RETURN p LIMIT 1",
    "a shortest path": "MATCH p = ANY SHORTEST (a:Film)-[*..4]-(b:Person) RETURN length(p) ORDER BY 1 LIMIT 1",
    "words of a write in a text": "MATCH (n:Film) WHERE n.name <> 'CREATE DELETE SET' RETURN n.name LIMIT 1",
    "words of a write in a comment": "MATCH (n:Film) /* then DELETE it; CREATE another */ RETURN n.name LIMIT 1 // SET",
    "a property with a telling name": "MATCH (n:Film) RETURN n.created_at, n.`set`, n.delete LIMIT 1",
    "a subquery": "MATCH (n:Film) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS ways } RETURN n.name, ways LIMIT 2",
    "an existence": "MATCH (n:Film) WHERE EXISTS { (n)-[:BY]->(:Person) } RETURN n.name LIMIT 2",
    "a union": "MATCH (n:Film) RETURN n.name AS name LIMIT 1 UNION MATCH (n:Person) RETURN n.name AS name LIMIT 1",
    "an aggregate": "MATCH (n:Film)-[:BY]->(p) RETURN p.name, collect(n.name) AS films, max(n.year) ORDER BY 1",
    "labels": "CALL db.labels() YIELD label RETURN label ORDER BY label LIMIT 5",
    "the schema": "CALL db.schema.nodeTypeProperties() YIELD nodeType RETURN DISTINCT nodeType LIMIT 3",
    "dates": "RETURN date('2026-11-22') AS day, datetime.truncate('day', datetime()) AS now, duration('P1D') AS long",
    "a similarity": "RETURN vector.similarity.cosine([1.0, 0.0], [0.0, 1.0]) AS cosine",
    "full text": "CALL db.index.fulltext.queryNodes('entity_names', 'nobody') YIELD node RETURN node.name",
    "the clauses of Cypher 25": "LET x = 2 FILTER x > 1 RETURN x",
    "its own plan": "EXPLAIN MATCH (n:Film) RETURN n",
}

_FILMS = statement(
    "UNWIND ['Naked', 'Career Girls'] AS name "
    "CREATE (:Film {id: $scope + name, scope: $scope, name: name, year: 1993, embedding: toFloatList($vector), "
    "secret: 1, recorded_at: datetime()})-[:BY {scope: $scope}]->"
    "(:Person {id: $scope + name + 'p', scope: $scope, name: 'Mike Leigh'})",
    parameters="$scope STRING, $vector VECTOR",
)
_EVIL = statement("MATCH (n) WHERE n:Evil OR n.evil RETURN count(n) AS evil", mode="read", columns="evil")


@pytest.fixture
async def films(graph: Graph, scope: str) -> None:
    await graph.execute(_FILMS, {"scope": scope, "vector": np.ones(384, dtype=np.float32)})


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address on the loopback, and what was fetched from it."""
    fetched: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fetched.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/secret", fetched
    server.shutdown()


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
async def test_an_attack_is_refused_and_leaves_nothing_behind(
    graph: Graph, attack: str, listener: tuple[str, list[str]]
) -> None:
    address, fetched = listener
    with pytest.raises((ForbiddenError, BadInputError, UnavailableError)) as refused:
        await graph.explore(attack, {"address": address}, QUICK)
    assert type(refused.value) is not ClauseError
    assert fetched == []
    assert (await graph.execute(_EVIL, {}))[0]["evil"] == 0


@pytest.mark.parametrize("question", HONEST.values(), ids=list(HONEST))
async def test_an_honest_question_passes(graph: Graph, films: None, question: str) -> None:
    found = await graph.explore(question, {"name": "Naked"}, QUICK)
    assert "embedding" not in str([row for row in found.rows if "384 numbers" not in str(row)])
    assert found.columns or question.startswith("EXPLAIN")


async def test_a_node_comes_without_its_embedding(graph: Graph, films: None, scope: str) -> None:
    found = await graph.explore("MATCH (n:Film {scope: $scope}) RETURN n ORDER BY n.name", {"scope": scope}, QUICK)
    (first, _) = (row["n"] for row in found.rows)
    assert (first["labels"], first["name"], first["year"]) == (["Film"], "Career Girls", 1993)
    assert first["embedding"] == "384 numbers, left out"


async def test_rows_and_characters_are_limited_and_the_cut_is_told(graph: Graph) -> None:
    many = await graph.explore("UNWIND range(1, 1000) AS x RETURN x", {}, QUICK)
    assert (len(many.rows), many.cut) == (50, True)
    wide = await graph.explore("UNWIND range(1, 9) AS x RETURN $wide AS wide", {"wide": "x" * 9000}, QUICK)
    assert (len(wide.rows), wide.cut) == (2, True)


async def test_what_does_not_run_is_told_in_the_words_of_the_server(graph: Graph) -> None:
    with pytest.raises(BadInputError, match="Variable `m` not defined"):
        await graph.explore("MATCH (n) RETURN m", {}, QUICK)
    with pytest.raises(BadInputError, match="by zero"):
        await graph.explore("RETURN 1 / 0 AS x", {}, QUICK)


async def test_a_parameter_that_cannot_be_stored_is_bad_input(graph: Graph) -> None:
    with pytest.raises(BadInputError):
        await graph.explore("RETURN $x AS x", {"x": 2**70}, QUICK)
