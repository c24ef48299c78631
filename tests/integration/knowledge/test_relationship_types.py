"""What relationship types mean: said and taken back by whoever may write the scope, and by nobody else."""

from __future__ import annotations

import pytest
from ulid import ULID

from clause.errors import ForbiddenError, NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.entities import RelationCreate
from clause.knowledge.relationship_types import TypeMeaning
from clause.knowledge.room import Knowledge
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import View
from tests.integration.knowledge.conftest import OWNER

pytestmark = pytest.mark.integration


@pytest.fixture
async def scope(knowledge: Knowledge) -> str:
    """A scope with one triple whose type says nothing."""
    scope = f"kg:codes-{ULID()}".lower()
    triple = RelationCreate(source="The Reed Bed", relation="P57", target="Anna Ridley", scope=scope)
    await knowledge.entities.relate(triple, caller=OWNER)
    return scope


async def test_what_is_said_is_listed_and_taken_back(knowledge: Knowledge, scope: str) -> None:
    meaning = TypeMeaning(relation="P57", text=" film  director ", inverse_text="films directed by", scope=scope)
    said = await knowledge.types.tell(meaning, caller=OWNER)
    assert (said.text, said.inverse_text, said.count) == ("film director", "films directed by", 1)
    assert list(await knowledge.types.list(caller=OWNER, scopes=[scope])) == [said]
    taken = await knowledge.types.forget("P57", scope, caller=OWNER)
    assert (taken.text, taken.told_by, taken.told_at) == ("p57", None, None)


async def test_only_who_may_write_a_scope_says_what_its_types_mean(knowledge: Knowledge, scope: str) -> None:
    meaning = TypeMeaning(relation="P57", text="director", scope=scope)
    reader = Caller((scope,), ("user:ann",))
    for stranger in (reader, Caller(("user:ann",), ("user:ann",))):
        with pytest.raises(ForbiddenError):
            await knowledge.types.tell(meaning, caller=stranger)
        with pytest.raises(ForbiddenError):
            await knowledge.types.forget("P57", scope, caller=stranger)
    assert [one.told_by for one in await knowledge.types.list(caller=reader)] == [None]
    with pytest.raises(ForbiddenError):
        await knowledge.types.list(caller=Caller(("user:ann",), ("user:ann",)), scopes=[scope])
    with pytest.raises(NotFoundError, match="P58"):
        await knowledge.types.tell(TypeMeaning(relation="P58", text="writer", scope=scope), caller=OWNER)


async def test_a_view_of_a_later_saying_is_not_read_from_memory(knowledge: Knowledge, scope: str) -> None:
    ground = knowledge.ground
    port = Neo4jNeighbourhood(ground.graph, dimension=ground.embedder.dimension, types_for_s=1e9)
    assert [one.text for one in await port.relationship_types(View((scope,)))] == ["p57"]
    await knowledge.types.tell(TypeMeaning(relation="P57", text="director", scope=scope), caller=OWNER)
    (row,) = [row for row in await ground.graph.run("graph/scopes") if row["id"] == scope]
    (later,) = await port.relationship_types(View((scope,), types_told=row["types_told"]))
    assert (later.text, later.inverse_text) == ("director", "inverse of director")
