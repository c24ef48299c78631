"""The driver of an episode: agents decide, read or act until they stop. Serving and training run this one; they differ
only in who feeds it what it wants to read.

The Curator's pool is filled here: the walked triples as sentences, the texts that were touched, and those that the
indexes find where these are few. The driver is a generator: it yields what is to be read and is sent what was `Found`.
Nothing here waits for anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from clause.arrays import Floats, Vector
from clause.reasoning.agents.policy import Agents, Decision, LeftOut, Question
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Action, Agent, Look, Stop
from clause.reasoning.episode.budget import (
    Budgets,
    TokenCounter,
    Unit,
    edge_sentence,
    edge_unit_id,
    relation_text,
)
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Expansion, FoundText, NeighbourhoodPort, Node, View
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.telemetry import span

MAX_LOOKS = 64
"""Reads one agent may ask for in one turn: a bound in operations, so that no policy can read the whole graph."""

SHORT_TEXT_TOKENS = 16
"""Tokens of a short text: more texts than the budget holds of these need not be counted."""

WHOLE_NODE_CAP = 50
"""Edges of each (node, hop) when an agent asks for all neighbours of a node."""


SMALL_POOL = 20
"""A pool with fewer units than this is filled up from the indexes."""

MOST_FOUND = 40
"""Units that the indexes fill a pool up with."""


@dataclass(frozen=True, slots=True)
class Search:
    """Ask for the texts nearest to the question: the walk touched so few that the Curator has little to choose from."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a `Look` (an expansion) or to a `Search` (nodes with text, best first)."""

    expansion: Expansion = field(default_factory=Expansion)
    texts: Sequence[Node] = ()


T = TypeVar("T")
Drive: TypeAlias = Generator[Look | Search, Found, T]
"""Yields what is to be read, is sent what was found, and returns a T."""


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """The end of an agent's turn. `latency_ms` is wall time and decides nothing."""

    agent: Agent
    stop: Stop
    left_out: LeftOut | None
    latency_ms: float


Turns = Mapping[Agent, tuple[AgentTurn, ...]]
"""The turns of each agent, in order."""


def begun(
    question: Question, agents: Agents, budgets: Budgets, *, hard: bool = True, walk_known: bool = False
) -> Episode:
    """An episode at its start: it knows what its agents read before it."""
    seeds = [seed.id for seed in question.seeds]
    episode = Episode(seeds, budgets, hard=hard, edge_score=agents.edge_score, walk_known=walk_known)
    for look, found in agents.reads:
        episode.subgraph.learn(found, look.nodes, look.hops)
    return episode


def _nothing(_episode: Episode) -> None:
    """Follows an action where nobody wants to know."""


@dataclass(frozen=True, slots=True)
class Driver:
    """Drives the three agents of one question over one episode.

    `count` gives exact token counts of the Curator's units; `after` follows each action and each stop.
    """

    episode: Episode
    question: Question
    agents: Agents
    count: TokenCounter
    after: Callable[[Episode], None] = _nothing

    def rounds(self, number: int = 1) -> Drive[Turns]:
        """Rounds of edit, traverse, curate.

        Raises:
            BudgetError: an agent chose what a mask forbids.
        """
        turns: dict[Agent, tuple[AgentTurn, ...]] = {ARCHITECT: (), NAVIGATOR: (), CURATOR: ()}
        for _ in range(number):
            with span("agent architect"):
                turns[ARCHITECT] += ((yield from self.turn(ARCHITECT)),)
            with span("agent navigator"):
                turns[NAVIGATOR] += ((yield from self.turn(NAVIGATOR)),)
            with span("agent curator"):
                yield from self._fill_pool()
                turns[CURATOR] += ((yield from self.turn(CURATOR)),)
        return turns

    def turn(self, agent: Agent) -> Drive[AgentTurn]:
        """One agent decides until it stops, or until it has looked too often."""
        started = time.perf_counter()
        decide = self._decider(agent)
        looks = 0
        while True:
            decision = decide(self.episode)
            action: Action | Look = decision.action
            if isinstance(action, Look) and looks == MAX_LOOKS:
                action = Stop("NO_CANDIDATES")
            if isinstance(action, Look):
                looks += 1
                found = yield self._capped(action)
                self.episode.subgraph.learn(found.expansion, action.nodes, action.hops)
                continue
            if isinstance(action, Stop):
                self.episode.stop(agent, action)
                self.after(self.episode)
                return AgentTurn(agent, action, decision.left_out, (time.perf_counter() - started) * 1000)
            self.episode.step(action, decision.score)
            self.after(self.episode)

    def _decider(self, agent: Agent) -> Callable[[Episode], Decision[Action | Look]]:
        decide: Mapping[Agent, Callable[[Episode], Decision[Action | Look]]] = {
            ARCHITECT: self.agents.architect,
            NAVIGATOR: self.agents.navigator,
            CURATOR: self.agents.curator,
        }
        return decide[agent]

    def _capped(self, look: Look) -> Look:
        """The look with the cap that it leaves to the driver."""
        whole = max(WHOLE_NODE_CAP, self.episode.remaining.edges + 1)
        return replace(look, per_type=look.per_type or (WHOLE_NODE_CAP if look.hops is None else whole))

    def _fill_pool(self) -> Drive[None]:
        """Offer the Curator the texts that the agents chose; else everything the walk touched, and the nearest texts
        when that is little."""
        episode = self.episode
        texts = self.agents.account.texts
        if texts is not None:
            enough = max(SMALL_POOL, episode.remaining.tokens // SHORT_TEXT_TOKENS)
            episode.offer(text_units(texts[:enough], self.count))
            return
        episode.offer(edge_units(episode, self.question, self.count))
        episode.offer(text_units(touched_texts(episode), self.count))
        if len(episode.pool) < SMALL_POOL:
            found = yield Search()
            episode.offer(text_units(found.texts, self.count))


@dataclass(frozen=True, slots=True)
class PortFeeder:
    """Feeds a driver from the graph, as answers need it.

    Args:
        port, view: what is read, and what of it the caller may see.
        question: takes the vectors of the nodes that were read.
        reads_vectors: whether the policy needs them (`Policy.reads_vectors`).
        texts: finds texts for a small pool, while the graph is walked; None: the pool is what the walk touched.
    """

    port: NeighbourhoodPort
    view: View
    question: Question
    reads_vectors: bool
    texts: TextSource | None = None

    async def feed(self, reading: Drive[T]) -> T:
        """Read everything that the driver wants read, and return what it returns."""
        nearest = asyncio.ensure_future(self._nearest())  # most pools are small; where one is not, nobody waits for it
        nearest.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            wanted = next(reading)
            while True:
                wanted = reading.send(await self._read(wanted, nearest))
        except StopIteration as done:
            value: T = done.value
            return value

    async def _read(self, wanted: Look | Search, nearest: Awaitable[Sequence[Node]]) -> Found:
        if isinstance(wanted, Search):
            texts = await nearest
            await self._learn([node.id for node in texts])
            return Found(texts=texts)
        if wanted.thought is not None:
            await wanted.thought()
        expansion = await self.port.expand(
            wanted.nodes, self.view, per_type=wanted.per_type or WHOLE_NODE_CAP, hops=wanted.hops
        )
        if self.reads_vectors:
            await self._learn([node for node in expansion.nodes if node not in self.question.vectors])
        return Found(expansion)

    async def _nearest(self) -> Sequence[Node]:
        if self.texts is None:
            return ()
        return await self.texts.nearest(self.question.text, self.question.embedding, self.view, limit=MOST_FOUND)

    async def _learn(self, nodes: Sequence[str]) -> None:
        if nodes:
            self.question.vectors.update(await self.port.embeddings(nodes))


def feed_from(snapshot: Snapshot, reading: Drive[T]) -> T:
    """Give the driver's result, fed from a snapshot without waiting, as training needs it; it holds no other texts."""
    try:
        wanted = next(reading)
        while True:
            found = Found()
            if isinstance(wanted, Look):
                cap = wanted.per_type or WHOLE_NODE_CAP
                found = Found(snapshot.expand_now(wanted.nodes, per_type=cap, hops=wanted.hops))
            wanted = reading.send(found)
    except StopIteration as done:
        value: T = done.value
        return value


class TextSource(Protocol):
    """Finds units of text by meaning and words when the walk touched few."""

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes with text (passages, beliefs, ...), best first."""
        ...

    async def recall(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[FoundText]:
        """At most `limit` nodes with text of each ranking, with their scores, best first."""
        ...


def walked_edges(episode: Episode) -> list[Edge]:
    """The edges of the working subgraph, those that the walk used first."""
    walked = [edge for front in episode.walked for edges in front.reached.values() for edge in edges]
    return list(dict.fromkeys([*walked, *episode.subgraph.edges]))


def edge_units(episode: Episode, question: Question, count: TokenCounter) -> list[Unit]:
    """The walked edges as units."""
    edges = walked_edges(episode)
    texts = [
        edge_sentence(edge, episode.subgraph.nodes, relation_text(edge, question.relationship_types)) for edge in edges
    ]
    return [
        Unit(edge_unit_id(edge), text, tokens, "triple", edge=edge)
        for edge, text, tokens in zip(edges, texts, count(texts), strict=True)
    ]


def text_units(nodes: Iterable[Node], count: TokenCounter) -> list[Unit]:
    """The nodes that say something themselves (beliefs, memories, values, passages) as units."""
    speaking = [node for node in nodes if node.text]
    texts = [node.text or "" for node in speaking]
    return [
        Unit(node.id, text, tokens, node.kind, node=node.id)
        for node, text, tokens in zip(speaking, texts, count(texts), strict=True)
    ]


def touched_texts(episode: Episode) -> list[Node]:
    """The nodes of the working subgraph that were read, by id; those that say something become units."""
    nodes = episode.subgraph.nodes
    return [nodes[node] for node in sorted(episode.subgraph.touching()) if node in nodes]


def unit_vectors(units: Sequence[Unit], question: Question) -> Floats:
    """Unit vectors float32 [n, d]; a triple's is the normalised sum of head, relationship and tail, so that nothing is
    embedded on the request's path. Zero where nothing is known.
    """
    vectors = np.zeros((len(units), question.embedding.shape[0]), dtype=np.float32)
    for row, unit in enumerate(units):
        if unit.edge is not None:
            parts = [question.vectors.get(end) for end in (unit.edge.source, unit.edge.target)]
            kind = question.relationship_types.get(unit.edge.relation)
            known = [part for part in (*parts, kind.embedding if kind else None) if part is not None]
            vectors[row] = np.sum(known, axis=0) if known else 0
        elif unit.id in question.vectors:
            vectors[row] = question.vectors[unit.id]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors
