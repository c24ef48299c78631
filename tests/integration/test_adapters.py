"""The adapters with the real packages of their frameworks, on a real graph; no language model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest

from clause import Clause, SyncClause, adapters
from clause.errors import BadInputError
from clause.graph.wire import Address

pytestmark = pytest.mark.integration
SCOPE = "user:kiln"
KILN = "Kiln Seven|fired by|Bao Tran\nKiln Seven|stands in|Yard Two\nYard Two|swept by|Imre Szabo\n"
WHO = "who fired Kiln Seven"


@pytest.fixture(scope="module")
def asked(migrated_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncClause]:
    """A small graph of a pottery, asked without await."""
    home = tmp_path_factory.mktemp("kiln")
    file: Path = home / "kiln.txt"
    file.write_text(KILN)
    with SyncClause.open(
        home=home,
        neo4j_uri=migrated_address.uri,
        neo4j_user=migrated_address.user,
        neo4j_password=migrated_address.password,
        neo4j_database=migrated_address.database,
    ) as c:
        c.call(c.clause.load, "triples", file, SCOPE)
        yield c
        c.forget(scope=SCOPE, confirm=True)


async def test_a_langchain_retriever_gives_the_evidence(asked: SyncClause) -> None:
    retriever = adapters.langchain_retriever(asked, scopes=[SCOPE])
    for found in (retriever.invoke(WHO), await retriever.ainvoke(WHO)):
        assert "Bao Tran" in found[0].page_content
        assert found[0].metadata["source"] == "kiln.txt"
        assert found[0].metadata["run_id"]
    chain: Any = retriever | (lambda documents: documents[0].page_content)
    assert "Kiln Seven" in chain.invoke(WHO)


async def test_a_llama_index_retriever_gives_scored_nodes(asked: SyncClause) -> None:
    retriever = adapters.llama_index_retriever(asked, scopes=[SCOPE])
    for found in (retriever.retrieve(WHO), await retriever.aretrieve(WHO)):
        assert "Bao Tran" in found[0].text
        assert 0 < (found[0].score or 0) <= 1


def test_a_graphrag_retriever_gives_items_and_can_be_a_tool(asked: SyncClause) -> None:
    from neo4j_graphrag.generation.graphrag import GraphRAG
    from neo4j_graphrag.llm import LLMInterface
    from neo4j_graphrag.llm.types import LLMResponse

    class Echo(LLMInterface):
        """No model: it gives back what it is told."""

        def __init__(self) -> None:
            super().__init__("echo")

        def invoke(self, input: Any, *_: Any, **__: Any) -> LLMResponse:
            return LLMResponse(content=str(input))

        async def ainvoke(self, input: Any, *_: Any, **__: Any) -> LLMResponse:
            return LLMResponse(content=str(input))

    retriever = adapters.graphrag_retriever(asked, scopes=[SCOPE])
    found = retriever.search(WHO)
    assert "Bao Tran" in found.items[0].content
    assert found.metadata == {"answers": ["Bao Tran"]}
    answer = GraphRAG(retriever=retriever, llm=Echo()).search(query_text=WHO, return_context=True)
    assert "Bao Tran" in answer.answer


async def test_the_openai_agents_sdk_calls_the_tools(asked: SyncClause) -> None:
    from agents.tool_context import ToolContext

    tools = {tool.name: tool for tool in adapters.openai_tools(asked, SCOPE)}
    assert set(tools) == {"ask", "remember", "recall"}
    assert "question" in tools["ask"].params_json_schema["properties"]

    async def called(name: str, **arguments: str) -> Any:
        given = json.dumps(arguments)
        context = ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=given)
        return await tools[name].on_invoke_tool(context, given)

    assert (await called("ask", question=WHO))["answers"][0]["name"] == "Bao Tran"
    assert (await called("remember", statement="Bao Tran fires on Thursdays")).startswith("created")
    assert "Thursdays" in str(await called("recall", query="when does Bao Tran fire?"))


async def test_a_pydantic_ai_agent_calls_the_toolset(asked: SyncClause) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.models.test import TestModel

    def script(messages: list[Any], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {"ask", "remember", "recall"}
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("ask", {"question": WHO})])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    toolset = adapters.pydantic_ai_toolset(asked, SCOPE)
    told: Any = await Agent(FunctionModel(script), toolsets=[toolset]).run("the potter?")
    assert "Bao Tran" in told.output
    short: Any = await Agent(TestModel(call_tools=["ask"]), toolsets=[toolset]).run("it asks with one letter")
    assert "failed: query: String should have at least 3 characters" in str(short.all_messages())


async def test_an_async_library_is_awaited_and_refused_where_nobody_awaits(asked: SyncClause) -> None:
    library: Clause = asked.clause
    retriever = adapters.langchain_retriever(library, scopes=[SCOPE])
    with pytest.raises(BadInputError, match="without await"):
        retriever.invoke(WHO)


STORE = "user:kiln-store"


@pytest.fixture
def store(asked: SyncClause) -> Iterator[Any]:
    """A store in a scope of its own, forgotten afterwards."""
    yield adapters.langgraph_store(asked, STORE)
    asked.forget(scope=STORE, confirm=True)


PUTS: list[tuple[tuple[str, ...], str, dict[str, Any] | None]] = [
    (("potters", "bao"), "glaze", {"text": "Bao likes a celadon glaze over white slip", "cone": 10}),
    (("potters", "bao"), "email", {"text": "write to bao@kiln.example", "cone": 0}),
    (("potters", "imre"), "glaze", {"text": "Imre fires tenmoku at cone nine", "cone": 9}),
    (("potters", "imre", "tools"), "rib", {"text": "the pear wood rib is cracked", "nested": {"a": [1, None]}}),
    (("yard",), "broom", {"text": "Nobody has seen the broom"}),
    (("potters", "bao"), "glaze", {"text": "Bao now prefers shino", "cone": 10}),
    (("yard",), "broom", None),
]


def test_a_langgraph_store_keeps_what_the_frameworks_own_one_keeps(store: Any) -> None:
    """The same operations, in LangGraph's store in memory and in ours: the same items, namespaces and filters."""
    from langgraph.store.memory import InMemoryStore

    own = InMemoryStore()
    for namespace, key, value in PUTS:
        for one in (own, store):
            one.delete(namespace, key) if value is None else one.put(namespace, key, value)

    def items(found: list[Any]) -> list[tuple[Any, ...]]:
        return sorted((one.namespace, one.key, json.dumps(one.value, sort_keys=True)) for one in found)

    for namespace, key, _ in PUTS:
        mine, theirs = store.get(namespace, key), own.get(namespace, key)
        assert (mine and mine.value) == (theirs and theirs.value)
    for prefix in ((), ("potters",), ("potters", "imre"), ("yard",), ("pot",)):
        assert items(store.search(prefix)) == items(own.search(prefix))
    for wanted in ({"cone": 10}, {"cone": {"$gte": 9}}, {"cone": {"$lt": 10, "$gt": 0}}, {"cone": {"$ne": 0}}):
        bao = ("potters", "bao")
        assert items(store.search(bao, filter=wanted)) == items(own.search(bao, filter=wanted))
    for wanted in ({"cone": 9}, {"nested": {"a": [1, None]}}, {"nowhere": 1}):
        assert items(store.search(("potters",), filter=wanted)) == items(own.search(("potters",), filter=wanted))
    assert [one.key for one in store.search(("potters",), filter={"cone": {"$gt": 9}})] == [
        "glaze"
    ]  # none where none is
    for asks in ({}, {"prefix": ("potters",)}, {"max_depth": 2}, {"suffix": ("tools",)}, {"prefix": ("*", "bao")}):
        theirs = {one for one in own.list_namespaces(**asks) if own.search(one)}  # theirs keeps what is empty again
        assert store.list_namespaces(**asks) == sorted(theirs)
    glaze = store.get(("potters", "bao"), "glaze")
    assert glaze.created_at < glaze.updated_at


async def test_a_langgraph_store_finds_by_meaning_and_pages(store: Any) -> None:
    for namespace, key, value in PUTS:
        if value:
            await store.aput(namespace, key, value)
    found = await store.asearch(("potters",), query="which tool is broken?", limit=2)
    assert found[0].key == "rib"
    assert found[0].score >= found[1].score
    for number in range(130):
        await store.aput(("counted",), f"n{number}", {"number": number})
    pages = [await store.asearch(("counted",), limit=50, offset=start) for start in (0, 50, 100)]
    assert [len(page) for page in pages] == [50, 50, 30]
    assert {one.value["number"] for page in pages for one in page} == set(range(130))


class Said(TypedDict):
    text: str


def test_a_graph_of_langgraph_remembers_across_threads(store: Any) -> None:
    from langgraph.graph import END, START, StateGraph
    from langgraph.store.base import BaseStore

    def node(state: Said, *, store: BaseStore) -> Said:
        if state["text"].startswith("remember "):
            store.put(("notes",), "last", {"text": state["text"].removeprefix("remember ")})
            return {"text": "noted"}
        found = store.get(("notes",), "last")
        return {"text": str(found.value["text"]) if found else "nothing"}

    graph = StateGraph(Said)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    compiled = graph.compile(store=store)
    assert compiled.invoke({"text": "what was it"})["text"] == "nothing"
    assert compiled.invoke({"text": "remember the kiln cools until Friday"})["text"] == "noted"
    assert compiled.invoke({"text": "what was it"})["text"] == "the kiln cools until Friday"
