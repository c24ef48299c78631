"""Documents of every format in a real Neo4j."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.errors import BadInputError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ingest.embedding import link_scope
from clause.ingest.passages import load_documents, load_passages
from clause.ingest.source import BadRecordError
from clause.knowledge.lineage.models import ErasureRequest
from clause.operations.archive import erasure_of
from clause.settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.integration.graphs import state, wrong_counts
from tests.servers import statement
from tests.shapes import write_text
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

_NAMED = statement(
    "MATCH (d:Document {scope: $scope})-[:HAS_PASSAGE]->(:Passage)-[:MENTIONS]->(e:Entity) "
    "RETURN d.given_id AS file, collect(DISTINCT e.name) AS names",
    mode="read",
    parameters="$scope STRING",
    columns="file, names",
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


async def test_a_load_of_which_no_document_can_be_read_is_no_success(graph: Graph, scope: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(CORPUS["mills.pdf"][:200])

    with pytest.raises(BadInputError, match=r"broken\.pdf holds nothing that can be loaded: broken\.pdf: it is no PDF"):
        await load_documents(graph, None, broken, scope)


async def test_only_a_file_that_changed_is_made_anew(graph: Graph, scope: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    await load_documents(graph, None, folder, scope)
    (folder / "clock.txt").write_text("The clock was mended in June.")

    report = await load_documents(graph, None, folder, scope)
    rows = await graph.execute(_PLACES, {"scope": scope})

    assert (report.created, report.known) == (1, 4)
    assert [row["text"] for row in rows if row["file"] == "clock.txt"] == ["The clock was mended in June."]
    assert await wrong_counts(graph, scope) == []


_UNROOTED = statement(
    "MATCH (s:Source {scope: $scope}) REMOVE s.root RETURN count(s) AS sources",
    mode="write",
    parameters="$scope STRING",
    columns="sources",
)


def _named(folder: Path, name: str, text: str) -> Path:
    """A folder with a README and a page further down."""
    (folder / name / "guide").mkdir(parents=True)
    write_text(folder / name / "README.md", text)
    write_text(folder / name / "guide" / "start.md", f"Start of {name}.")
    return folder / name


async def _texts(graph: Graph, scope: str) -> dict[str, str]:
    return {row["file"]: row["text"] for row in await graph.execute(_PLACES, {"scope": scope})}


async def test_documents_of_one_name_in_two_folders_live_side_by_side(graph: Graph, scope: str, tmp_path: Path) -> None:
    alpha, beta = _named(tmp_path, "alpha", "Alpha is a boat."), _named(tmp_path, "beta", "Beta is a barge.")

    first = await load_documents(graph, None, alpha, scope)
    second = await load_documents(graph, None, beta, scope)
    texts, once = await _texts(graph, scope), await state(graph, scope)
    again = [await load_documents(graph, None, folder, scope) for folder in (beta, alpha)]

    assert texts == {
        "README.md": "Alpha is a boat.",
        "guide/start.md": "Start of alpha.",
        "beta/README.md": "Beta is a barge.",
        "beta/guide/start.md": "Start of beta.",
    }
    assert (second.created, second.known, second.replaced) == (2, 0, 0)
    assert [(report.created, report.known) for report in again] == [(0, 2), (0, 2)]
    assert await state(graph, scope) == once

    erasure = erasure_of(graph, Settings.load())
    for source in first.sources.values():
        await erasure.apply(ErasureRequest(source_id=source), caller=Caller())
    assert await _texts(graph, scope) == {name: text for name, text in texts.items() if name.startswith("beta/")}
    assert (await load_documents(graph, None, beta, scope)).known == 2
    assert (await load_documents(graph, None, alpha, scope)).sources == first.sources
    assert await _texts(graph, scope) == texts
    assert await wrong_counts(graph, scope) == []


async def test_what_was_loaded_before_folders_were_kept_goes_on_under_its_name(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    alpha, beta = _named(tmp_path, "alpha", "Alpha is a boat."), _named(tmp_path, "beta", "Beta is a barge.")
    first = await load_documents(graph, None, alpha, scope)
    await graph.execute(_UNROOTED, {"scope": scope})
    write_text(alpha / "README.md", "Alpha was a boat.")

    again = await load_documents(graph, None, alpha, scope)
    other = await load_documents(graph, None, beta, scope)

    assert (again.created, again.known, again.replaced, again.sources) == (1, 1, 1, first.sources)
    assert (other.created, other.replaced) == (2, 0)
    assert (await _texts(graph, scope))["README.md"] == "Alpha was a boat."


async def test_several_paths_are_one_load_and_each_file_is_read_once(graph: Graph, scope: str, tmp_path: Path) -> None:
    alpha, beta = _named(tmp_path, "alpha", "Alpha is a boat."), _named(tmp_path, "beta", "Beta is a barge.")

    report = await load_documents(graph, None, [alpha / "README.md", beta, alpha, alpha / "guide" / "start.md"], scope)
    single = await load_documents(graph, None, beta / "README.md", scope)

    assert (report.records, report.created, report.known, report.bad_count) == (4, 4, 0, 0)
    assert set(await _texts(graph, scope)) == {"README.md", "beta/README.md", "guide/start.md", "alpha/guide/start.md"}
    assert len(set(report.sources.values())) == 4
    assert (single.known, single.sources) == (1, {str(beta / "README.md"): report.sources[str(beta / "README.md")]})


async def test_a_line_of_passages_and_a_file_of_one_name_live_side_by_side(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    lines = write_text(tmp_path / "lines.jsonl", '{"id": "README.md", "title": "Gamma", "text": "Gamma is a raft."}\n')
    await load_passages(graph, None, lines, scope)

    await load_documents(graph, None, _named(tmp_path, "alpha", "Alpha is a boat."), scope)

    assert set((await _texts(graph, scope)).values()) == {"Gamma is a raft.", "Alpha is a boat.", "Start of alpha."}
    assert (await load_passages(graph, None, lines, scope)).known == 1


async def test_a_load_that_broke_off_is_not_gone_on_with_for_a_copy_elsewhere(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    for place in ("here", "there"):
        (tmp_path / place / "docs").mkdir(parents=True)
        write_text(tmp_path / place / "docs" / "a.md", "A boat.")
        write_text(tmp_path / place / "docs" / "b.pdf", "no PDF")
        with pytest.raises(BadRecordError):
            await load_documents(graph, None, tmp_path / place / "docs", scope, on_bad="fail", batch_size=1)

    assert set(await _texts(graph, scope)) == {"a.md", "docs/a.md"}


async def test_how_a_file_is_called_is_mentioned_by_no_other_text(graph: Graph, scope: str, tmp_path: Path) -> None:
    files = {"data.txt": "Heights of the tide.", "Orla Finn.txt": "She measured.", "log.txt": "The data of Orla Finn."}
    for name, text in files.items():
        write_text(tmp_path / name, text)

    await load_documents(graph, None, tmp_path, scope)
    loaded = await graph.execute(_NAMED, {"scope": scope})
    await link_scope(graph, HashEmbedder(), scope, embed=False)
    linked = await graph.execute(_NAMED, {"scope": scope})

    for rows in (loaded, linked):
        named = {row["file"]: set(row["names"]) for row in rows}
        assert named["data.txt"] == {"data"}
        assert named["log.txt"] == {"log", "Orla Finn"}
