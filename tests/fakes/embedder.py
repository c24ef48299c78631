"""An embedder without a model: words hashed into signed places, so that texts that share words are near."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from clause.arrays import Floats
from clause.text.bert import Tokens
from clause.text.embedder import readable

_PLACES = 4


class HashEmbedder:
    """Deterministic bag-of-words vectors; the same contract as the real one."""

    def __init__(self, dimension: int = 384, model: str = "hash") -> None:
        self._dimension = dimension
        self._model = model
        self.calls = 0

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._dimension

    async def warm(self) -> None:
        return None

    async def embed(self, texts: Sequence[str]) -> Floats:
        self.calls += 1
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(readable(text))
        return vectors

    async def embed_query(self, text: str) -> Floats:
        return (await self.embed([text]))[0]

    async def embed_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        spans = [[found.span() for found in re.finditer(r"\w+", text)] for text in texts]
        return [
            Tokens(await self.embed([text[start:end] for start, end in said]), said)
            for text, said in zip(texts, spans, strict=True)
        ]

    def close(self) -> None:
        return None

    def _vector(self, text: str) -> Floats:
        vector = np.zeros(self._dimension, dtype=np.float64)
        for word in re.findall(r"\w+", text.casefold()) or [text]:
            digest = hashlib.sha256(word.encode()).digest()
            for place in range(_PLACES):
                number = int.from_bytes(digest[place * 4 : place * 4 + 4], "big")
                vector[number % self._dimension] += 1.0 if number & (1 << 31) else -1.0
        length = np.linalg.norm(vector)
        if length == 0:
            vector[0] = length = 1.0
        return (vector / length).astype(np.float32)
