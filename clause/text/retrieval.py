"""Searching by words and by meaning: Lucene queries, cosine similarity, weighted reciprocal rank fusion; how near a
text comes to the words that a question is about."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from clause.arrays import Floats
from clause.graph.scopes import scope_token
from clause.text.bert import Tokens
from clause.text.tokens import WORD, bare, content_words

RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """Ids with their fused score, best first, equal scores by id.

    The score is the sum over rankings of weight / (60 + rank), rank from 1 (Cormack, Clarke, Buettcher, SIGIR 2009).
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
            scores[name] += weight / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/|&<>=])')
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|TO)\b")

# Lucene makes a token of a run of letters, Thai or katakana, and of each ideograph; rather one too many is counted.
_MARKS = "".join(mark for mark in map(chr, range(0x300, 0xE00)) if unicodedata.category(mark).startswith("M"))
_APART = "\xb2\xb3\xb9\xbc-\xbe\u0870-\u08ff\u0e00-\u109f\u1369-\u137f\u1700-\u1cff\u2000-\uabff\ud7a4-\U0010ffff"
_NONE = "\x00-\xa8\xaa-\xad\xaf-\xbf\u2000-\u203b\u203d-\u2048\u204a-\u206f\u3000-\u3003\u3008-\u3020\uff00-\uff0f"
_RUNS = rf"(?:[^\W{_APART}]|[{_MARKS}]){{1,127}}|[\u0e00-\u0e7f]{{1,127}}|[\u30a0-\u30ff]{{1,127}}"
_TOKEN = re.compile(rf"{_RUNS}|[^{_NONE}]")
MOST_TOKENS, MOST_CLAUSES = 1_000, 1_020  # Lucene takes 1,024, wherever in a query they stand
_TOGETHER = (re.compile(r"(?:.*/)?session:"), re.compile(r"\w+:"))


def tokens_in(text: str) -> int:
    """Count the tokens that Lucene makes of a text, of names of fields too; rather too many than too few.

    >>> tokens_in("Tea, at last! \u8336\u9053")
    5
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def escape(text: str, fields: int = 1) -> str:
    r"""`text` with every Lucene operator taken literally, NUL bytes gone; may be empty (then do not ask the index).

    No longer than what Lucene takes where it looks for each token in each of so many fields.

    >>> escape("What? (1984) AND more")
    'What\\? \\(1984\\) and more'
    >>> escape(" \x00 ")
    ''
    """
    ends = [found.end() for found in islice(_TOKEN.finditer(text), MOST_TOKENS // fields + 1)]
    text = text if len(ends) * fields <= MOST_TOKENS else text[: ends[-2]]
    escaped = _SPECIAL.sub(r"\\\1", text.replace("\x00", " "))
    return _OPERATOR.sub(lambda found: found[0].lower(), escaped).strip()


def within_scopes(words: str, scopes: Sequence[str], fields: int) -> str:
    """A Lucene query that requires one of the scopes, which scores nothing, and escaped words, in so many fields.

    >>> within_scopes("Ann", ["user:ann", "public"], 3)
    '+scope_token:(s_public s_user_ann)^0 +(Ann)'
    """
    return requiring(sorted(set(scopes), key=scope_token), f"+({words})" if words else "", fields)


def requiring(scopes: Sequence[str], rest: str, fields: int = 1) -> str:
    """A Lucene query for `rest` that requires one of the scopes, so that a crowd of foreign hits hides none of ours.

    Scopes score nothing: else what is in a small one would come first. Of more scopes than Lucene takes beside `rest`,
    all sessions of a user are one, else all scopes of a kind: what is read is checked elsewhere.

    >>> requiring(["user:ann", "public"], "+content:(tea)")
    '+scope_token:(s_user_ann s_public)^0 +content:(tea)'
    >>> requiring([f"user:ann/session:{number}" for number in range(1_100)], "+content:(tea)")
    '+scope_token:(s_user_ann_session_*)^0 +content:(tea)'
    """
    tokens, room = [*map(scope_token, scopes)], MOST_CLAUSES - fields * tokens_in(rest)
    for together in _TOGETHER:
        if len(tokens) > room:
            found = ((scope, together.match(scope)) for scope in scopes)
            tokens = sorted({f"{scope_token(part[0])}*" if part else scope_token(scope) for scope, part in found})
    return f"+scope_token:({' '.join(tokens)})^0 {rest}".rstrip() if tokens else "scope_token:none"


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
    telling = [hit for hit in WORD.finditer(text) if hit[0] in content]
    wanted = [hit for hit in telling if bare(hit[0]) not in without] or telling
    found = ([at for at, span in enumerate(spans) if hit.start() <= span[0] < span[1] <= hit.end()] for hit in wanted)
    return [places for places in found if places]
