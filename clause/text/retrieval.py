"""Searching by words and by meaning: Lucene escaping, cosine similarity, weighted reciprocal rank fusion; the words
that a question is about, and how near a text comes to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from clause.arrays import Floats
from clause.graph.scopes import scope_token
from clause.text.bert import Tokens

RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], weights: Sequence[float] | None = None, k: int = RANK_CONSTANT
) -> list[tuple[str, float]]:
    """Ids with their fused score, best first, equal scores by id.

    The score is the sum over rankings of weight / (k + rank), rank from 1 (Cormack, Clarke, Buettcher, SIGIR 2009).
    An id that a ranking names twice counts there at its first place only.

    Raises:
        ValueError: the number of weights is not the number of rankings, or a weight is negative.

    >>> [name for name, _ in reciprocal_rank_fusion([["a", "b"], ["b", "c"]])]
    ['b', 'a', 'c']
    >>> reciprocal_rank_fusion([["a"]], weights=[61.0])
    [('a', 1.0)]
    """
    weights = [1.0] * len(rankings) if weights is None else weights
    if len(weights) != len(rankings):
        raise ValueError(f"{len(weights)} weights for {len(rankings)} rankings")
    if any(weight < 0 for weight in weights):
        raise ValueError("weights are not negative")
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, name in enumerate(dict.fromkeys(ranking), start=1):
            scores[name] += weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/|&<>=])')
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|TO)\b")


def escape(text: str) -> str:
    r"""`text` with every Lucene operator taken literally, NUL bytes gone; may be empty (then do not ask the index).

    >>> escape("What? (1984) AND more")
    'What\\? \\(1984\\) and more'
    >>> escape(" \x00 ")
    ''
    """
    escaped = _SPECIAL.sub(r"\\\1", text.replace("\x00", " "))
    return _OPERATOR.sub(lambda found: found[0].lower(), escaped).strip()


def within_scopes(words: str, scopes: Sequence[str]) -> str:
    """A Lucene query that requires one of the scopes, so that a crowd of foreign hits hides none of ours, and escaped
    words; the scope scores nothing.

    >>> within_scopes("Ann", ["user:ann", "public"])
    '+scope_token:(s_public s_user_ann)^0 +(Ann)'
    """
    required = f"+scope_token:({' '.join(sorted(set(map(scope_token, scopes))))})^0"
    return f"{required} +({words})" if words else required


def cosine(left: ArrayLike, right: ArrayLike) -> float:
    """Cosine of two vectors [d], in [-1, 1]; 0.0 where either has no length.

    >>> cosine([1, 0], [1, 1]).__round__(4)
    0.7071
    >>> cosine([0, 0], [1, 1])
    0.0
    """
    return float(cosine_matrix(np.atleast_2d(left), np.atleast_2d(right))[0, 0])


def cosine_matrix(left: ArrayLike, right: ArrayLike) -> Floats:
    """Cosines of every row of `left` [n, d] with every row of `right` [m, d]: float32 [n, m], each in [-1, 1].

    Rows without length have cosine 0 with everything.

    Raises:
        ValueError: the two do not have the same number of columns.

    >>> cosine_matrix([[1, 0], [0, 2]], [[3, 0]]).tolist()
    [[1.0], [0.0]]
    """
    products: Floats = _unit_rows(left) @ _unit_rows(right).T
    return np.clip(products, -1.0, 1.0)


def clip01(similarity: float) -> float:
    """A cosine clipped to [0, 1]: the form of every similarity field that is bounded so. NaN becomes 0.

    >>> clip01(-0.2), clip01(0.5), clip01(1.0000001)
    (0.0, 0.5, 1.0)
    """
    return min(max(float(similarity), 0.0), 1.0) if similarity == similarity else 0.0  # noqa: PLR0124 - NaN


def _unit_rows(rows: ArrayLike) -> Floats:
    matrix = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


_QUESTION_WORDS = """
    what when where who whom whose which why how did do does done is are was were be been has have had having would
    could can should will shall may might must kind type sort many much long often likely considered i me my you your
    he him his she her it its we our they them their a an the and or of in on at to for from with by about as that this
    these those there s t
"""
_ASKING = frozenset(_QUESTION_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
MOST_WORDS = 64


def content_words(text: str) -> list[str]:
    """The words of a question that say what it is about, each once, at most 64; all of them where none does.

    >>> content_words("When did Caroline go to the LGBTQ support group?")
    ['Caroline', 'go', 'LGBTQ', 'support', 'group']
    >>> content_words("Who is it?")
    ['Who', 'is', 'it']
    """
    words = list(dict.fromkeys(_WORD.findall(text)))
    telling = [word for word in words if bare(word) not in _ASKING]
    return (telling or words)[:MOST_WORDS]


def names_in(text: str) -> frozenset[str]:
    """The words of a text in lower case, without possessives: what speakers' names are looked up in.

    >>> sorted(names_in("What is Ann's job?"))
    ['ann', 'is', 'job', 'what']
    """
    return frozenset(map(bare, _WORD.findall(text)))


def bare(word: str) -> str:
    """A word in lower case, without a possessive ending.

    >>> bare("Ann's")
    'ann'
    """
    return re.sub(r"['\u2019]s$", "", word.casefold())


def nearness(asked: Tokens, said: Tokens) -> Floats:
    """Measure how near the nearest token of a text is to each token of a question [n]; zeros where either has none."""
    if not len(asked.vectors) or not len(said.vectors):
        return np.zeros(max(1, len(asked.vectors)), dtype=np.float32)
    return np.asarray((asked.vectors @ said.vectors.T).max(axis=1), dtype=np.float32)


def word_places(text: str, spans: Sequence[tuple[int, int]], without: frozenset[str] = frozenset()) -> list[list[int]]:
    """The tokens of each word that says what a question is about; `without` are words in lower case that do not count,
    unless there are no others.

    >>> word_places("Where did Ann go?", [(0, 5), (6, 9), (10, 13), (14, 16), (16, 17)], frozenset(["ann"]))
    [[3]]
    """
    content = frozenset(content_words(text))
    telling = [hit for hit in _WORD.finditer(text) if hit[0] in content]
    wanted = [hit for hit in telling if bare(hit[0]) not in without] or telling
    found = ([at for at, span in enumerate(spans) if hit.start() <= span[0] < span[1] <= hit.end()] for hit in wanted)
    return [places for places in found if places]
