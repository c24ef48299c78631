"""Twin clusters: near, and of one meaning by the guards of `text.statements`; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from clause.arrays import Floats
from clause.text.names import normalise
from clause.text.retrieval import cosine
from clause.text.statements.guards import may_merge
from clause.text.statements.pair_classifier import PairClassifier


class Stored(NamedTuple):
    """A cluster as it was read; clusters sort by number."""

    number: int
    id: str
    version: int


class Said(NamedTuple):
    """A text and its unit vector float32 [d]."""

    content: str
    embedding: Floats


class Twins(NamedTuple):
    """Two clusters as they were read: the one that stays (of the lower number), and the one that goes into it."""

    kept: str
    kept_version: int
    gone: str
    gone_version: int


def near_pairs(page: Sequence[Mapping[str, Any]]) -> list[tuple[Stored, Stored]]:
    """Pairs (later, earlier) of a page of memory/unsettled, each once, in the order in which they are tried.

    Rows have `id`, `cluster_id`, `version`, and `near`: [id, cluster_id, version] of others, best first.
    """
    pairs: dict[tuple[str, str], tuple[Stored, Stored]] = {}
    for row in page:
        one = Stored(row["cluster_id"], row["id"], row["version"])
        for other_id, number, version in row["near"]:
            earlier, later = sorted((one, Stored(number, other_id, version)))
            pairs.setdefault((later.id, earlier.id), (later, earlier))
    return [*pairs.values()]


def twins(
    pairs: Sequence[tuple[Stored, Stored]],
    texts: Mapping[tuple[str, str], tuple[Said, Said]],
    threshold: float,
    classifier: PairClassifier | None = None,
) -> list[Twins]:
    """Those of `near_pairs` that may become one; no cluster is in two of them.

    Args:
        pairs: (later, earlier), in the order in which they are tried.
        texts: what stands for the two, by their ids.
        threshold: the cosine that the texts must exceed.
        classifier: for words left over; the shipped one by default.
    """
    taken: set[str] = set()
    found: list[Twins] = []
    for later, earlier in pairs:
        both = texts.get((later.id, earlier.id))
        if both is None or taken & {later.id, earlier.id}:
            continue
        if same_meaning(*both, threshold, classifier):
            found.append(Twins(earlier.id, earlier.version, later.id, later.version))
            taken |= {later.id, earlier.id}
    return found


def same_meaning(a: Said, b: Said, threshold: float, classifier: PairClassifier | None = None) -> bool:
    """Whether two texts say the same: to the letter, or by the guards over the cosine of their vectors."""
    if normalise(a.content) == normalise(b.content):
        return True
    similarity, vectors = cosine(a.embedding, b.embedding), (a.embedding, b.embedding)
    return may_merge(
        a.content, b.content, similarity, vectors=vectors, classifier=classifier, candidate=threshold
    ).allowed
