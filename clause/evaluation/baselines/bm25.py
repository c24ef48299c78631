"""Plain BM25 over texts as they are: what every search is measured against."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


class Bm25:
    """Okapi BM25 (Robertson and Zaragoza, 2009) with Lucene's idf and constants, over lower-case words.

    Args:
        texts: what is searched, by place.
        k1: saturation of the number of times that a word stands in a text.
        b: how much a text's length counts.

    >>> Bm25(["a red fox", "a blue bird"]).ranking("red bird fox")
    [0, 1]
    """

    def __init__(self, texts: Sequence[str], k1: float = 1.2, b: float = 0.75) -> None:
        counts = [Counter(words(text)) for text in texts]
        lengths = [counted.total() for counted in counts]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._parts: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, counted in enumerate(counts):
            norm = k1 * (1 - b + b * lengths[place] / mean) if mean else k1
            for word, times in counted.items():
                self._parts[word].append((place, times / (times + norm)))
        self._count = len(texts)

    def scores(self, query: str) -> dict[int, float]:
        """The score of each text that shares a word with the query; a word asked twice counts twice."""
        found: defaultdict[int, float] = defaultdict(float)
        for word, times in Counter(words(query)).items():
            parts = self._parts.get(word, ())
            idf = math.log(1 + (self._count - len(parts) + 0.5) / (len(parts) + 0.5))
            for place, weight in parts:
                found[place] += times * idf * weight
        return dict(found)

    def ranking(self, query: str) -> list[int]:
        """Places of the texts that share a word with the query, best first, equal ones in their order."""
        return [place for place, _ in sorted(self.scores(query).items(), key=lambda item: (-item[1], item[0]))]


def words(text: str) -> list[str]:
    """The words of a text in lower case.

    >>> words("Ann's tea!")
    ['ann', 's', 'tea']
    """
    return _WORD.findall(text.lower())
