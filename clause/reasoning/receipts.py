"""Receipts: for each resource what was allowed, spent and paid, what stopped its agent, and the best thing left out.

A receipt is a pure function of the recorded steps, the budgets and the prices, so that it can be recomputed from a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from clause.reasoning.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.budget import TOKENS_PER_PRICE_UNIT, Budgets, Prices, Resource
from clause.reasoning.models_text import Model
from clause.reasoning.run_record import RunRecord
from clause.reasoning.steps import LeftOutItem, StepRecord

StoppedBy = Literal["budget", "gain", "stop", "nothing_left"]
_STOPPED_BY: dict[str, StoppedBy] = {
    "BUDGET_EXHAUSTED": "budget",
    "GAIN_NEGATIVE": "gain",
    "COMPLETE": "stop",
    "NO_CANDIDATES": "nothing_left",
}


class ResourceReceipt(Model):
    """One resource's line. `paid` = price * spent, in the price's unit."""

    budget: int = Field(ge=0, description="the hard limit")
    spent: int = Field(ge=0, description="never above the limit less the margin")
    price: float = Field(ge=0, description="the request's multiplier")
    unit: str = Field(description="what the price is for")
    paid: float = Field(ge=0, description="price times what was spent, in the price's unit")
    stopped_by: StoppedBy = Field(description="which constraint stopped the agent")
    best_left_out: LeftOutItem | None = Field(None, description="the best thing left out; null where nothing was")


class Receipt(Model):
    """The three lines of an answer's receipt."""

    edges: ResourceReceipt
    steps: ResourceReceipt
    tokens: ResourceReceipt
    token_margin: int = Field(0, ge=0, description="tokens kept free of the token budget")


def make_receipt(steps: Sequence[StepRecord], budgets: Budgets, prices: Prices) -> Receipt:
    """The receipt of an episode.

    >>> make_receipt([], Budgets(), Prices()).tokens.unit
    '100 tokens'
    """

    def line(agent: Agent, resource: Resource, price: float, unit: str, size: int = 1) -> ResourceReceipt:
        mine = [step for step in steps if step.agent == agent]
        spent = sum(int(getattr(step, resource)) for step in mine)
        last = next((step for step in reversed(mine) if step.action == "STOP"), None)
        return ResourceReceipt(
            budget=budgets.of(resource),
            spent=spent,
            price=price,
            unit=unit,
            paid=round(price * spent / size, 12),
            stopped_by=_STOPPED_BY[last.reason or "COMPLETE"] if last else "nothing_left",
            best_left_out=last.left_out if last else None,
        )

    return Receipt(
        edges=line(ARCHITECT, "edges", prices.edge, "edge"),
        steps=line(NAVIGATOR, "steps", prices.latency, "step"),
        tokens=line(CURATOR, "tokens", prices.token, f"{TOKENS_PER_PRICE_UNIT} tokens", TOKENS_PER_PRICE_UNIT),
        token_margin=budgets.token_margin,
    )


def recompute_receipt(run: RunRecord) -> Receipt:
    """The receipt of a recorded run, from its steps, budgets and prices alone."""
    return make_receipt(run.steps, run.budgets, run.prices)
