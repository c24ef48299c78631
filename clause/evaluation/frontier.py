"""The accuracy-cost frontier: supported F1 where budgets bind, beside a null model, as a study and as a job.

Differences are paired by question; their intervals are of the percentile bootstrap (95 %).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import BadInputError
from clause.evaluation.harness import System, ask_all, mean, summarise, supported_f1
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import PlayedSystem, Stage
from clause.graph.lease import Lease
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import AMPLE, Budgets, Prices
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.preparation import Asker
from clause.telemetry import CountProgress, silent_count

CHUNK_CELLS = 2_000_000  # draws held in memory at once


class MeanDifference(NamedTuple):
    """Mean of first - second, and its percentile interval."""

    mean: float
    low: float
    high: float


def paired_bootstrap(first: Sequence[float], second: Sequence[float], *, resamples: int = 2_000) -> MeanDifference:
    """The 95 % percentile interval of mean(first - second), questions drawn with replacement by seed 0.

    Element i of both belongs to question i. Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Raises:
        ValueError: the lengths differ, or there is no question.

    >>> paired_bootstrap([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    MeanDifference(mean=0.5, low=0.5, high=0.5)
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if len(first) != len(second) or differences.size == 0:
        raise ValueError(f"paired samples of one length are needed, at least 1; got {len(first)} and {len(second)}")
    rng = np.random.default_rng(0)
    chunk = max(1, CHUNK_CELLS // differences.size)
    means = np.concatenate(
        [
            differences[rng.integers(0, differences.size, size=(min(chunk, resamples - start), differences.size))].mean(
                1
            )
            for start in range(0, resamples, chunk)
        ]
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return MeanDifference(float(differences.mean()), float(low), float(high))


SHOWN = (
    *("supported_f1", "supported_em", "em_at_1", "f1", "edges_mean", "edges_read_mean", "steps_mean", "tokens_mean"),
    *("p50_ms", "p95_ms", "violations", "joint_feasible"),
)
"""The fields of `Row` that a row tells; the milliseconds are of the episode alone."""


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
    questions: Sequence[GoldQuestion],
    *,
    limits: Sequence[Cell],
    prices: Sequence[Cell] = (),
    clients: int = 1,
    command: str = "",
    progress: CountProgress = silent_count,
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
        found = await ask_all(make(name, cell), questions, clients=clients)
        outcomes = [  # where nothing answers, to withhold a candidate is right
            replace(one, answers=()) if one.abstained and not asked.answers else one
            for asked, one in zip(questions, found, strict=True)
        ]
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
    cells = [MeanDifference(**row["difference"]) for row in rows]
    return {
        **found,
        "difference": paired_bootstrap(means, others)._asdict(),
        "cells": len(cells),
        "significantly_above": sum(cell.low > 0 for cell in cells),
        "significantly_below": sum(cell.high < 0 for cell in cells),
        "most_below": min(cell.mean for cell in cells),
    }


MOST_QUESTIONS = 500

Limits = Annotated[tuple[Annotated[int, Field(ge=1, le=8192)], ...], Field(max_length=6)]
Name = Annotated[str, Field(max_length=200)]


class OwnQuestion(BaseModel):
    """One question with all its right answers, by name; none means that abstaining is right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Annotated[str, Field(min_length=1, max_length=2000)]
    answers: Annotated[tuple[Name, ...], Field(max_length=1000)]
    entity: Name | None = None


class FrontierParameters(BaseModel):
    """The parameters of the job `evaluate_frontier`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: Annotated[tuple[OwnQuestion, ...], Field(min_length=1, max_length=MOST_QUESTIONS)]
    policy: Name | None = None
    against: Name = "heuristic"
    edges: Limits = (5, 10, 20)
    tokens: Limits = (64, 128, 256)
    steps: Limits = (3, 6)
    prices: Annotated[tuple[Annotated[float, Field(ge=0, le=1)], ...], Field(max_length=6)] = ()


async def evaluate_frontier(lease: Lease, *, asker: Asker, coordinator: Coordinator) -> None:
    """Measure in the job's scope alone; `cursor.frontier` then holds what `clause evaluate frontier --json` prints.

    Raises:
        BadInputError: the parameters are not those of `FrontierParameters`.
        NotFoundError: there is no such policy.
    """
    try:
        asked = FrontierParameters.model_validate(lease.job.parameters)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadInputError(f"parameters.{where}: {first['msg']}", field=f"parameters.{where}") from error
    policy = asked.policy or coordinator.policies.default
    for name in (policy, asked.against):
        coordinator.policies[name]
    stage = Stage(asker, coordinator, View((lease.job.scope,)), "text")

    def system(name: str, cell: Cell) -> System:
        return PlayedSystem(stage, name, lambda _question: cell.budgets, cell.prices)

    async def tell(done: int, total: int) -> None:
        await lease.progress(done, total, "measuring")

    found = await frontier_study(
        system,
        [policy],
        asked.against,
        [GoldQuestion(own.question, own.answers, own.entity) for own in asked.questions],
        limits=grid(asked.edges, asked.tokens, asked.steps),
        prices=priced(asked.prices),
        command="POST /api/jobs evaluate_frontier",
        after_cell=tell,
    )
    await lease.progress(message="measured", cursor={"frontier": found})
