"""The gate: what a candidate must not lose, and what must have been measured."""

from __future__ import annotations

from typing import Any

import pytest

from clause.errors import ConflictError, UnavailableError
from clause.evaluation.harness import GATE_TOLERANCE, AnswerOutcome, gate, gate_figures
from clause.evaluation.question_files import GoldQuestion
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.operations.promotion import Promotions
from tests.unit.graph.wires import ADDRESS, Naps, PlayedWire, away


def study(**changed: float) -> dict[str, Any]:
    figures = {"n": 50, "em_at_1": 0.9, "supported_f1": 0.6, "joint_feasible": 1.0, "right": 0.9, "answered": 0.95}
    return {"tight": {"3": {**figures, **changed}}}


def test_an_equal_or_better_candidate_passes() -> None:
    assert gate(study(), study()).passed
    assert gate(study(em_at_1=0.95, supported_f1=0.7), study()).passed


def test_a_loss_within_the_noise_passes() -> None:
    assert gate(study(em_at_1=0.9 - GATE_TOLERANCE / 2), study()).passed


def test_every_loss_is_named() -> None:
    verdict = gate(study(em_at_1=0.8, supported_f1=0.5), study())
    assert not verdict.passed
    assert verdict.reasons == (
        "em_at_1 on set 3 (tight budgets) falls from 0.9000 to 0.8000",
        "supported_f1 on set 3 (tight budgets) falls from 0.6000 to 0.5000",
    )


def test_an_infeasible_candidate_stays_behind() -> None:
    verdict = gate(study(joint_feasible=0.99), study())
    assert verdict.reasons == ("1.00% of the answers on set 3 (tight budgets) exceed a budget",)


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        ({"n": 200, "answered": 0.4, "named": 1.0}, "of its 200 questions neither policy answers any rightly"),
        ({"n": 200, "answered": 0.0, "named": 0.3}, "of its 200 questions none was answered"),
        ({"n": 200, "answered": 0.0, "named": 0.0}, "of its 200 questions none of them names anything in this scope"),
    ],
)
def test_a_gate_that_measured_nothing_refuses(measured: dict[str, float], reason: str) -> None:
    nothing = study(em_at_1=0.0, supported_f1=0.0, right=0.0, **measured)
    assert gate(nothing, nothing).reasons == (f"the gate measured nothing: {reason}",)
    assert gate(study(**measured), nothing).passed


async def test_a_rollback_whose_answer_was_lost_is_not_done_twice() -> None:
    """Whoever hears nothing looks first: a second try would go back one step more than was asked for."""
    back = {"scope": "kg:mine", "policy": "first", "before": [""], "chosen_at": None, "chosen_by": "owner"}
    wire = PlayedWire([away(unknown=True), [[back]], [[]]])
    async with Graph(ADDRESS, Catalogue.load(), wire=wire, sleep=Naps()) as graph:
        unused: Any = None
        promotions = Promotions(graph, unused, unused)
        with pytest.raises(UnavailableError):
            await promotions.rollback("kg:mine", Caller())
        assert len(wire.sent) == 1
        assert (await promotions.rollback("kg:mine", Caller())).policy == "first"
        with pytest.raises(ConflictError, match="nothing was chosen"):
            await promotions.rollback("kg:mine", Caller())


def test_a_few_questions_are_no_gate() -> None:
    assert gate(study(n=4), study(n=4)).reasons == ("the gate has 4 questions and needs 5",)


def test_what_is_withheld_is_no_answer() -> None:
    asked = [GoldQuestion("who tuned the organ", ("Ada",)), GoldQuestion("who broke it", ())]
    withheld = [AnswerOutcome((("Ada", 0.4),), frozenset({"Ada"}), abstained=True), AnswerOutcome(abstained=True)]
    found = gate_figures(asked, withheld)
    assert (found["em_at_1"], found["answered"], found["right"]) == (0.5, 0.0, 0.0)
