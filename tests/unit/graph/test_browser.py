import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from clause.graph.browser import browse_folder, browser_link, explorations, parse_exploration, style_link, usual_browser
from clause.graph.catalogue import CatalogueError

ALL = {exploration.name: exploration for exploration in explorations()}
WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|INSERT|LOAD)\b")


def test_there_are_explorations_for_every_part() -> None:
    assert len(ALL) >= 12
    text = " ".join(exploration.text for exploration in ALL.values())
    for label in ("Entity", "Run", "Evidence", "Belief", "Tension", "Memory", "Value", "Session", "AttractorBasin"):
        assert f":{label}" in text


@pytest.mark.parametrize("name", ALL)
def test_each_says_what_to_look_for_reads_only_and_is_bounded(name: str) -> None:
    exploration = ALL[name]
    assert exploration.title
    assert exploration.look_for.endswith(".")
    statement = "\n".join(line for line in exploration.text.splitlines() if not line.startswith("//"))
    assert not WRITES.search(statement)
    assert re.search(r"\bLIMIT \d+;\s*$", statement)
    assert statement.startswith("CYPHER 25\n")


@pytest.mark.parametrize("text", ["MATCH (n) RETURN n", "// a title\nRETURN 1", "//\n// Look for: x\n", ""])
def test_a_file_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match="browse/odd"):
        parse_exploration("odd", text)


def test_files_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "b.cypher").write_text("// B\n// Look for: b.\nRETURN 1")
    (tmp_path / "a.cypher").write_text("// A\n// Look for: a.\nRETURN 1")
    assert [exploration.name for exploration in explorations(tmp_path)] == ["a", "b"]


def test_a_link_carries_the_whole_statement() -> None:
    link = browser_link("http://127.0.0.1:7474/browser/", "bolt://127.0.0.1:7687", ALL["14_hubs"])
    assert link.startswith("http://127.0.0.1:7474/browser/?dbms=bolt://127.0.0.1:7687&cmd=edit&arg=%2F%2F%20Hubs")
    assert "\n" not in link
    assert " " not in link


def test_the_link_of_the_style_holds_no_sign_that_browser_cuts_it_at() -> None:
    link = unquote(style_link("http://127.0.0.1:7474/browser/", "bolt://127.0.0.1:7687"))
    assert "arg=:style node { diameter: 50px;" in link
    assert "node.Entity { color: rgb(11,111,133);" in link
    assert "#" not in link


def test_a_server_of_somebody_else_is_looked_for_where_browsers_are() -> None:
    assert usual_browser("bolt+s://[::1]:7687") == "http://[::1]:7474/browser/"


def test_style_and_guide_lie_beside_and_name_labels_that_we_write() -> None:
    style = (browse_folder() / "style.grass").read_text()
    assert style.count("{") == style.count("}") >= 20
    assert "node.Entity" in style
    guide = (browse_folder() / "guide.adoc").read_text()
    assert guide.startswith("= ")
    assert guide.count("[source,cypher]") >= 2
