"""Which clusters are twins: near, and of one meaning by the guards of text/; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clause.text.guards import may_merge
from clause.text.names import normalise
from clause.text.pairs import PairClassifier
from clause.text.similarity import cosine


class Opening(NamedTuple):
    """The text that stands for a cluster, and its unit vector float32 [d]."""

    content: str
    embedding: NDArray[np.float32]


class Twins(NamedTuple):
    """Two clusters as they were read: the one that stays (of the lower number), and the one that goes into it."""

    kept: str
    kept_version: int
    gone: str
    gone_version: int


def twins(
    page: Sequence[Mapping[str, Any]],
    openings: Mapping[str, Opening],
    threshold: float,
    classifier: PairClassifier | None = None,
) -> list[Twins]:
    """Pairs of a page of memory/unsettled that may become one; no cluster is in two pairs.

    Args:
        page: rows with `id`, `cluster_id`, `version` and `near`: [id, cluster_id, version] of others, best first.
        openings: the texts, by cluster id.
        threshold: the cosine that two texts must exceed.
        classifier: for words left over; the shipped one by default.
    """
    taken: set[str] = set()
    found: list[Twins] = []
    for row in page:
        one = (row["cluster_id"], row["id"], row["version"])
        for other_id, number, version in row["near"]:
            if row["id"] in taken or other_id in taken or not {row["id"], other_id} <= openings.keys():
                continue
            if same_meaning(openings[row["id"]], openings[other_id], threshold, classifier):
                (_, kept, first), (_, gone, second) = sorted((one, (number, other_id, version)))
                found.append(Twins(kept, first, gone, second))
                taken.update((kept, gone))
    return found


def same_meaning(a: Opening, b: Opening, threshold: float, classifier: PairClassifier | None = None) -> bool:
    """Whether two texts say the same: to the letter, or by the guards over the cosine of their vectors."""
    if normalise(a.content) == normalise(b.content):
        return True
    similarity = cosine(a.embedding, b.embedding)
    vectors = (a.embedding, b.embedding)
    return may_merge(
        a.content, b.content, similarity, vectors=vectors, classifier=classifier, candidate=threshold
    ).allowed
