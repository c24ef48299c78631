"""The warm start of the three agents: they imitate a teacher that plays depth first with whole paths (the null of
policy.md).

It looks at the same numbers as the agents; with budgets that bind it does what relation-path-depth-first does. Where
something has a price, it stops when the next answers' share of F1 costs more than it brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from clause.arrays import Doubles, Floats, Longs
from clause.intelligence.curiosity import realised
from clause.policy.serve.decider import NETWORK_OF, NETWORKS, Choice, Decider, OptionPerceptron
from clause.policy.serve.observations import (
    ARCHITECT_OPTION,
    CONTEXT,
    CURATOR_OPTION,
    NAVIGATOR_OPTION,
    GainHead,
    inputs,
)
from clause.policy.serve.reader import PatternReader
from clause.policy.train.lagrangian import generous_limits, sample_limits, sample_prices
from clause.policy.train.lessons import AnsweredQuestion, pose
from clause.policy.train.networks import Actors, Checkpoint, arrays, exported
from clause.policy.train.rollout import Arena, DecisionBatch, Task, evaluate
from clause.policy.train.warm_start import VectorTable
from clause.reasoning.agents.policy import Question
from clause.reasoning.answer.integrations import Taken, best_cosine, nodes_looked_at, relation_cosine, taken
from clause.reasoning.episode.actions import CURATOR, NAVIGATOR, Agent
from clause.reasoning.episode.budget import RESOURCES, Prices
from clause.reasoning.neighbourhood.snapshot import Snapshot

Columns = dict[str, Floats]
ALL_FITS = CONTEXT.index("all_fits")
PRICED = [CONTEXT.index(f"{resource}_price") for resource in RESOURCES]


def depth_first(agent: Agent, options: Floats, context: Floats) -> int:
    """The row that the teacher takes; 0 is STOP."""
    if agent == NAVIGATOR:
        return _first(_where(_columns(options, NAVIGATOR_OPTION), "follows_plan"))
    if agent == CURATOR:
        columns = _columns(options, CURATOR_OPTION)
        row = _curate(columns)
    else:
        columns = _columns(options, ARCHITECT_OPTION)
        row = _build(columns, all_fits=bool(context[ALL_FITS]) and not context[PRICED].any())
    return row if columns["net_gain"][row] >= 0 else 0


def _columns(options: Floats, names: tuple[str, ...]) -> Columns:
    return {name: options[:, place] for place, name in enumerate(names)}


def _where(columns: Columns, *marks: str) -> Longs:
    """The rows behind STOP that exceed nothing and carry every mark."""
    kept = (columns["exceeds"] == 0) & (columns["is_stop"] == 0)
    for mark in marks:
        kept &= columns[mark] > 0
    return np.flatnonzero(kept)


def _first(rows: Longs) -> int:
    return int(rows[0]) if rows.size else 0


def _curate(columns: Columns) -> int:
    whole = _where(columns, "is_all")
    if whole.size:
        return int(whole[0])
    single = _where(columns)
    return int(single[np.argmin(columns["order"][single])]) if single.size else 0


def _build(columns: Columns, *, all_fits: bool) -> int:
    whole = _where(columns, "is_whole_front", "is_all")
    if all_fits and whole.size:
        return int(whole[np.argmax(columns["levels_to_go"][whole])])
    deepest = _where(columns, "deepest")
    nodes = deepest[columns["is_whole_front"][deepest] == 0]
    rows = nodes if nodes.size else deepest
    if not rows.size:
        return 0
    latest = rows[columns["recency"][rows] == columns["recency"][rows].min()]
    sizes = columns["count"][latest]
    return int(latest[np.argmax(sizes)] if columns["is_last_level"][latest[0]] else latest[np.argmin(sizes)])


def serving_networks(actors: Actors) -> dict[str, OptionPerceptron]:
    """The actors as they are served."""
    tensors = {f"{name}.{field}": value for name in NETWORKS for field, value in arrays(actors.network(name)).items()}
    return {name: OptionPerceptron.of(tensors, name) for name in NETWORKS}


def demonstrate(
    arena: Arena, tasks: Sequence[Task], actors: Actors, rng: np.random.Generator, *, price_share: float = 0.3
) -> list[Choice]:
    """The teacher's choices on every task, once each, under sampled limits and their masks, a share of them priced."""
    choices: list[Choice] = []
    networks = serving_networks(actors)
    for task in tasks:
        decider = Decider(networks, pilot=depth_first, trace=choices)
        priced = rng.random() < price_share
        limits, prices = (generous_limits(rng), sample_prices(rng)) if priced else (sample_limits(rng), Prices())
        arena.play(task, arena.agents(task, decider, prices), limits, prices)
    return choices


def imitate(
    actors: Actors,
    choices: Sequence[Choice],
    *,
    epochs: int,
    batch: int = 256,
    learning_rate: float = 3e-3,
    seed: int = 0,
    stop_share: float = 0.0,
) -> float:
    """Fit the agents to demonstrations; the last epoch's mean negative log-likelihood.

    `stop_share` of every target is STOP, which the teacher takes too seldom for prices to find it later.
    """
    optimiser = torch.optim.Adam(actors.parameters(), lr=learning_rate)
    rng = np.random.default_rng(seed)
    losses: list[float] = []
    for _ in range(epochs):
        losses = []
        for agent, network in NETWORK_OF.items():
            mine = [choice for choice in choices if choice.agent == agent]
            order = rng.permutation(len(mine)).tolist()
            for start in range(0, len(order), batch):
                part = DecisionBatch.of([mine[place] for place in order[start : start + batch]])
                seen = evaluate(actors, network, part)
                stops = seen.log_probabilities[torch.searchsorted(part.owner, torch.arange(part.decisions))]
                taught = seen.log_probabilities[part.chosen]
                loss = -((1 - stop_share) * taught + stop_share * stops).mean()
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(actors.parameters(), 1.0)
                optimiser.step()
                losses.append(float(loss.detach()))
    return float(np.mean(losses)) if losses else 0.0


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
        questions, pose(snapshot, questions, PatternReader(exported(checkpoint.scorer)), table), strict=True
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
