"""Mode `agent`: what its tools cost to be told, and what their answers cost; prompts, templates, and who is told of a
change."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validate
from mcp.shared.exceptions import MCPError

from clause.errors import NotFoundError, SettingsError
from clause.mcp_bridge.server import offered
from clause.mcp_bridge.short_answer import MOST_TOKENS, ShortAnswer, shortened, walked, whole_answer
from clause.mcp_bridge.tool import Tool
from clause.reasoning.models import Answer, AnswerPath, CoordinationResponse, CoordinationResult, SelectedEvidence
from clause.reasoning.models.answer import AnswerReading, ProvenanceMetadata, TrustSignals
from clause.settings import Settings
from clause.text.tokens import count_tokens
from tests.unit.api.fakes import FakeContainer, FakeCoordinator
from tests.unit.mcp_bridge.conftest import Connect

MOST_DEFINED = 2500
AT = "2026-01-01T00:00:00Z"


def proof(text: str, uri: str = "kb.txt", node: str | None = None) -> SelectedEvidence:
    trust = TrustSignals(reputation_score=0.5, recency_score=1, semantic_consistency=0.5)
    told = ProvenanceMetadata(
        source_uri=uri, extraction_timestamp=AT, extractor_identity="x", supporting_evidence="", corroboration_count=0,
        verification_status="unverified", trust_signals=trust,
    )  # fmt: skip
    return SelectedEvidence(text=text or "-", tokens=1, score=1, shaped_utility=1, provenance=told, node=node)


def reading(words: str) -> AnswerReading:
    return AnswerReading(id="r1", words=words, probability=0.7)


def response(**result: Any) -> CoordinationResponse:
    handoff = {"agent": "ContextCurator", "action": "a", "budget_used": {}, "latency_ms": 0}
    return CoordinationResponse(
        result=CoordinationResult(**result),
        agent_handoffs=[{"step": step, **handoff} for step in (1, 2, 3)],  # type: ignore[list-item]
        conflicts_detected=0,
        conflicts_resolved=0,
        performance={},
        run_id="01JD7W9ZB6V3Q7T5N9S4E2M8XK",
    )


def size(answer: ShortAnswer) -> int:
    return count_tokens(
        json.dumps({"success": True, **answer.model_dump(mode="json", exclude_none=True)}, ensure_ascii=False)
    )


def answers(*names: str) -> tuple[Answer, ...]:
    return tuple(Answer(node=f"n{place}", name=name, answer_score=0.987654) for place, name in enumerate(names))


async def test_the_tools_of_an_agent_cost_little_to_be_told(connect: Connect) -> None:
    async with connect(mode="agent") as client:
        listed = await client.list_tools()
    told = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert len(listed.tools) == 8
    assert count_tokens(json.dumps(told)) <= MOST_DEFINED


def test_few_answers_are_told_whole() -> None:
    found = response(answers=answers("Kes"), evidence=(proof("Kes directed by Ken Loach."),), readings=(reading("x"),))
    short = shortened(found)
    assert short == whole_answer(found)
    assert (short.answers[0].score, short.left_out, short.evidence[0].source) == (0.99, None, "kb.txt")


def test_many_answers_and_long_texts_share_the_room_and_the_rest_is_counted() -> None:
    many = tuple(f"A film with the number {place}" for place in range(300))
    texts = tuple(proof(f"{place} " + "the tower of the old town " * 200) for place in range(40))
    short = shortened(response(answers=answers(*many), evidence=texts, readings=(reading("long " * 500),) * 9))
    assert size(short) <= MOST_TOKENS
    assert len(short.answers) >= 5
    assert len(short.evidence) >= 2
    assert short.left_out == {"answers": 300 - len(short.answers), "readings": 6, "evidence": 40 - len(short.evidence)}


def test_many_answers_without_evidence_get_its_room() -> None:
    short = shortened(response(answers=answers(*(f"Film {place}" for place in range(300)))))
    assert 500 < size(short) <= MOST_TOKENS


words = st.text(max_size=3000) | st.sampled_from(
    ["\u06de" * 900, "\U0001f9ff" * 400, "\u6f22\u5b57" * 2000, '"\\\n' * 800, ""]
)


@given(
    names=st.lists(words, max_size=60),
    texts=st.lists(st.tuples(words, words), max_size=20),
    meanings=st.lists(words, max_size=6),
    reason=st.none() | words,
)
def test_whatever_is_found_a_short_answer_is_short(
    names: list[str], texts: list[tuple[str, str]], meanings: list[str], reason: str | None
) -> None:
    found = response(
        answers=answers(*names),
        evidence=tuple(proof(text, uri) for text, uri in texts),
        readings=tuple(map(reading, meanings)),
        reason=reason,
    )
    assert size(shortened(found)) <= MOST_TOKENS


def test_a_belief_is_named_by_its_id_and_a_source_is_said_once() -> None:
    found = response(
        evidence=(proof("a", "neo4j://belief/01X", "01X"), proof("b"), proof("c"), proof("d", "other.txt"))
    )
    told = [(one.id, one.source) for one in whole_answer(found).evidence]
    assert told == [("01X", None), (None, "kb.txt"), (None, None), (None, "other.txt")]


def test_an_id_is_that_of_the_text_whatever_its_source_and_never_that_of_another_node() -> None:
    found = response(
        evidence=(
            proof("a triple", "neo4j://entity/kes"),
            proof("a belief of a source", "https://a.org", "b1"),
            proof("a passage of a document", "kb.txt", "p1"),
            proof("a passage of a document without a uri", "neo4j://document/d1", "p2"),
            proof("a belief without a source", "neo4j://belief/b2", "b2"),
            proof("another passage", "kb.txt", "p3"),
        )
    )
    told = [(one.id, one.source) for one in whole_answer(found).evidence]
    assert told == [(None, None), ("b1", "https://a.org"), ("p1", "kb.txt"), ("p2", "itself"), ("b2", None),
                    ("p3", "kb.txt")]  # fmt: skip


def test_without_provenance_no_source_is_made_up() -> None:
    bare = [proof("a", node="b1").model_copy(update={"provenance": None}) for _ in range(2)]
    assert [(one.id, one.source) for one in whole_answer(response(evidence=bare)).evidence] == [("b1", None)] * 2


def test_a_walk_is_one_line_with_the_directions_that_are_stored() -> None:
    path = AnswerPath(
        nodes=({"id": "1", "name": "Kes"}, {"id": "2", "name": "Ken Loach"}, {"id": "3", "name": "Riff-Raff"}),  # type: ignore[arg-type]
        edges=(
            {"from": "1", "relation": "directed_by", "to": "2"},
            {"from": "3", "relation": "directed_by", "to": "2"},
        ),  # type: ignore[arg-type]
    )
    line = "Kes --directed_by--> Ken Loach <--directed_by-- Riff-Raff"
    assert walked(path) == line
    found = response(path=path)
    assert (whole_answer(found, paths=True).paths, whole_answer(found).paths) == ([line], None)


async def test_an_answer_is_what_its_schema_says(connect: Connect, container: FakeContainer) -> None:
    container.coordinator = FakeCoordinator()
    container.coordinator.result = {"answers": [], "abstained": True, "reason": "nothing is known of it"}
    async with connect(mode="agent") as client:
        (ask,) = [tool for tool in (await client.list_tools()).tools if tool.name == "ask"]
        for detail in ("short", "paths"):
            answer = (await client.call_tool("ask", {"query": "who built it", "detail": detail})).structured_content
            validate(answer, ask.output_schema)
            assert (answer["abstained"], answer["reason"]) == (True, "nothing is known of it")
    assert container.coordinator.asked[0].query == "who built it"


async def test_one_tool_asks_what_the_other_one_asks(connect: Connect, container: FakeContainer) -> None:
    container.coordinator = FakeCoordinator()
    async with connect(mode="agent") as client:
        brief = (await client.call_tool("ask", {"query": "who built it"})).structured_content
    async with connect(mode="full") as client:
        short = (await client.call_tool("coordinate", {"query": "who built it"})).structured_content
        whole = (await client.call_tool("coordinate", {"query": "who built it", "detail": "all"})).structured_content
    assert brief == short
    assert "agent_handoffs" in whole
    assert "agent_handoffs" not in short


def test_an_allow_list_offers_what_it_names() -> None:
    settings = Settings(tools=" ask, run_explain,ask ,")
    assert [tool.name for tool in offered("agent", settings.tool_names)] == ["ask", "run_explain"]
    (brief,), (long,) = offered("agent", ["belief_query"]), offered("full", ["belief_query"])
    assert brief.gives is not None
    assert long.gives is None
    with pytest.raises(SettingsError, match="did you mean belief_query"):
        offered("agent", ["belief_qeury"])


async def test_prompts_are_offered_where_their_tools_are(connect: Connect) -> None:
    async with connect(mode="agent") as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["what_do_you_know"]
        told = await client.get_prompt("what_do_you_know", {"about": " the {tower} "})
        assert "about the {tower}?" in told.messages[0].content.text  # type: ignore[union-attr]
        for name, arguments in (("what_do_you_know", {}), ("what_do_you_know", {"what": "x"}), ("retro", {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, arguments)
    async with connect(mode="full") as client:
        assert len((await client.list_prompts()).prompts) == 3
        assert "validate_value" in (await client.get_prompt("retro")).messages[0].content.text  # type: ignore[union-attr]


async def test_a_resource_for_each_id_is_read_by_its_address(connect: Connect, container: FakeContainer) -> None:
    asked: list[str] = []

    async def get(name: str, **_: Any) -> Any:
        asked.append(name)
        if name == "nobody":
            raise NotFoundError("no belief 'nobody'")
        return {"id": name}

    service = SimpleNamespace(get=get)
    container.rooms = SimpleNamespace(knowledge=SimpleNamespace(beliefs=service, entities=service))
    async with connect() as client:
        listed = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in listed] == [
            f"clause://{kind}/{{id}}" for kind in ("belief", "entity", "run")
        ]
        await client.read_resource("clause://belief/01X")
        await client.read_resource("clause://entity/Ken%20Loach")
        assert asked == ["01X", "Ken Loach"]
        for uri in ("clause://belief/nobody", "clause://belief/", "clause://beliefs/01X"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


@pytest.mark.parametrize(("mode", "more"), [("full", ""), ("agent", ", which a larger CLAUSE_MODE offers,")])
async def test_the_rest_of_a_long_resource_is_a_tools_to_tell(
    connect: Connect, container: FakeContainer, mode: str, more: str
) -> None:
    async def get(*_: Any) -> Any:
        return {"id": "01R", "steps": [f"step {place}" for place in range(2000)]}

    container.runs = SimpleNamespace(get=get)
    async with connect(mode=mode, mcp_tokens=1000) as client:
        (content,) = (await client.read_resource("clause://run/01R")).contents
    page = json.loads(content.text)  # type: ignore[union-attr]
    assert count_tokens(content.text) <= 1000  # type: ignore[union-attr]
    assert "next_cursor" not in page
    assert page["note"] == f"there is more: the tool run_explain{more} tells it in pages"
    assert 50 < len(page["steps"]) < 2000


async def test_who_watches_a_resource_is_told_that_it_changed(connect: Connect, container: FakeContainer) -> None:
    class Kept:
        async def write(self, *_: Any, **__: Any) -> Any:
            return SimpleNamespace(memory_id="m1", scope="public")

    container.rooms = SimpleNamespace(memory=SimpleNamespace(store=Kept()))
    async with connect(mode="agent") as client, client.listen(resource_subscriptions=["clause://stats"]) as changes:
        await client.call_tool("memory_write", {"content": "the tower is old"})
        event = await asyncio.wait_for(anext(aiter(changes)), 5)
        assert event.uri == "clause://stats"  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", offered("full"), ids=lambda tool: tool.name)
def test_a_result_is_outlined_by_the_fields_of_its_model(tool: Tool) -> None:
    outline = tool.definition().output_schema
    assert outline is not None
    told = outline["properties"]
    if tool.name in {
        "coordinate",
        "graph_query",
        "get_active_ghap",
        "search_experiences",
    }:  # several shapes
        assert set(told) == {"success", "next_cursor", "error"}
        return
    own = set(told) - {"success", "next_cursor", "error"}
    assert own
    rows = told["items"].get("items", {}).get("properties", own) if own == {"items"} else own
    assert not {"embedding", "vector"} & set(rows) or tool.name == "memory_read"
