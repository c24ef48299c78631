"""Tools of the three agents that build a subgraph, walk it and pick the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from clause.graph.scopes import Caller
from clause.intelligence.models import CuriosityPlan, CuriosityPlanRequest
from clause.mcp_bridge.short_answer import shortened, whole_answer
from clause.mcp_bridge.tool import Arguments, Found, Id, only, tool
from clause.reasoning.answer.calibration import FeedbackGiven, FeedbackTaken
from clause.reasoning.answer.replay import Replay, ReplayClocks, replayed
from clause.reasoning.answer.run_record import RunRecord
from clause.reasoning.models import (
    BudgetAllocation,
    ContextCurationRequest,
    CoordinationRequest,
    CoordinationResponse,
    PathNavigationRequest,
    SubgraphRequest,
)
from clause.reasoning.models.agents import ContextCurationResponse, PathNavigationResponse, SubgraphResponse

if TYPE_CHECKING:
    from clause.app import Container

_FIRST = ("answers", "abstained", "evidence", "path", "seeds", "paths")


Detail = Literal["short", "paths", "all"]


class QuestionArguments(CoordinationRequest):
    """A question for all three agents, within budgets."""

    budgets: BudgetAllocation = Field(default_factory=BudgetAllocation, description="what each agent may spend")
    detail: Detail = Field(
        "short", description="short: at most 600 tokens; paths: every answer, text and walk; all: the whole response"
    )


class RunId(Arguments):
    """The recorded run that is asked for."""

    run_id: Id = Field(description="run_id of an answer of `coordinate`")


@tool("full", answers=True)
async def coordinate(container: Container, given: QuestionArguments, caller: Caller) -> Found:
    """Answer a question from the graph: builds a small subgraph, walks it and picks evidence with its sources, within
    hard budgets. Use it first for a factual question that may take several steps (who directed the films that X
    starred in); use belief_query for a single remembered statement. The answer has the answers, what the question was
    read as, the evidence and the run's id; `abstained` means that nothing in the graph supports an answer. With
    detail=all it has the subgraph and the receipt of what was spent too."""
    fields = given.model_dump(exclude={"detail"}, exclude_unset=True)
    request = CoordinationRequest.model_validate({"budgets": {}, **fields})
    response = await container.coordinator.coordinate(request, caller)
    if given.detail != "all":
        return told(response, paths=given.detail == "paths")
    dumped = response.model_dump(mode="json")
    return {**_first(dumped.pop("result")), **dumped}


@tool("full", answers=True)
async def subgraph(container: Container, given: SubgraphRequest, caller: Caller) -> SubgraphResponse:
    """Build only the small subgraph around what a question names, with the score of every relationship. Use it to see
    what is connected to something, before deciding where to look closer."""
    return await container.agents.subgraph(given, caller)


@tool("full", answers=True)
async def navigate(container: Container, given: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
    """Walk the graph from a start node towards what a question asks, a few steps at a time. Use it when you know where
    to start and want the path itself; coordinate finds the start by itself."""
    return await container.agents.navigate(given, caller)


@tool("full", answers=True)
async def curate(container: Container, given: ContextCurationRequest, caller: Caller) -> ContextCurationResponse:
    """Pick from texts that you already have those that answer a question, without repeating themselves, within a token
    budget. Use it to shorten a pile of search results or notes before you read them."""
    return await container.agents.curate(given, caller)


@tool("full", reads=True)
async def run_explain(container: Container, given: RunId, caller: Caller) -> RunRecord:
    """Explain how an earlier answer came about: every step of the three agents with its score, its price and what was
    left out. Use it when someone asks why an answer is what it is."""
    return await container.runs.get(given.run_id, caller)


class RunVerdict(FeedbackGiven):
    """The run that is judged, and whether its answer is right."""

    run_id: Id = Field(description="run_id of the answer")


class RunAt(ReplayClocks):
    """The run that is asked again, and as of when."""

    run_id: Id = Field(description="run_id of the answer")


@tool("full", idempotent=True)
async def answer_feedback(container: Container, given: RunVerdict, caller: Caller) -> FeedbackTaken:
    """Say that an answer of coordinate was right or wrong. Use it when the user confirms or corrects an answer: scores
    in that scope and track records of the sources behind it move. cause=reading where the question was misread."""
    return await container.calibrations.give(given.run_id, only(FeedbackGiven, given), caller=caller)


@tool("full", answers=True)
async def replay(container: Container, given: RunAt, caller: Caller) -> Replay:
    """Ask a recorded question again, as of its own time or as of another, and tell which answers came and went and
    which statements are the reason. Use it when someone asks why an answer has changed, or what it was last week."""
    clocks = ReplayClocks.model_validate(given.model_dump(exclude={"run_id"}, exclude_unset=True))
    return await replayed(container.coordinator, container.runs, given.run_id, caller, clocks)


@tool("full", reads=True)
async def curiosity_plan(container: Container, given: CuriosityPlanRequest, caller: Caller) -> CuriosityPlan:
    """List what would be worth finding out next, the most telling first, within a budget of questions. Use it when
    there is time to ask the user or to search; write the answers with belief_create."""
    return await container.rooms.intelligence.planner.plan(given, caller=caller)


def told(response: CoordinationResponse, *, paths: bool) -> dict[str, Any]:
    """A response in few words, or all of its answers, texts and walks."""
    answer = whole_answer(response, paths=True) if paths else shortened(response)
    return answer.model_dump(mode="json", exclude_none=True)


def _first(result: dict[str, Any]) -> dict[str, Any]:
    """A result with what answers the question first: it is what a cut leaves."""
    return {key: result[key] for key in (*(key for key in _FIRST if key in result), *result)}


TOOLS = (coordinate, subgraph, navigate, curate, run_explain, answer_feedback, replay, curiosity_plan)
