"""Adapters to agent frameworks: retrievers and tools that answer from an open library or client.

Each function needs its framework, an extra of the distribution, and imports it when it is called. `SyncClause` and
`SyncClauseClient` work everywhere, `Clause` and `ClauseClient` where the framework awaits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from clause.asking import Asking
from clause.errors import BadInputError, ClauseError
from clause.library import Waiting

if TYPE_CHECKING:
    from agents import FunctionTool
    from langchain_core.retrievers import BaseRetriever as LangChainRetriever
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from neo4j_graphrag.retrievers.base import Retriever as GraphRagRetriever
    from pydantic_ai.toolsets import FunctionToolset

    from clause.reasoning.models import CoordinationResponse, SelectedEvidence

Asked = Asking | Waiting
ToolFunction = Callable[..., Awaitable[Any]]


def langchain_retriever(asked: Asked, **fields: Any) -> LangChainRetriever:
    """A LangChain retriever: the evidence of an answer as documents, each with its id, score and source.

    `fields` are those of `CoordinationRequest`, such as `scopes=["kg:films"]`.
    """
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    def documents(response: CoordinationResponse) -> list[Document]:
        return [
            Document(id=one.node, page_content=one.text, metadata=_said_of(one, response))
            for one in response.result.evidence
        ]

    class ClauseRetriever(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:  # noqa: ARG002
            return documents(_now(asked, query, fields))

        async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:  # noqa: ARG002
            return documents(await _called(asked, "coordinate", query, **fields))

    return ClauseRetriever()


def llama_index_retriever(asked: Asked, **fields: Any) -> LlamaIndexRetriever:
    """A LlamaIndex retriever: the evidence of an answer as scored text nodes; `fields` as of `langchain_retriever`."""
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    def nodes(response: CoordinationResponse) -> list[NodeWithScore]:
        found = [(one, {"id": one.node, **_said_of(one, response)}) for one in response.result.evidence]
        return [NodeWithScore(node=TextNode(text=one.text, metadata=said), score=one.score) for one, said in found]

    class ClauseIndexRetriever(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return nodes(_now(asked, query_bundle.query_str, fields))

        async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return nodes(await _called(asked, "coordinate", query_bundle.query_str, **fields))

    return ClauseIndexRetriever()


def graphrag_retriever(asked: Waiting, **fields: Any) -> GraphRagRetriever:
    """A retriever of neo4j-graphrag for its `GraphRAG`: the evidence of an answer; it needs no driver of its own."""
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.types import RawSearchResult, RetrieverResult, RetrieverResultItem

    class ClauseGraphRetriever(Retriever):
        def __init__(self) -> None:
            """Hold nothing: the driver is the service's."""

        def get_search_results(self, query_text: str) -> RawSearchResult:
            """Refused: records are not what is found here."""
            raise NotImplementedError(f"ask search for {query_text!r}")

        def search(self, query_text: str) -> RetrieverResult:
            """The evidence for a question, best first."""
            response = _now(asked, query_text, fields)
            found = [(one.text, _said_of(one, response)) for one in response.result.evidence]
            items = [RetrieverResultItem(content=text, metadata=said) for text, said in found]
            return RetrieverResult(items=items, metadata={"answers": [one.name for one in response.result.answers]})

    return ClauseGraphRetriever()


def openai_tools(asked: Asked, scope: str | None = None) -> list[FunctionTool]:
    """Tools for an agent of the OpenAI Agents SDK: ask, remember and recall; in one scope where one is given."""
    from agents import function_tool

    return [function_tool(function) for function in _functions(asked, scope)]


def pydantic_ai_toolset(asked: Asked, scope: str | None = None) -> FunctionToolset[Any]:
    """A toolset for a pydantic-ai agent: ask, remember and recall; in one scope where one is given."""
    from pydantic_ai.toolsets import FunctionToolset

    return FunctionToolset([*_functions(asked, scope)], id="clause")


def _functions(asked: Asked, scope: str | None) -> tuple[ToolFunction, ...]:
    """The functions that become tools: their names, parameters and docstrings are what a model reads."""
    where = {} if scope is None else {"scopes": [scope]}
    whose = {} if scope is None else {"scope": scope}

    async def ask(question: str) -> dict[str, Any]:
        """Answer a question from the graph, also one of several steps, with the texts that prove it.

        Args:
            question: the question in words.
        """
        result = (await _called(asked, "coordinate", question, **where)).result
        answers = [{"name": one.name, "score": round(one.answer_score, 2)} for one in result.answers]
        return {"answers": answers, "abstained": result.abstained, "evidence": [one.text for one in result.evidence]}

    async def remember(statement: str) -> str:
        """Hold one fact in one sentence as a belief, when the user says to remember something, decides or prefers.

        Args:
            statement: the sentence.
        """
        found = await _called(asked, "belief_create", statement, **whose)
        return f"{found.outcome} {found.belief.id if found.belief else ''}".strip()

    async def recall(query: str) -> list[str]:
        """Look up what is held to be true about something, best first.

        Args:
            query: what it is about.
        """
        found = await _called(asked, "belief_query", query, limit=5, **where)
        return [f"{hit.belief.content} (confidence {hit.belief.confidence.overall:.2f})" for hit in found.items]

    return _told(ask), _told(remember), _told(recall)


def _told(function: ToolFunction) -> ToolFunction:
    """The same function; what is refused is told to the model, which may mend it, and ends nothing."""

    @wraps(function)
    async def tells(*arguments: Any, **named: Any) -> Any:
        try:
            return await function(*arguments, **named)
        except ClauseError as error:
            return f"failed: {error.message}"

    return tells


def _now(asked: Asked, question: str, fields: dict[str, Any]) -> CoordinationResponse:
    if isinstance(asked, Waiting):
        return asked.coordinate(question, **fields)
    raise BadInputError("an async library cannot be asked without await", remedy="give SyncClause or SyncClauseClient")


async def _called(asked: Asked, name: str, first: str, **fields: Any) -> Any:
    method = getattr(asked, name)
    return await (asyncio.to_thread(method, first, **fields) if isinstance(asked, Waiting) else method(first, **fields))


def _said_of(one: SelectedEvidence, response: CoordinationResponse) -> dict[str, Any]:
    """What a retriever tells of a text besides the text."""
    source = one.provenance.source_uri if one.provenance else None
    return {"score": one.score, "source": source, "source_id": one.source_id, "run_id": response.run_id}
