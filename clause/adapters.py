"""Adapters to agent frameworks: retrievers, tools and a store that answer from an open library or client.

Each function needs its framework, an extra of the distribution, and imports it when it is called. `SyncClause` and
`SyncClauseClient` work everywhere, `Clause` and `ClauseClient` where the framework awaits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any

from clause.asking import Asking
from clause.errors import BadInputError, ClauseError
from clause.library import Waiting

if TYPE_CHECKING:
    from agents import FunctionTool
    from langchain_core.retrievers import BaseRetriever as LangChainRetriever
    from langgraph.store.base import BaseStore
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from neo4j_graphrag.retrievers.base import Retriever as GraphRagRetriever
    from pydantic_ai.toolsets import FunctionToolset

    from clause.memory.models import MemoryReadResult
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


def langgraph_store(asked: Asked, scope: str) -> BaseStore:
    """A long-term store of LangGraph (`store=` of `compile`): each item is a memory of `scope`, its value as JSON.

    Searches are by meaning, exact over all items below the prefix. With `Clause` and `ClauseClient` only the awaited
    methods work, with the Sync ones both. Items do not expire, and each is indexed whole, whatever `index` says.
    """
    from langgraph.store import base

    items = _Items(asked, scope)

    class ClauseStore(base.BaseStore):
        async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
            return [await self._done(op) for op in ops]

        def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
            if not isinstance(asked, Waiting):
                raise BadInputError(
                    "an async library cannot be asked without await", remedy="await the store's methods"
                )
            with ThreadPoolExecutor(1) as own:  # a loop of its own, wherever it is called
                return own.submit(asyncio.run, self.abatch(ops)).result()

        async def _done(self, op: base.Op) -> base.Result:
            if isinstance(op, base.PutOp):
                await items.put(op.namespace, op.key, None if op.value is None else dict(op.value))
                return None
            if isinstance(op, base.GetOp):
                found = await items.named(op.namespace, op.key)
                return self._item(found[0]) if found else None
            if isinstance(op, base.SearchOp):
                found = [one for one in await items.below(op.namespace_prefix, op.query) if _fits(one, op.filter or {})]
                return [self._item(one, op.query is not None) for one in found[op.offset : op.offset + op.limit]]
            known = {_namespace(one) for one in await items.below((), None)}
            fitting = {one[: op.max_depth] for one in known if all(_matches(one, c) for c in op.match_conditions or ())}
            return sorted(fitting)[op.offset : op.offset + op.limit]

        def _item(self, one: MemoryReadResult, scored: bool = False) -> base.SearchItem:
            times = datetime.fromisoformat(one.metadata["created_at"]), one.recorded_at
            score = one.similarity if scored else None
            return base.SearchItem(_namespace(one), str(one.metadata["key"]), json.loads(one.content), *times, score)

    return ClauseStore()


class _Items:
    """Items by namespace and key, as memories: the namespace and each of its beginnings are tags."""

    MOST = 100
    KIND = "langgraph"
    BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)

    def __init__(self, asked: Asked, scope: str) -> None:
        self._asked = asked
        self._scope = scope

    async def put(self, namespace: Sequence[str], key: str, value: dict[str, Any] | None) -> None:
        """Keep a value in the place of the one before, or none; the new one is kept before the old one is forgotten."""
        before = await self.named(namespace, key)
        if value is not None:
            now = datetime.now(UTC).isoformat()
            created = before[0].metadata["created_at"] if before else now
            beginnings = [".".join(namespace[:depth]) for depth in range(1, len(namespace) + 1)]
            metadata = {"kind": self.KIND, "namespace": ".".join(namespace), "key": key, "created_at": created}
            told = {"metadata": {**metadata, "tags": beginnings}, "scope": self._scope, "pii_consent": True}
            content = json.dumps(value, ensure_ascii=False)
            await _called(self._asked, "memory_write", content, **told)
        for one in before:
            await _forgotten(self._asked, one.memory_id)

    async def named(self, namespace: Sequence[str], key: str) -> list[MemoryReadResult]:
        """The item of a name, the newest first where a stopped write left two."""
        exact = {"kind": self.KIND, "namespace": ".".join(namespace), "key": key}
        return sorted(await self._all(key, {"metadata": exact}), key=lambda one: one.recorded_at, reverse=True)

    async def below(self, prefix: Sequence[str], query: str | None) -> list[MemoryReadResult]:
        """All items whose namespace begins so: the nearest to the query first, else the newest."""
        tags = [".".join(prefix)] if prefix else []
        found = await self._all(query or self.KIND, {"metadata": {"kind": self.KIND}, "tags": tags})
        by_meaning = query is not None
        return sorted(found, key=lambda one: (one.similarity if by_meaning else 0, one.recorded_at), reverse=True)

    async def _all(
        self, query: str, filters: dict[str, Any], since: datetime | None = None, until: datetime | None = None
    ) -> list[MemoryReadResult]:
        """All memories that pass: a read gives MOST, so a full one is asked again for each half of its time."""
        since, until = since or self.BEGINNING, until or datetime.now(UTC) + timedelta(days=1)
        given = {"scopes": [self._scope], "k": self.MOST, "search_mode": "dense", "search_members": True}
        told = {**filters, "since": since, "until": until}
        found = list(await _called(self._asked, "memory_read", query, filters=told, **given))
        middle = since + (until - since) / 2
        if len(found) < self.MOST or middle in (since, until):
            return found
        return [*await self._all(query, filters, since, middle), *await self._all(query, filters, middle, until)]


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
}


def _fits(one: MemoryReadResult, wanted: dict[str, Any]) -> bool:
    """True where the value has what a filter of LangGraph wants: members, or how they compare (`$gt`)."""
    value = json.loads(one.content)

    def holds(has: Any, test: Any) -> bool:
        if isinstance(test, dict) and test and set(test) <= set(_COMPARED):
            return has is not None and all(_COMPARED[name](has, other) for name, other in test.items())
        return bool(has == test)

    return all(holds(value.get(name), test) for name, test in wanted.items())


def _matches(namespace: tuple[str, ...], condition: Any) -> bool:
    """True where a namespace begins or ends as a MatchCondition says; `*` is any one word."""
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(want in ("*", has) for want, has in zip(path, part, strict=True))


def _namespace(one: MemoryReadResult) -> tuple[str, ...]:
    return tuple(str(one.metadata["namespace"]).split("."))


async def _forgotten(asked: Asked, memory_id: str) -> None:
    if isinstance(asked, Waiting):
        await asyncio.to_thread(asked.forget, memory_id=memory_id, confirm=True)
    else:
        await asked.forget(memory_id=memory_id, confirm=True)


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
    """Give what a retriever tells of a text besides the text."""
    source = one.provenance.source_uri if one.provenance else None
    return {"score": one.score, "source": source, "source_id": one.source_id, "run_id": response.run_id}
