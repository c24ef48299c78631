from __future__ import annotations

from pathlib import Path

import pytest

from clause.graph.catalogue import Catalogue, CatalogueError, bare, cypher_folder, mode_of, parse
from tests.unit.graph.wires import text


def test_a_statement_says_what_its_header_says():
    found = parse(
        "demo/near",
        "// demo/near, what is near\n// and nearer\n// mode:       read\n// returns:    many\n"
        "// parameters: $scopes LIST<STRING>, $limit INTEGER,\n//             $at POINT\n// columns:    id, x\n"
        "CYPHER 25 MATCH (n) WHERE n.scope IN $scopes AND n.at = $at RETURN n.id AS id, 1 AS x LIMIT $limit\n",
    )
    assert found.purpose == "what is near and nearer"
    assert found.parameters == {"scopes": "LIST<STRING>", "limit": "INTEGER", "at": "POINT"}
    assert found.columns == ("id", "x")
    assert found.is_read
    assert found.text.startswith("CYPHER 25 MATCH")


def test_a_type_with_a_comma_inside_is_one_parameter():
    body = "CYPHER 25 UNWIND $rows AS row RETURN row AS x"
    found = parse("demo/one", text(parameters="$rows LIST<MAP<STRING, ANY>>", body=body))
    assert found.parameters == {"rows": "LIST<MAP<STRING, ANY>>"}


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("CYPHER 25 RETURN 1 AS x", "first line"),
        (text("demo/other"), "first line"),
        ("// demo/one,\n", "first line"),
        (text().replace("// returns:    many\n", ""), "lacks returns"),
        (text().replace("// columns:    x\n", "// columns:\n"), "lacks columns"),
        (text().replace("// mode:", "// mode: read\n// mode:"), "'mode' twice"),
        (text(mode="rw"), "mode is 'rw'"),
        (text(returns="some"), "returns is 'some'"),
        (text(parameters="k INTEGER"), "must read"),
        (text(parameters="$k"), "must read"),
        (text(parameters="$k INTEGER, $k FLOAT", body="CYPHER 25 RETURN $k AS x"), "declared twice"),
        (text(body="CYPHER 25 RETURN $k AS x"), "undeclared parameter $k"),
        (text(parameters="$k INTEGER"), "unused parameter $k"),
        (text(parameters="$k INTEGER", body="CYPHER 25 RETURN '$k' AS x // $k"), "unused parameter $k"),
        (text(body="RETURN 1 AS x"), "must start with `CYPHER 25`"),
        (text(body="CYPHER 25 RETURN 1 AS x; RETURN 2 AS x"), "semicolon"),
        (text(body="CYPHER 25 LOAD CSV FROM 'file:///etc/passwd' AS x RETURN x"), "LOAD CSV"),
        (text(body="CYPHER 25 CREATE (n) RETURN 1 AS x"), "those of write"),
        (text(mode="write"), "those of read"),
        (text(mode="schema"), "those of read"),
        (text(returns="none"), "do not agree"),
        (text(columns="none"), "do not agree"),
    ],
)
def test_a_file_that_breaks_its_contract_is_refused(source: str, complaint: str):
    with pytest.raises(CatalogueError) as caught:
        parse("demo/one", source)
    assert complaint in str(caught.value)
    assert "demo/one" in str(caught.value)


def test_two_statements_of_one_name_are_refused():
    with pytest.raises(CatalogueError, match="two statements"):
        Catalogue([parse("demo/one", text()), parse("demo/one", text())])


def test_a_folder_is_read_in_order_without_migrations_and_explorations(tmp_path: Path):
    for name in ("b/two", "a/one", "migrations/V0001__x", "browse/y"):
        path = tmp_path / f"{name}.cypher"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(name), encoding="utf-8")
    catalogue = Catalogue.load(tmp_path)
    assert list(catalogue) == ["a/one", "b/two"]
    assert len(catalogue) == 2
    assert "a/one" in catalogue
    with pytest.raises(CatalogueError, match="no statement is called 'c/three'"):
        catalogue["c/three"]


def test_the_packaged_folder_loads_and_every_statement_lies_in_a_room():
    catalogue = Catalogue.load()
    assert all(name.count("/") == 1 for name in catalogue)
    assert catalogue["graph/scopes"].is_read


def test_a_wheel_carries_its_folder_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "clause" / "cypher").mkdir(parents=True)
    monkeypatch.setattr("clause.graph.catalogue.__file__", str(tmp_path / "clause" / "graph" / "catalogue.py"))
    assert cypher_folder() == tmp_path / "clause" / "cypher"


@pytest.mark.parametrize(
    ("clauses", "mode"),
    [
        ("MATCH (n) RETURN n.create, n.set, $merge", "read"),
        ("MATCH (n:`SET`) WHERE n.x = 'DELETE' RETURN n // CREATE", "read"),
        ("match (n) detach delete n", "write"),
        ("INSERT (:X)", "write"),
        ("MATCH (n) CALL (n) { REMOVE n.x } IN TRANSACTIONS", "write"),
        ("CREATE VECTOR INDEX a IF NOT EXISTS FOR (n:A) ON n.x", "schema"),
        ("DROP CONSTRAINT a IF EXISTS", "schema"),
        ("SHOW INDEXES YIELD name RETURN name", "read"),
    ],
)
def test_the_mode_is_judged_by_clauses_and_not_by_names(clauses: str, mode: str):
    assert mode_of(clauses) == mode


def test_bare_blanks_block_comments_and_quoted_names():
    assert "$" not in bare('RETURN 1 /* $a\n$b */ + `$c` + "$d\\"$e"')
