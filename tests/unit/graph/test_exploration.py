import math

import pytest
from neo4j.time import Duration

from clause.errors import BadInputError, ForbiddenError, UnavailableError
from clause.graph.exploration import MAX_TEXT, Operator, QueryPlan, judge, operators, plain, prepared
from clause.graph.wire import ExplorationLimits
from tests.unit.graph.wires import away, played

SCAN = Operator("AllNodesScan", "neo4j", "n")


def plan(*found: Operator, kind: str = "r") -> QueryPlan:
    return QueryPlan(kind, (SCAN, *found))


def test_a_plan_that_only_reads_this_database_passes() -> None:
    fulltext = Operator("ProcedureCall", "neo4j", "db.index.fulltext.queryNodes($a, $b) :: (node :: NODE)")
    judge("MATCH (n) RETURN date.truncate('day', n.day)", plan(fulltext), "neo4j")


@pytest.mark.parametrize(
    "refused",
    [
        plan(kind="w"),
        plan(kind="s"),
        plan(kind="rw"),
        QueryPlan("r", ()),
        plan(Operator("LoadCSV", "neo4j", "line")),
        plan(Operator("ShowIndexes", "neo4j", "allIndexes")),
        plan(Operator("TerminateTransactions", "neo4j", "x")),
        plan(Operator("AdministrationCommand", "system", "")),
        plan(Operator("AllNodesScan", "system", "n")),
        plan(Operator("ProcedureCall", "neo4j", "apoc.load.json($a) :: (value :: MAP)")),
        plan(Operator("ProcedureCall", "neo4j", "")),
        plan(Operator("Projection", "neo4j", "apoc.load.json($autostring_0) AS x")),
    ],
)
def test_any_other_plan_is_refused(refused: QueryPlan) -> None:
    with pytest.raises(ForbiddenError, match="refused"):
        judge("MATCH (n) RETURN n", refused, "neo4j")


def test_words_in_texts_and_comments_are_no_calls() -> None:
    judge("MATCH (n) WHERE n.x = 'apoc.load.json(1)' RETURN n // ApiKey apoc.x(1)", plan(), "neo4j")


def test_a_function_of_a_plugin_is_refused_by_its_words_too() -> None:
    with pytest.raises(ForbiddenError, match="function apoc"):
        judge("RETURN apoc.text.join([], '')", plan(), "neo4j")


def test_operators_are_found_at_every_depth() -> None:
    tree = {"operatorType": "A@neo4j", "args": {"Details": "n"}, "children": [{"operatorType": "B", "args": {}}]}
    assert list(operators(tree)) == [Operator("A", "neo4j", "n"), Operator("B", "", "")]


@pytest.mark.parametrize("text", ["x" * (MAX_TEXT + 1), "RETURN 1\0", "\\u0043REATE (n)"])
def test_a_text_that_could_hide_something_is_refused_before_the_server_sees_it(text: str) -> None:
    with pytest.raises(BadInputError):
        prepared(text)


def test_a_statement_keeps_the_version_that_it_names() -> None:
    assert prepared(" cypher 5 RETURN 1") == " cypher 5 RETURN 1"
    assert prepared("RETURN 1") == "CYPHER 25 RETURN 1"


def test_numbers_that_json_cannot_say_and_bytes_are_left_out() -> None:
    assert plain([math.nan, math.inf, 1.5, True, None, b"ab"]) == [None, None, 1.5, True, None, "2 bytes, left out"]


def test_a_duration_is_said_and_not_taken_apart() -> None:
    assert plain([Duration(months=1, days=3)]) == ["P1M3D"]


async def test_exploring_counts_its_round_trips_and_is_tried_again() -> None:
    graph, wire, naps = played(away(), [[{"x": 1}]])
    async with graph:
        found = await graph.explore("RETURN 1 AS x", {"a": 1}, ExplorationLimits(rows=5))
        assert (found.rows, graph.round_trips, len(naps.seconds)) == (({"x": 1},), 4, 1)
    assert wire.sent[1] == {"text": "RETURN 1 AS x", "parameters": {"a": 1}, "limits": ExplorationLimits(rows=5)}


async def test_exploring_a_server_that_is_away_is_unavailable() -> None:
    graph, _, _ = played(*[away() for _ in range(4)])
    async with graph:
        with pytest.raises(UnavailableError):
            await graph.explore("RETURN 1", {})
