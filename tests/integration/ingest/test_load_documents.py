"""Documents of every format in a real Neo4j."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.graph.runner import Graph
from clause.ingest.passages import load_documents
from clause.ingest.source import BadRecordError
from tests.integration.graphs import state, wrong_counts
from tests.servers import statement
from tests.unit.ingest.test_documents import CORPUS

pytestmark = pytest.mark.integration

_PLACES = statement(
    "MATCH (d:Document {scope: $scope})-[:HAS_PASSAGE]->(p:Passage) MATCH (d)-[:FROM]->(s:Source) "
    "WHERE s.id = p.source_id RETURN s.uri AS file, p.heading AS heading, p.page AS page, p.text AS text "
    "ORDER BY file, p.ordinal",
    mode="read",
    parameters="$scope STRING",
    columns="file, heading, page, text",
)


def _folder(folder: Path) -> Path:
    (folder / "parish").mkdir()
    for name, content in CORPUS.items():
        (folder / "parish" / name).write_bytes(content)
    return folder / "parish"


async def test_a_folder_of_every_format_loads_once_with_the_place_of_each_passage(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    folder = _folder(tmp_path)

    first = await load_documents(graph, None, folder, scope)
    once = await state(graph, scope)
    second = await load_documents(graph, None, folder, scope)
    rows = await graph.execute(_PLACES, {"scope": scope})

    assert (first.records, first.created, first.bad_count) == (5, 12, 0)
    assert (second.created, second.known) == (0, 5)
    assert await state(graph, scope) == once
    assert await wrong_counts(graph, scope) == []
    places = {(row["file"], row["heading"], row["page"]) for row in rows}
    assert {file for file, _, _ in places} == set(CORPUS)
    assert ("mills.pdf", None, 2) in places
    assert ("ferry.docx", "Handbook of the ferry > Crew", None) in places
    assert ("tides.html", "Tides > Spring tides", None) in places


async def test_bad_files_are_named_and_do_not_stop_the_others(graph: Graph, scope: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "broken.pdf").write_bytes(CORPUS["mills.pdf"][:200])

    with pytest.raises(BadRecordError, match=r"broken\.pdf: it is no PDF"):
        await load_documents(graph, None, folder, scope, on_bad="fail")
    report = await load_documents(graph, None, folder, scope)

    assert (report.created, report.bad_count) == (12, 1)
    assert report.bad[0].reason.startswith("broken.pdf: it is no PDF that can be read")


async def test_only_a_file_that_changed_is_made_anew(graph: Graph, scope: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    await load_documents(graph, None, folder, scope)
    (folder / "clock.txt").write_text("The clock was mended in June.")

    report = await load_documents(graph, None, folder, scope)
    rows = await graph.execute(_PLACES, {"scope": scope})

    assert (report.created, report.known) == (1, 4)
    assert [row["text"] for row in rows if row["file"] == "clock.txt"] == ["The clock was mended in June."]
    assert await wrong_counts(graph, scope) == []
