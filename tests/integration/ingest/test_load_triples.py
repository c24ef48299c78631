"""Triples in a real Neo4j: idempotent, resumable, exact in degrees and counts, whatever the file looks like."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clause.errors import BadInputError, EmbedderMismatchError, NotFoundError
from clause.graph.canonical import scope_hash
from clause.graph.jobs import Jobs
from clause.graph.lease import JobCancelledError, JobState
from clause.graph.runner import Graph
from clause.ingest.embedding import embed_scope, submit_embedding
from clause.ingest.readers import Record, Term, Triple
from clause.ingest.source import BadRecordError
from clause.ingest.triples import load_triples
from clause.operations.archive import export_scope
from clause.operations.restoration import import_archive
from tests.fakes.embedder import HashEmbedder
from tests.integration.graphs import relationships, state, triples, wrong_counts
from tests.servers import erase_scope, statement
from tests.shapes import ODD_NAMES, write_hub, write_text

pytestmark = pytest.mark.integration

FILMS = "Heat|directed_by|Michael Mann\nHeat|release_year|1995\nAli|directed_by|Michael Mann\nAli|CAUSES|Ali\n"


async def test_loading_twice_gives_the_same_graph_as_loading_once(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "films.txt.gz", FILMS)

    first = await load_triples(graph, None, path, scope)
    once = await state(graph, scope)
    second = await load_triples(graph, None, path, scope)

    assert (first.created, first.known, first.records) == (4, 0, 4)
    assert (second.created, second.known) == (0, 4)
    assert await state(graph, scope) == once
    assert await wrong_counts(graph, scope) == []
    assert second.source_id == first.source_id


async def test_two_that_load_the_same_at_once_both_succeed(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "films.txt", FILMS)

    reports = await asyncio.gather(*(load_triples(graph, None, path, scope) for _ in range(3)))

    assert sorted(report.created for report in reports) == [0, 0, 4]
    assert await wrong_counts(graph, scope) == []


async def test_triples_are_unique_across_batches_files_and_repeated_lines(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    lines = "".join(f"a{i % 7}|r{i % 2}|b{i % 5}\n" for i in range(200))
    one, other = write_text(tmp_path / "1.txt", lines), write_text(tmp_path / "2.tsv", "a0\tr0\tb0\na0\tr9\tb0\n")

    first = await load_triples(graph, None, one, scope, batch_size=13)
    second = await load_triples(graph, None, other, scope)

    assert (first.created, first.known) == (70, 130)
    assert (second.created, second.known) == (1, 1)
    assert len(set(await triples(graph, scope))) == len(await triples(graph, scope)) == 71
    assert await wrong_counts(graph, scope) == []


async def test_a_relationship_carries_its_scope_source_weight_and_times(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "when.tsv", "a\tr\tb\t2001-01-01\t2002-01-01\n")
    report = await load_triples(graph, None, path, scope, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    (properties,) = await relationships(graph, scope)

    assert properties == {
        "scope": scope,
        "weight": 1.0,
        "source_id": report.source_id,
        "recorded_at": datetime(2026, 1, 1, tzinfo=UTC),
        "valid_from": datetime(2001, 1, 1, tzinfo=UTC),
        "valid_until": datetime(2002, 1, 1, tzinfo=UTC),
    }


async def test_a_type_with_tabs_and_line_breaks_comes_back_from_an_archive(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    await load_triples(graph, None, write_text(tmp_path / "odd.csv", 'a,"works\n\tfor",b\n'), scope)
    before = await scope_hash(graph, scope)
    await export_scope(graph, tmp_path / "odd.jsonl", scope)
    await erase_scope(graph, scope)
    await import_archive(graph, tmp_path / "odd.jsonl")

    assert await scope_hash(graph, scope) == before
    assert await triples(graph, scope) == [("a", "works for", "b")]


async def test_a_type_of_our_own_name_is_prefixed(graph: Graph, scope: str, tmp_path: Path) -> None:
    await load_triples(graph, None, write_text(tmp_path / "own.txt", "a|MENTIONS|b\n"), scope)

    assert await triples(graph, scope) == [("a", "kg_MENTIONS", "b")]


_NAMED = statement(
    "MATCH (n:Entity {scope: $scope}) RETURN n.name AS name, n.name_key AS key, n.aliases AS aliases, "
    "n.version AS version, n.embedding IS NULL AS unembedded ORDER BY n.id",
    mode="read",
    parameters="$scope STRING",
    columns="name, key, aliases, version, unembedded",
)


@pytest.mark.parametrize("size", [2, 100])
async def test_what_n_triples_call_a_thing_are_names_of_it(graph: Graph, scope: str, tmp_path: Path, size: int) -> None:
    entity, label = "http://www.wikidata.org/entity", "<http://www.w3.org/2000/01/rdf-schema#label>"
    also = "<http://www.w3.org/2004/02/skos/core#altLabel>"
    text = (
        f"<{entity}/Q42> <http://e.org/wrote> <http://e.org/Hitchhiker> .\n"
        f'<{entity}/Q42> {label} "Douglas Adams"@en .\n<{entity}/Q42> {also} "DNA"@en .\n'
        f'<{entity}/Q42> {label} "Duglas Adams"@lv .\n<http://e.org/Hitchhiker> {label} "The Guide" .\n'
    )
    model = await graph.one("graph/embedding_model")
    embedder = HashEmbedder(model=model["model"] if model else "hash")
    first = write_text(tmp_path / "codes.nt", text.splitlines(keepends=True)[0])
    await load_triples(graph, embedder, first, scope)

    report = await load_triples(graph, None, write_text(tmp_path / "a.nt", text), scope, batch_size=size)
    named = {row["name"]: row for row in await graph.execute(_NAMED, {"scope": scope})}
    again = await load_triples(graph, None, write_text(tmp_path / "a.nt", text), scope, batch_size=size)

    assert (report.records, report.created, report.known, report.named) == (5, 0, 1, 4)
    assert set(named) == {"Douglas Adams", "Hitchhiker"}
    adams, guide = named["Douglas Adams"], named["Hitchhiker"]
    assert adams["key"] == "douglas adams"
    assert sorted(adams["aliases"]) == ["DNA", "Duglas Adams", "Q42", f"{entity}/Q42"]
    assert (adams["unembedded"], guide["unembedded"]) == (True, False)
    assert guide["aliases"] == ["http://e.org/Hitchhiker", "The Guide"]
    assert again.named == 4
    assert {row["name"]: row for row in await graph.execute(_NAMED, {"scope": scope})} == named
    assert await triples(graph, scope) == [("Douglas Adams", "wrote", "Hitchhiker")]
    assert await wrong_counts(graph, scope) == []


async def test_odd_shapes_load_as_they_are(graph: Graph, scope: str, tmp_path: Path) -> None:
    odd = "".join(f"{name}|links '`to`|{name}\n" for name in ODD_NAMES)

    empty = await load_triples(graph, None, write_text(tmp_path / "empty.txt", ""), scope)
    one = await load_triples(graph, None, write_text(tmp_path / "one.txt", "a|r|b"), scope)
    loops = await load_triples(graph, None, write_text(tmp_path / "loops.txt", odd), scope)

    assert (empty.records, one.created, loops.created) == (0, 1, len(ODD_NAMES))
    assert len(await triples(graph, scope)) == len(ODD_NAMES) + 1
    assert await wrong_counts(graph, scope) == []


async def test_bad_lines_are_reported_a_hundred_at_most_and_skipped(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "bad.txt", "a|r|b\n" + "bad\n" * 130 + "a\x00|r|c\nc|r|d\n")

    report = await load_triples(graph, None, path, scope, batch_size=50)

    assert (report.created, report.bad_count, len(report.bad)) == (2, 131, 100)
    assert [report.bad[0].number, report.bad[-1].number] == [2, 101]


async def test_a_file_without_one_triple_is_no_success_and_is_read_anew(
    graph: Graph, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path / "wrong.txt", "Heat was made by Mann.\n" * 30 + "a||b\n" + "So was Ali.\n" * 30)

    with pytest.raises(BadInputError, match=r"line 1: 1 fields instead of 3; line 31: the relation is empty") as told:
        await load_triples(graph, None, path, scope, batch_size=20)
    (failed,) = (await Jobs(graph).list(scopes=[scope])).items
    later = [Record(1, Triple(Term("Heat"), "made by", Term("Mann")))]
    monkeypatch.setattr("clause.ingest.triples.read_triples", lambda *_given, skip: iter(later[skip:]))
    report = await load_triples(graph, None, path, scope)

    assert "--format" in (told.value.remedy or "")
    assert failed.state is JobState.FAILED
    assert (report.job_id, report.resumed_at, report.created) == (failed.id, 0, 1)


async def test_on_request_a_bad_line_ends_the_load_and_a_mended_file_loads(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "bad.txt", "a|r|b\nbad\n")

    with pytest.raises(BadRecordError, match=r"bad\.txt line 2"):
        await load_triples(graph, None, path, scope, on_bad="fail")
    (failed,) = (await Jobs(graph).list(scopes=[scope])).items
    mended = await load_triples(graph, None, write_text(path, "a|r|b\nb|r|c\n"), scope, on_bad="fail")

    assert failed.state is JobState.FAILED
    assert mended.created == 2


async def test_a_load_that_was_cancelled_goes_on_at_its_last_batch(
    graph: Graph, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The step learns of the cancel, not the beat between steps.
    monkeypatch.setattr("clause.graph.lease._BEAT_S", 600.0)
    path = write_text(tmp_path / "long.txt", "".join(f"a{i}|r|b{i % 3}\n" for i in range(100)))
    jobs = Jobs(graph)
    waiting = []

    def cancel_soon(message: str, done: int, total: int) -> None:
        waiting.append((done, total))

    async def cancelled() -> None:
        async def now_cancelled(*_: object) -> None:
            (job,) = (await jobs.list(scopes=[scope])).items
            await jobs.cancel(job.id)

        original = graph.write

        async def write(*args: object, **kwargs: object) -> object:
            if len(waiting) == 2:
                await now_cancelled()
            return await original(*args, **kwargs)  # type: ignore[arg-type]

        graph.write = write  # type: ignore[method-assign,assignment]
        try:
            await load_triples(graph, None, path, scope, batch_size=20, progress=cancel_soon)
        finally:
            graph.write = original  # type: ignore[method-assign]

    with pytest.raises(JobCancelledError):
        await cancelled()
    report = await load_triples(graph, None, path, scope, batch_size=20)

    assert waiting == [(20, 100), (40, 100)]
    assert report.resumed_at == 60
    assert report.created == 100
    assert await wrong_counts(graph, scope) == []


@pytest.mark.parametrize("edges", [5_000, pytest.param(100_000, marks=pytest.mark.long)])
async def test_a_hub_loads_and_loads_again(graph: Graph, scope: str, tmp_path: Path, edges: int) -> None:
    path = write_hub(tmp_path / "hub.txt.gz", edges)

    first = await load_triples(graph, None, path, scope)
    second = await load_triples(graph, None, path, scope)

    assert (first.created, second.created, second.known) == (edges, 0, edges)


async def test_names_and_types_get_vectors_once(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "films.txt", FILMS)
    model = await graph.one("graph/embedding_model")
    embedder = HashEmbedder(model=model["model"] if model else "hash")

    report = await load_triples(graph, embedder, path, scope)
    calls = embedder.calls
    again = await embed_scope(graph, embedder, scope, page=2)

    assert report.embedding is not None
    assert report.embedding.embedded == 4 + 3
    assert (again.embedded, embedder.calls) == (0, calls)
    nodes, _ = await state(graph, scope)
    sizes = {label: {size for found, _, _, size in nodes if found == label} for label in ("Entity", "RelationshipType")}
    assert sizes == {"Entity": {384}, "RelationshipType": {384}}


async def test_another_model_is_refused(graph: Graph, scope: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "films.txt", FILMS)
    model = await graph.one("graph/embedding_model")
    await load_triples(graph, HashEmbedder(model=model["model"] if model else "hash"), path, scope)

    with pytest.raises(EmbedderMismatchError, match="clause reembed"):
        await load_triples(graph, HashEmbedder(model="another"), path, scope)


async def test_embedding_for_later_is_queued_once(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)

    first = await submit_embedding(jobs, scope, "m")
    second = await submit_embedding(jobs, scope, "m")

    assert first.id == second.id
    assert first.state is JobState.QUEUED


async def test_wrong_scopes_and_files_are_said_before_anything_is_written(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not a scope"):
        await load_triples(graph, None, write_text(tmp_path / "a.txt", FILMS), "nowhere")
    with pytest.raises(NotFoundError):
        await load_triples(graph, None, tmp_path / "none.txt", "kg:none-of-tests")
    assert (await Jobs(graph).list(scopes=["kg:none-of-tests"])).items == ()
