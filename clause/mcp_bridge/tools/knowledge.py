"""Tools of what is held to be true, how surely, what contradicts it and rests on it; and read-only Cypher behind a
guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue

from clause.errors import BadInputError, ForbiddenError
from clause.graph.exploration import MAX_TEXT
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefCreated,
    BeliefDetail,
    BeliefSupersede,
    Corroborations,
)
from clause.knowledge.beliefs.query_models import (
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceExplanation,
)
from clause.knowledge.entity_models import Entity, EntityFound, EntitySearch, TrustAnswer, TrustCheck
from clause.knowledge.lineage.models import (
    Erasure,
    ErasureRequest,
    Merge,
    Retraction,
    RetractionPlan,
    RetractionRequest,
)
from clause.knowledge.tension_detection import Tension, TensionFilter, TensionResolve
from clause.mcp_bridge.tool import Arguments, Found, Id, ScopesGiven, only, page, tool
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
async def belief_query(container: Container, given: BeliefQuery, caller: Caller) -> BeliefHits:
    """Ask what is held to be true, by meaning and by words, ranked by nearness, confidence and recency. Use it before
    you answer from memory or ask the user again: preferences, decisions, facts about projects and people. It looks into
    the past too (as_of_valid, as_of_recorded). When nothing fits, `reason` and `removed` say which filter took what."""
    return await container.rooms.knowledge.beliefs.query(given, caller=caller)


@tool("personal")
async def belief_create(container: Container, given: BeliefCreate, caller: Caller) -> BeliefCreated:
    """Hold a statement as a belief. Use it when the user says to remember something, decides something, states a
    preference or corrects you; one fact in one sentence that stands by itself. What is held already is corroborated
    instead, and what contradicts it comes back as tensions: look at them. Never write back what these tools returned
    as if it were new (or say recalled: true)."""
    return await container.rooms.knowledge.beliefs.create(given, caller=caller)


@tool("personal")
async def belief_supersede(container: Container, given: Replacement, caller: Caller) -> Belief:
    """Replace a belief by a newer one; the old one stays in the history. Use it when something has changed or was
    wrong, instead of creating a second belief beside it; what you do not give is inherited."""
    return await container.rooms.knowledge.beliefs.supersede(
        given.belief_id, only(BeliefSupersede, given), caller=caller
    )


@tool("personal", reads=True)
async def belief_get(container: Container, given: BeliefAt, caller: Caller) -> BeliefDetail:
    """Show one belief with its history both ways and its tensions. Use it when you have a belief's id and need to know
    what it replaced, what replaced it, or what contradicts it."""
    return await container.rooms.knowledge.beliefs.get(
        given.belief_id, caller=caller, as_of_recorded=given.as_of_recorded
    )


@tool("personal", reads=True)
async def belief_search(container: Container, given: BeliefSearch, caller: Caller) -> BeliefHits:
    """Find beliefs near a text by meaning alone, with a floor on similarity and confidence. Use it to find what is said
    in other words, or whether something is held already; for questions use belief_query."""
    return await container.rooms.knowledge.beliefs.search(given, caller=caller)


@tool("personal", reads=True, hidden={"after": None}, lists=Tension)
async def tension_list(container: Container, given: Tensions, caller: Caller) -> Found:
    """List contradictions between beliefs, open ones unless a status is named. Use it to review what does not fit
    together, and before you rely on a belief whose open_tensions is above 0."""
    limit = min(given.limit, 100)
    wanted = only(TensionFilter, given).model_copy(update={"after": given.cursor, "limit": limit + 1})
    return page(await container.rooms.knowledge.tensions.list(wanted, caller=caller), limit)


@tool("personal", idempotent=True)
async def tension_resolve(container: Container, given: TensionSettlement, caller: Caller) -> Tension:
    """Settle a contradiction: supersede_a (b takes the place of a), supersede_b, keep_both or archive_both, and why.
    Use it after the user has said which holds, or when one side is plainly outdated; it can be undone."""
    return await container.rooms.knowledge.tensions.resolve(
        given.tension_id, only(TensionResolve, given), caller=caller
    )


@tool("personal", reads=True)
async def confidence_explain(container: Container, given: BeliefId, caller: Caller) -> ConfidenceExplanation:
    """Explain how sure a belief is: each dimension, its weight, how it came to be, and what would raise it. Use it when
    you or the user doubt something, before you act on it."""
    return await container.rooms.knowledge.beliefs.explain(given.belief_id, caller=caller)


@tool("connected", reads=True)
async def belief_corroboration(container: Container, given: BeliefId, caller: Caller) -> Corroborations:
    """List who says a belief, and how independent they are of each other. Use it to see whether something rests on one
    source only."""
    return await container.rooms.knowledge.beliefs.corroboration(given.belief_id, caller=caller)


class EntityNamed(Arguments):
    """The entity that is asked for."""

    entity: Id = Field(description="its id, its exact name, or an alias")
    scopes: ScopesGiven = None


class Taking(Arguments):
    """The thing that is taken back, or given back."""

    step: Literal["preview", "apply", "undo"] = Field("preview", description="preview first; undo takes a receipt_id")
    belief_id: Id | None = Field(None, description="the belief that is taken back")
    source_id: Id | None = Field(None, description="or the source, with all that only it says")
    reason: str = Field("", max_length=2000, description="why; kept with the receipt")
    plan: str | None = Field(None, max_length=100, description="the preview's plan: refused when it has changed since")
    receipt_id: Id | None = Field(None, description="undo: the id that apply gave")


class Merged(Arguments):
    """The merge that is undone."""

    receipt_id: Id = Field(description="the merge's receipt, or the id of the belief that went into another")


class Forgetting(ErasureRequest):
    """The things that are forgotten for good; a preview unless confirmed."""

    confirm: bool = Field(False, description="false: only say what would go; true: it goes, for good")


@tool("personal", reads=True)
async def entity_get(container: Container, given: EntityNamed, caller: Caller) -> Entity:
    """Show one entity: its kind, its other names, and how much is known about it. Use it when you have an id or an
    exact name; for a part of a name use entity_search."""
    return await container.rooms.knowledge.entities.get(given.entity, scopes=given.scopes, caller=caller)


@tool("personal", reads=True, lists=EntityFound)
async def entity_search(container: Container, given: EntitySearch, caller: Caller) -> Found:
    """Find people, tools, projects, places and other things by name or meaning. Use it to get the entity_id that
    belief_query narrows by, or to see whether something is known at all."""
    found = await container.rooms.knowledge.entities.search(given, caller=caller)
    return {"items": found, "reason": "" if found else "no entity in these scopes has a name or meaning like that"}


@tool("connected", reads=True)
async def trust_check(container: Container, given: TrustCheck, caller: Caller) -> TrustAnswer:
    """Say whom or what to trust on a topic, by the confidence of what they said. Use it when sources disagree, or
    before you rely on somebody in a field."""
    return await container.rooms.knowledge.trust.check(given, caller=caller)


@tool("full", destroys=True)
async def belief_retract(container: Container, given: Taking, caller: Caller) -> RetractionPlan | Retraction:
    """Take back a belief or a source with everything that rests on it: preview lists it, apply does it in one step,
    undo gives back exactly what was there. Use it when something turns out to be false or forged from the start; for
    what has changed use belief_supersede. Show the user the preview before you apply it."""
    retraction = container.rooms.knowledge.retraction
    if given.step == "undo":
        if given.receipt_id is None:
            raise BadInputError("undo needs the receipt that apply gave", field="receipt_id")
        return await retraction.undo(given.receipt_id, caller=caller)
    request = only(RetractionRequest, given)
    if given.step == "preview":
        return await retraction.preview(request, caller=caller)
    return await retraction.apply(request, caller=caller)


@tool("full")
async def belief_unmerge(container: Container, given: Merged, caller: Caller) -> Merge:
    """Separate two beliefs that were merged as if they said the same; the lost one comes back. Use it when a belief
    counts a statement as its own that says something else."""
    return await container.rooms.knowledge.merging.unmerge(given.receipt_id, caller=caller)


@tool("full", destroys=True, whole=False)
async def forget(container: Container, given: Forgetting, caller: Caller) -> Erasure:
    """Erase a scope, a source, a belief or a memory for good, with what was derived only from it and its text in
    recorded runs; there is no undo. Use it only when the user asks to be forgotten or to delete something: call it
    without confirm first, show what would go, and confirm only after a yes."""
    erasure = container.rooms.knowledge.erasure
    request = only(ErasureRequest, given)
    return await (erasure.apply if given.confirm else erasure.preview)(request, caller=caller)


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
    entity_get,
    entity_search,
    trust_check,
    belief_retract,
    belief_unmerge,
    forget,
)


class GraphQuery(Arguments):
    """A Cypher statement that only reads, with its parameters."""

    query: str = Field(min_length=1, max_length=MAX_TEXT, description="one Cypher statement that only reads")
    parameters: dict[str, JsonValue] = Field(default_factory=dict, description="values for its $names")


@tool("full", reads=True)
async def graph_query(container: Container, given: GraphQuery, caller: Caller) -> Found:
    """Run one read-only Cypher statement on the graph (Neo4j, Cypher 25). Use it to count, list or inspect what the
    other tools do not show: labels are Entity, Belief, Memory, Experience, Value, Insight, Session and others; every
    node has id, scope and recorded_at; `CALL db.labels()` and `CALL db.schema.nodeTypeProperties()` show the rest. Pass
    values as parameters. Writes, files, addresses and the server's own affairs are refused; at most 1,000 rows and 10
    seconds. It reads every scope, so only the owner may use it."""
    if caller.readable is not None:
        raise ForbiddenError(
            "Cypher reads every scope, and this API key does not", remedy="use belief_query, coordinate or memory_read"
        )
    found = await container.graph.explore(given.query, given.parameters)
    return {"columns": found.columns, "cut_by_limits": found.cut, "rows": found.rows}


GRAPH_TOOLS = (graph_query,)
