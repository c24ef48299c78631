"""Intelligence around an answer: causal scores before the walk; ThoughtSeeds, curiosity and causes that took too long
after it.

Only what changes the answer is done while somebody waits: one read of the causal relationships around the seeds (none
where the graph has no causal type), and the prediction errors, which the answer counts. All writing is done afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from clause.graph.scopes import Caller
from clause.intelligence.causal.questions import Sight
from clause.intelligence.curiosity import Surprise, gain_rows, trigger_rows
from clause.intelligence.outbox import Afterthought
from clause.intelligence.room import Intelligence
from clause.intelligence.thoughtseeds import query_source, seed_id, seed_rows
from clause.reasoning.agents.policy import Question
from clause.reasoning.answer.report import Finished
from clause.reasoning.answer.surprises import candidates, read_vectors, surprises_of, taken
from clause.reasoning.models import (
    AnswerPath,
    CoordinationRequest,
    IntelligenceCounts,
    PathNavigationRequest,
    PathStep,
)
from clause.reasoning.neighbourhood.port import NeighbourhoodPort, View


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What an answer gave rise to.

    `paths` tell causal scores and ThoughtSeeds in their steps; `fallbacks` names what was gone without.
    """

    paths: tuple[AnswerPath, ...]
    counts: IntelligenceCounts = field(default_factory=IntelligenceCounts)
    fallbacks: tuple[str, ...] = ()
    thoughtseed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class _Noted:
    """What was noted for writing later: ThoughtSeed ids by node, and how many ThoughtSeeds and triggers."""

    seed_ids: Mapping[str, str] = field(default_factory=dict)
    thoughtseeds: int = 0
    triggers: int = 0
    thoughtseed_ms: float = 0.0


class Integrations:
    """The intelligence room as the agents see it.

    Args:
        intelligence: the room.
        port: reads vectors for policies that read none.
        default_scope: whose the afterthoughts are of a request that read several scopes.
        enabled: whether anything is written after answers.
    """

    def __init__(
        self,
        intelligence: Intelligence,
        port: NeighbourhoodPort,
        *,
        default_scope: str = "public",
        enabled: bool = True,
    ) -> None:
        self._room = intelligence
        self._port = port
        self._default_scope = default_scope
        self._enabled = enabled

    def asking(self) -> AbstractContextManager[None]:
        """While this is open somebody waits for an answer, and nothing is written."""
        return self._room.afterwards.asking()

    async def prepare(
        self, question: Question, view: View, *, causal: bool, repeat: Collection[str] | None = None
    ) -> float:
        """Read the causal relationships around the seeds, where the graph has causal types; the milliseconds it took.

        `repeat`: the fallbacks of a recorded run, which a replay repeats.
        """
        if not causal or not any(kind.is_causal for kind in question.relationship_types.values()):
            return 0.0
        started = time.perf_counter()
        sight = Sight(view.scopes, view.as_of_valid, view.as_of_recorded)
        seeds = [seed.id for seed in question.seeds]
        question.causal = await self._room.causal.scores(seeds, sight, repeat=repeat)
        return (time.perf_counter() - started) * 1000

    async def conclude(
        self,
        finished: Finished,
        paths: Sequence[AnswerPath],
        request: CoordinationRequest | PathNavigationRequest,
        caller: Caller,
    ) -> Conclusion:
        """Note what a walk met, for writing later, and tell causal scores and ThoughtSeeds in the steps of its paths.

        Waits for nothing but the vectors that prediction errors need.
        """
        question, view = finished.asked.question, finished.asked.view
        scope = view.scopes[0] if len(view.scopes) == 1 else self._default_scope
        recorded = not isinstance(request, CoordinationRequest) or request.record
        noted = _Noted()
        if self._enabled and recorded and caller.may_write(scope):
            noted = await self._note(finished, request, scope, caller)
        told = tuple(annotated(path, question, noted.seed_ids) for path in paths)  # may go without a causal score
        fallbacks: tuple[str, ...] = ()
        if question.causal is not None:
            fallbacks = tuple(question.causal.fallbacks)
            self._room.causal.later(question.causal)
            self._room.ground.metrics.count_intelligence(causal_fallbacks=len(fallbacks))
        counts = IntelligenceCounts(
            thoughtseeds_generated=noted.thoughtseeds,
            curiosity_triggers_spawned=noted.triggers,
            fallback_used=bool(fallbacks),
        )
        return Conclusion(told, counts, fallbacks, noted.thoughtseed_ms)

    async def _note(
        self, finished: Finished, request: CoordinationRequest | PathNavigationRequest, scope: str, caller: Caller
    ) -> _Noted:
        started = time.perf_counter()
        at, question, scopes = self._room.ground.now(), finished.asked.question.text, finished.asked.view.scopes
        met = candidates(finished.episode) if request.enable_thoughtseeds else {}
        source = query_source(question)
        seeds = seed_rows(met, source, scope, scopes, at)
        seed_ids = {node: seed_id(scope, node, source) for node in met}
        thoughtseed_ms = (time.perf_counter() - started) * 1000
        found = await self._surprises(finished) if request.enable_curiosity else []
        triggers = trigger_rows(
            found, threshold=request.curiosity_threshold, question=question, scope=scope, scopes=scopes, at=at
        )
        own = tuple(one for one in scopes if caller.may_write(one))
        if seeds or found:
            self._room.afterwards.later(Afterthought(scope, own, seeds, triggers, gain_rows(found)))
        return _Noted(seed_ids, len(seeds), len(triggers), thoughtseed_ms)

    async def _surprises(self, finished: Finished) -> list[Surprise]:
        question, policy = finished.asked.question, finished.policy
        hops = taken(finished.episode)
        if not policy.reads_vectors and hops:
            await read_vectors(self._port, hops, question)
        foresights = finished.agents.foresights
        return surprises_of(hops, finished.episode, question, judged=policy.judges_hops, foresights=foresights)


def annotated(path: AnswerPath, question: Question, seed_ids: Mapping[str, str]) -> AnswerPath:
    """A path whose steps tell the causal score of their hop and the ThoughtSeed of the node they lead to."""
    return path.model_copy(update={"steps": tuple(_told(step, path, question, seed_ids) for step in path.steps)})


def _told(step: PathStep, path: AnswerPath, question: Question, seed_ids: Mapping[str, str]) -> PathStep:
    update: dict[str, str | float | None] = {"thoughtseed_id": seed_ids.get(step.to_node)}
    kind = question.relationship_types.get(step.relation)
    if question.causal is not None and kind is not None and kind.is_causal:
        update["causal_score"] = question.causal.of_hop(path.nodes[0].id, [step.to_node])
    return step.model_copy(update=update)
