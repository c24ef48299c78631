"""Limits that change in mid-episode: do the agents go by what is left now, or by what they began with?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clause.evaluation.ablations import Misled
from clause.evaluation.bootstrap import paired_bootstrap
from clause.evaluation.training.trial import Player, f1s
from clause.policy.rollout import Result, Task
from clause.reasoning.budget import RESOURCES, Budgets, Prices, Spend
from clause.reasoning.episode import Episode


@dataclass(frozen=True, slots=True)
class Change:
    """Limits before and after, and how many edges are spent when they change."""

    name: str
    before: Budgets
    after: Budgets
    at_edges: int


CHANGES = (
    Change("tightened", Budgets(20, 6, 256), Budgets(8, 6, 64), 4),
    Change("loosened", Budgets(5, 6, 64), Budgets(20, 6, 256), 3),
)


def changed(player: Player, changes: Sequence[Change] = CHANGES) -> list[dict[str, Any]]:
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
class Changed:
    """How an episode with a change ended, and what was spent when it came; nothing where it never came."""

    result: Result
    at_change: Spend | None

    def overspent(self, limits: Budgets) -> bool:
        """Whether more than the new limits allow was spent after the change."""
        before, spend = self.at_change, self.result.spend
        return before is not None and any(spend.of(name) > max(limits.of(name), before.of(name)) for name in RESOURCES)


def _play(player: Player, task: Task, change: Change, *, told: bool) -> Changed:
    agents = player.arena.agents(task, replace(player.mind), Prices())
    spends: list[Spend] = []

    def after(episode: Episode) -> None:
        if not spends and episode.spend.edges >= change.at_edges:
            spends.append(episode.spend)
            episode.budgets = change.after

    seen = agents if told else Misled(agents, change.before)
    seeds = list(dict.fromkeys(plan.seed for plan in task.plans))
    result = player.arena.play(task, seen, change.before, Prices(), seeds=seeds, after=after)
    return Changed(result, spends[0] if spends else None)


def _mean(results: Sequence[Result]) -> dict[str, float]:
    count = len(results)
    return {
        "supported_f1": sum(f1s(results)) / count,
        "edges": sum(result.spend.edges for result in results) / count,
        "tokens": sum(result.spend.tokens for result in results) / count,
    }
