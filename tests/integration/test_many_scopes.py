"""Lucene takes 1,024 clauses in one query: what is sought in more scopes than that, and by longer texts, is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from ulid import ULID

from clause import Caller, Clause
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.insights.models import SearchInsights, StoreInsight, Valences
from clause.knowledge.beliefs.models import BeliefCreate
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.entities import RelationCreate
from clause.knowledge.entity_models import EntitySearch, TrustCheck
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.sessions.models import PatternRecord, PatternSearch
from clause.text.fields import utc_now
from tests import servers

pytestmark = pytest.mark.integration
SESSIONS = 1_100
REGISTER = servers.statement(
    "UNWIND $ids AS id MERGE (s:Scope {id: id}) ON CREATE SET s.scope = id, s.recorded_at = $at",
    parameters="$ids LIST<STRING>, $at ZONED DATETIME",
)
CROWD = servers.statement(
    "UNWIND range(1, 200) AS i CREATE (n:Memory {id: $scope + i, scope: $scope, scope_token: $token, content: $said, "
    "sequence: i, occurred_at: $at, recorded_at: $at, last_access_at: $at})",
    parameters="$scope STRING, $token STRING, $said STRING, $at ZONED DATETIME",
)
ERASE = servers.statement("MATCH (n) WHERE n.scope IN $ids DETACH DELETE n", parameters="$ids LIST<STRING>")
SAID = "Zoe keeps a samovar in the conservatory at Wolverton"


@pytest.fixture
async def opened(migrated_address: Address, tmp_path: Path, no_model: None) -> AsyncIterator[Clause]:
    given = {
        "neo4j_uri": migrated_address.uri,
        "neo4j_user": migrated_address.user,
        "neo4j_password": migrated_address.password,
        "neo4j_database": migrated_address.database,
    }
    async with Clause.open(home=tmp_path, **given) as clause:
        yield clause


@pytest.fixture
async def user(graph: Graph) -> AsyncIterator[str]:
    """A user with more sessions than Lucene takes clauses."""
    name = f"user:u{str(ULID()).lower()}"
    scopes = [name, *(f"{name}/session:{number}" for number in range(SESSIONS))]
    await graph.execute(REGISTER, {"ids": scopes, "at": utc_now()})
    yield name
    await graph.execute(ERASE, {"ids": scopes})


async def keep(opened: Clause, scope: str) -> None:
    """Say the same in every room."""
    caller = opened.caller
    await opened.memory.store.write(MemoryWriteInput(content=SAID, scope=scope), caller=caller)
    await opened.beliefs.create(BeliefCreate(content=SAID, scope=scope), caller=caller)
    given = {"topic_key": "user:zoe", "category": "user_reflection", "content": SAID, "salience_spent": 4.0}
    insight = StoreInsight.model_validate({**given, "valences": Valences(curiosity=0.5), "scope": scope})
    await opened.insights.insights.store(insight, caller=caller)
    await opened.sessions.patterns.record(
        PatternRecord(type="working_style", description=SAID, scope=scope), caller=caller
    )
    related = RelationCreate(source="Zoe Samovar", relation="lives in", target="Wolverton", scope=scope)
    await opened.entities.relate(related, caller=caller)


async def found(opened: Clause, text: str, caller: Caller) -> dict[str, list[str]]:
    """The scopes of what each search without scopes finds, by room."""
    memories = MemoryReadInput(query_text=text, search_mode="sparse")
    trust = await opened.knowledge.trust.check(TrustCheck(topic=text[:1_000]), caller=caller)
    assert trust.matching or text != SAID
    return {
        "memories": [one.scope for one in await opened.memory.store.read(memories, caller=caller)],
        "beliefs": [
            one.belief.scope for one in (await opened.beliefs.query(BeliefQuery(query=text), caller=caller)).items
        ],
        "insights": [
            one.insight.scope
            for one in (await opened.insights.finder.search(SearchInsights(query=text), caller=caller)).items
        ],
        "patterns": [
            one.pattern.scope for one in await opened.sessions.patterns.search(PatternSearch(query=text), caller=caller)
        ],
        "entities": [
            one.entity.scope for one in await opened.entities.search(EntitySearch(query=text[:1_000]), caller=caller)
        ],
    }


async def test_searches_over_more_scopes_than_lucene_takes_find_what_is_there(opened: Clause, user: str) -> None:
    scope = f"{user}/session:700"
    await keep(opened, scope)
    for caller in (Caller(), Caller(readable=("public", user), writable=())):
        assert {room: scope in scopes for room, scopes in (await found(opened, SAID, caller)).items()} == dict.fromkeys(
            ("memories", "beliefs", "insights", "patterns", "entities"), True
        )
        assert (await opened.entities.get("Zoe Samovar", caller=caller)).scope == scope
        asking = Clause(opened.container, caller)
        answer = await asking.coordinate("where does Zoe Samovar live")
        assert "Wolverton" in [item.name for item in answer.result.answers]


async def test_foreign_sessions_that_say_the_same_hide_nothing_from_a_user_of_many(
    opened: Clause, graph: Graph, user: str, scope: str
) -> None:
    said = MemoryWriteInput(content=SAID, scope=f"{user}/session:700")
    await opened.memory.store.write(said, caller=opened.caller)
    token = scope.replace(":", "_").replace("-", "_")
    crowd = {"scope": scope, "token": f"s_{token}", "said": "samovar Wolverton", "at": utc_now()}
    await graph.execute(CROWD, crowd)
    asked = MemoryReadInput(query_text="samovar Wolverton", search_mode="sparse")
    key = Caller(readable=("public", user), writable=())
    assert [one.content for one in await opened.memory.store.read(asked, caller=key)] == [SAID]


LONG = {
    "one letter": "茶" * 10_000,
    "Chinese": "".join(chr(0x4E00 + place % 3_000) for place in range(10_000)),
    "English": " ".join(f"word{place}" for place in range(1_200)),
    "without blanks": "a-b" * 4_000,
    "pictures": "☕" * 10_000,
}


async def test_the_longest_texts_are_searched_for(opened: Clause, scope: str) -> None:
    await keep(opened, scope)
    for name, text in LONG.items():
        asked = f"samovar Wolverton {text}"[:10_000]
        rooms = await found(opened, asked, Caller(readable=(scope,), writable=()))
        assert (name, scope in rooms["memories"]) == (name, True)
        await opened.coordinate(asked, scopes=[scope])
