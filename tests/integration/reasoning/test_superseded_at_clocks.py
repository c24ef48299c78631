"""Questions and replays over beliefs that others took the place of: both clocks, as `/api/beliefs/query` reads them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clause import Clause
from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.reasoning.answer.texts import IndexedTexts
from clause.reasoning.models.coordination import CoordinationResponse
from clause.reasoning.neighbourhood import neo4j
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import Hidden, View
from clause.text.retrieval import requiring
from tests.fakes.embedder import HashEmbedder
from tests.integration.reasoning.known_graph import LONG_AGO, run
from tests.integration.test_many_scopes import opened

__all__ = ["opened"]
pytestmark = pytest.mark.integration

OLD = "Ann Miller lives in Lisbon."
NEW = "Ann Miller lives in Porto."
ASKED = "Where does Ann Miller live?"
HOUR = timedelta(hours=1)


async def moment() -> datetime:
    """An instant that nothing else falls on; what is recorded is kept by the millisecond."""
    await asyncio.sleep(0.005)
    at = datetime.now(UTC)
    await asyncio.sleep(0.005)
    return at


async def told(opened: Clause, scope: str) -> str:
    made = await opened.beliefs.create(
        BeliefCreate(content=OLD, scope=scope, signal="explicit_request"), caller=opened.caller
    )
    assert made.belief is not None
    return made.belief.id


async def superseded(opened: Clause, old: str, valid_from: datetime | None = None, content: str = NEW) -> str:
    given = BeliefSupersede(content=content, valid_from=valid_from, signal="explicit_request")
    return (await opened.beliefs.supersede(old, given, caller=opened.caller)).id


def texts(found: CoordinationResponse) -> set[str | None]:
    return {item.text for item in found.result.evidence}


async def both_say(opened: Clause, scope: str, expected: set[str], **clocks: Any) -> CoordinationResponse:
    """What a question to the beliefs gives, a question to the agents rests on, and every read of theirs sees."""
    hits = await opened.beliefs.query(BeliefQuery(query=ASKED, scopes=[scope], **clocks), caller=opened.caller)
    assert {hit.belief.content for hit in hits.items} == expected, clocks
    found = await opened.coordinate(ASKED, scopes=[scope], **clocks)
    assert texts(found) == expected, clocks
    graph, view = opened.container.graph, View((scope,), **clocks)
    crowded = replace(view, hidden=Hidden(texts=("none",) * 10, crowd=2))  # compares all texts one by one
    embedding = await opened.container.rooms.ground.embedder.embed_query(ASKED)
    for seen in (view, crowded):
        recalled = await IndexedTexts(graph).recall(ASKED, embedding, seen, limit=5)
        assert {text.node.text for text in recalled} == expected, clocks
    (ann,) = await run(graph, "MATCH (e:Entity {scope: $s, name: 'Ann Miller'}) RETURN e.id AS x", s=scope)
    for wide in (neo4j.WIDE, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neo4j, "WIDE", wide)
            around = await Neo4jNeighbourhood(graph).expand([ann["x"]], view, per_type=9)
        assert {node.text for node in around.nodes.values() if node.kind == "belief"} == expected, (wide, clocks)
    return found


async def test_what_was_known_then_was_true_then(opened: Clause, scope: str) -> None:
    old = await told(opened, scope)
    april = await moment()
    await superseded(opened, old)
    found = await both_say(opened, scope, {OLD}, as_of_recorded=april)
    assert not found.result.abstained
    await both_say(opened, scope, {NEW})


async def test_what_was_true_then_is_told_though_it_ended(opened: Clause, scope: str) -> None:
    old = await told(opened, scope)
    january = await moment()
    await superseded(opened, old)
    await both_say(opened, scope, {OLD}, as_of_valid=january)
    await both_say(opened, scope, {NEW}, as_of_valid=await moment())


async def test_until_a_successor_begins_the_old_one_answers(opened: Clause, scope: str) -> None:
    old = await told(opened, scope)
    begins = await moment() + HOUR
    await superseded(opened, old, begins)
    await both_say(opened, scope, {OLD})
    await both_say(opened, scope, {OLD}, as_of_recorded=await moment())
    await both_say(opened, scope, {NEW}, as_of_valid=begins + HOUR)


async def test_an_end_that_was_moved_back_later_is_as_it_was_known(opened: Clause, scope: str) -> None:
    old = await told(opened, scope)
    begins = await moment() + HOUR
    newer = await superseded(opened, old, begins)
    then = await moment()
    await superseded(opened, newer, then - HOUR, "Ann Miller lives in Faro.")
    await both_say(opened, scope, {OLD}, as_of_recorded=then)
    await both_say(opened, scope, {"Ann Miller lives in Faro."})


async def test_a_run_comes_out_as_it_was_though_the_end_was_moved_before_it(opened: Clause, scope: str) -> None:
    old = await told(opened, scope)
    asked = await opened.coordinate(ASKED, scopes=[scope])
    assert texts(asked) == {OLD}
    recorded = await opened.run(asked.run_id)
    await asyncio.sleep(0.01)
    new = await superseded(opened, old, recorded.recorded_at - HOUR)
    again = await opened.replay(asked.run_id)
    assert again.reproduced, again.differences
    assert texts(again.response) == {NEW}
    why = {reason.node: reason for reason in again.reasons}
    assert (why[old].kind, why[old].why) == ("went", f'it was superseded then by "{NEW}"')
    assert (why[old].at or LONG_AGO) > recorded.recorded_at
    assert (why[new].kind, why[new].why) == ("came", "it was recorded then")
    then = await opened.replay(asked.run_id, as_of_recorded=recorded.recorded_at)
    assert then.same, then.differences


async def test_what_others_took_the_place_of_crowds_out_no_words_of_what_is_held(graph: Graph, scope: str) -> None:
    await run(
        graph,
        "UNWIND range(0, 12) AS n CREATE (b:Belief {id: $scope + n, scope: $scope, scope_token: $token, "
        "content: CASE n WHEN 0 THEN 'the ferry to the northern islands leaves at ten' ELSE 'ferry' END, "
        "status: CASE n WHEN 0 THEN 'active' ELSE 'superseded' END, recorded_at: $at, confirmed_at: $at, "
        "valid_until: CASE n WHEN 0 THEN null ELSE $at END})",
        scope=scope,
        token=scope_token(scope),
        at=LONG_AGO,
    )
    embedding = (await HashEmbedder().embed(["ferry"]))[0]
    found = await IndexedTexts(graph).recall("ferry", embedding, View((scope,)), limit=3)
    assert [text.node.id for text in found] == [f"{scope}0"]
    asked = {"words": requiring([scope], "+content:ferry"), "narrow": "", "entity_id": None, "fields": ["id"]}
    seen = {"scopes": [scope], "statuses": ["active"], "now": datetime.now(UTC), "limit": 3}
    rows = await graph.run("knowledge/search_beliefs", embedding=embedding, **asked, **seen)
    assert [row["fields"] for row in rows] == [[f"{scope}0"]]
