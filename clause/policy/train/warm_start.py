"""The warm start: behaviour cloning of shortest relationship patterns, from (question, answers) pairs, over kept
vectors of texts."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clause.arrays import Vectors
from clause.policy.config import CloningConfig, NetworkConfig
from clause.policy.serve.reader import training_texts, words
from clause.policy.serve.tree import Pattern
from clause.policy.train.networks import Reading, RelationScorer
from clause.reasoning.neighbourhood.port import Hop
from clause.text.embedder import Embedder


class VectorTable:
    """Texts -> unit vectors of one embedder; new ones are embedded in one batch and written to `<folder>`.

    Args:
        embedder: makes what is missing.
        folder: where the file of this model lies; None keeps vectors in memory only.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        digest = hashlib.sha256(embedder.model.encode()).hexdigest()[:12]
        self._file = None if folder is None else folder / f"vectors-{digest}.npz"
        self._read = False

    def learn(self, texts: Iterable[str]) -> None:
        """Make sure that every text has its vector."""
        self._load()
        missing = sorted(set(texts) - self._vectors.keys())
        if not missing:
            return
        made = asyncio.run(self._embedder.embed(missing))
        self._vectors.update(zip(missing, made, strict=True))
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            draft = self._file.with_suffix(".part.npz")
            np.savez(draft, texts=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values())))
            draft.replace(self._file)

    def __getitem__(self, text: str) -> Vectors:
        return self._vectors[text]

    def stack(self, texts: Iterable[str]) -> Vectors:
        """The vectors of texts that were learned, float32 [n, d]."""
        return np.stack([self._vectors[text] for text in texts])

    def _load(self) -> None:
        if self._read:
            return
        self._read = True
        if self._file is not None and self._file.is_file():
            with np.load(self._file, allow_pickle=False) as file:
                self._vectors.update(zip((str(text) for text in file["texts"]), file["vectors"], strict=True))


EpochReport = Callable[[int, Mapping[str, float]], None]
"""Called with (epoch, figures)."""


@dataclass(frozen=True, slots=True)
class Example:
    """A masked question and the patterns that lead to its answers; any of them is right."""

    masked: str
    patterns: tuple[Pattern, ...]


class CloningLesson:
    """Examples in tensors: one row of `choice` for each pattern of each question, -1 behind its STOP.

    Attributes:
        hops: the typed hops that patterns name, then the distractors; `stop` is behind the last of the drawn ones.
    """

    def __init__(self, examples: Sequence[Example], relations: Sequence[str], table: VectorTable) -> None:
        texts = training_texts(relations)
        self.hops = tuple(Hop(relation, forward) for relation in relations for forward in (True, False))
        self.distractors = tuple(hop for hop in texts if hop not in self.hops)
        self.masked = [example.masked for example in examples]
        self.patterns = [[[self.hops.index(hop) for hop in p] for p in example.patterns] for example in examples]
        bags = {text: words(text) for text in self.masked}
        names = {name for options in texts.values() for name in options}
        table.learn({*bags, *names, *(word for bag in bags.values() for word in bag)})
        self.names = {hop: torch.from_numpy(table.stack(options)) for hop, options in texts.items()}
        distinct = sorted(bags)
        self._row = {text: row for row, text in enumerate(distinct)}
        self._sentences = torch.from_numpy(table.stack(distinct))
        longest = max(len(bag) for bag in bags.values())
        self._words = torch.zeros(len(distinct), longest, self._sentences.shape[1])
        self._present = torch.zeros(len(distinct), longest, dtype=torch.bool)
        for row, text in enumerate(distinct):
            self._words[row, : len(bags[text])] = torch.from_numpy(table.stack(bags[text]))
            self._present[row, : len(bags[text])] = True

    def reading(
        self, places: Sequence[int], types: Tensor, withheld: Tensor, hidden_words: Tensor | None = None
    ) -> Reading:
        """The questions at `places`; `hidden_words` [B, W] are left out, except where that would leave none."""
        rows = torch.tensor([self._row[self.masked[place]] for place in places])
        present = self._present[rows]
        if hidden_words is not None:
            kept = present & ~hidden_words[:, : present.shape[1]]
            present = torch.where(kept.any(dim=1, keepdim=True), kept, present)
        return Reading(self._sentences[rows], self._words[rows], present, types, withheld)

    def types(self, rng: np.random.Generator, config: CloningConfig) -> Tensor:
        """Vectors of the hops under names drawn for this step, with distractors behind them [T, D]."""
        drawn = [self._name(hop, rng, config.paraphrase) for hop in self.hops]
        count = min(config.distractors, len(self.distractors))
        others = rng.choice(len(self.distractors), size=count, replace=False) if count else ()
        drawn += [self._name(self.distractors[place], rng, 1.0) for place in others]
        vectors = torch.stack(drawn)
        if config.type_noise == 0:
            return vectors
        noise = rng.normal(scale=config.type_noise / vectors.shape[1] ** 0.5, size=vectors.shape)
        return functional.normalize(vectors + torch.from_numpy(noise.astype(np.float32)), dim=1)

    def familiar(self) -> Tensor:
        """Vectors of all names of the hops that patterns name [K, D]."""
        return torch.cat([self.names[hop] for hop in self.hops])

    def plain_types(self) -> Tensor:
        """Vectors of the hops under their plain names [T, D]."""
        return torch.stack([self.names[hop][0] for hop in self.hops])

    def _name(self, hop: Hop, rng: np.random.Generator, paraphrase: float) -> Tensor:
        options = self.names[hop]
        return options[int(rng.integers(len(options))) if rng.random() < paraphrase else 0]


def pattern_log_likelihood(
    scorer: RelationScorer, reading: Reading, patterns: Sequence[Sequence[Sequence[int]]]
) -> Tensor:
    """log of the summed probability of each question's patterns, each ended by STOP [B]."""
    owner = torch.tensor([place for place, group in enumerate(patterns) for _ in group])
    flat = [pattern for group in patterns for pattern in group]
    deepest = max(len(pattern) for pattern in flat)
    stop = len(reading.types)
    target = torch.full((len(flat), deepest + 1), -1)
    for row, pattern in enumerate(flat):
        target[row, : len(pattern) + 1] = torch.tensor([*pattern, stop])
    encoded = scorer.encode(reading).spread(owner)
    state = encoded.start
    total = torch.zeros(len(flat))
    for depth in range(deepest + 1):
        here = target[:, depth]
        chosen = scorer.choices(encoded, state).gather(1, here.clamp(min=0)[:, None])[:, 0]
        total = total + torch.where(here >= 0, chosen, 0.0)
        if depth < deepest:
            state = scorer.walk(encoded, state, torch.where((here >= 0) & (here < stop), here, 0))
    return _logsumexp_by(total, owner, len(patterns))


def clone(
    lesson: CloningLesson,
    network: NetworkConfig,
    config: CloningConfig,
    *,
    seed: int = 0,
    report: EpochReport = lambda _epoch, _metrics: None,
) -> RelationScorer:
    """A relationship scorer that imitates the lesson's patterns; the same seed gives the same weights."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    scorer = RelationScorer(network)
    optimiser = torch.optim.Adam(scorer.parameters(), lr=config.learning_rate)
    batches = -(-len(lesson.masked) // config.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, config.epochs * batches)
    for epoch in range(config.epochs):
        order = rng.permutation(len(lesson.masked)).tolist()
        losses = []
        for first in range(0, len(order), config.batch):
            places = order[first : first + config.batch]
            hidden = torch.from_numpy(rng.random((len(places), 64)) < config.word_dropout)
            types = lesson.types(rng, config)
            withheld = torch.from_numpy(rng.random(len(types)) < config.withheld)
            reading = lesson.reading(places, types, withheld, hidden)
            loss = -pattern_log_likelihood(scorer, reading, [lesson.patterns[place] for place in places]).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        report(epoch, {"loss": float(np.mean(losses))})
    scorer.familiar = lesson.familiar()
    return scorer.eval()


def _logsumexp_by(values: Tensor, owner: Tensor, groups: int) -> Tensor:
    largest = torch.full((groups,), -torch.inf).scatter_reduce(0, owner, values.detach(), "amax")
    return largest + torch.zeros(groups).index_add(0, owner, (values - largest[owner]).exp()).log()
