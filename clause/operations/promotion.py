"""The policy that decides by default: a gate before promotion, the Policy nodes, and one call back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clause.errors import ConflictError
from clause.graph.runner import Graph
from clause.graph.scopes import PUBLIC
from clause.policy.serve.checkpoint_store import CheckpointStore, check_name

MEASURES = ("em_at_1", "supported_f1")
TOLERANCE = 0.002
"""How much of a share may be lost before it counts as lost: half the spread of two seeds on 1,000 questions."""

Study = Mapping[str, Mapping[str, float]]
"""For each hop its measures, as `clause evaluate metaqa` prints them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a candidate for the current default, and every reason against it."""

    passed: bool
    reasons: tuple[str, ...] = ()


def gate(candidate: Mapping[str, Study], current: Mapping[str, Study]) -> Verdict:
    """A candidate must lose neither EM@1 nor supported F1 on any hop, and must keep every budget.

    Args:
        candidate, current: for each setting of budgets, the study of one policy on the same questions.

    >>> same = {"ample": {"1": {"em_at_1": 0.9, "supported_f1": 0.9, "joint_feasible": 1.0}}}
    >>> gate(same, same)
    Verdict(passed=True, reasons=())
    """
    reasons = []
    for setting, hops in candidate.items():
        for hop, found in hops.items():
            before = current[setting][hop]
            reasons += [
                f"{name} on {hop} hops ({setting} budgets) falls from {before[name]:.4f} to {found[name]:.4f}"
                for name in MEASURES
                if found[name] < before[name] - TOLERANCE
            ]
            if found["joint_feasible"] < 1.0:
                reasons.append(f"{1 - found['joint_feasible']:.2%} of {hop}-hop answers exceed a {setting} budget")
    return Verdict(not reasons, tuple(reasons))


class Promotions:
    """Promotes checkpoints and takes promotions back.

    Args:
        graph: where the Policy nodes are.
        checkpoints: where the files are.
        now: the clock.
    """

    def __init__(
        self, graph: Graph, checkpoints: CheckpointStore, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._graph = graph
        self._checkpoints = checkpoints
        self._now = now

    async def promote(self, source: Path, name: str, verdict: Verdict, metrics: Mapping[str, Any]) -> dict[str, Any]:
        """The checkpoint at `source` decides from now on, under `name`.

        Raises:
            ConflictError: the gate refused it; the message says why.
            BadInputError: the name or the checkpoint is no good.
        """
        check_name(name)
        if not verdict.passed:
            raise ConflictError(
                f"the candidate stays behind: {'; '.join(verdict.reasons)}",
                remedy="train it longer, or ask for it by name",
            )
        path = self._checkpoints.put(source, name)
        about = json.loads(path.with_suffix(".json").read_bytes())
        row = await self._graph.one(
            "policy/promote",
            id=name,
            scope=PUBLIC,
            sha256=about["sha256"],
            metrics=json.dumps(metrics, sort_keys=True),
            now=self._now(),
        )
        return dict(row or {})

    async def rollback(self) -> dict[str, Any]:
        """The default of before decides again.

        Raises:
            ConflictError: nothing was promoted.
        """
        row = await self._graph.one("policy/rollback", scope=PUBLIC)
        if row is None:
            raise ConflictError("no policy was promoted", remedy="the shipped policy decides already")
        return row

    async def all(self) -> list[dict[str, Any]]:
        """Every policy that decided a run or was promoted."""
        return await self._graph.run("policy/list", scope=PUBLIC)


async def default_policy(graph: Graph, names: Mapping[str, Any]) -> str | None:
    """The promoted policy where its files are at hand (`names`); None: the shipped one decides."""
    row = await graph.one("policy/active", scope=PUBLIC)
    return row["id"] if row is not None and row["id"] in names else None
