"""Train the pair classifier from published pairs that may train shipped weights, and from pairs made from them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier

from clause.errors import BadInputError
from clause.evaluation.pair_generation import MadePair, made_pairs
from clause.evaluation.pair_sets import Pair
from clause.evaluation.pairs import embed_pairs
from clause.text.embedder import Embedder
from clause.text.lexicon import Relation
from clause.text.pairs import LABELS, PairClassifier, pair_features, read_pair

Floats = NDArray[np.float32]

LONGEST = 140
"""Sentences of more characters are not changed into made pairs."""

_SMALLEST_DEVIATION = 1e-3


async def train_pair_classifier(
    published: Sequence[Pair],
    embedder: Embedder,
    *,
    sentences: int = 7000,
    units: int = 64,
    decay: float = 3.0,
    seed: int = 0,
) -> PairClassifier:
    """A classifier trained on `published` and on pairs made from its sentences.

    Args:
        published: contradictions and neutral pairs; their sentences are changed into duplicates and more of both.
        embedder: gives the vectors.
        sentences: how many sentences are changed, drawn with the seed.
        units: H, the width of the hidden layer.
        decay: the L2 penalty.
        seed: of the draw, of the changes and of the training.

    Raises:
        BadInputError: `published` lacks contradictions or neutral pairs.
    """
    if not {"contradiction", "neutral"} <= {pair.label for pair in published}:
        raise BadInputError("contradictions and neutral pairs are needed", field="published")
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    texts = dict.fromkeys(text for pair in published for text in (pair.a, pair.b) if len(text) < LONGEST)
    drawn = rng.sample(sorted(texts), min(sentences, len(texts)))
    examples = [*made_pairs(drawn, rng), *(MadePair(pair) for pair in published)]
    counts = Counter(example.pair.label for example in examples)
    vectors = await embed_pairs([example.pair for example in examples], embedder)
    features = np.stack([_features(example, vectors) for example in examples])
    labels = np.array([LABELS.index(example.pair.label) for example in examples])
    about = {"pairs": len(examples), "labels": dict(counts), "published": len(published), "sentences": len(drawn)}
    about |= {"units": units, "decay": decay, "seed": seed, "embedder": embedder.model}
    network = MLPClassifier((units,), alpha=decay, early_stopping=True, random_state=seed, max_iter=60, batch_size=256)
    return _fit(network, features, labels, about)


def _features(example: MadePair, vectors: Mapping[str, Floats]) -> Floats:
    a, b = example.pair.a, example.pair.b
    reading = read_pair(a, b, _unknown) if example.blind else read_pair(a, b)
    return pair_features(reading, vectors[a], vectors[b])


def _unknown(_one: str, _other: str) -> Relation:
    return Relation.UNKNOWN


def _fit(
    network: MLPClassifier, features: Floats, labels: NDArray[np.int64], about: dict[str, object]
) -> PairClassifier:
    mean, scale = features.mean(axis=0), features.std(axis=0) + np.float32(_SMALLEST_DEVIATION)
    network.fit((features - mean) / scale, labels)
    (w1, w2), (b1, b2) = network.coefs_, network.intercepts_
    parts = [np.asarray(part, dtype=np.float32) for part in (w1, b1, w2, b2)]
    return PairClassifier(
        mean.astype(np.float32), scale.astype(np.float32), (parts[0], parts[1]), (parts[2], parts[3]), about
    )
