"""Archives on a real graph: what is exported comes back exactly, or not at all."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.graph.canonical import scope_hash
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.wire import Rows
from clause.ground import Ground
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede, SourceGiven
from clause.knowledge.lineage.models import ErasureRequest, MergeRequest
from clause.knowledge.room import Knowledge
from clause.operations import restoration
from clause.operations.archive import Archive, export_scope
from clause.operations.restoration import import_archive
from clause.sessions.models import ExchangeAdd, PatternRecord, SessionEnd, SessionStart
from clause.sessions.room import Sessions
from tests.integration.knowledge.conftest import OWNER, clock, ground, knowledge, model_set_aside, user
from tests.servers import erase_scope, statement

__all__ = ["clock", "ground", "knowledge", "model_set_aside", "user"]
pytestmark = pytest.mark.integration
ODD = statement(
    "CREATE (:Source {id: $scope + 'odd', scope: $scope, kind: 'document', at: datetime('2020-02-03T04:05:06.789Z'), "
    "numbers: [1, 2], floats: [0.1, 1e300], inf: 1.0/0, flag: true, text: 'a\\u0000b \U0001f600 \"quoted\"'})",
    parameters="$scope STRING",
)


SOURCE = statement("CREATE (:Source {id: 'book', scope: $scope, kind: 'document'})", parameters="$scope STRING")
CLOCK = statement("MERGE (c:Counter {id: 'public/value_clock'}) SET c.scope = 'public', c.value = 7")


async def fill(knowledge: Knowledge, ground: Ground) -> None:
    """A bit of everything that beliefs and sessions leave behind."""
    sessions = Sessions.open(ground, knowledge)
    session = (await sessions.sessions.start(SessionStart(metadata={"a": [1]}), caller=OWNER)).session
    await sessions.exchanges.add(session.id, ExchangeAdd(role="user", content="Hello \U0001f600"), caller=OWNER)
    await sessions.patterns.record(PatternRecord(type="preference", description="Likes tea"), caller=OWNER)
    ids = []
    for content, title in (("Ann lives in Ghent", "one"), ("In Ghent is where Ann lives", "two")):
        made = await knowledge.beliefs.create(
            BeliefCreate(content=content, source=SourceGiven(kind="document", title=title)), caller=OWNER
        )
        assert made.belief is not None
        ids.append(made.belief.id)
    await knowledge.merging.merge(MergeRequest(winner_id=ids[0], loser_id=ids[1]), caller=OWNER)
    ending = SessionEnd(summary="Moved every shelf of the pantry to the cellar.", themes=("a tidy pantry",))
    ended = await sessions.sessions.end(session.id, ending, caller=OWNER)
    assert ended.captured[0].outcome == "created"
    held = ids[0]
    for content, days in (("Ann lives in Bruges", 30), ("Ann lives in Leuven", 10)):
        newcomer = BeliefSupersede(content=content, valid_from=ground.now() + timedelta(days=days))
        held = (await knowledge.beliefs.supersede(held, newcomer, caller=OWNER)).id


@pytest.mark.parametrize("name", ["archive.jsonl", "archive.jsonl.gz"])
async def test_a_scope_comes_back_with_the_same_hash(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path, name: str
) -> None:
    await fill(knowledge, ground)
    await graph.execute(ODD, {"scope": user})
    before = await scope_hash(graph, user)
    told: list[tuple[str, int, int]] = []
    report = await export_scope(graph, tmp_path / name, user, progress=lambda *step: told.append(step))
    assert (report.canonical, report.nodes, report.relationships) == (before.sha256, before.nodes, before.relationships)
    assert told
    await knowledge.erasure.apply(ErasureRequest(scope=user), caller=OWNER)
    back = await import_archive(graph, tmp_path / name)
    assert back.canonical == before.sha256
    assert await scope_hash(graph, user) == before
    again = await export_scope(graph, tmp_path / f"again.{name}", user)
    assert again.canonical == before.sha256
    lines = [list(Archive(tmp_path / one).forms()) for one in (name, f"again.{name}")]
    assert lines[0] == lines[1]
    found = await knowledge.merging.list(caller=OWNER, limit=1)
    await knowledge.merging.unmerge(found[0].id, caller=OWNER)


async def test_an_import_that_was_broken_off_goes_on(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(knowledge, ground)
    path = tmp_path / "a.jsonl"
    report = await export_scope(graph, path, user)
    await erase_scope(graph, user)
    monkeypatch.setattr(restoration, "SLICE", 3)
    steps = 0

    class KilledError(Exception):
        pass

    def killing(message: str, done: int, total: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 4:
            raise KilledError

    with pytest.raises(KilledError):
        await import_archive(graph, path, progress=killing)
    back = await import_archive(graph, path)
    assert (back.resumed, back.canonical) == (True, report.canonical)


async def test_a_scope_that_holds_something_is_left_alone(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path
) -> None:
    await fill(knowledge, ground)
    before = await scope_hash(graph, user)
    await export_scope(graph, tmp_path / "a.jsonl", user)
    with pytest.raises(ConflictError, match="holds something"):
        await import_archive(graph, tmp_path / "a.jsonl", jobs=Jobs(graph))
    assert await scope_hash(graph, user) == before


async def test_a_scope_that_keeps_changing_is_not_exported(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(knowledge, ground)
    run, number = graph.run, 0

    async def busy(name: str, /, **asked: object) -> Rows:
        nonlocal number
        rows = await run(name, **asked)
        if name == "graph/labels":
            number += 1
            await knowledge.beliefs.create(BeliefCreate(content=f"one more fact {number} of many"), caller=OWNER)
        return rows

    monkeypatch.setattr(graph, "run", busy)
    with pytest.raises(ConflictError, match="kept changing"):
        await export_scope(graph, tmp_path / "a.jsonl", user)
    assert os.listdir(tmp_path) == []


async def test_what_changes_once_is_read_again(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(knowledge, ground)
    run, done = graph.run, []

    async def once(name: str, /, **asked: object) -> Rows:
        rows = await run(name, **asked)
        if name == "graph/labels" and not done:
            done.append(name)
            await knowledge.beliefs.create(BeliefCreate(content="one more fact"), caller=OWNER)
        return rows

    monkeypatch.setattr(graph, "run", once)
    report = await export_scope(graph, tmp_path / "a.jsonl", user)
    assert report.canonical == (await scope_hash(graph, user)).sha256


async def test_a_file_that_is_not_whole_is_refused_before_anything_is_written(
    graph: Graph, knowledge: Knowledge, ground: Ground, user: str, tmp_path: Path
) -> None:
    await fill(knowledge, ground)
    path = tmp_path / "a.jsonl"
    await export_scope(graph, path, user)
    await erase_scope(graph, user)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    newer = json.dumps({**json.loads(lines[0]), "clause_archive": 99}).encode() + b"\n"
    for broken in (
        b"".join(lines[:-1]),
        whole.replace(b"Ghent", b"Paris", 1),
        b"".join([lines[0], *lines[2:]]),
        newer + b"".join(lines[1:]),
        b"{}\n",
        b"",
        b"\xff\xfe",
    ):
        path.write_bytes(broken)
        with pytest.raises(BadInputError):
            await import_archive(graph, path)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(whole)[:-20])
    with pytest.raises(BadInputError):
        await import_archive(graph, tmp_path / "b.jsonl.gz")
    with pytest.raises(NotFoundError):
        await import_archive(graph, tmp_path / "none.jsonl")
    with pytest.raises(NotFoundError):
        await export_scope(graph, path, "kg:nowhere-at-all")
    assert (await scope_hash(graph, user)).nodes == 0


ENTITY = statement(
    "CREATE (e:Entity {id: $scope + 'ann', scope: $scope, name: 'Ann Quill', name_key: 'ann quill', degree: 0, "
    "kind: 'concept', canonical_key: 'concept:ann quill', recorded_at: datetime()})",
    parameters="$scope STRING",
)
DEGREE = statement(
    "MATCH (e:Entity {id: $scope + 'ann'}) RETURN e.degree AS degree",
    mode="read",
    parameters="$scope STRING",
    columns="degree",
)


async def test_what_comes_back_counts_for_the_entities_of_other_scopes_again(
    graph: Graph, knowledge: Knowledge, user: str, tmp_path: Path
) -> None:
    session = f"{user}/session:1"
    await graph.execute(ENTITY, {"scope": user})
    given = BeliefCreate(content="Ann Quill rows", scope=session, entities=({"name": "Ann Quill"},))
    await knowledge.beliefs.create(given, caller=OWNER)
    assert [row["degree"] for row in await graph.execute(DEGREE, {"scope": user})] == [1]
    path = tmp_path / "session.jsonl"
    await export_scope(graph, path, session)
    for _ in range(2):
        await knowledge.erasure.apply(ErasureRequest(scope=session), caller=OWNER)
        assert [row["degree"] for row in await graph.execute(DEGREE, {"scope": user})] == [0]
        await import_archive(graph, path)
        assert [row["degree"] for row in await graph.execute(DEGREE, {"scope": user})] == [1]


async def test_the_installations_own_nodes_are_no_part_of_the_scope_that_all_see(graph: Graph, tmp_path: Path) -> None:
    await erase_scope(graph, "public")
    await graph.execute(SOURCE, {"scope": "public"})
    await graph.execute(CLOCK, {})
    await graph.run("graph/register_scope", scope="public", recorded_at=datetime(2026, 1, 1, tzinfo=UTC))
    report = await export_scope(graph, tmp_path / "public.jsonl", "public")
    await erase_scope(graph, "public")
    await graph.execute(CLOCK, {})  # values of other scopes are numbered by it
    back = await import_archive(graph, tmp_path / "public.jsonl")
    assert (back.nodes, back.canonical) == (2, report.canonical)
    await erase_scope(graph, "public")
