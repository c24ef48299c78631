"""Packed vectors, and the files that ship."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clause.errors import SetupError
from clause.ingest import samples
from clause.ingest.samples import KB, TRIPLES, VECTORS, fingerprint, load, pack, pack_sample, save, texts_of, unit
from clause.text.embedder import SentenceTransformerEmbedder
from tests.fakes.embedder import HashEmbedder
from tests.shapes import write_text

pytestmark = pytest.mark.slow


def test_packing_keeps_every_cosine_above_0_999() -> None:
    vectors = unit(np.random.default_rng(7).normal(size=(500, 384)).astype(np.float32))

    unpacked = pack([str(i) for i in range(500)], vectors, "m").unpack()

    assert (unpacked * vectors).sum(axis=1).min() > 0.999


def test_a_saved_file_is_read_back_as_it_was(tmp_path: Path) -> None:
    packed = pack(["a", "b"], np.eye(2, dtype=np.float32), "some model")

    save(packed, tmp_path / "v.safetensors")
    read = load(tmp_path / "v.safetensors")

    assert (read.model, read.fingerprint) == ("some model", fingerprint(["a", "b"]))
    assert np.array_equal(read.unpack(1, 2), [[0.0, 1.0]])


def test_a_file_that_is_none_says_how_to_make_one(tmp_path: Path) -> None:
    write_text(tmp_path / "v.safetensors", "nonsense")

    for name in ("v.safetensors", "none.safetensors"):
        with pytest.raises(SetupError, match=r"clause\.ingest\.samples"):
            load(tmp_path / name)


async def test_a_small_graph_is_packed_names_first_then_both_directions_of_its_types(tmp_path: Path) -> None:
    kb = write_text(tmp_path / "kb.txt", "b|likes|a\n")
    embedder = HashEmbedder()

    packed = await pack_sample(embedder, kb)

    assert packed.fingerprint == fingerprint(["a", "b", "likes", "inverse of likes"])
    assert packed.model == "hash"


def test_the_packaged_vectors_fit_the_packaged_graph_and_its_size() -> None:
    names, types = texts_of(KB)
    packed = load(VECTORS)

    assert packed.rows.shape == (len(names) + 2 * len(types), 384)
    assert packed.model == "all-MiniLM-L6-v2"
    assert VECTORS.stat().st_size < 18_000_000
    assert TRIPLES == 132_313


async def test_packaged_vectors_are_those_that_the_model_makes_now() -> None:
    names, _ = texts_of(KB)
    chosen = list(range(0, len(names), len(names) // 24))
    embedder = SentenceTransformerEmbedder(threads=1, backend="torch")

    fresh = await embedder.embed([names[row] for row in chosen])
    packaged = np.vstack([load(VECTORS).unpack(row, row + 1) for row in chosen])

    embedder.close()
    assert (fresh * packaged).sum(axis=1).min() >= 0.999


async def test_building_writes_the_vectors_of_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def few(embedder: HashEmbedder) -> object:
        return pack(["a"], np.ones((1, 4), dtype=np.float32), embedder.model)

    monkeypatch.setattr(samples, "VECTORS", tmp_path / "v.safetensors")
    monkeypatch.setattr(samples, "SentenceTransformerEmbedder", HashEmbedder)
    monkeypatch.setattr(samples, "pack_sample", few)

    assert await samples.build() == 1
    assert load(tmp_path / "v.safetensors").model == "hash"
