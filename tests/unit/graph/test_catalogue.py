from __future__ import annotations

from pathlib import Path

import pytest

from clause.graph.catalogue import Catalogue, CatalogueError, bare, cypher_folder, mode_of, parse, statement_files
from tests.unit.graph.wires import text


def kinds(declared: str, *, name: str, body: str = "CYPHER 25 MATCH (:{{label}}) RETURN 1 AS x") -> str:
    """A section for several kinds."""
    return text(name, body=body).replace("// columns:", f"// kinds:      {declared}\n// columns:")


def test_a_statement_says_what_its_header_says():
    (found,) = parse(
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
    (found,) = parse(text(parameters="$rows LIST<MAP<STRING, ANY>>", body=body))
    assert found.parameters == {"rows": "LIST<MAP<STRING, ANY>>"}


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("CYPHER 25 RETURN 1 AS x", "demo/one.cypher:1: a statement without a header"),
        (text("one"), "first line"),
        ("// demo/one,\n", "first line"),
        ("// demo/one\n// mode: read\n", "first line"),
        (f"{text()}\nCYPHER 25 RETURN 2 AS x", "a header of its own"),
        (f"{text()}\n// and more\n{text('demo/two')}", "first line"),
        (text().replace("CYPHER", "\n// demo/two, of a test\nCYPHER"), "must start with `CYPHER 25`"),
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
        (text(body="CYPHER 25 MATCH (:{{label}}) RETURN 1 AS x"), "{{label}} is not declared"),
        (kinds("label: A, B", name="demo/one[{{label}}]", body="CYPHER 25 RETURN {{other}} AS x"), "{{other}} is not"),
        (kinds("label other: A B", name="demo/one[{{label}}]"), "{{other}} is not declared in `kinds`, or not used"),
        (
            kinds("label: A", name="demo/one", body="CYPHER 25 MATCH (:{{label}}) RETURN 1 AS x"),
            "must end in [{{label}}]",
        ),
        (kinds("label: A B", name="demo/one[{{label}}]"), "kinds must read"),
        (kinds("label: A, ", name="demo/one[{{label}}]"), "kinds must read"),
        (kinds("label: A) DELETE (n", name="demo/one[{{label}}]"), "kinds must read"),
        (kinds("A, B", name="demo/one[{{label}}]"), "kinds must read"),
    ],
)
def test_a_file_that_breaks_its_contract_is_refused(source: str, complaint: str):
    with pytest.raises(CatalogueError) as caught:
        parse(source, "demo/one.cypher")
    assert complaint in str(caught.value)
    assert "demo/one" in str(caught.value)


def test_two_statements_of_one_name_are_refused():
    with pytest.raises(CatalogueError, match="two statements"):
        Catalogue(parse(f"{text()}\n{text()}"))


def test_a_kind_named_twice_is_refused():
    with pytest.raises(CatalogueError, match="two statements"):
        Catalogue(parse(kinds("label: A, A", name="demo/one[{{label}}]")))


def test_the_sections_of_a_file_come_in_their_order():
    inner = "CYPHER 25 RETURN\n  // a comment within is indented\n  1 AS x"
    found = parse(f"\n{text('demo/b')}\n{text('demo/a', body=inner)}")
    assert [statement.name for statement in found] == ["demo/b", "demo/a"]
    assert found[1].text == inner


def test_a_section_for_several_kinds_is_one_statement_for_each():
    body = "CYPHER 25 MATCH (n:{{label}}) RETURN n.{{property}} AS x"
    found = parse(kinds("label property: Belief content,\n//  Entity name", name="demo/one[{{label}}]", body=body))
    assert [statement.name for statement in found] == ["demo/one[Belief]", "demo/one[Entity]"]
    assert [statement.text for statement in found] == [
        "CYPHER 25 MATCH (n:Belief) RETURN n.content AS x",
        "CYPHER 25 MATCH (n:Entity) RETURN n.name AS x",
    ]


def test_a_folder_is_read_in_order_without_migrations_and_explorations(tmp_path: Path):
    for name in ("b/two", "a/deep/one", "migrations/V0001__x", "browse/y"):
        path = tmp_path / f"{name}.cypher"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text(name.replace("/deep", "")), encoding="utf-8")
    assert [file for file, _ in statement_files(tmp_path)] == ["a/deep/one", "b/two"]
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
