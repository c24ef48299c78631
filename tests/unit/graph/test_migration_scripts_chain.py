from __future__ import annotations

from pathlib import Path

import pytest

from clause.errors import MigrationError
from clause.graph.migration_scripts import Script, chained, checksum, load_scripts

SCHEMA = """// keys
CREATE CONSTRAINT a_id IF NOT EXISTS FOR (n:A) REQUIRE n.id IS UNIQUE;
// vectors; in a comment;
CYPHER 25 CREATE VECTOR INDEX a_v IF NOT EXISTS FOR (n:A) ON n.v
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}}};
"""


def script(text: str) -> Script:
    return Script("V9001", "V9001__x", checksum(text), text)


def test_statements_are_split_at_semicolons_that_end_a_line_and_filled():
    first, second = script(SCHEMA).statements({"dimension": 7})
    assert first.text == "CYPHER 25 CREATE CONSTRAINT a_id IF NOT EXISTS FOR (n:A) REQUIRE n.id IS UNIQUE"
    assert second.text.endswith("{`vector.dimensions`: 7}}")
    assert second.name == "migrations/V9001__x#2"
    assert {first.mode, second.mode} == {"schema"}


def test_the_checksum_is_of_the_text_before_it_is_filled_whatever_the_line_ends():
    assert checksum(SCHEMA) == checksum(SCHEMA.replace("\n", "\r\n"))
    assert "{{dimension}}" in script(SCHEMA).text


def test_a_chain_link_depends_on_all_before_it():
    assert chained(chained("", "a"), "b") != chained(chained("", "b"), "a")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("CREATE INDEX a IF NOT EXISTS FOR (n:A) ON (n.x);\nMATCH (n) SET n.x = 1;", "either schema or data"),
        ("// nothing\n", "at least one"),
        ("MATCH (n) RETURN n;", "either schema or data"),
        ("CREATE (:A {x: {{size}}});", "{{size}} is no placeholder"),
    ],
)
def test_scripts_that_cannot_be_applied_are_refused(text: str, complaint: str):
    with pytest.raises(MigrationError) as caught:
        script(text).statements({"dimension": 7})
    assert complaint in str(caught.value)


def test_scripts_come_by_version_and_bad_names_or_doubles_are_refused(tmp_path: Path):
    for name in ("V0002__b", "V0001__a"):
        (tmp_path / f"{name}.cypher").write_text(SCHEMA, encoding="utf-8")
    assert [found.id for found in load_scripts(tmp_path)] == ["V0001", "V0002"]
    double = tmp_path / "V0002__c.cypher"
    double.write_text(SCHEMA, encoding="utf-8")
    with pytest.raises(MigrationError, match="V0002"):
        load_scripts(tmp_path)
    double.rename(tmp_path / "V3__c.cypher")
    with pytest.raises(MigrationError, match="V3__c"):
        load_scripts(tmp_path)
