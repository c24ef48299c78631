"""The accuracy-cost frontier: supported F1 where budgets bind, and as prices rise, beside a null model.

Differences are paired by question; their intervals are of the percentile bootstrap (95 %).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from clause.evaluation.bootstrap import Difference, paired_bootstrap
from clause.evaluation.harness import Progress, ask_all, mean, summarise, supported_f1
from clause.evaluation.questions import Question
from clause.evaluation.system import System
from clause.reasoning.budget import Budgets, Prices

AMPLE = Budgets(edges=200, steps=10, tokens=2048)
"""Where prices are what binds."""

SHOWN = (
    *("supported_f1", "supported_em", "em_at_1", "f1", "edges_mean", "edges_read_mean", "steps_mean", "tokens_mean"),
    *("p50_ms", "p95_ms", "violations", "joint_feasible"),
)
"""What a row tells of `Row`; the milliseconds are of the episode alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the frontier: limits and prices."""

    budgets: Budgets
    prices: Prices

    @property
    def about(self) -> dict[str, float]:
        """Limits and prices by name."""
        budgets, prices = self.budgets, self.prices
        limits = {"edge_budget": budgets.edges, "step_budget": budgets.steps, "token_budget": budgets.tokens}
        return {**limits, "edge_price": prices.edge, "latency_price": prices.latency, "token_price": prices.token}


MakeSystem = Callable[[str, Cell], System]
"""(policy, cell) -> who answers."""

AfterCell = Callable[[int, int], Awaitable[None]]
"""Told (done, total) after each; what it raises ends the study."""


def grid(edges: Sequence[int], tokens: Sequence[int], steps: Sequence[int]) -> list[Cell]:
    """Every combination of limits, at the default prices.

    >>> len(grid([5, 10, 20], [64, 128, 256], [3, 6]))
    18
    """
    return [Cell(Budgets(e, s, t), Prices()) for e, t, s in product(edges, tokens, steps)]


def priced(prices: Sequence[float], budgets: Budgets = AMPLE) -> list[Cell]:
    """One price for edges, steps and 100 tokens alike, where limits are ample.

    >>> priced([0.5])[0].prices
    Prices(edge=0.5, latency=0.5, token=0.5)
    """
    return [Cell(budgets, Prices(price, price, price)) for price in prices]


async def frontier_study(
    make: MakeSystem,
    policies: Sequence[str],
    against: str,
    questions: Sequence[Question],
    *,
    limits: Sequence[Cell],
    prices: Sequence[Cell] = (),
    clients: int = 1,
    command: str = "",
    progress: Progress = lambda _done, _total: None,
    after_cell: AfterCell | None = None,
) -> dict[str, Any]:
    """The rows of every policy and cell with the difference to `against`, and for each policy the mean over the grid.

    Raises:
        ValueError: there are no questions.
    """
    names = [*dict.fromkeys([*policies, against])]
    cells = [*limits, *prices]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    scores: dict[str, list[list[float]]] = {name: [] for name in names}
    for place, (cell, name) in enumerate(product(cells, names), start=1):
        outcomes = await ask_all(make(name, cell), questions, clients=clients)
        summary: Mapping[str, Any] = summarise(questions, outcomes)
        rows[name].append({"policy": name, **cell.about, **{key: summary[key] for key in SHOWN}})
        scores[name].append(list(map(supported_f1, questions, outcomes)))
        progress(place, len(cells) * len(names))
        if after_cell is not None:
            await after_cell(place, len(cells) * len(names))
    for name in set(names) - {against}:
        for row, ours, theirs in zip(rows[name], scores[name], scores[against], strict=True):
            row["difference"] = paired_bootstrap(ours, theirs)._asdict()
    count = len(limits)
    return {
        "against": against,
        "n": len(questions),
        "grid": [row for at in range(count) for row in (rows[name][at] for name in names)],
        "average": {name: _average(rows[name][:count], scores[name][:count], scores[against][:count]) for name in names}
        if count
        else {},
        "prices": [row for at in range(count, len(cells)) for row in (rows[name][at] for name in names)],
        "command": command,
    }


def _average(
    rows: Sequence[Mapping[str, Any]], ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]
) -> dict[str, Any]:
    """The mean over the cells, question by question, and how many cells are significantly above or below."""
    means, others = ([sum(column) / len(column) for column in zip(*table, strict=True)] for table in (ours, theirs))
    found = {"supported_f1": mean(means), "violations": sum(row["violations"] for row in rows)}
    if "difference" not in rows[0]:
        return found
    cells = [Difference(**row["difference"]) for row in rows]
    return {
        **found,
        "difference": paired_bootstrap(means, others)._asdict(),
        "cells": len(cells),
        "significantly_above": sum(cell.low > 0 for cell in cells),
        "significantly_below": sum(cell.high < 0 for cell in cells),
        "most_below": min(cell.mean for cell in cells),
    }
