"""Linking what a scope holds already, in a real Neo4j."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.ingest.embedding import LinkJob, link_scope
from clause.ingest.mention_finder import MentionFinder
from clause.ingest.passages import load_passages
from tests.fakes.embedder import HashEmbedder
from tests.integration.graphs import state, wrong_counts
from tests.servers import statement
from tests.shapes import write_text

pytestmark = pytest.mark.integration

_LINKS = statement(
    "MATCH (n {scope: $scope})-[r:MENTIONS|ABOUT]->(e:Entity) "
    "RETURN head(labels(n)) AS label, n.id AS id, coalesce(n.title, '') AS title, type(r) AS type, e.name AS name "
    "ORDER BY id, type, name",
    mode="read",
    parameters="$scope STRING",
    columns="label, id, title, type, name",
)
_TEXTS = statement(
    "UNWIND $rows AS row CREATE (n:$(row.label) {id: row.id, scope: $scope, recorded_at: datetime(), version: 1, "
    "content: row.content, text: row.content}) RETURN count(*) AS made",
    mode="write",
    parameters="$rows LIST<MAP>, $scope STRING",
    columns="made",
)
_UNLINK = statement(
    "MATCH (p:Passage {scope: $scope})-[r:ABOUT]->(e:Entity) DELETE r "
    "SET e.degree = e.degree - 1, p.degree = p.degree - 1 RETURN count(*) AS gone",
    mode="write",
    parameters="$scope STRING",
    columns="gone",
)

HARBOUR = [
    {"id": 1, "title": "Port of Ostrava Quay", "text": "The quay was built by Lena Kral in 1931."},
    {"id": 2, "title": "Lena Kral", "text": "She drew bridges for the Oder Shipping Board."},
]
BOARD = [{"id": 3, "title": "Oder Shipping Board", "text": "It kept the Port of Ostrava Quay and paid Lena Kral."}]
TEXTS = [
    {"label": "Memory", "content": "Tom: I saw the Vistula Museum on Friday."},
    {"label": "Belief", "content": "The vistula museum opens at nine."},
    {"label": "Insight", "content": "Visitors of the Vistula Museum come by tram."},
    {"label": "Value", "content": "We keep our promises to Lena Kral."},
]


def _write(path: Path, documents: list[dict[str, object]]) -> Path:
    return write_text(path, "".join(json.dumps(document) + "\n" for document in documents))


async def _links(graph: Graph, scope: str) -> set[tuple[str, str, str, str]]:
    rows = await graph.execute(_LINKS, {"scope": scope})
    return {(row["label"], row["title"], row["type"], row["name"]) for row in rows}


async def _filled(graph: Graph, scope: str, folder: Path) -> None:
    """Two files of passages, and statements that were written without links."""
    await load_passages(graph, None, _write(folder / "harbour.jsonl", HARBOUR), scope)
    await load_passages(graph, None, _write(folder / "board.jsonl", BOARD), scope)
    rows = [{**text, "id": f"{scope}/{number}"} for number, text in enumerate(TEXTS)]
    await graph.execute(_TEXTS, {"rows": rows, "scope": scope})


async def test_those_that_link_a_scope_at_once_all_succeed(graph: Graph, scope: str, tmp_path: Path) -> None:
    await _filled(graph, scope, tmp_path)

    reports = await asyncio.gather(*(link_scope(graph, HashEmbedder(), scope, embed=False) for _ in range(3)))

    assert [report.links > 0 for report in sorted(reports, key=lambda one: one.links)] == [False, False, True]
    assert await wrong_counts(graph, scope) == []


async def test_links_join_files_and_statements_and_a_second_run_changes_nothing(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    await _filled(graph, scope, tmp_path)
    before = await _links(graph, scope)

    first = await link_scope(graph, HashEmbedder(), scope, embed=False)
    once, links = await state(graph, scope), await _links(graph, scope)
    second = await link_scope(graph, HashEmbedder(), scope, embed=False)

    assert ("Passage", "Lena Kral", "MENTIONS", "Oder Shipping Board") not in before
    assert {
        ("Passage", "Lena Kral", "MENTIONS", "Oder Shipping Board"),
        ("Memory", "", "MENTIONS", "Vistula Museum"),
        ("Belief", "", "ABOUT", "Vistula Museum"),
        ("Insight", "", "ABOUT", "Vistula Museum"),
        ("Value", "", "ABOUT", "Lena Kral"),
    } <= links
    assert before <= links
    assert (first.texts, first.links > 0, second.links, second.rounds) == (7, True, 0, 1)
    assert await state(graph, scope) == once
    assert await wrong_counts(graph, scope) == []


async def test_passages_that_were_loaded_without_subjects_get_them(graph: Graph, scope: str, tmp_path: Path) -> None:
    await load_passages(graph, None, _write(tmp_path / "harbour.jsonl", HARBOUR), scope)
    loaded = await state(graph, scope)
    await graph.execute(_UNLINK, {"scope": scope})

    report = await link_scope(graph, HashEmbedder(), scope, embed=False)

    assert report.links == 2
    assert await state(graph, scope) == loaded


async def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_links(
    graph: Graph, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _filled(graph, scope, tmp_path)
    commit, turns = Lease.commit, 0

    async def breaks(self: Lease, *work: Any, **told: Any) -> Any:
        nonlocal turns
        found = await commit(self, *work, **told)
        turns += 1
        if turns == 3:
            raise ConnectionError("killed")
        return found

    monkeypatch.setattr(Lease, "commit", breaks)
    with pytest.raises(ConnectionError):
        await link_scope(graph, HashEmbedder(), scope, embed=False, page=1)
    monkeypatch.undo()
    resumed = await link_scope(graph, HashEmbedder(), scope, embed=False, page=1)
    links = await _links(graph, scope)
    again = await link_scope(graph, HashEmbedder(), scope, embed=False)

    assert resumed.texts == 7
    assert ("Belief", "", "ABOUT", "Vistula Museum") in links
    assert (again.links, await _links(graph, scope)) == (0, links)
    assert await wrong_counts(graph, scope) == []


async def test_a_service_links_as_a_job(graph: Graph, scope: str, tmp_path: Path) -> None:
    await _filled(graph, scope, tmp_path)
    jobs = Jobs(graph)

    job = await jobs.submit("link_texts", {}, scope, resource=f"link:{scope}")
    done = await jobs.work(job.id, LinkJob(graph, HashEmbedder()))

    assert done.state == "succeeded"
    assert ("Memory", "", "MENTIONS", "Vistula Museum") in await _links(graph, scope)


async def test_names_are_looked_for_beside_the_event_loop(
    graph: Graph, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _filled(graph, scope, tmp_path)
    threads: dict[str, set[int]] = {}

    def watched(name: str) -> None:
        method = getattr(MentionFinder, name)

        def watch(self: MentionFinder, *given: Any) -> Any:
            threads.setdefault(name, set()).add(threading.get_ident())
            return method(self, *given)

        monkeypatch.setattr(MentionFinder, name, watch)

    for name in ("learn", "names", "find"):
        watched(name)
    await link_scope(graph, HashEmbedder(), scope, embed=False)

    assert set(threads) == {"learn", "names", "find"}
    assert threading.get_ident() not in set().union(*threads.values())
