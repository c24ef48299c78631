"""What the intelligence room does around an answer: causal scores before the walk; ThoughtSeeds, curiosity and causes
that took too long after it.

Only what changes the answer is done while somebody waits: one read of the causal relationships around the seeds (none
where the graph has no causal type), and the prediction errors, which the answer counts. All writing is done afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from clause.graph.scopes import Caller
from clause.intelligence.afterwards import Afterthought
from clause.intelligence.causal_reader import Sight
from clause.intelligence.curiosity import Surprise, gain_rows, trigger_rows
from clause.intelligence.room import Intelligence
from clause.intelligence.thoughtseeds import query_source, seed_id, seed_rows
from clause.reasoning.considered import candidates, taken
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import NeighbourhoodPort, View
from clause.reasoning.policy import Foresight, Policy, Question
from clause.reasoning.surprises import read_vectors, surprises_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks of the integrations. `record` False: nothing is written, so nothing is counted either."""

    thoughtseeds: bool = True
    curiosity: bool = True
    threshold: float = 0.7
    record: bool = True


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk after its last turn: where it went, for which question, by which policy, and what it may see.

    `foresights` is what the policy's critic foretold of each hop taken; empty where it has none that does.
    """

    episode: Episode
    question: Question
    policy: Policy
    view: View
    foresights: Sequence[Foresight] = ()


@dataclass(slots=True)
class Noted:
    """What was noted of one answer."""

    thoughtseeds: int = 0
    triggers: int = 0
    thoughtseed_ms: float = 0.0
    fallbacks: tuple[str, ...] = ()
    seed_ids: Mapping[str, str] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """The counts as responses show them."""
        return {
            "thoughtseeds_generated": self.thoughtseeds,
            "curiosity_triggers_spawned": self.triggers,
            "fallback_used": bool(self.fallbacks),
        }


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
        self, walked: Walked, paths: Sequence[dict[str, Any]], *, wanted: Wanted, caller: Caller
    ) -> Noted:
        """Note what a walk met, for writing later, and tell causal scores and ThoughtSeeds in the steps of its paths.

        Waits for nothing but the vectors that prediction errors need.
        """
        noted = Noted()
        scope = walked.view.scopes[0] if len(walked.view.scopes) == 1 else self._default_scope
        if self._enabled and wanted.record and caller.may_write(scope):
            await self._note(walked, noted, scope, wanted, caller)
        annotate(paths, walked.question, noted.seed_ids)
        if walked.question.causal is not None:
            noted.fallbacks = tuple(walked.question.causal.fallbacks)
            self._room.causal.later(walked.question.causal)
            self._room.ground.metrics.count_intelligence(causal_fallbacks=len(noted.fallbacks))
        return noted

    async def _note(self, walked: Walked, noted: Noted, scope: str, wanted: Wanted, caller: Caller) -> None:
        started = time.perf_counter()
        at, question, scopes = self._room.ground.now(), walked.question.text, walked.view.scopes
        met = candidates(walked.episode) if wanted.thoughtseeds else {}
        source = query_source(question)
        seeds = seed_rows(met, source, scope, scopes, at)
        noted.seed_ids = {node: seed_id(scope, node, source) for node in met}
        noted.thoughtseeds = len(seeds)
        noted.thoughtseed_ms = (time.perf_counter() - started) * 1000
        found = await self._surprises(walked) if wanted.curiosity else []
        triggers = trigger_rows(found, threshold=wanted.threshold, question=question, scope=scope, scopes=scopes, at=at)
        noted.triggers = len(triggers)
        own = tuple(one for one in scopes if caller.may_write(one))
        if seeds or found:
            self._room.afterwards.later(Afterthought(scope, own, seeds, triggers, gain_rows(found)))

    async def _surprises(self, walked: Walked) -> list[Surprise]:
        hops = taken(walked.episode)
        if not walked.policy.reads_vectors and hops:
            await read_vectors(self._port, hops, walked.question)
        judged = bool(getattr(walked.policy, "judges_hops", False))
        return surprises_of(hops, walked.episode, walked.question, judged=judged, foresights=walked.foresights)


def annotate(paths: Sequence[dict[str, Any]], question: Question, seed_ids: Mapping[str, str]) -> None:
    """Write into the steps of paths the causal score of their hop and the ThoughtSeed of the node they lead to."""
    for path in paths:
        for step in path["steps"]:
            step["thoughtseed_id"] = seed_ids.get(step["to_node"])
            kind = question.relationship_types.get(step["relation"])
            if question.causal is not None and kind is not None and kind.is_causal:
                step["causal_score"] = question.causal.of_hop(path["nodes"][0]["id"], [step["to_node"]])
