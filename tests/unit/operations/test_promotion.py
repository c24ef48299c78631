"""The gate: what a candidate must not lose."""

from __future__ import annotations

from typing import Any

from clause.operations.promotion import TOLERANCE, gate


def study(**changed: float) -> dict[str, Any]:
    return {"tight": {"3": {"em_at_1": 0.9, "supported_f1": 0.6, "joint_feasible": 1.0, **changed}}}


def test_an_equal_or_better_candidate_passes() -> None:
    assert gate(study(), study()).passed
    assert gate(study(em_at_1=0.95, supported_f1=0.7), study()).passed


def test_a_loss_within_the_noise_passes() -> None:
    assert gate(study(em_at_1=0.9 - TOLERANCE / 2), study()).passed


def test_every_loss_is_named() -> None:
    verdict = gate(study(em_at_1=0.8, supported_f1=0.5), study())
    assert not verdict.passed
    assert verdict.reasons == (
        "em_at_1 on 3 hops (tight budgets) falls from 0.9000 to 0.8000",
        "supported_f1 on 3 hops (tight budgets) falls from 0.6000 to 0.5000",
    )


def test_an_infeasible_candidate_stays_behind() -> None:
    verdict = gate(study(joint_feasible=0.99), study())
    assert verdict.reasons == ("1.00% of 3-hop answers exceed a tight budget",)
