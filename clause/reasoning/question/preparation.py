"""From a request to a question that the agents can work on: scopes, whom they chose, seeds and vectors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from clause.arrays import Vector
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, agreed
from clause.reasoning.agents.policy import PolicyBook, Question, Recall, SeedCandidate
from clause.reasoning.answer.counterfactual import Withholding
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.budget import Prices
from clause.reasoning.episode.driver import WHOLE_NODE_CAP, TextSource
from clause.reasoning.models.answer import ScopeCalibration, SeedEntity
from clause.reasoning.neighbourhood.port import (
    Expansion,
    FoundText,
    Hop,
    NeighbourhoodPort,
    Node,
    RelationshipType,
    View,
)
from clause.reasoning.question.seed_matching import plain
from clause.reasoning.question.seeds import SeedFinder
from clause.telemetry import span
from clause.text.embedder import Embedder
from clause.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question ready for the agents."""

    question: Question
    view: View
    seeds: tuple[SeedEntity, ...]
    embed_ms: float
    calibration: ScopeCalibration | None = None


class KnownCalibrations(Protocol):
    """Tells what feedback taught; `clause.reasoning.answer.calibration.Calibrations` does."""

    async def of(self, view: View) -> ScopeCalibration | None:
        """The calibration of a view; None: as shipped."""
        ...


class Asker:
    """Prepares questions: embeds the text while the graph is asked for scopes, types and seeds."""

    def __init__(
        self,
        graph: Graph,
        port: NeighbourhoodPort,
        finder: SeedFinder,
        embedder: Embedder,
        calibrations: KnownCalibrations | None = None,
        *,
        texts: TextSource | None = None,
    ) -> None:
        """`calibrations`: what feedback taught; None: scores are as shipped. `texts`: finds passages and the like."""
        self._graph = graph
        self._port = port
        self._finder = finder
        self.embedder = embedder
        self.withholding = Withholding(graph, finder)
        self._calibrations = calibrations
        self.texts = texts

    async def view(
        self,
        caller: Caller,
        scopes: Sequence[str] | None,
        as_of_valid: datetime | None = None,
        as_of_recorded: datetime | None = None,
    ) -> View:
        """Find what a caller may see of what was asked for, and the policy that decides there: one read tells both."""
        if scopes is None:
            known = await self._graph.run("graph/scopes")
        else:  # of a service there may be a hundred thousand, one for each session
            known = await self._graph.run("graph/named_scopes", ids=[*caller.resolve(scopes, scopes)])
        readable = caller.resolve(scopes, [row["id"] for row in known])
        chosen = {row["id"]: row["policy"] for row in known if row.get("policy")}
        told = sum(row.get("types_told") or 0 for row in known if row["id"] in readable)
        return View(readable, as_of_valid, as_of_recorded, policy=agreed(readable, chosen), types_told=told)

    async def ask(
        self,
        text: str,
        prices: Prices,
        view: View,
        *,
        start_nodes: Sequence[str] | None = None,
        reading: str | None = None,
    ) -> PreparedQuestion:
        """The question with its vector, its seeds (named, or found in the text) and the view's relationship types.

        Brackets are blanks from here on: they mark nothing and give no advantage.
        """
        text = plain(text)
        (embedding, embed_ms), seeds, types, calibration = await asyncio.gather(
            self._embed(text), self._seeds(text, view, start_nodes), self._types(view), self._calibration(view)
        )
        candidates = [SeedCandidate(seed.id, seed.name, seed.score, seed.start, seed.end) for seed in seeds]

        def expand(look: Look) -> Awaitable[Expansion]:
            return self._port.expand(look.nodes, view, per_type=look.per_type or WHOLE_NODE_CAP, hops=look.hops)

        def starts(hop: Hop, limit: int) -> Awaitable[Sequence[Node]]:
            return self._port.starts(hop, view, limit=limit)

        question = Question(
            text,
            embedding,
            candidates,
            types,
            prices,
            start_nodes_given=start_nodes is not None,
            expand=expand,
            starts=starts,
            reading=reading,
            recall=self._recalling(text, embedding, view),
            read_vectors=self._port.embeddings,
            embed_tokens=self.embedder.embed_tokens,
        )
        return PreparedQuestion(question, view, tuple(seeds), embed_ms, calibration)

    def _recalling(self, text: str, embedding: Vector, view: View) -> Recall:
        """Recall for one question; asked again for as many texts it reads nothing."""
        found: dict[int, Sequence[FoundText]] = {}

        async def recall(limit: int) -> Sequence[FoundText]:
            if limit not in found and self.texts is not None:
                found[limit] = await self.texts.recall(text, embedding, view, limit=limit)
            return found.get(limit, ())

        return recall

    async def types(self, view: View) -> Mapping[str, RelationshipType]:
        """The view's relationship types by name."""
        return await self._types(view)

    async def _embed(self, text: str) -> tuple[Vector, float]:
        started = time.perf_counter()
        with span("embed"):
            vector = await self.embedder.embed_query(text)
        return vector, (time.perf_counter() - started) * 1000

    async def _seeds(self, text: str, view: View, start_nodes: Sequence[str] | None) -> Sequence[SeedEntity]:
        if start_nodes is None:
            return await self._finder.find(text, view)
        return await self._finder.resolve(start_nodes, view)

    async def _calibration(self, view: View) -> ScopeCalibration | None:
        return None if self._calibrations is None else await self._calibrations.of(view)

    async def _types(self, view: View) -> Mapping[str, RelationshipType]:
        return {kind.name: kind for kind in await self._port.relationship_types(view)}


async def warm(embedder: Embedder, policies: PolicyBook) -> None:
    """Load the embedding model, the tokenizer and the default policy."""
    await embedder.warm()
    await asyncio.to_thread(count_tokens, "warm")
    policy = await asyncio.to_thread(policies.__getitem__, None)
    await asyncio.to_thread(policy.warm)
