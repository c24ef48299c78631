from __future__ import annotations

from typing import Any

import pytest

from clause.errors import MigrationError
from clause.graph.catalogue import Statement
from clause.graph.migration_scripts import declared, differences, load_scripts


def ddl(text: str) -> Statement:
    return Statement("migrations/test#1", "test", "schema", "none", {}, (), f"CYPHER 25 {text}")


VECTOR = ddl(
    "CREATE VECTOR INDEX v IF NOT EXISTS FOR (n:B|A) ON n.e WITH [n.scope, n.kind]\n"
    "OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine',"
    " `vector.quantization.type`: 'NONE'}}"
)
ROW: dict[str, Any] = {
    "name": "v",
    "type": "VECTOR",
    "labels": ["A", "B"],
    "properties": ["e", "scope", "kind"],
    "options": {
        "indexConfig": {
            "vector.dimensions": 3,
            "vector.similarity_function": "COSINE",
            "vector.quantization.type": "NONE",
            "vector.hnsw.m": 16,
        }
    },
    "state": "ONLINE",
    "constraint": None,
}


def test_every_form_is_read():
    found = declared(
        [
            VECTOR,
            ddl("CREATE CONSTRAINT c IF NOT EXISTS FOR (n:A) REQUIRE (n.scope, n.key) IS UNIQUE"),
            ddl("CREATE CONSTRAINT r IF NOT EXISTS FOR ()-[r:OF]-() REQUIRE r.id IS UNIQUE"),
            ddl("CREATE INDEX i IF NOT EXISTS FOR ()-[r:OF]-() ON (r.x, r.y)"),
            ddl("CREATE FULLTEXT INDEX f IF NOT EXISTS FOR (n:A|B) ON EACH [n.t, n.u]"),
        ]
    )
    assert found["v"].labels == ("A", "B")
    assert found["v"].properties == ("e", "scope", "kind")
    assert found["v"].options["vector.dimensions"] == "3"
    assert (found["c"].type, found["c"].properties) == ("UNIQUENESS", ("scope", "key"))
    assert (found["r"].labels, found["i"].labels) == (("OF",), ("OF",))
    assert (found["i"].type, found["i"].properties) == ("RANGE", ("x", "y"))
    assert (found["f"].type, found["f"].properties) == ("FULLTEXT", ("t", "u"))


def test_a_dropped_index_is_declared_no_more_until_it_is_made_again():
    make, drop = ddl("CREATE INDEX i IF NOT EXISTS FOR (n:A) ON (n.x)"), ddl("DROP INDEX i IF EXISTS")
    assert declared([make, drop]) == {}
    assert list(declared([make, drop, make])) == ["i"]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE INDEX FOR (n:A) ON (n.x)",
        "CREATE INDEX i FOR (n:A) ON (n.x)",
        "DROP INDEX i",
        "CREATE INDEX i IF NOT EXISTS FOR x ON y",
    ],
)
def test_a_form_that_cannot_be_compared_is_refused(text: str):
    with pytest.raises(MigrationError, match="IF"):
        declared([ddl(text)])


def test_what_agrees_is_no_difference_and_what_others_made_is_ignored():
    foreign = {**ROW, "name": "foreign"}
    assert differences(declared([VECTOR]), [ROW, foreign], []) == {}


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"name": "w"}, "is missing"),
        ({"labels": ["A"]}, "labels"),
        ({"properties": ["e", "scope"]}, "properties"),
        ({"type": "RANGE"}, "type"),
        ({"options": {"indexConfig": {**ROW["options"]["indexConfig"], "vector.dimensions": 4}}}, "vector.dimensions"),
        (
            {"options": {"indexConfig": {**ROW["options"]["indexConfig"], "vector.quantization.type": "BINARY"}}},
            "vector.quantization.type",
        ),
        ({"options": None}, "vector.dimensions"),
        ({"state": "FAILED"}, "failed to build"),
    ],
)
def test_each_kind_of_difference_is_named(change: dict[str, Any], difference: str):
    assert difference in differences(declared([VECTOR]), [{**ROW, **change}], [])["v"]


def test_a_constraint_is_compared_with_constraints_and_not_with_the_index_it_owns():
    wanted = declared([ddl("CREATE CONSTRAINT c IF NOT EXISTS FOR (n:A) REQUIRE n.id IS UNIQUE")])
    owned = {**ROW, "name": "c", "type": "RANGE", "labels": ["A"], "properties": ["id"], "constraint": "c"}
    real = {"name": "c", "type": "NODE_PROPERTY_UNIQUENESS", "labels": ["A"], "properties": ["id"]}
    assert differences(wanted, [owned], [real]) == {}
    assert differences(wanted, [owned], []) == {"c": "is missing"}


def test_every_migration_here_can_be_read_and_keeps_the_rules_of_vectors():
    statements = [line for found in load_scripts() for line in found.statements({"dimension": 384})]
    for declaration in declared(line for line in statements if line.mode == "schema").values():
        if declaration.type == "VECTOR":
            assert declaration.options["vector.dimensions"] == "384", declaration.name
            assert "vector.quantization.type" in declaration.options, declaration.name
            assert "scope" in declaration.properties, declaration.name
        if declaration.type == "FULLTEXT":
            assert "scope_token" in declaration.properties, declaration.name
