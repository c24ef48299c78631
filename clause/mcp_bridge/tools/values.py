"""Tools of experiences and values: try something, say what came of it, and make values of what repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from clause.graph.scopes import Caller
from clause.mcp_bridge.tool import Arguments, Found, Id, Paged, ScopeGiven, ScopesGiven, only, page, tool
from clause.values import models
from clause.values.axes import Axis
from clause.values.ghap import GhapEntry, Outcome, ResolveGhap, StartedGhap, StartGhap, UpdateGhap
from clause.values.models import NewValue, RunRequest, SearchExperiences, ValueCandidate

if TYPE_CHECKING:
    from clause.app import Container

_AXIS = "full, strategy, surprise or root_cause"


class ExperienceChange(UpdateGhap):
    """The experience that changes, and the changes."""

    experience_id: Id = Field(description="the experience's id")


class ExperienceResolution(ResolveGhap):
    """The experience that ended, and its outcome."""

    experience_id: Id = Field(description="the experience's id")


class Open(Arguments):
    """The session whose open experience is asked for."""

    session_id: str | None = Field(None, max_length=128, description="of this session")
    scope: ScopeGiven = None


class ExperienceFilter(Paged):
    """The experiences to list, newest first."""

    domain: str | None = Field(None, max_length=100, description="of this kind of work")
    strategy: str | None = Field(None, max_length=100, description="of this way of working")
    outcome: Outcome | None = Field(None, description="that ended so")
    session_id: str | None = Field(None, max_length=128, description="of this session")
    scopes: ScopesGiven = None


class ClusterArguments(Arguments):
    """The clusters that are asked for."""

    axis: Axis = Field(description=_AXIS)
    scope: ScopeGiven = None
    refresh: bool = Field(False, description="cluster again first, with the experiences that came since")


class Members(Paged):
    """The cluster whose members are asked for."""

    cluster_id: Id = Field(description="full_0 (of the latest run) or full_0@<run>")
    scope: ScopeGiven = None


class ValueFilter(Paged):
    """The values to list, newest first."""

    axis: Axis | None = Field(None, description=f"of this axis: {_AXIS}")
    scopes: ScopesGiven = None


@tool("full")
async def start_ghap(container: Container, given: StartGhap, caller: Caller) -> StartedGhap:
    """Open an experience before you try something whose outcome is not sure: goal, hypothesis, action, prediction. Use
    it at the start of debugging or of any attempt worth learning from; one is open at a time for a session. The answer
    warns with values learned in the same domain with the same strategy: read them first."""
    return await container.rooms.values.experiences.start(given, caller=caller)


@tool("full")
async def update_ghap(container: Container, given: ExperienceChange, caller: Caller) -> GhapEntry:
    """Change the hypothesis, the action or the prediction of the open experience, or add a note. Use it as soon as you
    change your mind; the history keeps each step."""
    return await container.rooms.values.experiences.update(given.experience_id, only(UpdateGhap, given), caller=caller)


@tool("full")
async def resolve_ghap(container: Container, given: ExperienceResolution, caller: Caller) -> GhapEntry:
    """Record how the open experience ended: confirmed, falsified (then with surprise and root_cause) or abandoned, and
    the lesson. Use it when the outcome is known, not later from memory."""
    ghap = container.rooms.values.experiences
    return await ghap.resolve(given.experience_id, only(ResolveGhap, given), caller=caller)


@tool("full", reads=True)
async def get_active_ghap(container: Container, given: Open, caller: Caller) -> Found:
    """Show the experience that is open for a session, or null. Use it after an interruption, before start_ghap."""
    ghap = container.rooms.values.experiences
    return {"experience": await ghap.active(given.session_id, scope=given.scope, caller=caller)}


@tool("full", reads=True, lists=GhapEntry)
async def list_ghap_entries(container: Container, given: ExperienceFilter, caller: Caller) -> Found:
    """List experiences, newest first, by domain, strategy, outcome or session. Use it to review what was tried."""
    found = await container.rooms.values.experiences.list(
        scopes=given.scopes,
        domain=given.domain,
        strategy=given.strategy,
        outcome=given.outcome.value if given.outcome else None,
        session_id=given.session_id,
        limit=given.limit + 1,
        after=given.cursor,
        caller=caller,
    )
    return page(found, given.limit)


@tool("full", reads=True)
async def search_experiences(container: Container, given: SearchExperiences, caller: Caller) -> Found:
    """Search resolved experiences by meaning on one axis. Use it before you try something: was it tried before, and
    what came of it?"""
    found = await container.rooms.values.experiences.search(given, caller=caller)
    return {"items": found.items, "reason": "" if found.items else "no resolved experience in these scopes fits"}


@tool("full", lists=models.ClusterInfo)
async def get_clusters(container: Container, given: ClusterArguments, caller: Caller) -> Found:
    """List clusters of similar experiences on one axis, largest first; the first call clusters them, later ones only
    with refresh. Use it at the start of a retro, then read a cluster with get_cluster_members. It needs 20 resolved
    experiences."""
    values = container.rooms.values
    found = [] if given.refresh else await values.store.get_clusters(given.axis, scope=given.scope, caller=caller)
    if not found:
        await values.clusterer.run(RunRequest(axis=given.axis, scope=given.scope), caller=caller)
        found = await values.store.get_clusters(given.axis, scope=given.scope, caller=caller)
    reason = "" if found else "the experiences are too different from each other to form a cluster"
    return {"items": found, "reason": reason}


@tool("full", reads=True, lists=models.Experience)
async def get_cluster_members(container: Container, given: Members, caller: Caller) -> Found:
    """Read the experiences of one cluster, whole. Use it in a retro to see what they have in common, before a value."""
    found = await container.rooms.values.clusterer.members(
        given.cluster_id, scope=given.scope, after=given.cursor or "", limit=given.limit + 1, caller=caller
    )
    return page(found, given.limit)


@tool("full", reads=True)
async def validate_value(container: Container, given: ValueCandidate, caller: Caller) -> models.ValidationResult:
    """Judge whether a text says what a cluster of experiences has in common, with every number; stores nothing. Use it
    on each candidate before store_value; where it is not valid, say it closer to what the experiences say."""
    return await container.rooms.values.store.validate_value_candidate(
        given.text, given.cluster_id, scope=given.scope, caller=caller
    )


@tool("full")
async def store_value(container: Container, given: NewValue, caller: Caller) -> models.Value:
    """Keep a value that validate_value found valid; it is judged again and refused if it is not. Use it at the end of a
    retro: from then on start_ghap warns with it."""
    return await container.rooms.values.store.store_value(
        given.text, given.cluster_id, given.axis, scope=given.scope, caller=caller
    )


@tool("full", reads=True, lists=models.Value)
async def list_values(container: Container, given: ValueFilter, caller: Caller) -> Found:
    """List the values learned so far, newest first, of one axis or all. Use it to see what experience has taught."""
    found = await container.rooms.values.store.list_values(
        given.axis, scopes=given.scopes, limit=given.limit + 1, after=given.cursor, caller=caller
    )
    return page(found, given.limit)


TOOLS = (
    start_ghap, update_ghap, resolve_ghap, get_active_ghap, list_ghap_entries, search_experiences, get_clusters,
    get_cluster_members, validate_value, store_value, list_values,
)  # fmt: skip
