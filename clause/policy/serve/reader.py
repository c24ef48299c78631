"""The reader: patterns that a question asks for, by a beam over typed hops, and the words of questions and types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch

from clause.arrays import Vectors
from clause.errors import BadInputError
from clause.policy.serve.networks import Reading, RelationScorer
from clause.policy.serve.tree import Pattern
from clause.reasoning.neighbourhood.port import Hop, RelationshipType
from clause.reasoning.question.skeleton import MASK
from clause.text.names import relation_words

MAX_WORDS = 24
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PARAPHRASES = Path(__file__).parent / "paraphrases.tsv"


def words(text: str) -> tuple[str, ...]:
    """The words of a masked question in lower case, at most 24; never empty.

    >>> words("Who directed it?")
    ('who', 'directed', 'it')
    """
    return tuple(word.lower() for word in _WORD.findall(text))[:MAX_WORDS] or (MASK,)


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
