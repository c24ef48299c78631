"""The learned policy as `/coordinate` runs it: one embedding call for the seed named best, then small networks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from clause.arrays import Floats
from clause.policy.serve.agents import LearnedAgents, Plan, ReadSeed, SeedWeights
from clause.policy.serve.checkpoint import SHIPPED, ServedPolicy, served
from clause.policy.serve.decider import Decider
from clause.policy.serve.grounded import GroundedPolicy, count_edges
from clause.policy.serve.reader import MAX_WORDS, PatternReader, unlike, words
from clause.reasoning.agents.policy import Agents, Embed, PlainPolicy, Question, SeedCandidate
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.question.name_links import asked_kind
from clause.reasoning.question.skeleton import mask, named_span, span_of
from clause.workers import CpuPool

REMEMBERED = 20_000

Vectors = Mapping[str, Floats]
Types = Mapping[str, RelationshipType]
MaskedSeed = tuple[SeedCandidate, str]
"""A seed, and the question in which its mention is masked."""


class LearnedPolicy(PlainPolicy):
    """Three learned agents; nothing is read before `warm` or the first question.

    Args:
        path: the checkpoint, without its ending.
        name: what `policy` in a request says.
        embedder, dimension: of the graph; a checkpoint for others is refused.
        pool: runs the networks apart from the event loop; None runs them in it.
        backend: "torch" has torch run the relationship scorer; otherwise numpy does.
        grounded: reads questions on graphs with types that training did not know, those in words that it did not
            hear, and those for yes or no, a number, a winner or the best of things; None: this policy reads them, too.
    """

    def __init__(
        self,
        path: Path = SHIPPED,
        *,
        name: str = "learned",
        embedder: str | None = None,
        dimension: int | None = None,
        pool: CpuPool | None = None,
        backend: str = "onnx",
        grounded: GroundedPolicy | None = None,
    ) -> None:
        self.name = name
        self._path = path
        self._expected = embedder, dimension
        self._pool = pool
        self._backend = backend
        self._grounded = grounded
        self._remembered: dict[str, Floats] = {}
        self._loaded: tuple[ServedPolicy, PatternReader, Decider] | None = None
        self._weights = SeedWeights()

    @property
    def abstain_below(self) -> float:
        """Answers are withheld when the best score is below this."""
        return float(self.checkpoint.about.metrics.get("abstain_below", 0.0))

    @property
    def checkpoint(self) -> ServedPolicy:
        """The checkpoint, read once.

        Raises:
            NotFoundError, BadInputError: as `clause.policy.serve.checkpoint.read`.
        """
        return self._ready()[0]

    def warm(self) -> None:
        """Read the checkpoint now."""
        self._ready()
        if self._grounded is not None:
            self._grounded.warm()

    async def begin(self, question: Question, embed: Embed) -> Agents:
        """Agents with the plans of this question, over all its seed candidates."""
        checkpoint, _, decider = self._ready()
        types = await self._with_vectors(question.relationship_types, embed)
        masked = [_masked(question.text, seed) for seed in question.seeds]
        if self._grounded is not None and types and not _is_trained_for(question, masked, types, checkpoint):
            return await self._grounded.begin(question, embed)
        plans, rest = await self._planned(list(zip(question.seeds, masked, strict=True)), types, embed)
        count, deletes = partial(count_edges, types=types), checkpoint.about.network.deletes
        causal = None if question.causal is None else question.causal_score
        return LearnedAgents(
            plans, decider, count, question.prices, deletes=deletes, gain=checkpoint.gain, causal=causal, rest=rest
        )

    async def _planned(
        self, seeds: Sequence[MaskedSeed], types: Types, embed: Embed
    ) -> tuple[list[Plan], Callable[[], Awaitable[list[Plan]]] | None]:
        """The plans before which nothing of another seed can come, and what works out those after them.

        Most questions have one seed that is named in full, and only that one is read.
        """
        foremost = max(seeds, key=lambda pair: pair[0].score, default=(None, ""))[1]
        others = [pair for pair in seeds if pair[1] != foremost]
        read = await self._read([pair for pair in seeds if pair[1] == foremost], types, embed)
        plans = self._weights.plans(read)
        if not others:
            return plans, None
        most = max(self._weights.most(seed.score) for seed, _ in others)
        sure = sum(plan.score > most for plan in plans)

        async def rest() -> list[Plan]:
            return self._weights.plans([*read, *await self._read(others, types, embed)])[sure:]

        return (plans[:sure], rest) if sure else (await rest(), None)

    async def _read(self, seeds: Sequence[MaskedSeed], types: Types, embed: Embed) -> list[ReadSeed]:
        """The patterns of some seeds, best first; one batch embeds their questions."""
        _, reader, _ = self._ready()
        distinct = list(dict.fromkeys(text for _, text in seeds))
        bag = sorted({word for text in distinct for word in words(text)})
        vectors = await self._embedded(bag, distinct, embed)
        read = partial(reader.read, distinct, vectors, types)
        patterns = await self._pool.run(read) if self._pool is not None else read()
        of = dict(zip(distinct, patterns, strict=True))
        return [(seed, of[text]) for seed, text in seeds]

    def _ready(self) -> tuple[ServedPolicy, PatternReader, Decider]:
        if self._loaded is None:
            embedder, dimension = self._expected
            checkpoint = served(self._path, embedder=embedder, dimension=dimension, backend=self._backend)
            self._loaded = checkpoint, PatternReader(checkpoint.scorer), Decider(checkpoint.networks)
            self._weights = SeedWeights(**checkpoint.about.metrics.get("seed_weights", {}))
        return self._loaded

    async def _with_vectors(self, types: Types, embed: Embed) -> dict[str, RelationshipType]:
        """The types by name; those without vectors, as of a graph that was loaded without any, get their texts' own."""
        blank = {name: kind for name, kind in types.items() if not kind.embedding.any()}
        texts = dict.fromkeys(text for kind in blank.values() for text in (kind.text, kind.inverse_text))
        vectors = await self._embedded(list(texts), [], embed)
        own = {
            name: replace(kind, embedding=vectors[kind.text], inverse_embedding=vectors[kind.inverse_text])
            for name, kind in blank.items()
        }
        return {**types, **own}

    async def _embedded(self, lasting: Sequence[str], passing: Sequence[str], embed: Embed) -> Vectors:
        """Vectors of texts, made in one batch; lasting ones (words, types) are remembered, passing ones are not.

        What is known is taken before others may run, and push it out of the memory.
        """
        found = {text: self._remembered[text] for text in lasting if text in self._remembered}
        unknown = [text for text in lasting if text not in found]
        if not unknown and not passing:
            return found
        made = await embed([*passing, *unknown])
        self._remembered.update(zip(unknown, made[len(passing) :], strict=True))
        while len(self._remembered) > REMEMBERED:
            self._remembered.pop(next(iter(self._remembered)))
        return {**found, **dict(zip([*passing, *unknown], made, strict=True))}


def _is_trained_for(question: Question, masked: Sequence[str], types: Types, checkpoint: ServedPolicy) -> bool:
    """Tell whether a question is one of those that training knew: for things, on such a graph, in such words."""
    vectors = np.stack([kind.embedding for kind in types.values()])
    if asked_kind(question) != "list" or unlike(vectors, checkpoint.scorer.familiar).any():
        return False
    heard = checkpoint.about.metrics.get("words")
    return heard is None or any(set(words(text)) <= set(heard) and len(words(text)) < MAX_WORDS for text in masked)


def _masked(text: str, seed: SeedCandidate) -> str:
    """The question with the mention of a seed masked; where it was given apart, its name, in any case."""
    return mask(text, span_of(seed.start, seed.end) or named_span(text, seed.name, folded=True))
