"""Digests of answers and what differs between two of them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.answer.run_record import differences, digest_of, make_receipt
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.models import AgentHandoff, CoordinationResponse
from clause.reasoning.models.answer import Difference


def response(score: float = 0.9, *, milliseconds: float = 1.0, run_id: str | None = None) -> CoordinationResponse:
    handoffs = [
        AgentHandoff(step=step, agent=agent, action="did", budget_used={"edges": 1}, latency_ms=milliseconds)
        for step, agent in enumerate(("SubgraphArchitect", "PathNavigator", "ContextCurator"), start=1)
    ]
    return CoordinationResponse(
        result={
            "answers": [{"node": "mann", "name": "Mann", "answer_score": score, "path_ids": ["path_1"]}],
            "path": {"nodes": ["heat", "mann"]},
            "paths": [{"id": "path_1"}],
            "subgraph": {"nodes": ["heat"], "edges": []},
            "evidence": [
                {"text": "Heat directed by Mann.", "tokens": 6, "score": 0.5, "shaped_utility": 0.4, "provenance": None}
            ],
            "seeds": [{"id": "heat", "name": "Heat", "score": 1.0, "reason": "exact"}],
            "abstained": False,
            "reason": None,
        },
        agent_handoffs=handoffs,
        conflicts_detected=0,
        conflicts_resolved=0,
        performance={"total_latency_ms": milliseconds},
        receipt=make_receipt([], Budgets(), Prices()),
        run_id=run_id,
    )


def test_run_ids_and_milliseconds_are_no_part_of_a_digest() -> None:
    one, other = digest_of(response()), digest_of(response(milliseconds=99.0, run_id="01J"))
    assert one == other
    assert differences(one, other) == []


def test_another_score_is_found_by_its_path() -> None:
    found = differences(digest_of(response(0.9)), digest_of(response(0.8)))
    assert found == [Difference(path="answers[0].answer_score", recorded=0.9, fresh=0.8)]


def test_an_answer_that_found_nothing_has_a_digest() -> None:
    empty = CoordinationResponse(
        result={},
        agent_handoffs=response().agent_handoffs,
        conflicts_detected=0,
        conflicts_resolved=0,
        performance={},
    )
    paths = {difference.path for difference in differences(digest_of(response()), digest_of(empty))}
    assert "answers[0]" in paths
    assert "subgraph.nodes" in paths


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=3), values, max_size=4))
def test_nothing_differs_from_itself(digest: dict[str, Any]) -> None:
    assert differences(digest, digest) == []


@given(st.lists(st.integers(), max_size=5), st.lists(st.integers(), max_size=5))
def test_lists_differ_place_by_place(one: list[int], other: list[int]) -> None:
    found = {difference.path for difference in differences({"x": one}, {"x": other})}
    longest = max(len(one), len(other))
    assert found == {f"x[{place}]" for place in range(longest) if one[place : place + 1] != other[place : place + 1]}
