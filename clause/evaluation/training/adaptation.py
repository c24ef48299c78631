"""Limits that change in mid-episode: do the agents go by what is left now, or by what they began with?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clause.evaluation.ablations import Misled
from clause.evaluation.bootstrap import paired_bootstrap
from clause.evaluation.training.trial import Player, f1s
from clause.policy.rollout import Result, Task
from clause.reasoning.budget import Budgets, Prices
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

    All three play under the masks of the limits in force; the difference is told less not told, by supported F1.
    """
    rows = []
    for change in changes:
        told = [_play(player, task, change, told=True) for task in player.tasks]
        untold = [_play(player, task, change, told=False) for task in player.tasks]
        from_start = player.play([change.after] * len(player.tasks))
        rows.append(
            {
                "change": change.name,
                "n": len(player.tasks),
                "told": _mean(told),
                "not_told": _mean(untold),
                "from_start": _mean(from_start),
                "violations": sum(bool(change.after.exceeded_by(result.spend)) for result in (*told, *untold)),
                "difference": paired_bootstrap(f1s(told), f1s(untold))._asdict(),
            }
        )
    return rows


def _play(player: Player, task: Task, change: Change, *, told: bool) -> Result:
    agents = player.arena.agents(task, replace(player.mind), Prices())

    def after(episode: Episode) -> None:
        if episode.spend.edges >= change.at_edges:
            episode.budgets = change.after

    seen = agents if told else Misled(agents, change.before)
    seeds = list(dict.fromkeys(plan.seed for plan in task.plans))
    return player.arena.play(task, seen, change.before, Prices(), seeds=seeds, after=after)


def _mean(results: Sequence[Result]) -> dict[str, float]:
    count = len(results)
    return {
        "supported_f1": sum(f1s(results)) / count,
        "edges": sum(result.spend.edges for result in results) / count,
        "tokens": sum(result.spend.tokens for result in results) / count,
    }
