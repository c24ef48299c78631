"""Patterns that a question asks for, most probable first: a beam over typed hops, without looking at the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from clause.policy.networks import Reading, RelationScorer
from clause.policy.patterns import Pattern
from clause.policy.wording import words
from clause.reasoning.neighbourhood import Hop, RelationshipType

Vectors = NDArray[np.float32]
Ladder = tuple[Mapping[Hop | None, float], ...]


@dataclass(frozen=True, slots=True)
class ScoredPattern:
    """A pattern and the log-probability that the question asks for exactly it.

    `next_hops[d]` holds the log-probabilities of what comes after d hops of it, None standing for STOP.
    """

    hops: Pattern
    log_probability: float
    next_hops: tuple[Mapping[Hop | None, float], ...] = ()


class PatternReader:
    """Reads masked questions with a trained scorer.

    Args:
        scorer: the relationship scorer, in evaluation mode.
        beam: patterns kept at each depth.
        max_hops: longest pattern.
    """

    def __init__(self, scorer: RelationScorer, *, beam: int = 4, max_hops: int = 4) -> None:
        self._scorer = scorer
        self._beam = beam
        self._max_hops = max_hops

    @torch.inference_mode()
    def read(
        self, masked: Sequence[str], vectors: Mapping[str, Vectors], types: Mapping[str, RelationshipType]
    ) -> list[list[ScoredPattern]]:
        """For each masked question its patterns, best first.

        Args:
            masked: the questions.
            vectors: unit vectors of the questions and of all their words.
            types: the relationship types to choose from, by name.
        """
        hops = [Hop(name, forward) for name in sorted(types) for forward in (True, False)]
        if not hops or not masked:
            return [[] for _ in masked]
        kinds = [(types[hop.relation], hop.forward) for hop in hops]
        sides = np.stack([kind.embedding if forward else kind.inverse_embedding for kind, forward in kinds])
        encoded = self._scorer.encode(self._reading(masked, vectors, sides))
        owner = torch.arange(len(masked))
        states, totals = encoded.start, torch.zeros(len(masked))
        prefixes: list[Pattern] = [() for _ in masked]
        ladders: list[Ladder] = [() for _ in masked]
        found: list[list[ScoredPattern]] = [[] for _ in masked]
        for depth in range(self._max_hops + 1):
            choices = self._scorer.choices(encoded.spread(owner), states)
            logs = totals[:, None] + choices
            here = [dict(zip((*hops, None), row, strict=True)) for row in choices.tolist()]
            ladders = [(*ladder, row) for ladder, row in zip(ladders, here, strict=True)]
            if depth:
                for row, stopped in enumerate(logs[:, -1].tolist()):
                    found[int(owner[row])].append(ScoredPattern(prefixes[row], stopped, ladders[row]))
            if depth == self._max_hops:
                break
            rows, columns = self._widest(logs[:, :-1], owner, len(masked))
            prefixes = [(*prefixes[row], hops[column]) for row, column in zip(rows, columns, strict=True)]
            ladders = [ladders[row] for row in rows]
            kept = torch.tensor(rows)
            walked = torch.tensor(columns)
            owner, totals = owner[kept], logs[kept, walked]
            states = self._scorer.walk(encoded, states[kept], walked)
        for group in found:
            group.sort(key=lambda pattern: (-pattern.log_probability, pattern.hops))
        return found

    def _widest(self, logs: torch.Tensor, owner: torch.Tensor, questions: int) -> tuple[list[int], list[int]]:
        rows: list[int] = []
        columns: list[int] = []
        width = logs.shape[1]
        for question in range(questions):
            mine = (owner == question).nonzero()[:, 0]
            best = logs[mine].flatten().topk(min(self._beam, width * len(mine))).indices
            rows += mine[best // width].tolist()
            columns += (best % width).tolist()
        return rows, columns

    def _reading(self, masked: Sequence[str], vectors: Mapping[str, Vectors], types: Vectors) -> Reading:
        bags = [words(text) for text in masked]
        table = np.zeros((len(masked), max(map(len, bags)), types.shape[1]), dtype=np.float32)
        present = np.zeros(table.shape[:2], dtype=bool)
        for row, bag in enumerate(bags):
            for place, word in enumerate(bag):
                table[row, place] = vectors[word]
            present[row, : len(bag)] = True
        sentences = np.stack([vectors[text] for text in masked]).astype(np.float32)
        given, sides = torch.from_numpy(sentences), torch.from_numpy(types.astype(np.float32))
        strangers = self._scorer.strangers(sides)
        return Reading(given, torch.from_numpy(table), torch.from_numpy(present), sides, strangers)
