"""Intelligence around an answer: causal scores before the walk; ThoughtSeeds, curiosity and causes that took too long
after it.

Only what changes the answer is done while somebody waits: one read of the causal relationships around the seeds (none
where the graph has no causal type), and the prediction errors, which the answer counts. All writing is done afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from clause.graph.scopes import Caller
from clause.intelligence.causal.questions import Sight
from clause.intelligence.curiosity import Surprise, gain_rows, realised, trigger_rows
from clause.intelligence.outbox import Afterthought
from clause.intelligence.room import Intelligence
from clause.intelligence.thoughtseeds import query_source, seed_id, seed_rows
from clause.reasoning.agents.policy import Foresight, Question
from clause.reasoning.agents.scoring import hop_vector
from clause.reasoning.answer.report import Finished
from clause.reasoning.episode.actions import NAVIGATOR, Backtrack, Continue, Restart
from clause.reasoning.episode.budget import Unit
from clause.reasoning.episode.driver import unit_vectors
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import Front, walk
from clause.reasoning.models import (
    AnswerPath,
    CoordinationRequest,
    IntelligenceCounts,
    PathNavigationRequest,
    PathStep,
)
from clause.reasoning.neighbourhood.port import Edge, Hop, NeighbourhoodPort, View


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Everything that an answer gave rise to.

    `paths` tell causal scores and ThoughtSeeds in their steps; `fallbacks` names what was gone without.
    """

    paths: tuple[AnswerPath, ...]
    counts: IntelligenceCounts = field(default_factory=IntelligenceCounts)
    fallbacks: tuple[str, ...] = ()
    thoughtseed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class _Noted:
    """Notes for writing later: ThoughtSeed ids by node, and how many ThoughtSeeds and triggers."""

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
        hidden = view.hidden
        sight = Sight(view.scopes, view.as_of_valid, view.as_of_recorded, hidden.sources, hidden.edges)
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


MOST_CONSIDERED = 1_000
"""Candidate hops of one episode that are told; the first ones met."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One hop that was taken: from which front, by which hop, to which front, and the score that chose it."""

    before: Front
    hop: Hop
    after: Front
    score: float | None


def taken(episode: Episode) -> list[Taken]:
    """The hops that the Navigator took, in order, those it took back later too."""
    return [hop for _, hop in _places(episode) if hop is not None]


def candidates(episode: Episode) -> Mapping[str, str]:
    """Node id -> name of every node that a considered hop would have reached, in the order in which they were met.

    Considered is what could be walked from each place where the Navigator stood with steps left.
    """
    adjacency = episode.subgraph.known if episode.walk_known else episode.subgraph.adjacency
    nodes = episode.subgraph.nodes
    found: dict[str, str] = {}
    for starts, _ in _places(episode):
        for start in starts:
            for hop in dict.fromkeys(hop for node in start.nodes for hop in adjacency.get(node, ())):
                for node in walk(start, hop, adjacency).nodes:
                    found.setdefault(node, nodes[node].name if node in nodes else node)
                    if len(found) == MOST_CONSIDERED:
                        return found
    return found


def _places(episode: Episode) -> Iterator[tuple[list[Front], Taken | None]]:
    """Each place where the Navigator decided (the fronts it stood on), with the hop that it took from there, if any."""
    adjacency = episode.subgraph.known if episode.walk_known else episode.subgraph.adjacency
    roots = [Front.root(seed) for seed in episode.subgraph.seeds]
    trail: list[Front] = []
    steps = 0
    for step in episode.log:
        if step.agent != NAVIGATOR or (episode.hard and steps >= episode.budgets.steps):
            continue
        here = trail[-1:] or roots
        match step.action:
            case Continue(hop=hop, seed=seed, node=node):
                start = trail[-1] if trail else Front.root(seed or (episode.subgraph.seeds or ("",))[0])
                after = walk(start, hop, adjacency, None if node is None else (node,))
                trail.append(after)
                yield here, Taken(start, hop, after, step.score)
            case Backtrack():
                trail.pop()
                yield here, None
            case Restart():
                trail.clear()
                yield here, None
            case _:
                yield here, None
        steps += step.cost.steps


LOOKED_AT = 32
"""Edges of a front whose units are compared with the question."""


async def read_vectors(port: NeighbourhoodPort, hops: Sequence[Taken], question: Question) -> None:
    """One read of what prediction errors need, for all fronts; what was read before comes from memory."""
    unknown = [node for node in nodes_looked_at(hops) if node not in question.vectors]
    question.vectors.update(await port.embeddings(unknown))


def nodes_looked_at(hops: Sequence[Taken]) -> list[str]:
    """The nodes whose vectors prediction errors need, each once."""
    ends = [end for hop in hops for edge in _edges(hop.after) for end in (edge.source, edge.target)]
    roots = [node for hop in hops if hop.before.parent is None for node in hop.before.nodes]
    return list(dict.fromkeys([*roots, *ends]))


def surprises_of(
    hops: Sequence[Taken],
    episode: Episode,
    question: Question,
    *,
    judged: bool,
    foresights: Sequence[Foresight] = (),
) -> list[Surprise]:
    """The prediction error of each hop taken.

    Expected is what the critic foretold (`foresights`, one for each hop, where there are any); else the hop's own score
    where the policy judges hops one by one (`judged`); else the running mean of its relationship type and direction.
    """
    found = []
    for place, hop in enumerate(hops):
        if not hop.after.nodes:
            continue
        before = best_cosine(hop.before, question)
        expected = _expected(hop, before, question, judged, foresights[place] if foresights else None)
        if expected is None:
            continue
        concept = hop.before.nodes[0]
        name = episode.subgraph.nodes[concept].name if concept in episode.subgraph.nodes else concept
        gained = realised(best_cosine(hop.after, question) - before)
        found.append(Surprise(concept, name, hop.hop.relation, hop.hop.forward, min(1.0, max(0.0, expected)), gained))
    return found


def best_cosine(front: Front, question: Question) -> float:
    """The best cosine of the question and the units by which a front was reached; of a root, its node's own."""
    if front.parent is None:
        known = [question.vectors[node] for node in front.nodes if node in question.vectors]
        return max((float(vector @ question.embedding) for vector in known), default=0.0)
    units = [Unit("", "", 0, "triple", edge=edge) for edge in _edges(front)]
    return float(np.max(unit_vectors(units, question) @ question.embedding)) if units else 0.0


def relation_cosine(hop: Hop, question: Question) -> float:
    """The cosine of a relationship's words, in its direction, with the question; 0 for an unregistered type."""
    vector = hop_vector(hop, question.relationship_types)
    return 0.0 if vector is None else float(vector @ question.embedding)


def _expected(hop: Taken, before: float, question: Question, judged: bool, foresight: Foresight | None) -> float | None:
    if foresight is not None:
        return foresight.expected(before, relation_cosine(hop.hop, question))
    if judged and hop.score is not None:
        return hop.score
    kind = question.relationship_types.get(hop.hop.relation)
    return kind.gain(hop.hop.forward).expected if kind is not None else None


def _edges(front: Front) -> list[Edge]:
    return list(dict.fromkeys(edge for edges in front.reached.values() for edge in edges))[:LOOKED_AT]
