"""An embedder that makes each vector once, for asking the same questions under many budgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clause.arrays import Floats
from clause.text.embedder import Embedder


class RememberingEmbedder:
    """An embedder that makes each vector once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Floats] = {}

    @property
    def model(self) -> str:
        """The model's name."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._embedder.dimension

    async def warm(self) -> None:
        """As the embedder does."""
        await self._embedder.warm()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors [n, d]."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if unknown:
            self._vectors.update(zip(unknown, await self._embedder.embed(unknown), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    async def embed_query(self, text: str) -> Floats:
        """The unit vector [d] of one text."""
        vector: Floats = (await self.embed([text]))[0]
        return vector
