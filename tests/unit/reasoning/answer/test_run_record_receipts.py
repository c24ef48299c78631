"""Receipts are a pure function of the recorded steps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.agents.policy import LeftOut
from clause.reasoning.answer.run_record import RunRecord, make_receipt
from clause.reasoning.episode.actions import (
    ARCHITECT,
    CURATOR,
    NAVIGATOR,
    AddBundle,
    AddEdge,
    Backtrack,
    Continue,
    Delete,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import Budgets, Prices, Spend, Unit
from clause.reasoning.episode.episode import Step
from clause.reasoning.episode.steps import VISITED_OF_A_STEP, StepRecord, step_records
from clause.reasoning.neighbourhood.port import Edge, Hop

DIRECTED = Hop("directed_by", True)
EDGES = (Edge("heat", "directed_by", "mann"), Edge("blade", "directed_by", "scott"))
POOL = [Unit("heat|directed_by|mann", "Heat directed by Mann.", 6, "triple", edge=EDGES[0])]
LOG = [
    Step(ARCHITECT, AddBundle(0, DIRECTED, 2), Spend(edges=2), EDGES, 0.7),
    Step(ARCHITECT, AddEdge(EDGES[0]), Spend(edges=1), EDGES[:1]),
    Step(ARCHITECT, Delete(EDGES[1:]), Spend(edges=1), EDGES[1:]),
    Step(ARCHITECT, Stop("BUDGET_EXHAUSTED"), Spend()),
    Step(NAVIGATOR, Continue(DIRECTED), Spend(steps=1), EDGES, 0.9),
    Step(NAVIGATOR, Backtrack(), Spend(steps=1)),
    Step(NAVIGATOR, Stop("COMPLETE"), Spend()),
    Step(CURATOR, Pick(0), Spend(tokens=6), (), 0.8),
    Step(CURATOR, Stop("GAIN_NEGATIVE"), Spend()),
]
MISSED = {ARCHITECT: [LeftOut("alien", 1, 0.6)], NAVIGATOR: [None], CURATOR: [LeftOut("a text", 40, 0.1)]}


@pytest.fixture
def steps() -> list[StepRecord]:
    return step_records(LOG, POOL, MISSED)


def test_steps_keep_order_cost_and_what_they_were_about(steps: list[StepRecord]) -> None:
    assert [step.index for step in steps] == list(range(1, 10))
    assert [step.action for step in steps] == [
        "ADD", "ADD", "DELETE", "STOP", "CONTINUE", "BACKTRACK", "STOP", "PICK", "STOP",
    ]  # fmt: skip
    assert steps[0].detail["edges"] == [list(edge) for edge in EDGES]
    assert (steps[0].detail["relation"], steps[0].detail["forward"], steps[0].score) == ("directed_by", True, 0.7)
    assert steps[4].visited == ("mann", "scott")
    assert steps[7].detail == {"unit": "heat|directed_by|mann", "kind": "triple"}
    assert steps[3].left_out is not None
    assert steps[3].left_out.what == "alien"
    assert steps[6].left_out is None


def test_a_backward_hop_visits_the_heads() -> None:
    (step,) = step_records([Step(NAVIGATOR, Continue(DIRECTED.inverse), Spend(steps=1), EDGES)], [], {})
    assert step.visited == ("heat", "blade")


def test_a_step_over_a_hub_names_a_bounded_number_of_nodes() -> None:
    edges = tuple(Edge("hub", "tags", str(number)) for number in range(1000))
    (step,) = step_records([Step(NAVIGATOR, Continue(Hop("tags", True)), Spend(steps=1), edges)], [], {})
    assert len(step.visited) == VISITED_OF_A_STEP


def test_a_receipt_says_what_each_resource_cost_and_what_stopped_its_agent(steps: list[StepRecord]) -> None:
    receipt = make_receipt(steps, Budgets(4, 10, 2048, token_margin=8), Prices(0.02, 0.03, 0.5))
    edges, walked, tokens = receipt.edges, receipt.steps, receipt.tokens
    assert (edges.budget, edges.spent, edges.unit, edges.stopped_by) == (4, 4, "edge", "budget")
    assert edges.paid == pytest.approx(0.08)
    assert edges.best_left_out is not None
    assert edges.best_left_out.model_dump() == {"what": "alien", "would_cost": 1, "score": 0.6}
    assert (walked.spent, walked.unit, walked.stopped_by, walked.best_left_out) == (2, "step", "stop", None)
    assert walked.paid == pytest.approx(0.06)
    assert (tokens.spent, tokens.unit, tokens.stopped_by) == (6, "100 tokens", "gain")
    assert tokens.paid == pytest.approx(0.03)
    assert receipt.token_margin == 8


def test_a_later_round_decides_what_stopped_an_agent() -> None:
    log = [
        Step(ARCHITECT, Stop("GAIN_NEGATIVE"), Spend()),
        Step(ARCHITECT, Stop("NO_CANDIDATES"), Spend()),
    ]
    left_out = {ARCHITECT: [LeftOut("first", 1, 0.1), LeftOut("second", 2, 0.2)]}
    receipt = make_receipt(step_records(log, [], left_out), Budgets(), Prices())
    assert receipt.edges.stopped_by == "nothing_left"
    assert receipt.edges.best_left_out is not None
    assert receipt.edges.best_left_out.what == "second"
    assert receipt.tokens.stopped_by == "nothing_left"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 500)), max_size=20))
def test_what_was_spent_is_the_sum_of_the_steps(costs: list[tuple[int, int, int]]) -> None:
    log = []
    for edges, hops, tokens in costs:
        log.append(Step(ARCHITECT, AddEdge(EDGES[0]), Spend(edges=edges)))
        log.append(Step(NAVIGATOR, Backtrack(), Spend(steps=hops)))
        log.append(Step(CURATOR, Pick(0), Spend(tokens=tokens)))
    receipt = make_receipt(step_records(log, POOL, {}), Budgets(), Prices())
    assert receipt.edges.spent == sum(cost[0] for cost in costs)
    assert receipt.steps.spent == sum(cost[1] for cost in costs)
    assert receipt.tokens.spent == sum(cost[2] for cost in costs)
    assert receipt.tokens.paid == pytest.approx(0.01 * receipt.tokens.spent / 100)


def test_a_receipt_is_recomputed_from_the_recorded_run(steps: list[StepRecord]) -> None:
    budgets, prices = Budgets(4, 10, 2048), Prices()
    run = RunRecord(
        id="1",
        scope="public",
        scopes=("public",),
        query="who?",
        request={},
        digest={},
        policy="heuristic",
        budgets=budgets,
        prices=prices,
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
        steps=tuple(steps),
    )
    read = RunRecord.model_validate_json(run.model_dump_json())
    assert make_receipt(read.steps, read.budgets, read.prices) == make_receipt(steps, budgets, prices)
