"""Fits the critic's head for relevance to a trained policy: its own walks, and what each of their hops realised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clause.arrays import Doubles, Floats
from clause.intelligence.curiosity import realised
from clause.policy.serve.checkpoint import Checkpoint
from clause.policy.serve.decider import Choice, Decider
from clause.policy.serve.observations import GainHead, inputs
from clause.policy.serve.reader import PatternReader
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.lagrangian import generous_limits, sample_limits
from clause.policy.train.lessons import AnsweredQuestion, pose
from clause.policy.train.rollout import Arena
from clause.policy.train.warm_start import VectorTable
from clause.reasoning.agents.policy import Question
from clause.reasoning.answer.integrations import Taken, best_cosine, nodes_looked_at, relation_cosine, taken
from clause.reasoning.episode.actions import NAVIGATOR
from clause.reasoning.episode.budget import Prices
from clause.reasoning.neighbourhood.snapshot import Snapshot

QUESTIONS = 600
"""Questions whose walks the head is fitted to."""
RIDGE = 1e-3
"""Weight of the penalty on squared weights, beside the mean squared error."""
LEAST_DEVIATION = 0.05
"""Inputs that vary less are not blown up: elsewhere they may vary more."""


@dataclass(frozen=True, slots=True)
class DecidedWalk:
    """A question's text, the hops that were taken for it, and the Navigator's choices that took them."""

    text: str
    hops: Sequence[Taken]
    choices: Sequence[Choice]


def with_gain(
    checkpoint: Checkpoint,
    snapshot: Snapshot,
    questions: Sequence[AnsweredQuestion],
    table: VectorTable,
    *,
    seed: int = 0,
) -> Checkpoint:
    """The checkpoint with a head fitted to its walks on QUESTIONS of the questions; as it was where none walks."""
    order = np.random.default_rng(seed).permutation(len(questions))[:QUESTIONS]
    walks = _walks(checkpoint, snapshot, [questions[place] for place in order.tolist()], table, seed)
    names = dict(zip(snapshot.ids, snapshot.names, strict=True))
    looked_at = {names[node] for walk in walks for node in nodes_looked_at(walk.hops)}
    table.learn({*looked_at, *(walk.text for walk in walks)})
    rows: list[Floats] = []
    targets: list[float] = []
    decider = Decider(serving_networks(checkpoint.actors))
    for walk in walks:
        vectors = {node: table[names[node]] for node in nodes_looked_at(walk.hops)}
        question = Question(walk.text, table[walk.text], (), snapshot.types, Prices(), vectors)
        for hop, choice in zip(walk.hops, walk.choices, strict=True):
            before = best_cosine(hop.before, question)
            key = decider.key(choice)
            rows.append(inputs(before, relation_cosine(hop.hop, question), choice.context, key))
            targets.append(realised(best_cosine(hop.after, question) - before))
    return replace(checkpoint, gain=fitted(np.array(rows), np.array(targets))) if rows else checkpoint


def fitted(rows: Floats, targets: Doubles) -> GainHead:
    """The ridge regression of targets [n] on rows [n, F], inputs standardised, the bias free.

    >>> rows = np.linspace(0, 1, 50, dtype=np.float32)[:, None]
    >>> head = fitted(rows, 0.2 + 0.5 * rows[:, 0].astype(np.float64))
    >>> round(head.bias, 2), round(float(head.weights[0]), 2)
    (0.2, 0.5)
    """
    wide = rows.astype(np.float64)
    mean, deviation = wide.mean(axis=0), np.maximum(wide.std(axis=0), LEAST_DEVIATION)
    scaled = (wide - mean) / deviation
    gram = scaled.T @ scaled + RIDGE * len(wide) * np.eye(wide.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (targets - targets.mean())) / deviation
    return GainHead(weights.astype(np.float32), float(targets.mean() - weights @ mean))


def _walks(
    checkpoint: Checkpoint, snapshot: Snapshot, questions: Sequence[AnsweredQuestion], table: VectorTable, seed: int
) -> list[DecidedWalk]:
    """The most probable walks, under limits as training draws them."""
    rng = np.random.default_rng(seed)
    arena, networks = Arena(snapshot, deletes=checkpoint.about.network.deletes), serving_networks(checkpoint.actors)
    found = []
    for question, task in zip(
        questions, pose(snapshot, questions, PatternReader(checkpoint.scorer), table), strict=True
    ):
        decider = Decider(networks, trace=[])
        limits = sample_limits(rng) if rng.random() < 0.5 else generous_limits(rng)
        episode = arena.play(task, arena.agents(task, decider, Prices()), limits, Prices()).episode
        choices = [choice for choice in decider.trace or () if choice.agent == NAVIGATOR and went_on(choice)]
        found.append(DecidedWalk(question.text, taken(episode), choices))
    return [walk for walk in found if walk.hops]


def went_on(choice: Choice) -> bool:
    """True where the Navigator chose a hop: neither STOP, the first option, nor BACKTRACK."""
    return choice.chosen > 0 and not choice.options[choice.chosen][1]
