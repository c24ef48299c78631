"""The command that makes the packed vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clause.ingest.samples import load, pack
from clause.lab import sample_vectors as building
from tests.fakes.embedder import HashEmbedder


async def test_building_writes_the_vectors_of_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def few(embedder: HashEmbedder) -> object:
        return pack(["a"], np.ones((1, 4), dtype=np.float32), embedder.model)

    monkeypatch.setattr(building, "VECTORS", tmp_path / "v.safetensors")
    monkeypatch.setattr(building, "SentenceTransformerEmbedder", HashEmbedder)
    monkeypatch.setattr(building, "pack_sample", few)

    assert await building.build() == 1
    assert load(tmp_path / "v.safetensors").model == "hash"
