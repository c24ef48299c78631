"""How every baseline curates: whole paths, answer by answer, while they fit."""

from __future__ import annotations

from collections.abc import Sequence

from clause.reasoning.actions import CuratorAction, Pick, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.policy import Decision, LeftOut
from clause.reasoning.units import edge_unit_id


class WholePathCurator:
    """Picks the units of one answer's whole path after another; a path that does not fit is skipped.

    When no path fits or the walk found nothing, the first unit that fits is picked, so that evidence is never empty
    while something could be said.
    """

    def __init__(self) -> None:
        self._queue: list[int] | None = None
        self._skipped: LeftOut | None = None

    def next(self, episode: Episode, answers: Sequence[str]) -> Decision[CuratorAction]:
        """The next pick; `answers` are the end nodes in the order in which their paths are wanted."""
        if self._queue is None:
            self._queue = self._plan(episode, answers)
        if not self._queue:
            return Decision(Stop("BUDGET_EXHAUSTED" if self._skipped else "COMPLETE"), left_out=self._skipped)
        return Decision(Pick(self._queue.pop(0)))

    def _plan(self, episode: Episode, answers: Sequence[str]) -> list[int]:
        places = {unit.id: place for place, unit in enumerate(episode.pool)}
        allowance = episode.remaining.tokens
        plan: dict[int, None] = {}
        for node in answers:
            path = next(episode.front.paths(node), None) if episode.front else None
            if path is None:
                continue
            wanted = [places.get(edge_unit_id(edge), -1) for edge in path.edges]
            if -1 in wanted:
                continue
            fresh = [place for place in dict.fromkeys(wanted) if place not in plan]
            cost = sum(episode.pool[place].tokens for place in fresh)
            if cost <= allowance:
                plan.update(dict.fromkeys(fresh))
                allowance -= cost
            elif self._skipped is None:
                self._skipped = LeftOut(f"path to {node}", cost, 0.0)
        if not plan:
            plan.update(dict.fromkeys(episode.pickable()[:1]))
        return list(plan)
