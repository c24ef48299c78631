"""The adapters with the real packages of their frameworks, on a real graph; no language model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
