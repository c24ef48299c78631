"""Every statement file against the real server: it plans, gives its columns, and needs no more than its mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import neo4j
import pytest

from clause.graph.catalogue import Catalogue, Statement
from clause.graph.wire import Address

pytestmark = pytest.mark.integration

STATEMENTS = list(Catalogue.load().values())
BY_SCOPE = (
    "insights/by_category",
    "jobs/waiting",
    "knowledge/count_beliefs",
    "knowledge/list_beliefs",
    "knowledge/receipts",
    "knowledge/sources",
    "knowledge/tensions",
    "memory/dense_passing",
    "memory/stale",
    "reasoning/runs",
    "reasoning/some_entities",
    "reasoning/starts",
    "sessions/patterns",
    "sessions/relevant_beliefs",
    "sessions/sessions",
    "values/experiences",
    "values/values",
)
"""Statements that are asked often, and must not look at what all tenants have."""
KINDS = {"read": {"r"}, "write": {"w", "rw"}, "schema": {"s"}}
KINDS["graph/components"] = {"s"}  # a procedure of the server itself counts as one on its schema, also in READ mode


@pytest.fixture(scope="module")
def session(migrated_address: Address) -> Iterator[neo4j.Session]:
    auth = (migrated_address.user, migrated_address.password.get_secret_value())
    with (
        neo4j.GraphDatabase.driver(migrated_address.uri, auth=auth, telemetry_disabled=True) as driver,
        driver.session(database=migrated_address.database) as session,
    ):
        yield session


@pytest.mark.parametrize("statement", STATEMENTS, ids=[statement.name for statement in STATEMENTS])
def test_a_statement_plans_with_its_rows_packed(session: neo4j.Session, statement: Statement):
    if statement.packed is not None:
        result = session.run(f"EXPLAIN {statement.packed}", dict.fromkeys(statement.parameters))
        assert result.keys() == ["rows"]
        assert result.consume().query_type in KINDS.get(statement.name, {"r"})


@pytest.mark.parametrize("statement", STATEMENTS, ids=[statement.name for statement in STATEMENTS])
def test_a_statement_keeps_what_its_header_says(session: neo4j.Session, statement: Statement):
    result = session.run(f"EXPLAIN {statement.text}", dict.fromkeys(statement.parameters))
    columns = tuple(result.keys())
    summary = result.consume()
    assert sorted(columns) == sorted(statement.columns)
    assert summary.query_type in KINDS.get(statement.name, KINDS[statement.mode])
    old = [status for status in summary.gql_status_objects if str(status.classification) == "DEPRECATION"]
    assert old == []


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """The names of a plan's operators, without the planner's."""
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


@pytest.mark.parametrize("name", BY_SCOPE)
def test_a_statement_that_is_asked_often_goes_by_an_index(session: neo4j.Session, name: str):
    statement = Catalogue.load()[name]
    plan = session.run(f"EXPLAIN {statement.text}", dict.fromkeys(statement.parameters)).consume().plan
    used = set(operators(plan))
    assert used & {"NodeIndexSeek", "NodeUniqueIndexSeek", "NodeUniqueIndexSeekByRange"}  # the planner's to choose
    assert not used & {"AllNodesScan", "NodeByLabelScan", "DirectedRelationshipTypeScan"}
