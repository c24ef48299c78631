"""Vectors of texts for training, kept in a folder so that a text is embedded once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clause.text.embedder import Embedder

Vectors = NDArray[np.float32]


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
            np.savez(self._file, texts=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values())))

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
