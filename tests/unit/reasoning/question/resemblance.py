"""Scores by resemblance: the masked question beside each pattern in words, by a frozen embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clause.reasoning.question.pattern_text import TypeText, pattern_words
from clause.reasoning.question.patterns import Rank, TypedPattern
from clause.text.embedder import Embedder
from clause.text.names import readable_relation

TEMPERATURE = 0.05
"""Cosines are divided by this: a tenth of cosine is worth two nats."""
REMEMBERED = 50_000


class Resemblance:
    """Log-scores of patterns as cosine over temperature; wordings of patterns are embedded once and remembered."""

    def __init__(self, embedder: Embedder, text_of: TypeText = readable_relation) -> None:
        """Keep what is asked; nothing is embedded yet."""
        self._embedder = embedder
        self._text_of = text_of
        self._known: dict[str, NDArray[np.float32]] = {}

    async def rank(self, wanted: Rank) -> list[float]:
        """Of each pattern its best score over the alternatives of the question."""
        if not wanted.patterns or not wanted.questions:
            return [0.0] * len(wanted.patterns)
        rows = np.stack([await self.score(question, wanted.patterns) for question in wanted.questions])
        best: list[float] = rows.max(axis=0).tolist()
        return best

    async def score(self, masked_question: str, patterns: Sequence[TypedPattern]) -> NDArray[np.float64]:
        """Log-scores [patterns] of one masked question."""
        texts = [pattern_words(pattern, self._text_of) for pattern in patterns]
        fresh = list(dict.fromkeys(text for text in texts if text not in self._known))
        if fresh:
            self._known.update(zip(fresh, await self._embedder.embed(fresh), strict=True))
        question = await self._embedder.embed_query(masked_question)
        table = np.stack([self._known[text] for text in texts])
        while len(self._known) > REMEMBERED:
            self._known.pop(next(iter(self._known)))
        return np.asarray(table @ question, dtype=np.float64) / TEMPERATURE
