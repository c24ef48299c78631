"""Tools of the three agents that build a subgraph, walk it and pick the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from clause.graph.scopes import Caller
from clause.mcp_bridge.short_answer import shortened, whole_answer
from clause.mcp_bridge.tool import Arguments, Found, Id, tool
from clause.reasoning.models import (
    BudgetAllocation,
    ContextCurationRequest,
    CoordinationRequest,
    CoordinationResponse,
    PathNavigationRequest,
    SubgraphRequest,
)

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
async def subgraph(container: Container, given: SubgraphRequest, caller: Caller) -> Found:
    """Build only the small subgraph around what a question names, with the score of every relationship. Use it to see
    what is connected to something, before deciding where to look closer."""
    return await container.agents.subgraph(given, caller)


@tool("full", answers=True)
async def navigate(container: Container, given: PathNavigationRequest, caller: Caller) -> Found:
    """Walk the graph from a start node towards what a question asks, a few steps at a time. Use it when you know where
    to start and want the path itself; coordinate finds the start by itself."""
    return await container.agents.navigate(given, caller)


@tool("full", answers=True)
async def curate(container: Container, given: ContextCurationRequest, caller: Caller) -> Found:
    """Pick from texts that you already have those that answer a question, without repeating themselves, within a token
    budget. Use it to shorten a pile of search results or notes before you read them."""
    return await container.agents.curate(given, caller)


@tool("full", reads=True)
async def run_explain(container: Container, given: RunId, caller: Caller) -> Found:
    """Explain how an earlier answer came about: every step of the three agents with its score, its price and what was
    left out. Use it when someone asks why an answer is what it is."""
    return await container.runs.get(given.run_id, caller)


def told(response: CoordinationResponse, *, paths: bool) -> dict[str, Any]:
    """A response in few words, or all of its answers, texts and walks."""
    answer = whole_answer(response, paths=True) if paths else shortened(response)
    return answer.model_dump(mode="json", exclude_none=True)


def _first(result: dict[str, Any]) -> dict[str, Any]:
    """A result with what answers the question first: it is what a cut leaves."""
    return {key: result[key] for key in (*(key for key in _FIRST if key in result), *result)}


TOOLS = (coordinate, subgraph, navigate, curate, run_explain)
