"""Absolute writes of agents that meet on a real Neo4j: merged, tried again, or rolled back; each conflict recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import BadInputError, ConflictError, UnavailableError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.basins import Basins
from clause.intelligence.models import AgentWrites, ConceptWrite, RelationWrite, StrengthenRequest, StrengthWrite
from clause.intelligence.write_conflicts import ConflictGuard
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run

pytestmark = pytest.mark.integration

OWNER = Caller()
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
async def ground(graph: Graph, scope: str, clock: Clock) -> AsyncIterator[Ground]:
    yield make_ground(graph, clock, scope)
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


@pytest.fixture
def guard(ground: Ground) -> ConflictGuard:
    return ConflictGuard(ground, sleep=no_wait)


def by(agent: str, *writes: Any) -> AgentWrites:
    return AgentWrites(agent=agent, writes=list(writes))


async def recorded(graph: Graph, scope: str) -> list[dict[str, Any]]:
    rows = await run(graph, "MATCH (c:WriteConflict {scope: $scope}) RETURN c {.*} AS x ORDER BY x.id", scope=scope)
    return [row["x"] for row in rows]


async def names(graph: Graph, scope: str) -> set[str]:
    return {row["x"] for row in await run(graph, "MATCH (e:Entity {scope: $scope}) RETURN e.name AS x", scope=scope)}


async def test_32_absolute_writers_of_one_basin_keep_the_largest_and_record_every_race(
    graph: Graph, ground: Ground, guard: ConflictGuard, scope: str
) -> None:
    basins = Basins(ground)
    again = StrengthenRequest(concepts=["Rain"], document_id="d")
    await basins.strengthen(again, caller=OWNER)
    ready = asyncio.Barrier(32)

    async def writer(number: int) -> int:
        entity = (await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d"), caller=OWNER)).basins[
            0
        ]
        await ready.wait()
        write = StrengthWrite(concept="Rain", strength=1.0 + (number * 7 % 32) / 32, version=entity.version)
        done = await guard.write(by(f"agent-{number}", write), caller=OWNER)
        assert done.conflicts_resolved == done.conflicts_detected
        return done.conflicts_detected

    conflicts = await asyncio.gather(*(writer(number) for number in range(32)))
    (rain,) = (await basins.strengthen(again, caller=OWNER)).basins
    first = next(number for number, met in enumerate(conflicts) if not met)
    assert sum(conflicts) == 31
    assert rain.strength == 1 + 31 / 32 or first * 7 % 32 == 31
    assert rain.version == 33
    stored = await recorded(graph, scope)
    assert len(stored) == 31
    assert {(one["kind"], one["resolution"]) for one in stored} == {("BASIN_STRENGTH_RACE", "MERGE")}


async def test_a_version_that_was_read_is_simply_written(graph: Graph, guard: ConflictGuard, scope: str) -> None:
    first = await guard.write(by("ann", StrengthWrite(concept="Rain", strength=1.5, version=0)), caller=OWNER)
    assert (first.versions, first.conflicts_detected) == ([1], 0)
    lower = await guard.write(by("ann", StrengthWrite(concept="Rain", strength=1.2, version=1)), caller=OWNER)
    assert (lower.versions, lower.conflicts_detected) == ([2], 0)
    (basin,) = await run(
        graph, "MATCH (b:AttractorBasin {scope: $scope}) RETURN [b.strength, b.state] AS x", scope=scope
    )
    assert basin["x"] == [1.2, "ACTIVATING"]
    assert await recorded(graph, scope) == []


async def test_a_contradiction_is_tried_again_then_rolled_back_with_all_that_came_with_it(
    graph: Graph, guard: ConflictGuard, scope: str
) -> None:
    await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood", strength=0.8)), caller=OWNER)
    with pytest.raises(ConflictError, match="nothing was written") as refused:
        await guard.write(
            by(
                "bob",
                ConceptWrite(concept="Dam"),
                StrengthWrite(concept="Rain", strength=1.9, version=0),
                RelationWrite(cause="Rain", effect="Flood", kind="inhibits", strength=0.9),
            ),
            caller=OWNER,
        )
    assert refused.value.field == "writes.2"
    assert await names(graph, scope) == {"Rain", "Flood"}
    (conflict,) = await recorded(graph, scope)
    assert (conflict["kind"], conflict["resolution"], conflict["attempts"], conflict["agent"]) == (
        "CONTRADICTORY_RELATIONSHIP",
        "ROLLBACK",
        4,
        "bob",
    )
    assert not await run(graph, "MATCH (b:AttractorBasin {scope: $scope}) RETURN b.id AS x", scope=scope)


async def test_a_contradiction_that_goes_away_while_trying_again_is_written(
    graph: Graph, ground: Ground, scope: str
) -> None:
    async def retract(_seconds: float) -> None:
        await run(
            graph,
            "MATCH (:Entity {scope: $scope})-[r:CAUSES]->() SET r.retracted_at = $at",
            scope=scope,
            at=START,
        )

    guard = ConflictGuard(ground, sleep=retract)
    await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood")), caller=OWNER)
    done = await guard.write(by("bob", RelationWrite(cause="Rain", effect="Flood", kind="inhibits")), caller=OWNER)
    assert done.conflicts_detected == 0
    (conflict,) = await recorded(graph, scope)
    assert (conflict["resolution"], conflict["attempts"]) == ("RETRY", 1)


async def test_an_opposite_that_was_read_is_replaced(graph: Graph, guard: ConflictGuard, scope: str) -> None:
    first = await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood")), caller=OWNER)
    change = RelationWrite(cause="Rain", effect="Flood", kind="inhibits", strength=0.4, version=first.versions[0])
    done = await guard.write(by("bob", change), caller=OWNER)
    assert done.versions[0] > first.versions[0]
    rows = await run(
        graph,
        "MATCH (:Entity {scope: $scope})-[r]->(:Entity) RETURN [type(r), r.retracted_at IS NULL, r.strength] AS x",
        scope=scope,
    )
    assert sorted(row["x"] for row in rows) == [["CAUSES", False, 1.0], ["INHIBITS", True, 0.4]]
    assert await recorded(graph, scope) == []


async def test_two_strengths_of_one_relationship_merge_to_the_larger(
    graph: Graph, guard: ConflictGuard, scope: str
) -> None:
    first = await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood", strength=0.8)), caller=OWNER)
    same = await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood", strength=0.8)), caller=OWNER)
    assert same.conflicts_detected == 0
    met = await guard.write(by("bob", RelationWrite(cause="Rain", effect="Flood", strength=0.3)), caller=OWNER)
    assert [one.resolution for one in met.conflicts] == ["MERGE"]
    seen = RelationWrite(cause="Rain", effect="Flood", strength=0.3, version=met.versions[0])
    assert (await guard.write(by("bob", seen), caller=OWNER)).conflicts_detected == 0
    rows = await run(
        graph, "MATCH (:Entity {scope: $scope})-[r:CAUSES]->() RETURN [r.strength, r.version] AS x", scope=scope
    )
    assert rows[0]["x"] == [0.3, first.versions[0] + 3]
    (degree,) = await run(graph, "MATCH (e:Entity {scope: $scope, name: 'Rain'}) RETURN e.degree AS x", scope=scope)
    assert degree["x"] == 1


async def test_a_concept_made_by_several_at_once_is_one_node_and_each_latecomer_a_conflict(
    graph: Graph, guard: ConflictGuard, scope: str
) -> None:
    done = await asyncio.gather(
        *(guard.write(by(f"agent-{number}", ConceptWrite(concept="Dam")), caller=OWNER) for number in range(8))
    )
    assert await names(graph, scope) == {"Dam"}
    assert sum(one.conflicts_detected for one in done) == 7
    kinds = {one["kind"] for one in await recorded(graph, scope)}
    assert kinds == {"DUPLICATE_NODE_CREATION"}
    listed = await guard.list(caller=Caller(readable=(scope,), writable=()), limit=3)
    assert len(listed.items) == 3
    assert listed.rate == pytest.approx(7 / 8)


async def test_too_many_conflicts_refuse_writes_for_a_minute(ground: Ground, clock: Clock) -> None:
    guard = ConflictGuard(ground, limit=0.05, sleep=no_wait)
    for number in range(20):
        guard.window.note(number < 2)
    with pytest.raises(UnavailableError) as refused:
        await guard.write(by("ann", ConceptWrite(concept="Dam")), caller=OWNER)
    assert refused.value.retry_after_s > 0
    await guard.list(caller=OWNER)
    clock.forward(seconds=61)
    assert guard.window.rate == 0.0
    await guard.write(by("ann", ConceptWrite(concept="Dam")), caller=OWNER)


async def test_a_strength_written_on_a_sleeping_basin_pays_for_no_week_before(
    graph: Graph, ground: Ground, guard: ConflictGuard, clock: Clock, scope: str
) -> None:
    basins = Basins(ground)
    await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d"), caller=OWNER)
    clock.forward(days=26 * 7)
    await basins.decay([scope], clock.at)
    (before,) = (await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d"), caller=OWNER)).basins
    written = StrengthWrite(concept="Rain", strength=1.8, version=before.version)
    await guard.write(by("a", written), caller=OWNER)
    await basins.decay([scope], clock.at)
    (after,) = (await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d"), caller=OWNER)).basins
    assert (before.strength, after.strength, after.state) == (1.0, 1.8, "ACTIVATING")
    for strength, state in ((2.0, "SATURATED"), (1.2, "ACTIVE"), (1.0, "DORMANT")):
        done = await guard.write(
            by("a", StrengthWrite(concept="Rain", strength=strength, version=after.version)), caller=OWNER
        )
        assert done.conflicts == []
        (after,) = (await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d"), caller=OWNER)).basins
        assert (after.strength, after.state) == (strength, state)
    assert await recorded(graph, scope) == []


async def test_one_request_that_says_both_is_refused_whole(guard: ConflictGuard, graph: Graph, scope: str) -> None:
    both = [RelationWrite(cause="Rain", effect="Mould", kind=kind) for kind in ("causes", "inhibits")]
    with pytest.raises(BadInputError, match="contradict each other"):
        await guard.write(by("ann", *both), caller=OWNER)
    assert await names(graph, scope) == set()


async def causes(graph: Graph, scope: str) -> list[list[Any]]:
    rows = await run(
        graph,
        "MATCH (:Entity {scope: $scope})-[r:CAUSES|INHIBITS]->() "
        "RETURN [type(r), r.strength, r.recorded_at = $start, r.retracted_at IS NULL, r.valid_until IS NULL, "
        "r.version] AS x ORDER BY r.version",
        scope=scope,
        start=START,
    )
    return [row["x"] for row in rows]


@pytest.mark.parametrize(("mark", "stands"), [("retracted_at", [False, True]), ("valid_until", [True, False])])
async def test_what_was_taken_back_or_has_ended_is_not_written_on(
    graph: Graph, guard: ConflictGuard, clock: Clock, scope: str, mark: str, stands: list[bool]
) -> None:
    (version,) = (
        await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood", strength=0.8)), caller=OWNER)
    ).versions
    await run(graph, "MATCH (:Entity {scope: $s})-[r:CAUSES]->() SET r[$mark] = $at", s=scope, mark=mark, at=clock())
    clock.forward(days=2)
    again = RelationWrite(cause="Rain", effect="Flood", strength=0.3)
    done = await guard.write(by("bob", again), caller=OWNER)
    assert (done.conflicts, done.versions) == ([], [version + 1])
    assert await causes(graph, scope) == [
        ["CAUSES", 0.8, True, *stands, version],
        ["CAUSES", 0.3, False, True, True, version + 1],
    ]
    assert (await guard.write(by("bob", again), caller=OWNER)).versions == [version + 2]
    (degree,) = await run(graph, "MATCH (e:Entity {scope: $scope, name: 'Rain'}) RETURN e.degree AS x", scope=scope)
    assert degree["x"] == 2


async def test_an_opposite_that_has_ended_contradicts_nothing(
    graph: Graph, guard: ConflictGuard, clock: Clock, scope: str
) -> None:
    await guard.write(by("ann", RelationWrite(cause="Rain", effect="Flood", kind="inhibits")), caller=OWNER)
    await run(graph, "MATCH (:Entity {scope: $s})-[r:INHIBITS]->() SET r.valid_until = $at", s=scope, at=clock())
    clock.forward(days=2)
    done = await guard.write(by("bob", RelationWrite(cause="Rain", effect="Flood")), caller=OWNER)
    assert done.conflicts == []
    assert sorted(one[0] for one in await causes(graph, scope) if one[3]) == ["CAUSES", "INHIBITS"]
