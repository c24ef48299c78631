"""A BERT over texts laid end to end: the library's own vectors, whatever a text is computed beside."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.packed_bert import PackedBert

TEXTS = [
    "who directed Heat",
    "film",
    "the films that share actors with Heat released",
    "雨 🎬",
    "word " * 400,
]


@pytest.fixture(scope="module")
def model() -> Iterator[SentenceTransformer]:
    embedder = SentenceTransformerEmbedder(threads=1)
    yield embedder._model()
    embedder.close()


def test_a_texts_vector_is_that_of_the_library(model: SentenceTransformer) -> None:
    ours = PackedBert(model).encode(TEXTS)
    theirs = np.stack([model.encode(text, normalize_embeddings=True) for text in TEXTS])
    assert ours.dtype == np.float32
    assert np.allclose(ours, theirs, atol=1e-6)


def test_a_texts_vector_does_not_hang_on_its_company(model: SentenceTransformer) -> None:
    packed = PackedBert(model)
    together = packed.encode(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.allclose(packed.encode([text])[0], vector, atol=1e-6)


def test_what_was_made_is_nobody_elses(model: SentenceTransformer) -> None:
    packed = PackedBert(model)
    packed.encode(TEXTS)[:] = 0
    assert np.allclose(np.linalg.norm(packed.encode(TEXTS), axis=1), 1, atol=1e-5)


def test_only_a_bert_with_the_mean_of_its_tokens_fits(model: SentenceTransformer) -> None:
    assert PackedBert.fits(model)
    assert not PackedBert.fits(SentenceTransformer(modules=[model[0], model[1]]))
    assert not PackedBert.fits(SentenceTransformer(modules=[torch.nn.Identity(), model[1], model[2]]))
    assert not PackedBert.fits(object())  # type: ignore[arg-type]
