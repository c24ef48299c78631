"""The reader: patterns that a question asks for, by a beam over typed hops, and the words of questions and types.

Axes: B questions, W words, T typed hops (a relationship type in one direction), D embedding, H hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from clause.arrays import Flags, Floats, Longs, Vectors
from clause.errors import BadInputError
from clause.policy.serve.decider import log_softmax
from clause.policy.serve.tree import Pattern
from clause.reasoning.neighbourhood.port import Hop, RelationshipType
from clause.reasoning.question.skeleton import MASK
from clause.text.names import relation_words
from clause.text.tokens import WORD

MAX_WORDS = 24
MAX_HOPS = 4
"""Hops of the longest pattern that is read."""
_BEAM = 4  # patterns kept at each depth
_PARAPHRASES = Path(__file__).parent / "paraphrases.tsv"


def words(text: str) -> tuple[str, ...]:
    """The words of a masked question in lower case, at most 24; never empty.

    >>> words("Who directed it?")
    ('who', 'directed', 'it')
    """
    return tuple(word.lower() for word in WORD.findall(text))[:MAX_WORDS] or (MASK,)


@lru_cache(maxsize=1)
def paraphrases() -> dict[Hop, tuple[str, ...]]:
    """Training names of relationship types, by type and direction; types no question is about are distractors.

    Raises:
        BadInputError: a line of the packaged table is not `relation<TAB>direction<TAB>text|text`.
    """
    table: dict[Hop, tuple[str, ...]] = {}
    for number, line in enumerate(_PARAPHRASES.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or cells[1] not in (">", "<"):
            raise BadInputError(f"paraphrases.tsv, line {number}: relation, direction and texts are needed")
        table[Hop(cells[0], cells[1] == ">")] = tuple(cells[2].split("|"))
    return table


def training_texts(relations: Sequence[str]) -> dict[Hop, tuple[str, ...]]:
    """The texts that training draws from for each hop of `relations`, its plain text first; then the distractors.

    A backward hop is also called by its forward names' inverses, as a type that nobody described would be.

    >>> training_texts(["knows"])[Hop("knows", True)]
    ('knows',)
    """
    known = paraphrases()
    own = [Hop(relation, forward) for relation in relations for forward in (True, False)]
    texts = {hop: (relation_words(*hop), *known.get(hop, ()), *_inverses(hop, known)) for hop in own}
    distractors = {
        hop: (relation_words(*hop), *names) for hop, names in known.items() if hop.relation.startswith("other_")
    }
    return texts | {hop: names[1:] for hop, names in distractors.items()}


def _inverses(hop: Hop, known: Mapping[Hop, Sequence[str]]) -> tuple[str, ...]:
    return () if hop.forward else tuple(relation_words(name, False) for name in known.get(hop.inverse, ()))


Ladder = tuple[Mapping[Hop | None, float], ...]


@dataclass(frozen=True, slots=True)
class ScoredPattern:
    """A pattern and the log-probability that the question asks for exactly it.

    `next_hops[d]` holds the log-probabilities of what comes after d hops of it, None standing for STOP.
    """

    hops: Pattern
    log_probability: float
    next_hops: tuple[Mapping[Hop | None, float], ...] = ()


RESEMBLES = 0.9
"""Cosine from which on a name is one of training's."""

MOST = 0.5
"""The share of strange names from which on they are other names for what is known, not strangers."""


def unlike(types: Vectors, familiar: Vectors) -> Flags:
    """Marks the typed hops [T, D] that no name of training [K, D] resembles, bool [T]; none where nothing is known."""
    if not len(familiar):
        return np.zeros(len(types), dtype=bool)
    strange: Flags = (types @ familiar.T).max(axis=1) < RESEMBLES
    return strange


def strangers(types: Vectors, familiar: Vectors) -> Flags:
    """Marks the typed hops [T, D] that are `unlike` the names of training [K, D], bool [T].

    None, where most are: then the graph names things otherwise, and its names are read as other names for what is
    known.
    """
    strange = unlike(types, familiar)
    return strange if strange.mean() < MOST else np.zeros_like(strange)


class Paths(Protocol):
    """Questions whose texts were projected once, and the states of the paths that are walked for them."""

    @property
    def start(self) -> Floats:
        """The states before the first hop [B, H]."""
        ...

    def choices(self, owner: Longs, states: Floats) -> Floats:
        """Log-probabilities of what comes next [n, T + 1], STOP last, in `states` [n, H] of the questions `owner`."""
        ...

    def walk(self, states: Floats, hops: Longs) -> Floats:
        """The states [n, H] after walking `hops` [n]."""
        ...


class ScoresHops(Protocol):
    """A trained scorer of relationships, as the reader asks it."""

    @property
    def familiar(self) -> Vectors:
        """Unit vectors of the names that types had in training [K, D]."""
        ...

    def paths(self, sentence: Vectors, words: Floats, present: Flags, types: Vectors) -> Paths:
        """The paths of masked questions [B, D] with their words [B, W, D], where `present`, over typed hops [T, D]."""
        ...


class HopScorer:
    """The relationship scorer in numpy, from the weights of `clause.policy.train.networks.RelationScorer`, whose words
    explain it.
    """

    def __init__(self, tensors: Mapping[str, Floats]) -> None:
        self._tensors = tensors

    @property
    def familiar(self) -> Vectors:
        """Unit vectors of the names that types had in training [K, D]."""
        return self._tensors["familiar"]

    def paths(self, sentence: Vectors, words: Floats, present: Flags, types: Vectors) -> HopPaths:
        """As `ScoresHops.paths`."""
        return HopPaths(self._tensors, sentence, words, present, types)


class HopPaths:
    """The paths of some questions, by `HopScorer`."""

    def __init__(
        self, tensors: Mapping[str, Floats], sentence: Vectors, words: Floats, present: Flags, types: Vectors
    ) -> None:
        self._tensors = tensors
        self._scale = np.float32(len(tensors["first"]) ** 0.5)
        normed, kinds = self._norm(sentence), self._norm(types)
        self._question = self._linear("question", normed)
        self._word_keys = self._linear("read_word", self._norm(words))
        self._type_keys, self._steps = self._linear("key", kinds), self._linear("read_type", kinds)
        self._words, self._present, self._types = words, present, types
        self._by_sentence = sentence @ types.T
        self._withheld = strangers(types, tensors["familiar"])
        self._sharpness = np.exp(tensors["sharpness"])
        first = np.broadcast_to(tensors["first"], self._question.shape)
        self.start = self._path(first, np.tanh(self._linear("begin", normed)))

    def choices(self, owner: Longs, states: Floats) -> Floats:
        """As `Paths.choices`."""
        both = np.concatenate((states, self._question[owner]), axis=1)
        learned = self._twice("query", both) @ self._type_keys.T / self._scale
        learned = np.where(self._withheld, np.maximum(learned, 0), learned)
        gate = _sigmoid(self._linear("gate", states))
        scores = gate * learned + (1 - gate) * self._similarity(owner, states)
        return np.stack([log_softmax(row) for row in np.concatenate((scores, self._twice("stop", both)), axis=1)])

    def walk(self, states: Floats, hops: Longs) -> Floats:
        """As `Paths.walk`."""
        return self._path(self._steps[hops], states)

    def _similarity(self, owner: Longs, states: Floats) -> Floats:
        keys, present, words = self._word_keys[owner], self._present[owner], self._words[owner]
        weights = np.einsum("bh,bwh->bw", self._linear("attend", states), keys) / self._scale
        weights = np.where(present, weights, -np.inf)
        powers = np.exp(weights - weights.max(axis=1, keepdims=True))
        attended = np.einsum("bw,bwd->bd", powers / powers.sum(axis=1, keepdims=True), words)
        by_word = attended @ self._types.T
        similarity: Floats = self._sharpness[0] * by_word + self._sharpness[1] * self._by_sentence[owner]
        return similarity

    def _linear(self, name: str, given: Floats) -> Floats:
        mapped: Floats = given @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]
        return mapped

    def _twice(self, name: str, given: Floats) -> Floats:
        return self._linear(f"{name}.2", np.maximum(self._linear(f"{name}.0", given), 0))

    def _norm(self, given: Floats) -> Floats:
        centred = given - given.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        normed: Floats = scaled * self._tensors["norm.weight"] + self._tensors["norm.bias"]
        return normed

    def _path(self, given: Floats, states: Floats) -> Floats:
        """A step of the GRU."""
        read = np.split(given @ self._tensors["path.weight_ih"].T + self._tensors["path.bias_ih"], 3, axis=1)
        kept = np.split(states @ self._tensors["path.weight_hh"].T + self._tensors["path.bias_hh"], 3, axis=1)
        reset, update = _sigmoid(read[0] + kept[0]), _sigmoid(read[1] + kept[1])
        fresh = np.tanh(read[2] + reset * kept[2])
        stepped: Floats = fresh + update * (states - fresh)
        return stepped


def _sigmoid(given: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * given), dtype=np.float32)


class PatternReader:
    """Reads masked questions with a trained scorer.

    Args:
        scorer: the relationship scorer.
    """

    def __init__(self, scorer: ScoresHops) -> None:
        self._scorer = scorer

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
        paths = self._scorer.paths(*_table(masked, vectors), sides.astype(np.float32))
        owner = np.arange(len(masked))
        states, totals = paths.start, np.zeros(len(masked), dtype=np.float32)
        prefixes: list[Pattern] = [() for _ in masked]
        ladders: list[Ladder] = [() for _ in masked]
        found: list[list[ScoredPattern]] = [[] for _ in masked]
        for depth in range(MAX_HOPS + 1):
            choices = paths.choices(owner, states)
            logs = totals[:, None] + choices
            here = [dict(zip((*hops, None), row, strict=True)) for row in choices.tolist()]
            ladders = [(*ladder, row) for ladder, row in zip(ladders, here, strict=True)]
            if depth:
                for row, stopped in enumerate(logs[:, -1].tolist()):
                    found[int(owner[row])].append(ScoredPattern(prefixes[row], stopped, ladders[row]))
            if depth == MAX_HOPS:
                break
            rows, columns = _widest(logs[:, :-1], owner, len(masked))
            prefixes = [
                (*prefixes[row], hops[column]) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
            ]
            ladders = [ladders[row] for row in rows.tolist()]
            owner, totals = owner[rows], logs[rows, columns]
            states = paths.walk(states[rows], columns)
        for group in found:
            group.sort(key=lambda pattern: (-pattern.log_probability, pattern.hops))
        return found


def _widest(logs: Floats, owner: Longs, questions: int) -> tuple[Longs, Longs]:
    """Rows and columns of the best hops of each question."""
    kept: list[Longs] = []
    width = logs.shape[1]
    for question in range(questions):
        mine = np.flatnonzero(owner == question)
        best = np.argsort(-logs[mine].ravel(), kind="stable")[:_BEAM]
        kept.append(mine[best // width] * width + best % width)
    rows, columns = np.divmod(np.concatenate(kept), width)
    return rows, columns


def _table(masked: Sequence[str], vectors: Mapping[str, Vectors]) -> tuple[Vectors, Floats, Flags]:
    """Questions [B, D], their words [B, W, D], zero where there is none, and which there are [B, W]."""
    bags = [words(text) for text in masked]
    sentences = np.stack([vectors[text] for text in masked]).astype(np.float32)
    table = np.zeros((len(masked), max(map(len, bags)), sentences.shape[1]), dtype=np.float32)
    present = np.zeros(table.shape[:2], dtype=bool)
    for row, bag in enumerate(bags):
        for place, word in enumerate(bag):
            table[row, place] = vectors[word]
        present[row, : len(bag)] = True
    return sentences, table, present
