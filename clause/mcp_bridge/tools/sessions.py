"""Tools of sessions and what is kept of them: turns, patterns, memories word for word, and insights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from clause.errors import BadInputError
from clause.graph.scopes import Caller
from clause.insights.conflict_models import StoredInsight
from clause.insights.models import InsightList, RetrieveInsights, StoreInsight
from clause.mcp_bridge.tool import Arguments, Found, Id, Paged, ScopesGiven, only, page, tool
from clause.memory.models import MemoryReadInput, MemoryReadResult, MemoryWriteInput, MemoryWriteResult
from clause.memory.statistics import MemoryStatistics
from clause.sessions.models import (
    Captured,
    Exchange,
    ExchangeAdd,
    InsightExtract,
    Pattern,
    PatternFound,
    PatternRecord,
    PatternRecorded,
    PatternReinforce,
    PatternSearch,
    PatternStatus,
    PatternType,
    Session,
    SessionEnd,
    SessionEnded,
    SessionInsight,
    SessionStart,
    SessionStarted,
    SessionStatus,
)

if TYPE_CHECKING:
    from clause.app import Container

_Narrow = Field(None, max_length=500)


class SessionId(Arguments):
    """The session that is asked for."""

    session_id: Id = Field(description="the session's id")


class Ending(SessionEnd):
    """The session that ends, and its outcome."""

    session_id: Id = Field(description="the session's id")


class SessionFilter(Paged):
    """The sessions to list, newest first."""

    status: SessionStatus | None = Field(None, description="of this status")
    platform: str | None = _Narrow
    project_context: str | None = _Narrow
    room_id: str | None = _Narrow
    scopes: ScopesGiven = None


class RoomId(Arguments):
    """The chat room that is asked for."""

    room_id: Id = Field(description="the chat room on its platform")


class SessionTurn(ExchangeAdd):
    """A turn of a session."""

    session_id: Id = Field(description="the session's id")


class TurnsOf(Paged):
    """The session whose turns are listed."""

    session_id: Id = Field(description="the session's id")


class PatternFilter(Paged):
    """The patterns to list, newest first."""

    type: PatternType | None = Field(None, description="of this type")
    status: PatternStatus | None = Field(None, description="of this status")
    scopes: ScopesGiven = None


class SeenAgain(PatternReinforce):
    """The pattern that was seen again."""

    pattern_id: Id = Field(description="the pattern's id")


class Learned(InsightExtract):
    """A text that was learned from, and its session."""

    session_id: Id = Field(description="the session's id")


class InsightFilter(Paged):
    """The insights to list, newest first."""

    session_id: Id | None = Field(None, description="of this session; of all if not said")


@tool("personal", idempotent=True)
async def session_start(container: Container, given: SessionStart, caller: Caller) -> SessionStarted:
    """Begin a session, or go on with the one that has the same client_session_id. Use it once at the start of a
    conversation, unless a hook has done so: the answer has the session's id for the other tools, and at most 5 relevant
    beliefs and 5 established patterns."""
    return await container.rooms.sessions.sessions.start(given, caller=caller)


@tool("personal")
async def session_end(container: Container, given: Ending, caller: Caller) -> SessionEnded:
    """Close a session. Use it when a conversation is over: give a summary of what was decided or learned, and its
    themes; both become beliefs. Without a summary one is taken from the stored exchanges."""
    return await container.rooms.sessions.sessions.end(given.session_id, only(SessionEnd, given), caller=caller)


@tool("personal", reads=True)
async def session_get(container: Container, given: SessionId, caller: Caller) -> Session:
    """Show one session: its project, status, summary and themes. Use it when you have a session's id."""
    return await container.rooms.sessions.sessions.get(given.session_id, caller=caller)


@tool("personal", reads=True, lists=Session)
async def session_list(container: Container, given: SessionFilter, caller: Caller) -> Found:
    """List sessions, newest first, by status, platform, project or room. Use it to find what was worked on lately."""
    found = await container.rooms.sessions.sessions.list(
        caller=caller,
        status=given.status,
        platform=given.platform,
        project_context=given.project_context,
        room_id=given.room_id,
        scopes=given.scopes,
        after=given.cursor,
        limit=given.limit + 1,
    )
    return page(found, given.limit)


@tool("connected", reads=True)
async def session_find_by_room(container: Container, given: RoomId, caller: Caller) -> Session:
    """Find the newest active session of a chat room. Use it on a chat platform, before you add an exchange there."""
    return await container.rooms.sessions.sessions.find_by_room(given.room_id, caller=caller)


@tool("connected")
async def exchange_add(container: Container, given: SessionTurn, caller: Caller) -> Exchange:
    """Store the next turn of a session. Use it where no client keeps the conversation itself: summaries are taken from
    stored turns."""
    return await container.rooms.sessions.exchanges.add(given.session_id, only(ExchangeAdd, given), caller=caller)


@tool("connected", reads=True, lists=Exchange)
async def exchange_list(container: Container, given: TurnsOf, caller: Caller) -> Found:
    """List the stored turns of a session in order. Use it to read what was really said."""
    after = given.cursor or "0"
    if not after.isdecimal() or len(after) > 15:
        raise BadInputError("not a cursor of this list", field="cursor", remedy="pass next_cursor as given")
    found = await container.rooms.sessions.exchanges.list(
        given.session_id, caller=caller, after=int(after), limit=given.limit + 1
    )
    return page(found, given.limit, "sequence")


@tool("connected")
async def pattern_record(container: Container, given: PatternRecord, caller: Caller) -> PatternRecorded:
    """Note a regularity in how someone works or what comes up again. Use it when you notice the same thing in a second
    conversation; the same description again reinforces the first."""
    return await container.rooms.sessions.patterns.record(given, caller=caller)


@tool("connected")
async def pattern_reinforce(container: Container, given: SeenAgain, caller: Caller) -> Pattern:
    """Say that a known pattern was seen once more. Use it with the id from pattern_list or pattern_search."""
    return await container.rooms.sessions.patterns.reinforce(
        given.pattern_id, only(PatternReinforce, given), caller=caller
    )


@tool("connected", reads=True, lists=PatternFound)
async def pattern_search(container: Container, given: PatternSearch, caller: Caller) -> Found:
    """Search patterns by meaning and words. Use it before you assume how someone likes to work."""
    found = await container.rooms.sessions.patterns.search(given, caller=caller)
    reason = "" if found else "no live pattern in these scopes fits the words or their meaning"
    return {"items": found, "reason": reason}


@tool("personal", reads=True, lists=Pattern)
async def pattern_list(container: Container, given: PatternFilter, caller: Caller) -> Found:
    """List patterns, newest first, by type and status. Use it to see all that is known of someone's habits."""
    found = await container.rooms.sessions.patterns.list(
        caller=caller,
        type=given.type,
        status=given.status,
        scopes=given.scopes,
        after=given.cursor,
        limit=given.limit + 1,
    )
    return page(found, given.limit)


@tool("personal")
async def insight_extract(container: Container, given: Learned, caller: Caller) -> Captured:
    """Hold what was learned in a session as a belief that remembers its session. Use it when a conversation settles
    something worth knowing next time; say it in one sentence that stands by itself."""
    return await container.rooms.sessions.insights.extract(given.session_id, only(InsightExtract, given), caller=caller)


@tool("connected", reads=True, lists=SessionInsight)
async def insight_list(container: Container, given: InsightFilter, caller: Caller) -> Found:
    """List what was learned in one session or in all, newest first. Use it to review a conversation's results."""
    found = await container.rooms.sessions.insights.list(
        caller=caller, session_id=given.session_id, after=given.cursor, limit=given.limit + 1
    )
    return page(found, given.limit, "key")


TOOLS = (
    session_start,
    session_end,
    session_get,
    session_list,
    pattern_list,
    insight_extract,
    exchange_add,
    exchange_list,
    pattern_record,
    pattern_reinforce,
    pattern_search,
    session_find_by_room,
    insight_list,
)


class Whose(Arguments):
    """The scopes whose memories are measured."""

    scopes: ScopesGiven = None


@tool("full", hidden={"embedding": None})
async def memory_write(container: Container, given: MemoryWriteInput, caller: Caller) -> MemoryWriteResult:
    """Keep a text as it is, to be recalled by meaning or words later. Use it for what was said or seen (a message, a
    note, an observation); use belief_create for what is held to be true. With idempotency_key a retry writes nothing
    twice."""
    return await container.rooms.memory.store.write(given, caller=caller)


@tool("full", reads=True, hidden={"embedding": None, "include_embeddings": False}, lists=MemoryReadResult)
async def memory_read(container: Container, given: MemoryReadInput, caller: Caller) -> Found:
    """Recall memories by meaning, by words, or by both; recent ones count more. Use it to find what was said or seen
    before. What it returns is recalled text with its id: quote it, and do not write it back as new."""
    found = await container.rooms.memory.store.read(given, caller=caller)
    return {"items": found, "reason": "" if found else "no memory in these scopes fits the query"}


@tool("full", reads=True)
async def memory_stats(container: Container, given: Whose, caller: Caller) -> MemoryStatistics:
    """Measure the memory store: sizes of clusters, compression, cohesion, and how much of it nobody recalls. Use it
    when someone asks how large or how tidy the memory is."""
    return await container.rooms.memory.store.stats(caller=caller, scopes=given.scopes)


MEMORY_TOOLS = (memory_write, memory_read, memory_stats)


@tool("full")
async def insight_store(container: Container, given: StoreInsight, caller: Caller) -> StoredInsight:
    """Keep what you have come to understand about a person, a relationship, a place or yourself, with how it feels
    (valences) and how strongly. Use it for a reflection that colours later conversations; a plain fact belongs into
    belief_create. The answer says what it conflicts with, and whether a synthesis is due."""
    return await container.rooms.insights.insights.store(given, caller=caller)


@tool("full", reads=True)
async def insight_retrieve(container: Container, given: RetrieveInsights, caller: Caller) -> InsightList:
    """Recall insights on a topic such as user:ann, worded with their age and strength, chosen by a profile (recent,
    balanced, deep, comprehensive). Use it before you speak with or about someone you have met before."""
    return await container.rooms.insights.retriever.listed(given, caller=caller)


INSIGHT_TOOLS = (insight_store, insight_retrieve)
