"""Extractive summaries: TextRank over a conversation's sentences (Mihalcea and Tarau, EMNLP 2004).

Sentences are nodes, the cosine of their vectors is the weight between them (negative ones count as 0), PageRank says
which are central. The summary is the most central ones in their own order, leaving out near repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from warnings import catch_warnings

import numpy as np

from clause.arrays import Floats
from clause.ground import Ground
from clause.text.retrieval import cosine_matrix

SENTENCES = 3
LONGEST = 600
"""Characters of a summary, at most."""

_MOST = 300
_PIECE = 2_000
_READ = 100_000
"""Characters of which sentences are told, at most: who says no three hundred in so many says little."""
_SHORTEST, _LONGEST_SENTENCE = 12, 400
_REPEATED = 0.85
_DAMPING = 0.85
_LINE = re.compile(r"(?<=[\u3002\uff01\uff1f])\s*|\n+")
_PIECES = re.compile(rf".{{1,{_PIECE}}}(?:(?<=[.!?])\s|\Z)|.+?(?:(?<=[.!?])\s|\Z)", re.DOTALL)
_CODE = re.compile(r"```.*?```", re.DOTALL)


def sentences(texts: Sequence[str], most: int = _MOST) -> list[str]:
    """The last sentences worth choosing from, each once, in order; code, fragments and endless lines are left out.

    It is read from the end, in pieces: to split a long line takes far longer than to split its parts.

    >>> sentences(["Pin every dependency. OK.", "Pin every dependency.\\nThen ask Dr. Moss, e.g. at 9 a.m. on Friday!"])
    ['Pin every dependency.', 'Then ask Dr. Moss, e.g. at 9 a.m. on Friday!']
    """
    with catch_warnings(action="ignore"):  # its patterns are older than Python's word on escapes
        from pysbd import Segmenter  # noqa: PLC0415 -- only where a session ends without a summary

    split = Segmenter(language="en", clean=False).segment
    found: list[list[str]] = []
    seen: set[str] = set()
    read = 0
    for piece in _from_the_end(texts):
        if len(seen) >= most or read >= _READ:
            break
        parts = [part.strip(" -*#>\t") for part in split(piece) if part in piece]
        found.append([part for part in parts if _SHORTEST <= len(part) <= _LONGEST_SENTENCE and " " in part])
        seen.update(found[-1])
        read += len(piece)
    return list(dict.fromkeys(part for parts in reversed(found) for part in parts))[-most:]


def _from_the_end(texts: Sequence[str]) -> Iterator[str]:
    """Lines, and of long ones pieces that end with a sentence; what has no end for so long is no sentence."""
    for text in reversed(texts):
        for line in reversed(_LINE.split(_CODE.sub(" ", text))):
            yield from (
                piece for piece in reversed(_PIECES.findall(line)) if piece.strip() and len(piece) <= _PIECE + 1
            )


def central(similarities: Floats, count: int = SENTENCES) -> list[int]:
    """Places of the most central sentences, in their own order, none nearly the same as a more central one.

    Args:
        similarities: cosines [n, n] of the sentences with each other.
        count: how many at most.

    >>> central(np.array([[1, .9, .5], [.9, 1, .5], [.5, .5, 1]], dtype=np.float32), 2)
    [0, 2]
    """
    import networkx  # noqa: PLC0415 -- only where a session ends without a summary

    weights = np.clip(similarities.astype(np.float64), 0.0, 1.0)
    np.fill_diagonal(weights, 0.0)
    ranks = networkx.pagerank(networkx.from_numpy_array(weights), alpha=_DAMPING, weight="weight")
    chosen: list[int] = []
    for place in sorted(ranks, key=lambda node: (-round(ranks[node], 12), node)):
        if len(chosen) < count and all(similarities[place, other] < _REPEATED for other in chosen):
            chosen.append(place)
    return sorted(chosen)


class Summarizer:
    """Makes summaries with the ground's embedder, off the event loop."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def summary(self, texts: Sequence[str]) -> str | None:
        """At most three sentences and 600 characters of `texts`; None where they hold no sentence."""
        found = await self._ground.pool.run(sentences, texts)
        if not found:
            return None
        vectors = await self._ground.embedder.embed(found)
        similarities = await self._ground.pool.run(cosine_matrix, vectors, vectors)
        places = await self._ground.pool.run(central, similarities)
        return joined([found[place] for place in places])


def joined(parts: Sequence[str], longest: int = LONGEST) -> str:
    """Sentences one after another, as many as fit; the first one always.

    >>> joined(["A b.", "C d."], longest=5)
    'A b.'
    """
    text = parts[0]
    for part in parts[1:]:
        if len(text) + 1 + len(part) > longest:
            break
        text = f"{text} {part}"
    return text[:longest]
