"""Reading statements that would hurt: memory, time and bytes without end, and what is nobody's to read."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from clause.errors import BadInputError, ClauseError, ForbiddenError, UnavailableError
from clause.graph.exploration import Operator, QueryPlan, judge, prepared
from clause.graph.runner import Graph
from clause.graph.wire import ExplorationLimits
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys
from tests.servers import statement

LIMITS = ExplorationLimits(timeout_s=3.0, rows=1000, characters=900_000)
GRACE_S = 6.0
"""How much longer than its limit a statement may hold its caller, on a machine that does other things too."""

BUILDERS = {
    "a computed list": "RETURN size([i IN range(1,100000000) | toString(i)])",
    "the same in a comment's shade": "RETURN size([i IN range(1,100000000)/**/|/**/toString(i)])",
    "over several lines": "RETURN size([\n i\nIN\n[1,2]\n|\ntoString(i)])",
    "nested": "RETURN [a IN range(1,9000) | [b IN range(1,9000) | a * b]]",
    "of patterns": "MATCH (n) RETURN [(n)--(a)--(b)--(c) | a.name + b.name]",
    "behind a filter": "RETURN [x IN range(1, 9) WHERE x > 1 | x]",
    "in a map": "RETURN {a: [x IN [1] | x]}",
    "a fold": "RETURN reduce(s = 'x', i IN range(1, 40) | s + s)",
    "a fold in capitals": "RETURN REDUCE (s = 'x', i IN [1, 2] | s + s)",
    "a fold along a path": "MATCH (a) (()-->(b))+ WHERE allReduce(s = '', x IN b | s + s, true) RETURN a",
    "a range of a hundred million": "RETURN range(1, 100000000)",
    "five million numbers in a row": "RETURN range(1, 5000000)",
    "a range of a parameter": "RETURN range(1, $many)",
    "a computed range": "RETURN range(1, 10 * 1000 * 1000 * 1000)",
    "a range in small steps": "RETURN range(10000000, 1, -1)",
    "ranges that multiply": "UNWIND range(1, 9000) AS a UNWIND range(1, 9000) AS b RETURN collect(a * b)",
    "a quoted range": "RETURN `range`(1, 100000000)",
    "a range before a comment": "RETURN range /* of */ (1, 100000000)",
    "text that doubles": "WITH 'xxxxxxxx' AS s " + "WITH s + s AS s " * 40 + "RETURN size(s)",
    "text that doubles with bars": "WITH 'xxxxxxxx' AS s " + "WITH s || s AS s " * 40 + "RETURN size(s)",
    "text that is replaced": "RETURN size(replace(replace($text, 'a', $text), 'a', $text))",
    "a catastrophic pattern": "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+$'",
    "a catastrophic pattern of a parameter": "MATCH (n) WHERE n.name =~ $text RETURN n",
    "a list that holds itself eight times, nine times": "WITH [1] AS l "
    + "WITH [l, l, l, l, l, l, l, l] AS l " * 9
    + "RETURN l = l",
    "a map that holds itself": "WITH {a: 1} AS m " + "WITH {a: m, b: m, c: m, d: m} AS m " * 9 + "RETURN DISTINCT m",
    "a list that doubles": "WITH [1] AS l " + "WITH [l, l] AS l " * 18 + "RETURN l ORDER BY l",
    "a list that doubles through functions": "WITH [1] AS l "
    + "WITH [coalesce(l), coalesce(l)] AS l " * 18
    + "RETURN l < l",
    "a list and a map in turn": "WITH [1] AS l " + "WITH {a: [l, l], b: [l, l]} AS l " * 9 + "RETURN DISTINCT l",
    "what is collected of what is collected": "UNWIND range(1, 30) AS x WITH collect(x) AS l "
    + "UNWIND l AS x WITH collect(l) AS l " * 8
    + "RETURN DISTINCT l",
    "collecting subqueries within each other": "WITH [1, 2] AS l "
    + "WITH COLLECT { UNWIND l AS x UNWIND l AS y RETURN x } AS l " * 7
    + "RETURN size(l)",
    "a list walked for each value of a list": "WITH [1, 2] AS l RETURN size([a IN l WHERE a IN [b IN l WHERE b = a]])",
    "predicates within predicates": "WITH range(1, 50000) AS l RETURN any(a IN l WHERE all(b IN l WHERE a <> b))",
    "the same in small and capital letters": "WITH [1] AS l RETURN ANY(a IN l WHERE None (b IN l WHERE a = b))",
    "the same with quoted names": "WITH [1] AS l RETURN any(`a` IN l WHERE single(`b` IN l WHERE true))",
    "the same around a comment": "WITH [1] AS l RETURN any(a /**/ IN l WHERE [b//\n IN l WHERE true] = l)",
    "a filter in a predicate's list": "WITH [1] AS l RETURN none(a IN [b IN l WHERE b > 1] WHERE true)",
    "a thousand brackets": "RETURN " + "(" * 1000 + "1" + ")" * 1000,
    "a thousand lists within each other": "RETURN " + "[" * 1000 + "1" + "]" * 1000,
    "a hundred maps within each other": "RETURN " + "{a: " * 100 + "1" + "}" * 100,
    "a hundred existences within each other": "MATCH (n) WHERE "
    + "EXISTS { MATCH (n) WHERE " * 100
    + "true"
    + "}" * 100
    + " RETURN n",
    "a hundred calls within each other": "CALL () { " * 100 + "RETURN 1 AS x" + " } RETURN x" * 100,
    "lists that hold a list again and again": "WITH [1,2,3,4,5,6,7,8] AS l "
    + "WITH [l,l,l,l,l,l,l,l] AS l " * 8
    + "RETURN l",
    "a join of sixty": "MATCH " + ", ".join(f"(a{i})--(b{i})" for i in range(60)) + " RETURN count(*)",
}


@pytest.mark.parametrize("attack", BUILDERS.values(), ids=list(BUILDERS))
def test_what_builds_without_bound_is_refused_before_the_server_sees_it(attack: str) -> None:
    with pytest.raises((BadInputError, ForbiddenError)) as refused:
        prepared(attack)
    assert refused.value.field == "query"
    assert 400 <= refused.value.status < 500
    assert refused.value.remedy


HONEST = [
    "MATCH (a)-[r:A|B]->(b) RETURN a, r, b LIMIT 3",
    "MATCH (a)-[:A|B*1..3]->(b) RETURN [a.name, b.name]",
    "MATCH (a)-[r IS A|B]->(b) RETURN r",
    "MATCH (n:A|B) RETURN n {.name, .year}",
    "RETURN [x IN [1, 2, 3] WHERE x > 1] AS more",
    "UNWIND range(0, 999) AS x RETURN x",
    "RETURN 'a' || 'b' AS ab, [1] || [2] AS list",
    "MATCH (n) WHERE n.name = '[x IN y | z] =~ reduce(' RETURN n // range(1, 99999999)",
    "MATCH (n) WHERE any(x IN n.aliases WHERE x = 'a') RETURN n.name + ' ' + n.kind",
    "MATCH (n) RETURN n.range, n.reduce, n.`replace`",
    "MATCH (p)<-[:BY]-(f) WITH p, collect({name: f.name, year: f.year}) AS films RETURN {name: p.name, films: films}",
    "MATCH p = (a)-[*..3]-(b) WHERE all(n IN nodes(p) WHERE n.year > 1990) RETURN [n IN nodes(p) WHERE n.year > 2000]",
    "MATCH (n) WHERE n.kind IN ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] AND n.year IN [1, 2, 3, 4] RETURN n",
    "MATCH (a {name: $x, kind: $y})--(b {name: $x, kind: $y})--(c {name: $x, kind: $y}) RETURN a, b, c",
    "MATCH (n) WHERE (n.a = 1 AND n.b = 2) OR (n.a = 3 AND (n.b = 4 OR NOT (n.c = 5))) RETURN n",
    "MATCH (n) RETURN n {.*, near: COLLECT { MATCH (n)--(m) RETURN m.name ORDER BY m.name LIMIT 3 }}",
    "MATCH (n) RETURN collect(n.a), collect(n.b), collect(n.c), count(*)",
]


@pytest.mark.parametrize("question", HONEST)
def test_what_is_honest_passes(question: str) -> None:
    assert prepared(question).endswith(question)


BUILDING = ["coll.flatten([[1]], 1)", "coll.sort([1])", "coll.insert([1], 0, 2)", "apoc.coll.sort([1])"]


@pytest.mark.parametrize("call", BUILDING)
def test_functions_that_build_lists_are_refused(call: str) -> None:
    plan = QueryPlan("r", (Operator("ProduceResults", "neo4j", "x"),))
    with pytest.raises(ForbiddenError, match="not known to be harmless"):
        judge(f"WITH [1] AS l RETURN {call} AS x", plan, "neo4j")


UNTOLD = ["date({year: 99999})", "date({year: -5000})", "datetime({year: 999999})", "datetime({epochMillis: $most})"]


@pytest.mark.parametrize("value", [*UNTOLD, "1 / 0", "$most + 1", "duration({days: $most, seconds: $most})"])
@pytest.mark.integration
async def test_a_value_that_cannot_be_told_is_the_asker_s_to_mend(graph: Graph, value: str) -> None:
    with pytest.raises(BadInputError) as refused:
        await graph.explore(f"RETURN {value} AS x", {"most": 2**63 - 1}, LIMITS)
    assert refused.value.field == "query"


@pytest.mark.parametrize(
    "parameters",
    [{"x": "a" * 300_000}, {"x": list(range(60_000))}, {"x": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}],
    ids=["a long text", "a long list", "a deep list"],
)
@pytest.mark.integration
async def test_parameters_are_bounded(graph: Graph, parameters: dict[str, Any]) -> None:
    with pytest.raises(BadInputError) as refused:
        await graph.explore("RETURN 1 AS x", parameters, LIMITS)
    assert refused.value.field == "parameters"


_HUB = statement(
    "CREATE (h:Entity {id: $scope + '-hub', scope: $scope, name: 'hub'}) "
    "WITH h UNWIND range(1, 3000) AS i "
    "CREATE (h)-[:R {scope: $scope}]->(x:Entity {id: $scope + toString(i), scope: $scope, name: toString(i)}) "
    "CREATE (x)-[:S {scope: $scope}]->(h)",
    parameters="$scope STRING",
)


@pytest.fixture
async def hub(graph: Graph, scope: str) -> str:
    await graph.execute(_HUB, {"scope": scope})
    return scope


SLOW = {
    "paths of any length over a hub": "MATCH (h {scope: $scope, name: 'hub'})-[*]-(x) RETURN count(*)",
    "quantified paths over a hub": "MATCH (h {scope: $scope, name: 'hub'}) (()-[]-()){1,20} (x) RETURN count(*)",
    "a product of everything": "MATCH (a {scope: $scope}), (b {scope: $scope}), (c {scope: $scope}) RETURN count(*)",
    "a product in one list": "MATCH (a {scope: $scope}), (b {scope: $scope}) RETURN collect([a.name, b.name])",
    "a product sorted": "MATCH (a {scope: $scope}), (b {scope: $scope}) RETURN a.name AS x ORDER BY a.name + b.name",
    "five million numbers of a graph in a row": "MATCH (a {scope: $scope}), (b {scope: $scope}) RETURN collect(1.5)",
}


@pytest.mark.parametrize("attack", SLOW.values(), ids=list(SLOW))
@pytest.mark.integration
async def test_what_takes_too_much_ends_in_time_and_holds_nobody_up(graph: Graph, hub: str, attack: str) -> None:
    longest = 0.0

    async def bystander() -> None:
        nonlocal longest
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.02)
            longest = max(longest, time.perf_counter() - started)

    watching = asyncio.create_task(bystander())
    started = time.perf_counter()
    try:
        found = await graph.explore(attack, {"scope": hub}, LIMITS)
        assert found.cut
        assert len(str(found.rows)) < 2 * LIMITS.characters
    except UnavailableError:
        pass
    finally:
        watching.cancel()
    assert time.perf_counter() - started < LIMITS.timeout_s + GRACE_S
    assert longest < 2.0
    again = await graph.explore("MATCH (n {scope: $scope, name: 'hub'}) RETURN n.name AS name", {"scope": hub}, LIMITS)
    assert again.rows == ({"name": "hub"},)


SECRETS = [
    "MATCH (k:ApiKey) RETURN k",
    "MATCH (k) WHERE 'Api' + 'Key' IN labels(k) RETURN properties(k)",
    "MATCH (k:$($label)) RETURN k{.*}",
    "MATCH (k) WHERE k['secret_' + 'hash'] IS NOT NULL RETURN k",
    "MATCH (k) UNWIND keys(k) AS name WITH k, name WHERE name ENDS WITH 'hash' AND size(k[name]) = 64 AND "
    "name STARTS WITH 'secret' RETURN k[name]",
    "MATCH (k) WHERE any(name IN keys(k) WHERE k[name] = $hash) RETURN k",
    "MATCH (k {id: $id}) RETURN k",
]


@pytest.mark.parametrize("attack", SECRETS)
@pytest.mark.integration
async def test_no_expression_reaches_an_api_key(graph: Graph, tmp_path: Any, attack: str) -> None:
    file = KeyFile(tmp_path / "keys.json")
    keys = ApiKeys(file)
    await keys.adopt(graph)
    made = await keys.create("ann", ["user:ann"], [])
    given = {"label": "ApiKey", "hash": file.read()[made.id].secret_hash, "id": made.id}
    try:
        assert (await graph.explore(attack, given, ExplorationLimits(timeout_s=20.0))).rows == ()
    except ClauseError as error:
        assert isinstance(error, BadInputError | ForbiddenError)  # noqa: PT017 -- refusing is as good
