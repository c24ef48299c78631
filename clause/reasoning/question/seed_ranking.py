"""The ranking of names found in a question: features that a reader can check, and their weights.

A question names one thing, but many of its words are names as well (there are films called `What`, `Who` and `The
Movie`). Each candidate (a span and an entity that is called so) gets features in [0, 1], and their weighted sum, its
utility, orders the candidates. The weights are in `seed_weights.json`; `clause.lab.seed_training` makes them.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from clause.arrays import Doubles
from clause.reasoning.question.seed_matching import ARTICLES, FUNCTION_WORDS, PREPOSITIONS, EntityMatch
from clause.text.mentions import Span
from clause.text.tokens import WORD

FEATURES = (
    "named",  # always 1: how much it takes to be better than nothing
    "length",  # share of the question's letters
    "many_words",  # 1 - 1/words
    "one_word",
    "exact",  # written exactly so
    "title_in_lower_case",  # the name has capitals where the question has none
    "accents_differ",
    "alias",
    "function_words",  # share of the span's words that questions are made of
    "only_function_words",
    "inside_longer",  # another candidate covers this one and more
    "covers_others",  # share of the other candidates that lie inside
    "cuts_name",  # the next or previous word has a capital too: part of a longer name
    "capitals_left",  # capitalised words outside
    "opens",  # first in the question
    "closes",  # last in the question
    "after_preposition",
    "after_article",
    "degree",
    "relation_fits",  # the rest speaks of a relationship that the entity has
    "relation_misfits",  # the rest speaks only of relationships that the entity has not
    "relation_reads_into",  # `directed by` before the span, and the entity is the tail of directed_by
    "full_text",  # share of the name's letters that the question says, where it does not say the name
    "vector",  # cosine with the question, where nothing else was found
)

_REACH = 100
_SUFFIX = re.compile(r"(?:ions?|ings?|ors?|ers?|en|ed|es|s|e)$")


@dataclass(frozen=True, slots=True)
class RankedSeed:
    """A candidate with its utility and `score` = 1 / (1 + exp(-utility))."""

    candidate: EntityMatch
    utility: float
    score: float


def rank(
    question: str, candidates: Sequence[EntityMatch], weights: Mapping[str, float] | None = None
) -> list[RankedSeed]:
    """Each entity once, by its best span, best first; equal utilities by degree (larger first), then by id.

    >>> question = "who directed The Matrix"
    >>> names = [("e1", "Who", Span(0, 3, "who", 1)), ("e2", "The Matrix", Span(13, 23, "The Matrix", 2))]
    >>> found = [EntityMatch(id, name, "exact", span) for id, name, span in names]
    >>> [ranked.candidate.name for ranked in rank(question, found)]
    ['The Matrix', 'Who']
    """
    if not candidates:
        return []
    vector = np.array([(shipped_weights() if weights is None else weights)[name] for name in FEATURES])
    utilities = features(question, candidates) @ vector
    best: dict[str, RankedSeed] = {}
    for candidate, utility in zip(candidates, utilities.tolist(), strict=True):
        score = 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, utility))))
        if candidate.id not in best or utility > best[candidate.id].utility:
            best[candidate.id] = RankedSeed(candidate, utility, score)
    return sorted(best.values(), key=lambda r: (-r.utility, -r.candidate.degree, r.candidate.id))


@lru_cache(maxsize=1)
def shipped_weights() -> Mapping[str, float]:
    """The weights that the package carries, by feature."""
    text = files("clause.reasoning.question").joinpath("seed_weights.json").read_text(encoding="utf-8")
    weights: dict[str, float] = json.loads(text)["weights"]
    return weights


def features(question: str, candidates: Sequence[EntityMatch]) -> Doubles:
    """`FEATURES` of each candidate, float64 [candidates, features], each in [0, 1]."""
    frame = _Frame(question, candidates)
    return np.array([[row[name] for name in FEATURES] for row in map(frame.describe, candidates)]).reshape(
        len(candidates), len(FEATURES)
    )


def stem(word: str) -> str:
    """A word without its ending, crude on purpose: enough to match `director` with `directed_by`.

    >>> stem("director"), stem("directed"), stem("starred"), stem("writers"), stem("written")
    ('direct', 'direct', 'star', 'writ', 'writ')
    """
    bare = word.casefold()
    cut = _SUFFIX.sub("", bare)
    cut = cut if len(cut) >= 3 else bare
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut


class _Frame:
    """The words that the question says around each candidate."""

    def __init__(self, question: str, candidates: Sequence[EntityMatch]) -> None:
        self.question = question
        self.words = [(found.start(), found.end(), found[0]) for found in WORD.finditer(question)]
        self.starts = [start for start, _, _ in self.words]
        self.ends = [end for _, end, _ in self.words]
        self.letters = max(1, sum(end - start for start, end, _ in self.words))
        self.capitals = sum(word[0].isupper() for _, _, word in self.words)
        self.spans = sorted({(c.span.start, c.span.end) for c in candidates if c.span is not None})
        self.asked = Counter(stem(word) for _, _, word in self.words)
        self.known = {part for c in candidates for hop in c.hops for part in _relation_stems(hop)}
        self._places: dict[tuple[int, int], dict[str, float]] = {}

    def describe(self, candidate: EntityMatch) -> dict[str, float]:
        row = dict.fromkeys(FEATURES, 0.0)
        row["named"] = 1.0
        row["degree"] = min(1.0, math.log1p(candidate.degree) / 10)
        row["alias"] = float(candidate.reason == "alias")
        row["full_text"] = candidate.relevance
        row["vector"] = candidate.similarity
        span = candidate.span
        if span is None:
            return row
        place = self._places.get((span.start, span.end))
        if place is None:
            place = self._places[span.start, span.end] = self._place(span)
        row.update(place)
        row["exact"] = float(candidate.reason == "exact")
        row["accents_differ"] = float(candidate.reason == "accent_insensitive")
        row["title_in_lower_case"] = float(
            candidate.reason != "exact" and any(map(str.isupper, candidate.name)) and span.text == span.text.lower()
        )
        row.update(self._relation(candidate, span))
        return row

    def _around(self, span: Span) -> tuple[int, int]:
        """The words of the span are `words[first:last]`; a word that it cuts through is in neither part."""
        return bisect_left(self.starts, span.start), bisect_right(self.ends, span.end)

    def _inside(self, span: Span) -> list[str]:
        first, last = self._around(span)
        return [word for _, _, word in self.words[first:last]]

    def _place(self, span: Span) -> dict[str, float]:
        before, after = bisect_right(self.ends, span.start), bisect_left(self.starts, span.end)
        previous = self.words[before - 1][2] if before else ""
        following = self.words[after][2] if after < len(self.words) else ""
        inside = self._inside(span)
        covered = sum(word[0].isupper() for _, _, word in self.words[before:after])
        function = sum(word.casefold() in FUNCTION_WORDS for word in inside) / max(1, len(inside))
        others = [s for s in self.spans if s != (span.start, span.end)]
        return {
            "length": sum(map(len, inside)) / self.letters,
            "many_words": 1 - 1 / max(1, len(inside)),
            "one_word": float(len(inside) <= 1),
            "function_words": function,
            "only_function_words": float(function == 1.0 or not inside),
            "inside_longer": float(any(s[0] <= span.start and span.end <= s[1] for s in others)),
            "covers_others": sum(span.start <= s[0] and s[1] <= span.end for s in others) / max(1, len(others)),
            "cuts_name": float(previous[:1].isupper() or following[:1].isupper()),
            "capitals_left": min(1.0, (self.capitals - covered) / 4),
            "opens": float(not before),
            "closes": float(after == len(self.words)),
            "after_preposition": float(previous.casefold() in PREPOSITIONS),
            "after_article": float(previous.casefold() in ARTICLES),
        }

    def _relation(self, candidate: EntityMatch, span: Span) -> dict[str, float]:
        said = Counter(map(stem, self._inside(span)))
        rest = {part for part in self.known if self.asked[part] > said[part]}
        own = {part for hop in candidate.hops for part in _relation_stems(hop)}
        fits = not rest.isdisjoint(own)
        before = self.question[max(0, span.start - _REACH) : span.start].casefold().rstrip(" \"'")
        reads = any(hop[0] == "<" and before.endswith(_relation_text(hop)) for hop in candidate.hops)
        return {
            "relation_fits": float(fits),
            "relation_misfits": float(not fits and bool(rest)),
            "relation_reads_into": float(reads),
        }


@lru_cache(maxsize=4096)
def _relation_text(hop: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", hop[1:])).strip().casefold()


@lru_cache(maxsize=4096)
def _relation_stems(hop: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _relation_text(hop).split() if word not in PREPOSITIONS and len(word) > 3)
