"""A trained policy on questions that training never saw, played on the snapshot: scarce, unmasked, ample and priced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clause.evaluation.limits import log_uniform_limits
from clause.evaluation.questions import Question
from clause.policy.checkpoint import Checkpoint
from clause.policy.demonstrations import serving_networks
from clause.policy.embeddings import VectorTable
from clause.policy.lessons import Answered, pose
from clause.policy.mind import Mind
from clause.policy.reader import PatternReader
from clause.policy.rollout import Arena, Result, Task
from clause.policy.trainer import AMPLE, TIGHT
from clause.reasoning.actions import ARCHITECT, Delete, Stop
from clause.reasoning.budget import RESOURCES, Budgets, Prices
from clause.reasoning.snapshot import Snapshot

PRICES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
NO_PRICES = Prices()
PRICED_SHARE = 2
"""Every so many-th question is asked at every price."""


@dataclass(frozen=True, slots=True)
class Player:
    """A checkpoint with questions posed for it."""

    arena: Arena
    mind: Mind
    questions: Sequence[Answered]
    tasks: Sequence[Task]

    @classmethod
    def of(cls, checkpoint: Checkpoint, snapshot: Snapshot, asked: Sequence[Answered], table: VectorTable) -> Player:
        """The questions read by the checkpoint's reader."""
        tasks = pose(snapshot, asked, PatternReader(checkpoint.scorer), table)
        arena = Arena(snapshot, deletes=checkpoint.about.network.deletes)
        return cls(arena, Mind(serving_networks(checkpoint.actors)), asked, tasks)

    def play(self, limits: Sequence[Budgets], prices: Prices = NO_PRICES, *, hard: bool = True) -> list[Result]:
        """One episode for each question, most probable actions, each under its own limits."""
        return [
            self.arena.play(task, self.arena.agents(task, replace(self.mind), prices), budgets, prices, hard=hard)
            for task, budgets in zip(self.tasks, limits, strict=True)
        ]

    @property
    def sampled(self) -> list[Budgets]:
        """Log-uniform limits, the same for a question whenever it is asked."""
        return [log_uniform_limits(Question(question.text, ())) for question in self.questions]


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
