"""A trained policy on questions that training never saw: scarce, unmasked, ample, priced, and under limits that
change."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clause.evaluation.frontier import paired_bootstrap
from clause.evaluation.question_files import GoldQuestion
from clause.lab.ablations import MisledAgents
from clause.policy.serve.decider import Decider
from clause.policy.serve.reader import PatternReader
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.lessons import AnsweredQuestion, pose
from clause.policy.train.networks import Checkpoint, exported
from clause.policy.train.rollout import Arena, Result, Task
from clause.policy.train.trainer import TIGHT
from clause.policy.train.warm_start import VectorTable
from clause.reasoning.episode.actions import ARCHITECT, Delete, Stop
from clause.reasoning.episode.budget import AMPLE, RESOURCES, Budgets, Prices, Spend
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.snapshot import Snapshot

EDGES, STEPS, TOKENS = (3, 200), (2, 10), (64, 2048)


def log_uniform_limits(question: GoldQuestion) -> Budgets:
    """Limits of one question: the same whenever it is asked.

    >>> log_uniform_limits(GoldQuestion("who directed Heat", ()))
    Budgets(edges=3, steps=4, tokens=1429, token_margin=0)
    """
    rng = random.Random(question.text)  # noqa: S311 -- a reproducible draw
    edges, steps, tokens = (
        round(math.exp(rng.uniform(math.log(low), math.log(high)))) for low, high in (EDGES, STEPS, TOKENS)
    )
    return Budgets(edges, steps, tokens)


PRICES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
NO_PRICES = Prices()
PRICED_SHARE = 2
"""Every so many-th question is asked at every price."""


@dataclass(frozen=True, slots=True)
class Player:
    """A checkpoint with questions posed for it."""

    arena: Arena
    decider: Decider
    questions: Sequence[AnsweredQuestion]
    tasks: Sequence[Task]

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, snapshot: Snapshot, asked: Sequence[AnsweredQuestion], table: VectorTable
    ) -> Player:
        """The questions read by the checkpoint's reader."""
        tasks = pose(snapshot, asked, PatternReader(exported(checkpoint.scorer)), table)
        arena = Arena(snapshot, deletes=checkpoint.about.network.deletes)
        return cls(arena, Decider(serving_networks(checkpoint.actors)), asked, tasks)

    def play(self, limits: Sequence[Budgets], prices: Prices = NO_PRICES, *, hard: bool = True) -> list[Result]:
        """One episode for each question, most probable actions, each under its own limits."""
        return [
            self.arena.play(task, self.arena.agents(task, replace(self.decider), prices), budgets, prices, hard=hard)
            for task, budgets in zip(self.tasks, limits, strict=True)
        ]

    @property
    def sampled(self) -> list[Budgets]:
        """Log-uniform limits, the same for a question whenever it is asked."""
        return [log_uniform_limits(GoldQuestion(question.text, ())) for question in self.questions]


def trial(player: Player) -> dict[str, Any]:
    """The figures of a table's row, those that are compared question by question.

    `scarce` and `ample` hold supported F1 of each question (`scarce` the mean over the cells), `masked` and `unmasked`
    that at sampled limits, `feasible` whether it kept them without masks, `ample_em` the exact match.
    """
    many = len(player.tasks)
    cells = [player.play([limits] * many) for limits in TIGHT]
    masked, unmasked = (player.play(player.sampled, hard=hard) for hard in (True, False))
    ample = player.play([AMPLE] * many)
    kept = [not limits.exceeded_by(result.spend) for limits, result in zip(player.sampled, unmasked, strict=True)]
    return {
        "scarce": np.mean([f1s(cell) for cell in cells], axis=0).tolist(),
        "cells": {_cell_name(limits): float(np.mean(f1s(cell))) for limits, cell in zip(TIGHT, cells, strict=True)},
        "ample": f1s(ample),
        "ample_em": [result.exact for result in ample],
        "masked": f1s(masked),
        "unmasked": f1s(unmasked),
        "feasible": [float(one) for one in kept],
        "deletes": delete_rate([*(result for cell in cells for result in cell), *masked, *unmasked]),
        "prices": {str(price): priced(player, price) for price in PRICES},
    }


def summed_up(player: Player) -> dict[str, Any]:
    """The means of a trial."""
    found = trial(player)
    means = {name: float(np.mean(value)) for name, value in found.items() if isinstance(value, list)}
    return {"n": len(player.tasks), **means, **{name: found[name] for name in ("cells", "deletes", "prices")}}


def priced(player: Player, price: float) -> dict[str, float]:
    """Supported F1 and spend at one price for an edge, a step and 100 tokens, where limits are ample."""
    few = replace(player, questions=player.questions[::PRICED_SHARE], tasks=player.tasks[::PRICED_SHARE])
    results = few.play([AMPLE] * len(few.tasks), Prices(price, price, price))
    spends = {str(name): float(np.mean([result.spend.of(name) for result in results])) for name in RESOURCES}
    return {"supported_f1": float(np.mean(f1s(results))), **spends}


def delete_rate(results: Sequence[Result]) -> float:
    """The share of the Architect's edits that were DELETE."""
    edits = [
        isinstance(step.action, Delete)
        for result in results
        for step in result.episode.log
        if step.agent == ARCHITECT and not isinstance(step.action, Stop)
    ]
    return float(np.mean(edits)) if edits else 0.0


def f1s(results: Sequence[Result]) -> list[float]:
    """Supported F1 of each."""
    return [result.f1 for result in results]


def _cell_name(limits: Budgets) -> str:
    return f"{limits.edges}/{limits.tokens}"


@dataclass(frozen=True, slots=True)
class LimitChange:
    """Limits before and after, and how many edges are spent when they change."""

    name: str
    before: Budgets
    after: Budgets
    at_edges: int


CHANGES = (
    LimitChange("tightened", Budgets(20, 6, 256), Budgets(8, 6, 64), 4),
    LimitChange("loosened", Budgets(5, 6, 64), Budgets(20, 6, 256), 3),
)


def changed(player: Player, changes: Sequence[LimitChange] = CHANGES) -> list[dict[str, Any]]:
    """For each change: agents that are told, agents that go on seeing the old limits, and agents told from the start.

    All three play under the masks of the limits in force; the difference is told less not told, by supported F1. A
    violation is spending more than the new limits allow *after* the change; `spent_before` counts the questions that
    had already spent more when it came.
    """
    rows = []
    for change in changes:
        told, untold = ([_play(player, task, change, told=one) for task in player.tasks] for one in (True, False))
        from_start = player.play([change.after] * len(player.tasks))
        results = [[one.result for one in part] for part in (told, untold)]
        rows.append(
            {
                "change": change.name,
                "n": len(player.tasks),
                "told": _mean(results[0]),
                "not_told": _mean(results[1]),
                "from_start": _mean(from_start),
                "spent_before": sum(bool(one.at_change and change.after.exceeded_by(one.at_change)) for one in told),
                "violations": sum(one.overspent(change.after) for one in (*told, *untold)),
                "difference": paired_bootstrap(f1s(results[0]), f1s(results[1]))._asdict(),
            }
        )
    return rows


@dataclass(frozen=True, slots=True)
class ChangedEpisode:
    """The end of an episode with a change, and the spending when it came; nothing where it never came."""

    result: Result
    at_change: Spend | None

    def overspent(self, limits: Budgets) -> bool:
        """True where more than the new limits allow was spent after the change."""
        before, spend = self.at_change, self.result.spend
        return before is not None and any(spend.of(name) > max(limits.of(name), before.of(name)) for name in RESOURCES)


def _play(player: Player, task: Task, change: LimitChange, *, told: bool) -> ChangedEpisode:
    agents = player.arena.agents(task, replace(player.decider), Prices())
    spends: list[Spend] = []

    def after(episode: Episode) -> None:
        if not spends and episode.spend.edges >= change.at_edges:
            spends.append(episode.spend)
            episode.budgets = change.after

    seen = agents if told else MisledAgents(agents, change.before)
    seeds = list(dict.fromkeys(plan.seed for plan in task.plans))
    result = player.arena.play(task, seen, change.before, Prices(), seeds=seeds, after=after)
    return ChangedEpisode(result, spends[0] if spends else None)


def _mean(results: Sequence[Result]) -> dict[str, float]:
    count = len(results)
    return {
        "supported_f1": sum(f1s(results)) / count,
        "edges": sum(result.spend.edges for result in results) / count,
        "tokens": sum(result.spend.tokens for result in results) / count,
    }


def over_time(rows: Sequence[Mapping[str, Any]], every: int = 10) -> list[dict[str, float]]:
    """Multipliers and what they answer to, as training goes on: means over seeds of every so many-th round."""
    histories = [row["history"] for row in rows]
    shortest = min(map(len, histories), default=0)
    rounds = [0, *range(every - 1, shortest, every)] if shortest else []
    kept = [name for name in histories[0][0] if name.startswith(("multiplier_", "unmasked_"))] if shortest else []
    return [
        {"round": place + 1.0}
        | {name: float(np.mean([one[place].get(name, np.nan) for one in histories])) for name in kept}
        for place in rounds
    ]
