"""Tools of beliefs: what is held to be true, how surely, and what contradicts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede
from clause.knowledge.beliefs.query_models import BeliefQuery, BeliefSearch
from clause.knowledge.tension_detection import TensionFilter, TensionResolve
from clause.mcp_bridge.tool import Arguments, Found, Id, only, page, tool
from clause.text.fields import Instant

if TYPE_CHECKING:
    from clause.app import Container


class BeliefId(Arguments):
    """The belief that is asked for."""

    belief_id: Id = Field(description="the belief's id")


class BeliefAt(BeliefId):
    """The belief that is asked for, and the time as of which it was known."""

    as_of_recorded: Instant | None = Field(None, description="as it was known at this instant; now if not said")


class Replacement(BeliefSupersede):
    """The belief that is replaced, and what replaces it."""

    belief_id: Id = Field(description="the belief that does not hold any more")


class Tensions(TensionFilter):
    """The tensions to list, newest first."""

    cursor: str | None = Field(None, max_length=1000, description="next_cursor of the result before")


class TensionSettlement(TensionResolve):
    """The tension that is settled, and the way."""

    tension_id: Id = Field(description="the tension's id")


@tool("personal", reads=True)
async def belief_query(container: Container, given: BeliefQuery, caller: Caller) -> Found:
    """Ask what is held to be true, by meaning and by words, ranked by nearness, confidence and recency. Use it before
    you answer from memory or ask the user again: preferences, decisions, facts about projects and people. It looks into
    the past too (as_of_valid, as_of_recorded). When nothing fits, `reason` and `removed` say which filter took what."""
    return await container.rooms.knowledge.beliefs.query(given, caller=caller)


@tool("personal")
async def belief_create(container: Container, given: BeliefCreate, caller: Caller) -> Found:
    """Hold a statement as a belief. Use it when the user says to remember something, decides something, states a
    preference or corrects you; one fact in one sentence that stands by itself. What is held already is corroborated
    instead, and what contradicts it comes back as tensions: look at them. Never write back what these tools returned
    as if it were new (or say recalled: true)."""
    return await container.rooms.knowledge.beliefs.create(given, caller=caller)


@tool("personal")
async def belief_supersede(container: Container, given: Replacement, caller: Caller) -> Found:
    """Replace a belief by a newer one; the old one stays in the history. Use it when something has changed or was
    wrong, instead of creating a second belief beside it; what you do not give is inherited."""
    return await container.rooms.knowledge.beliefs.supersede(
        given.belief_id, only(BeliefSupersede, given), caller=caller
    )


@tool("personal", reads=True)
async def belief_get(container: Container, given: BeliefAt, caller: Caller) -> Found:
    """Show one belief with its history both ways and its tensions. Use it when you have a belief's id and need to know
    what it replaced, what replaced it, or what contradicts it."""
    return await container.rooms.knowledge.beliefs.get(
        given.belief_id, caller=caller, as_of_recorded=given.as_of_recorded
    )


@tool("personal", reads=True)
async def belief_search(container: Container, given: BeliefSearch, caller: Caller) -> Found:
    """Find beliefs near a text by meaning alone, with a floor on similarity and confidence. Use it to find what is said
    in other words, or whether something is held already; for questions use belief_query."""
    return await container.rooms.knowledge.beliefs.search(given, caller=caller)


@tool("personal", reads=True, hidden={"after": None})
async def tension_list(container: Container, given: Tensions, caller: Caller) -> Found:
    """List contradictions between beliefs, open ones unless a status is named. Use it to review what does not fit
    together, and before you rely on a belief whose open_tensions is above 0."""
    limit = min(given.limit, 100)
    wanted = only(TensionFilter, given).model_copy(update={"after": given.cursor, "limit": limit + 1})
    return page(await container.rooms.knowledge.tensions.list(wanted, caller=caller), limit)


@tool("personal", idempotent=True)
async def tension_resolve(container: Container, given: TensionSettlement, caller: Caller) -> Found:
    """Settle a contradiction: supersede_a (b takes the place of a), supersede_b, keep_both or archive_both, and why.
    Use it after the user has said which holds, or when one side is plainly outdated; it can be undone."""
    return await container.rooms.knowledge.tensions.resolve(
        given.tension_id, only(TensionResolve, given), caller=caller
    )


@tool("personal", reads=True)
async def confidence_explain(container: Container, given: BeliefId, caller: Caller) -> Found:
    """Explain how sure a belief is: each dimension, its weight, how it came to be, and what would raise it. Use it when
    you or the user doubt something, before you act on it."""
    return await container.rooms.knowledge.beliefs.explain(given.belief_id, caller=caller)


@tool("connected", reads=True)
async def belief_corroboration(container: Container, given: BeliefId, caller: Caller) -> Found:
    """List who says a belief, and how independent they are of each other. Use it to see whether something rests on one
    source only."""
    return await container.rooms.knowledge.beliefs.corroboration(given.belief_id, caller=caller)


TOOLS = (
    belief_query,
    belief_create,
    belief_supersede,
    belief_get,
    belief_search,
    tension_list,
    tension_resolve,
    confidence_explain,
    belief_corroboration,
)
