"""Passages in a real Neo4j."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from clause.errors import BadInputError
from clause.graph.runner import Graph
from clause.ingest.passages import load_documents, load_passages
from clause.ingest.source import BadRecordError
from tests.integration.graphs import state, wrong_counts
from tests.servers import statement
from tests.shapes import write_text

pytestmark = pytest.mark.integration

DOCUMENTS = [
    {"id": 1, "title": "Heat", "text": "A film by Michael Mann with Al Pacino."},
    {"id": "two", "title": "Collateral", "text": "After Heat, Michael Mann made this one."},
]
_MENTIONS = statement(
    "MATCH (p:Passage {scope: $scope})-[:MENTIONS]->(e:Entity) "
    "RETURN p.title AS title, e.name AS name ORDER BY title, name",
    mode="read",
    parameters="$scope STRING",
    columns="title, name",
)
_ORDER = statement(
    "MATCH (d:Document {scope: $scope})-[:HAS_PASSAGE]->(p:Passage) OPTIONAL MATCH (p)-[:NEXT]->(next:Passage) "
    "RETURN p.ordinal AS ordinal, next.ordinal AS following ORDER BY ordinal",
    mode="read",
    parameters="$scope STRING",
    columns="ordinal, following",
)


def _write(path: Path, documents: list[dict[str, object]]) -> Path:
    return write_text(path, "".join(json.dumps(document) + "\n" for document in documents))


async def _mentions(graph: Graph, scope: str) -> set[tuple[str, str]]:
    return {(row["title"], row["name"]) for row in await graph.execute(_MENTIONS, {"scope": scope})}


async def test_passages_mention_titles_and_shared_names_and_load_once(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "films.jsonl.gz", DOCUMENTS)

    first = await load_passages(graph, None, path, scope)
    once = await state(graph, scope)
    second = await load_passages(graph, None, path, scope)

    assert (first.created, first.known, second.created, second.known) == (2, 0, 0, 2)
    assert await _mentions(graph, scope) == {
        ("Heat", "Heat"),
        ("Heat", "Michael Mann"),
        ("Collateral", "Collateral"),
        ("Collateral", "Heat"),
        ("Collateral", "Michael Mann"),
    }
    assert await state(graph, scope) == once
    assert await wrong_counts(graph, scope) == []


async def test_those_that_load_the_same_at_once_all_succeed(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "films.jsonl", DOCUMENTS)
    notes = write_text(tmp_path / "notes.txt", "Heat was made by Michael Mann.")

    reports = await asyncio.gather(*(load_passages(graph, None, path, scope) for _ in range(3)))
    papers = await asyncio.gather(*(load_documents(graph, None, notes, scope) for _ in range(3)))

    assert sorted((report.created, report.known) for report in reports) == [(0, 2), (0, 2), (2, 0)]
    assert sorted((report.created, report.known) for report in papers) == [(0, 1), (0, 1), (1, 0)]
    assert await wrong_counts(graph, scope) == []


_ABOUT = statement(
    "MATCH (p:Passage {scope: $scope})-[r:ABOUT]->(e:Entity) "
    "RETURN p.title AS title, e.name AS name, r.weight AS weight",
    mode="read",
    parameters="$scope STRING",
    columns="title, name, weight",
)


async def test_a_passage_is_about_its_title_and_is_found_by_its_short_forms(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    documents = [
        {"id": 1, "title": "Kes (1969 film)", "text": "A boy of Barnsley trains a kestrel."},
        {"id": 2, "title": "Barnsley, Yorkshire", "text": "The town of Kes; Barnsley Main was its pit."},
        {"id": 3, "title": "", "text": "Nobody knows Kes here."},
    ]
    path = _write(tmp_path / "short.jsonl", documents)

    await load_passages(graph, None, path, scope)
    once = await state(graph, scope)
    await load_passages(graph, None, path, scope)

    rows = await graph.execute(_ABOUT, {"scope": scope})
    assert {(row["title"], row["name"], row["weight"]) for row in rows} == {
        ("Kes (1969 film)", "Kes (1969 film)", 1.0),
        ("Kes (1969 film)", "Kes", 0.5),
        ("Barnsley, Yorkshire", "Barnsley, Yorkshire", 1.0),
        ("Barnsley, Yorkshire", "Barnsley", 0.5),
    }
    mentions = await _mentions(graph, scope)
    assert {("Kes (1969 film)", "Barnsley"), ("Barnsley, Yorkshire", "Kes"), ("", "Kes")} <= mentions
    assert ("Barnsley, Yorkshire", "Barnsley") not in mentions  # `Barnsley Main` is another name
    assert await state(graph, scope) == once
    assert await wrong_counts(graph, scope) == []


async def test_a_long_text_becomes_passages_in_order(graph: Graph, scope: str, tmp_path: Path) -> None:
    text = " ".join(f"Sentence number {i} says nothing much at all." for i in range(120))

    await load_passages(graph, None, _write(tmp_path / "long.jsonl", [{"id": 1, "title": "Long", "text": text}]), scope)

    rows = await graph.execute(_ORDER, {"scope": scope})
    assert len(rows) > 2
    assert [row["following"] for row in rows] == [*range(1, len(rows)), None]
    assert await wrong_counts(graph, scope) == []


async def test_a_document_with_new_content_replaces_its_passages(graph: Graph, scope: str, tmp_path: Path) -> None:
    await load_passages(graph, None, _write(tmp_path / "a.jsonl", DOCUMENTS), scope)
    changed = [{"id": 1, "title": "Heat", "text": "Nothing is said here."}, DOCUMENTS[1]]

    report = await load_passages(graph, None, _write(tmp_path / "a.jsonl", changed), scope)

    assert (report.created, report.known) == (1, 1)
    assert {name for title, name in await _mentions(graph, scope) if title == "Heat"} == {"Heat"}
    assert await wrong_counts(graph, scope) == []


async def test_bad_lines_are_skipped_or_end_the_load(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "bad.jsonl", json.dumps(DOCUMENTS[0]) + "\n{}\n")

    with pytest.raises(BadRecordError, match="line 2: the id is missing"):
        await load_passages(graph, None, path, scope, on_bad="fail")
    report = await load_passages(graph, None, path, scope)

    assert (report.created, report.bad_count, report.bad[0].number) == (1, 1, 2)


async def test_a_file_without_one_text_is_no_success(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "wrong.jsonl", "a|r|b\n" * 5 + "{}\n")

    for _ in range(2):
        with pytest.raises(BadInputError, match="line 1: not JSON; line 6: the id is missing"):
            await load_passages(graph, None, path, scope)


async def test_an_empty_file_loads_nothing(graph: Graph, scope: str, tmp_path: Path) -> None:
    report = await load_passages(graph, None, write_text(tmp_path / "none.jsonl", ""), scope)

    assert (report.records, report.created) == (0, 0)


_BASINS = statement(
    "MATCH (e:Entity {scope: $scope})-[:HAS_BASIN]->(b:AttractorBasin) "
    "RETURN e.name AS name, b.strength AS strength, b.activation_count AS documents ORDER BY name",
    mode="read",
    parameters="$scope STRING",
    columns="name, strength, documents",
)


async def test_a_document_strengthens_each_mentioned_basin_once(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "films.jsonl", DOCUMENTS)
    await load_passages(graph, None, path, scope)
    changed = [{**DOCUMENTS[0], "text": "A film by Michael Mann."}, DOCUMENTS[1]]
    await load_passages(graph, None, _write(tmp_path / "films.jsonl", changed), scope)

    rows = await graph.execute(_BASINS, {"scope": scope})
    assert {row["name"]: (row["strength"], row["documents"]) for row in rows} == {
        "Collateral": (1.0, 1),
        "Heat": (1.2, 2),
        "Michael Mann": (1.2, 2),
    }
