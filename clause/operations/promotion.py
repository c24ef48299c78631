"""The policies that scopes chose: a gate on a scope's own questions before a checkpoint is promoted, and the way back.

A choice is kept on its scope and read with the scopes of every question, so that it holds from the next question on in
every service of the database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from clause.errors import BadInputError, ConflictError
from clause.evaluation.harness import ask_all, gate, gate_figures
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import ServiceSystem
from clause.graph.scopes import PUBLIC, Caller, readable_scopes
from clause.policy.serve.checkpoint_store import CheckpointStore
from clause.reasoning.episode.budget import Budgets
from clause.text.fields import Frozen, Instant, Model

if TYPE_CHECKING:
    from clause.graph.runner import Graph
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.models import CoordinationRequest, CoordinationResponse

BUDGETS = {"ample": Budgets(200, 10, 2048), "tight": Budgets(10, 6, 128)}
MOST = 200
"""Questions of each set that the gate takes: the first."""
KEPT = 20
"""Choices of before that a scope remembers."""


class ScopeChoice(Model):
    """The policy that a scope chose, and those of before (null and "" stand for the default)."""

    scope: str
    policy: str | None = None
    before: tuple[str, ...] = ()
    chosen_at: Instant | None = None
    chosen_by: str | None = None
    problem: str | None = Field(None, description="why it cannot decide, and the default does (null: it decides)")


class KnownPolicies(Frozen):
    """The default policy, those at hand here, and what scopes chose."""

    default: str
    at_hand: tuple[str, ...]
    choices: tuple[ScopeChoice, ...]


class Promoted(ScopeChoice):
    """The choice of a promoted checkpoint, with what the gate measured of it and of the policy that decided before."""

    candidate: dict[str, Any]
    current: dict[str, Any]


class Promotions:
    """Promotes checkpoints in a scope, lets scopes choose, and takes choices back.

    Args:
        graph: where choices are kept.
        checkpoints: where the files are.
        coordinator: answers the gate's questions; its book has the policies.
        now: the clock.
    """

    def __init__(
        self,
        graph: Graph,
        checkpoints: CheckpointStore,
        coordinator: Coordinator,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._graph, self._checkpoints, self._coordinator, self._now = graph, checkpoints, coordinator, now

    async def promote(
        self, name: str, scope: str, caller: Caller, questions: Mapping[str, Sequence[GoldQuestion]] | None = None
    ) -> Promoted:
        """The policy at hand as `name` decides in `scope` from the next question on, if it passes the gate.

        Args:
            questions: the gate's, by set; None: those that training kept aside.

        Raises:
            ConflictError: the gate refused it, or it cannot decide; the message says why.
            BadInputError: nothing is stored in the scope, or no questions were kept aside.
        """
        await self._usable(name, scope, caller)
        asked = questions or {"own": [GoldQuestion(*one) for one in self._checkpoints.kept_aside(name)]}
        sets = {key: ones[:MOST] for key, ones in asked.items()}
        if not all(sets.values()):
            raise BadInputError(
                f"{name!r} kept no questions aside",
                remedy="give the gate some: --questions own=FILE",
                field="questions",
            )
        sha256 = self._checkpoints.sha256(name)
        seen = (await self._coordinator.deciding(caller, [scope])).name
        current, candidate = await self._studies(seen, sets, scope), await self._studies(name, sets, scope)
        verdict = gate(candidate, current)
        if not verdict.passed:
            raise ConflictError(
                f"the candidate stays behind: {'; '.join(verdict.reasons)}",
                remedy="train it on more questions, or ask for it by name",
            )
        if self._checkpoints.sha256(name) != sha256:
            raise ConflictError(f"{name!r} has other weights than the gate began with", remedy="promote it again")
        metrics = json.dumps({"scope": scope, "candidate": candidate, "current": current}, sort_keys=True)
        await self._graph.run("policy/promoted", id=name, scope=PUBLIC, sha256=sha256, metrics=metrics, now=self._now())
        choice = await self.use(name, scope, caller)
        return Promoted(**choice.model_dump(), candidate=candidate, current={"policy": seen, **current})

    async def use(self, name: str, scope: str, caller: Caller) -> ScopeChoice:
        """A policy decides in a scope from the next question on; without a gate.

        Raises:
            ConflictError: it cannot decide.
            BadInputError: nothing is stored in the scope.
        """
        await self._usable(name, scope, caller)
        row = await self._graph.one(
            "policy/use", scope=scope, policy=name, author=caller.author, now=self._now(), kept=KEPT
        )
        return ScopeChoice(**(row or {"scope": scope, "policy": name}))

    async def rollback(self, scope: str, caller: Caller) -> ScopeChoice:
        """Let what decided in a scope before decide there again.

        Raises:
            ConflictError: nothing was chosen there.
            UnavailableError: the connection broke; whether it was taken back is not known, for a second try goes on.
        """
        told = {"scope": caller.require_write(scope), "author": caller.author, "now": self._now()}
        (rows,) = await self._graph.write([("policy/rollback", told)], idempotent=False)
        if not rows:
            raise ConflictError(f"nothing was chosen in {scope}", remedy="the default policy decides there already")
        return ScopeChoice(**rows[0])

    async def all(self, caller: Caller) -> KnownPolicies:
        """The policies at hand, and what the scopes that the caller may read chose."""
        book = self._coordinator.policies
        rows = await self._graph.run("policy/choices", scopes=list(await readable_scopes(self._graph, caller)))
        problems = {row["policy"]: await book.problem(row["policy"]) for row in rows if row["policy"]}
        choices = tuple(ScopeChoice(**row, problem=problems.get(row["policy"])) for row in rows)
        names = sorted({*book.names, *self._checkpoints.paths()})
        return KnownPolicies(default=book.default, at_hand=tuple(names), choices=choices)

    async def _usable(self, name: str, scope: str, caller: Caller) -> None:
        await readable_scopes(self._graph, caller, [caller.require_write(scope)], stored=True)
        if problem := await self._coordinator.policies.problem(name):
            raise ConflictError(f"{name!r} cannot decide: {problem}", remedy="see `clause policy list`", field="policy")

    async def _studies(self, policy: str, sets: Mapping[str, Sequence[GoldQuestion]], scope: str) -> dict[str, Any]:
        """The figures of a policy on the questions, at ample and at tight budgets; nothing is recorded."""

        async def ask(request: CoordinationRequest, budgets: Budgets) -> CoordinationResponse:
            return await self._coordinator.coordinate(request, Caller(), budgets=budgets)

        studies: dict[str, Any] = {}
        for setting, budgets in BUDGETS.items():
            system = ServiceSystem(ask, policy=policy, budgets=budgets, scopes=[scope])
            studies[setting] = {key: gate_figures(ones, await ask_all(system, ones)) for key, ones in sets.items()}
        return studies
