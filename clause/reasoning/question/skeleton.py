r"""The skeleton of a question: lower case, form words spelt right, each name and each literal one letter.

Names become letters of the private use area, so that no rule of the forms can read a word of a name: `Who directed
The Who's Is This It?` is `who directed \ue000 's \ue001 ?`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from clause.reasoning.question.vocabulary import COMPARATIVES, FORM_WORDS, SUPERLATIVES, WH_WORDS, spelt
from clause.text.literals import FoundLiteral, find_literals

MASK = "it"
"""The word that stands in a question where its topic was named (policy.md)."""

CharacterSpan = tuple[int, int]
"""First character, and the one after the last."""


def mask(text: str, span: CharacterSpan | None) -> str:
    """`text` with the characters of `span` replaced by "it"; unchanged where there is no span.

    >>> mask("who directed Heat", (13, 17))
    'who directed it'
    """
    return text if span is None else f"{text[: span[0]]}{MASK}{text[span[1] :]}"


def span_of(start: int | None, end: int | None) -> CharacterSpan | None:
    """The span that a seed's two ends make; None where nothing names it.

    >>> span_of(13, 17), span_of(None, None)
    ((13, 17), None)
    """
    return None if start is None or end is None else (start, end)


def named_span(text: str, name: str, *, folded: bool = False) -> CharacterSpan | None:
    """The first place where `text` has `name`, with `folded` in any case; None where it has not.

    >>> named_span("who directed heat", "Heat"), named_span("who directed heat", "Heat", folded=True)
    (None, (13, 17))
    """
    start = text.casefold().find(name.casefold()) if folded else text.find(name)
    return None if start < 0 else (start, start + len(name))


KEPT: Final = "\u02bc"
"""The mark before a form word that belongs to a name that nobody linked."""

_NAMING = frozenset(
    ("best", "worst", "other", "else", "another", "same", "without", "number", "count", "over", "under", "max", "min")
)
_FIRST_NAME, _FIRST_LITERAL = 0xE000, 0xE800
_LETTERS = re.compile("[\ue000-\uefff]")
TOPIC: Final = "[\ue000-\ue7ff]"
"""A name in a skeleton, as a regular expression."""
LITERAL: Final = "[\ue800-\uefff]"
"""A date or a number in a skeleton, as a regular expression."""

_TOKEN = re.compile(rf"{TOPIC}|{LITERAL}|['\u2019]s\b|[^\W_]+(?:['\u2019&-][^\W_]+)*|[?!.,;:()&/]")
_SIGNS = {">=": "at least", "<=": "at most", "\u2265": "at least", "\u2264": "at most", ">": "more than",
          "<": "less than", "-": "to", "\u2013": "to", "\u2014": "to"}  # fmt: skip
_SIGN = re.compile(rf"(?:[<>]=|[<>\u2264\u2265])(?= *{LITERAL})|(?<={LITERAL} ) *[-\u2013\u2014](?= *{LITERAL})")
_ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_TITLE = re.compile(r"\b(?:ms|mr|mrs|miss|dr|prof|(?:great-)?(?:uncle|aunt|auntie|grandpa|grandma|granny))\.? $", re.I)
_COUNTED_OFF = re.compile(r"\b(?:the|these|those) $", re.IGNORECASE)
_IS_AFTER = frozenset({*WH_WORDS, "that", "it", "he", "she", "there", "here"}) - {"whose"}
_ABBREVIATED = frozenset(("dr", "mr", "mrs", "ms", "st", "vs", "prof", "jr", "sr", "inc", "ltd", "etc"))
_STOPS = frozenset(".?!;")
_POSSESSIVE = re.compile(r"\b(?:its|his|her|their)\b(?! ?(?:$|[?.,!]))")
_PRONOUN = re.compile(
    r"\b(?:(?:this|that) (?:one|film|movie|book|song|person|place|thing|guy|man|woman|show|band|company|city|country)"
    r"|it|he|she|they|him|her|them|its|his|their)\b"
)
_ASKS = re.compile(
    r"\b(?:what|which|who|whom|whose|where|when|why|how|list|name|tell|give|show|find|count)\b"
    r"|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b"
)
_IS_IT_SO = re.compile(
    r"^(?:did|does|do|is|was|were|are|has|have|had|can|will) (?:not )?(?:it|he|she|they|that|this)(?: not)?"
    r"(?: (?:so|really|true|right|correct))? \?$"
)
_SPLICE = re.compile(
    rf"(?P<before>.*{TOPIC}.*?) [,:] (?:and |so |but )?"
    rf"(?P<after>(?:what|which|who|where|when|how|did|does|is|was|has)\b[^\ue000-\ue7ff]*"
    rf"|(?:did|does|is|was|has) (?:he|she|they)\b.*)$"
)
_TAG = re.compile(r"^[a-z]+ (?:not )?(?:it|he|she|they|there|that|this)(?: not)?(?: \?)?$")
_HOLDS_OPERANDS = re.compile(
    r"^(?:besides|apart|aside|except|excluding|other|between|out of|of|in addition|not)\b| or "
)


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """An entity that a mention may mean, with the linker's score in [0, 1]."""

    id: str
    name: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class LinkedMention:
    """A stretch `text[start:end]` of the question that names something, and what it may be, best first."""

    start: int
    end: int
    candidates: tuple[EntityCandidate, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A question without its names.

    Attributes:
        text: the sentence that asks; letter `name_letter(k)` stands for `mentions[k]`, `literal_letter(k)` for
            `literals[k]`; tokens with one blank between.
        mentions: the names kept.
        literals: dates and numbers that are no names.
        told: places among `mentions` of the names in sentences that do not ask.
        referred: places of those of them that a pronoun of the question stands for.
    """

    text: str
    mentions: tuple[LinkedMention, ...]
    literals: tuple[FoundLiteral, ...]
    told: tuple[int, ...] = ()
    referred: tuple[int, ...] = ()

    def names(self, text: str | None = None) -> tuple[int, ...]:
        """Places among `mentions` of the names in `text` (the question), in order, each once."""
        found = re.findall(TOPIC, self.text if text is None else text)
        return tuple(dict.fromkeys(ord(letter) - _FIRST_NAME for letter in found))

    def literal(self, letter: str) -> FoundLiteral:
        """The literal that a letter stands for."""
        return self.literals[ord(letter) - _FIRST_LITERAL]


def name_letter(place: int) -> str:
    """The letter that stands for a name."""
    return chr(_FIRST_NAME + place)


def skeleton(text: str, mentions: Sequence[LinkedMention]) -> Skeleton:
    """The skeleton of a question with its names.

    >>> kes = LinkedMention(8, 11, (EntityCandidate("e1", "Kes"),))
    >>> made = skeleton("I loved Kes. What else has its director done?", [kes])
    >>> made.text == f"what else has {name_letter(0)} 's director done ?", made.referred
    (True, (0,))
    """
    text = _LETTERS.sub(" ", text)  # what stands for names and literals here may not come from outside
    text = re.sub(r"\.{2,}", lambda dots: ",".ljust(len(dots[0])), text)
    kept = chosen(text, [_qualified(text, mention) for mention in mentions])
    literals = _free_literals(text, kept)
    if len(kept) > 1:
        dated = [mention for mention in kept if _is_literal(text[mention.start : mention.end])]
        if len(dated) < len(kept):
            kept = [mention for mention in kept if mention not in dated]
            literals = _free_literals(text, kept)
    sentences = _whole(_sentences(_tokens(text, kept, literals)))
    asking = _asking(sentences)
    bare = Skeleton("", tuple(kept), tuple(literals))
    before, after = sentences[:asking], sentences[asking + 1 :]
    told = bare.names(" ".join((*reversed(before), *after)))
    question = sentences[asking] if sentences else ""
    resolved, referred = refer(question, told)
    return replace(bare, text=resolved, told=told, referred=referred)


@lru_cache(maxsize=1)
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = Path(__file__).with_name("idioms.tsv").read_text(encoding="utf-8").splitlines()
    return tuple((re.compile(said), plain) for said, plain in (line.split("\t") for line in lines))


@lru_cache(maxsize=4096)
def reworded(question: str) -> tuple[str, ...]:
    """A masked question in plainer words, once for each turn of phrase that people use and graphs do not.

    >>> reworded("who was behind the camera on it"), reworded("who directed it")
    (('who directed it',), ())
    """
    found = (said.sub(plain, question) for said, plain in _idioms() if said.search(question))
    return tuple(dict.fromkeys(text for text in found if text != question))


def refer(question: str, told: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """A question with the first of the names told before in place of its pronoun, and which names that brought in.

    Where the question names nothing and has no pronoun either, the name is put at its end.
    """
    if not told:
        return question, ()
    letter = name_letter(told[0])
    owned, count = _POSSESSIVE.subn(f"{letter} 's", question, count=1)
    if not count:
        owned, count = _PRONOUN.subn(letter, question, count=1)
    if count:
        return owned, (told[0],)
    if re.search(TOPIC, question):
        return question, ()
    head, stop = (question[:-2], " ?") if question.endswith(" ?") else (question, "")
    return f"{head} {letter}{stop}".strip(), (told[0],)


def chosen(text: str, mentions: Iterable[LinkedMention]) -> list[LinkedMention]:
    """The mentions that are names: the longest where they overlap, none that reads as a form word by its place.

    A mention made of form words alone (`Who`, `More`, `It`) counts where a capital inside a sentence or a quote marks
    it; unmarked it counts only where there is no other.

    >>> both = [LinkedMention(0, 3, ()), LinkedMention(13, 20, ())]
    >>> [mention.start for mention in chosen("Who sings in The Who?", both)]
    [13]
    """
    longest: list[LinkedMention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.start)):
        if not _overlaps(mention.start, mention.end, longest):
            longest.append(mention)
    longest.sort(key=lambda mention: mention.start)
    longest = _classed(text, longest)
    sure = [mention for mention in longest if not _of_form_words(text, mention) or _marked(text, mention)]
    if sure or not longest:
        return sure
    inside = [mention for mention in longest if text[: mention.start].strip()]
    return [max(inside or longest, key=lambda mention: (mention.end - mention.start, mention.start))]


def _classed(text: str, mentions: Sequence[LinkedMention]) -> list[LinkedMention]:
    """The mentions, each with the class in small letters right before it (`the boat Petrel`), which is none of its own.

    Args:
        mentions: by their places; none overlaps another.
    """
    found: list[LinkedMention] = []
    for mention in mentions:
        before = found[-1] if found else None
        if (
            before is not None
            and text[before.end : mention.start] == " "
            and text[before.start : before.end].islower()
            and text[mention.start].isupper()
        ):
            article = re.search(r"\bthe $", text[: before.start])
            found[-1] = replace(mention, start=article.start() if article else before.start)
        else:
            found.append(mention)
    return found


def _qualified(text: str, mention: LinkedMention) -> LinkedMention:
    """The mention with a bracketed qualifier behind it (`Dark River (2017 film)`), which says nothing of the form."""
    behind = re.match(r" ?\([^()]{1,60}\)", text[mention.end :])
    return replace(mention, end=mention.end + behind.end()) if behind else mention


def _of_form_words(text: str, mention: LinkedMention) -> bool:
    words = re.findall(r"[^\W_]+", text[mention.start : mention.end].lower())
    return all(spelt(word) in FORM_WORDS for word in words)


def _marked(text: str, mention: LinkedMention) -> bool:
    before, inside = text[: mention.start].rstrip(" "), text[mention.start : mention.end]
    if before.endswith(('"', "\u201c", "\u00ab", "[", "'", "\u2018")):
        return True
    shouted = text.upper() == text
    opens = not before or before[-1] in ".?!:,("
    if opens:
        # At the start of a sentence one capital says nothing; those of a second word do (`The Who`, not `Who is`).
        return len(re.findall(r"\b[A-Z]", inside)) > 1 and not shouted
    return inside[:1].isupper() and not shouted


def _is_literal(text: str) -> bool:
    found = find_literals(text)
    return len(found) == 1 and found[0].end - found[0].start == len(text.strip())


def _free_literals(text: str, mentions: Sequence[LinkedMention]) -> list[FoundLiteral]:
    """The literals outside names; the word `one` counts nothing, and `the two` are what is named."""
    free = (found for found in find_literals(text) if not _overlaps(found.start, found.end, mentions))
    said = ((found, text[found.start : found.end].lower()) for found in free)
    return [
        found
        for found, word in said
        if word != "one" and not (word in {"two", "three"} and _COUNTED_OFF.search(text[: found.start]))
    ]


def _overlaps(start: int, end: int, mentions: Iterable[LinkedMention]) -> bool:
    return any(start < mention.end and mention.start < end for mention in mentions)


def _tokens(text: str, mentions: Sequence[LinkedMention], literals: Sequence[FoundLiteral]) -> list[str]:
    letters = [(m.start, *_owning(text, m, name_letter(place))) for place, m in enumerate(mentions)]
    letters += [(f.start, f.end, chr(_FIRST_LITERAL + place)) for place, f in enumerate(literals)]
    parts: list[str] = []
    end = 0
    for start, stop, letter in sorted(letters):
        before = text[end:start]
        parts += [_TITLE.sub("", before) if re.match(TOPIC, letter) else before, f" {letter} "]
        end = stop
    whole = re.sub(r"\bw/ ?", "with ", "".join((*parts, text[end:])))
    raw = _TOKEN.findall(_SIGN.sub(lambda hit: f" {_SIGNS[hit[0].strip()]} ", whole).replace("\u2019", "'"))
    words = [_lowered(raw, place) for place in range(len(raw))]
    found: list[str] = []
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        found += _expanded(word, following, found[-1] if found else "")
    return found


def _owning(text: str, mention: LinkedMention, letter: str) -> tuple[int, str]:
    """Find where a name ends in a text, and what stands for it: with `'s` where an `s` at its end makes it an owner."""
    behind = re.match(r"['\u2019](?= [^\W\d_])", text[mention.end :])
    if behind is not None and text[mention.end - 1] in "sxz":
        return mention.end + 1, f"{letter} 's"
    word = re.match(r" ([a-z]+)", text[mention.end :])
    said, names = text[mention.start : mention.end], [one.name.casefold() for one in mention.candidates]
    owns = " " in said and said.endswith("s") and names and not any(name.endswith("s") for name in names)
    return mention.end, f"{letter} 's" if owns and word and word[1] not in FORM_WORDS else letter


def _lowered(raw: Sequence[str], place: int) -> str:
    """A token in small letters; a form word with a capital inside a sentence is of a name (`Best Actor`): `ʼbest`."""
    word, low = raw[place], raw[place].lower()
    inside = place > 0 and raw[place - 1] not in ".?!:," and word[:1].isupper() and not word.isupper()
    titled = sum(other[:1].isupper() for other in raw if other[:1].isalpha()) * 2 > len(raw)
    named = inside and not titled and (low in COMPARATIVES or low in SUPERLATIVES or low in _NAMING)
    return f"{KEPT}{low}" if named else low


def _expanded(word: str, following: str, before: str) -> list[str]:
    """A token as the words it stands for: `who's` is `who is`, `isn't` is `is not`."""
    if word == "'s":
        return ["is" if before in _IS_AFTER else "'s"]
    if word.endswith("n't"):
        stem = {"ca": "can", "wo": "will"}.get(word[:-3], word[:-3])
        return [stem, "not"]
    if word.endswith("'s"):
        owner = spelt(word[:-2])
        return [*owner.split(), "is" if owner in _IS_AFTER else "'s"]
    for ending, whole in _ENDINGS.items():
        if word.endswith(ending):
            return [word.removesuffix(ending), whole]
    return spelt(word, following).split()


def _sentences(words: Sequence[str]) -> list[str]:
    sentences: list[list[str]] = [[]]
    for place, word in enumerate(words):
        numbered = word == "." and re.match(LITERAL, words[place + 1] if place + 1 < len(words) else "")
        if word == "." and place and (words[place - 1] in _ABBREVIATED or numbered or place == len(words) - 1):
            continue
        sentences[-1].append(word)
        if word in _STOPS:
            sentences.append([])
    found = [" ".join(sentence) for sentence in sentences if not _STOPS.issuperset({*sentence} - {","})]
    return [part for sentence in found for part in _spliced(sentence)]


def _whole(sentences: list[str]) -> list[str]:
    """The sentences, where the last only asks whether the one before is so, as one: `X made Y. Did he?`."""
    if len(sentences) < 2 or not _IS_IT_SO.match(sentences[-1]) or not re.search(TOPIC, sentences[-2]):
        return sentences
    said = re.sub(rf"^[^\ue000-\ue7ff]* (?:that|says|said|say) (?=.*{TOPIC})", "", sentences[-2]).rstrip(" .!;")
    return [*sentences[:-2], f"is it true that {said} ?"]


def _spliced(sentence: str) -> list[str]:
    """The two sentences of `Kes is great, what else did its director make`; else the sentence alone."""
    joined = _SPLICE.match(sentence)
    if (
        joined is None
        or _TAG.search(joined["after"])
        or _HOLDS_OPERANDS.search(joined["before"])
        or not _PRONOUN.search(joined["after"])
    ):
        return [sentence]
    return [joined["before"], joined["after"]]


def _asking(sentences: Sequence[str]) -> int:
    """The place of the sentence that asks: the last with a question mark, else the last that asks in words."""
    for test in (lambda s: s.endswith("?") and _ASKS.search(s), lambda s: s.endswith("?"), _ASKS.search):
        places = [place for place, sentence in enumerate(sentences) if test(sentence)]
        if places:
            return places[-1]
    named = [place for place, sentence in enumerate(sentences) if re.search(TOPIC, sentence)]
    return (named or [0])[-1]
