"""Names in a text: candidate spans, known names, and proper names found by rule.

>>> [mention.name for mention in find_mentions("who directed the matrix reloaded?", key_names(["The Matrix", "Who"]))]
['Who', 'The Matrix']
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clause.text.tokens import is_common, rank

MAX_WORDS = 14
MAX_SPANS = 4000

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f"
"""Scripts that put no space between words, as the inside of a character class."""
HANGUL = "\uac00-\ud7a3"
PARTICLES = "은|는|이|가|을|를|의|에|에서|에게|에는|에도|에서는|에서도|와|과|도|만|로|으로|까지|부터|처럼|이다|입니다"
"""Endings of Korean words that say the part a name has in a sentence."""
_PIECE = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}\x00/\u2013\u2014]+")
_LETTER = re.compile(f"[{UNSPACED}]")
_POSSESSIVE = re.compile(rf"(?:['\u2019]s|s['\u2019]|(?<=[{HANGUL}])(?:{PARTICLES}))$", re.IGNORECASE)
_TYPOGRAPHY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})
_ACCENTS = frozenset([*range(1, 7), *range(10, 37), *range(200, 241)])
"""Combining classes of marks that a writer may leave out; others make another letter: viramas, the voicing of kana."""
_PUNCTUATION_KEPT = 4

_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|\u201c([^\u201d\n]{2,120})\u201d|\u00ab\s*([^\u00bb\n]{2,120}?)\s*\u00bb")
_MONTH = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\s+(?:{_MONTH})\.?(?:\s+\d{{4}})?|(?:{_MONTH})\.?\s+\d{{1,2}}(?:,?\s+\d{{4}})?|\d{{4}}-\d{{2}}-\d{{2}})\b"
)
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)*%?(?!\w)")
_INSIDE = "of the de del della di da la le les du des van von der den el al bin ibn y e"
_OPENING = """a an the this that these those he she it they we i you his her its their our my your who whom whose which
what when where why how is are was were do does did has have had can could will would should may might must if then but
and or so as at by for from in into of on to with after before during since while although however also there here not
no yes please tell name list give show"""
_CONNECTORS = frozenset(_INSIDE.split())
_OPENERS = frozenset(_OPENING.split())
_SHORT = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").splitlines()
_IN_FULL = {short.replace("_", " "): full for short, full in (line.split(maxsplit=1) for line in _SHORT)}


def in_full(words: str) -> str:
    """Words in lower case with those written out that names of types usually shorten: two together before one, and some
    behind another word alone (`*` in the list).

    >>> in_full("dept mgr"), in_full("dob"), in_full("alto"), in_full("dep amt"), in_full("cd")
    ('department manager', 'date of birth', 'alto', 'deposit amount', 'cd')
    >>> in_full("day rt"), in_full("bus rt"), in_full("rt"), in_full("acct cd")
    ('day rate', 'bus route', 'route', 'account code')
    """
    said, told = words.split(" "), list[str]()
    while said:
        size = 2 if " ".join(said[:2]) in _IN_FULL else 1
        short = " ".join(said[:size])
        behind = _IN_FULL.get(f"* {short}") if told else None
        told.append(behind or _IN_FULL.get(short, short))
        del said[:size]
    return " ".join(told)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch `text[start:end]` between word boundaries; `words` counts its words."""

    start: int
    end: int
    text: str
    words: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A name and where the text has it: `text[start:end]`; `name` is written as the names have it."""

    name: str
    start: int
    end: int


def name_key(name: str) -> str:
    r"""The look-up form of a name: NFC, trimmed, casefolded.

    >>> name_key("  Amélie ") == name_key("AME\u0301LIE")
    True
    """
    return unicodedata.normalize("NFC", name).strip().casefold()


def folded_key(name: str) -> str:
    """`name_key` without accents, with plain quotes, dashes and single spaces.

    >>> folded_key("Gérard  d’Été"), folded_key("バリ") == folded_key("パリ")
    ("gerard d'ete", False)
    """
    if name.isascii():  # all there is to fold is case and blanks; a question's words and names are folded by hundreds
        return " ".join(name.casefold().split())
    decomposed = unicodedata.normalize("NFKD", name.translate(_TYPOGRAPHY))
    bare = "".join(letter for letter in decomposed if unicodedata.combining(letter) not in _ACCENTS)
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split())


def candidate_spans(text: str, max_words: int = MAX_WORDS, limit: int = MAX_SPANS) -> list[Span]:
    """Every stretch of up to `max_words` words, in order of place and then of length; no case is asked for.

    Punctuation at either edge, and a possessive at the end, is tried both with and without. A long text gets shorter
    stretches, so that there are never more than `limit` of them; of scripts that join words each letter is one.

    >>> [span.text for span in candidate_spans("who's Sam?", max_words=1)]
    ['who', "who's", 'Sam', 'Sam?']
    """
    pieces = [(found.start(), found.end()) for found in _PIECE.finditer(text)]
    edges = [(_starts(text, *piece), _ends(text, *piece)) for piece in pieces]
    most = max(max_words, MAX_WORDS) if _LETTER.search(text) else max_words  # few letters are seldom a whole name
    width = max(1, min(most, limit // max(1, len(pieces))))
    found: list[Span] = []
    for first, (starts, _) in enumerate(edges):
        if len(found) >= limit:
            break
        for last in range(first, min(first + width, len(edges))):
            ends = edges[last][1]
            found.extend(Span(s, e, text[s:e], last - first + 1) for s in starts for e in ends if s < e)
    return found[:limit]


def key_names(names: Iterable[str]) -> dict[str, str]:
    """Names by their look-up forms, with and without accents; the first of equal ones stays."""
    index: dict[str, str] = {}
    folded: dict[str, str] = {}
    for name in names:
        index.setdefault(name_key(name), name)
        folded.setdefault(folded_key(name), name)
    return {**folded, **index}


def find_mentions(text: str, names: Mapping[str, str]) -> list[Mention]:
    """Known names in `text`, longest first where they overlap, listed in order of place.

    `names` are those of `key_names`: the spelling with accents is tried before the one without.
    """
    hits = []
    for span in candidate_spans(text):
        name = names.get(name_key(span.text)) or names.get(folded_key(span.text))
        if name is not None:
            hits.append(Mention(name, span.start, span.end))
    return _without_overlap(sorted(hits, key=lambda item: (item.start - item.end, item.start)))


def find_proper_names(text: str) -> list[Mention]:
    """Names by rule, where none are known: quoted strings, dates, capitalised runs with connectors, numbers.

    A single capitalised word that opens a sentence is taken only if it is no common opener (`The`, `When`).

    >>> [m.name for m in find_proper_names("The Duke of York met Zoë on 3 May 1990. He said \\"Blue Moon\\".")]
    ['Duke of York', 'Zoë', '3 May 1990', 'Blue Moon']
    """
    hits = [Mention(_group(found), *found.span(found.lastindex or 0)) for found in _QUOTED.finditer(text)]
    hits += [Mention(found[0], *found.span()) for found in _DATE.finditer(text)]
    hits += _capitalised(text)
    hits += [Mention(found[0], *found.span()) for found in _NUMBER.finditer(text)]
    return _without_overlap(hits)


def _group(found: re.Match[str]) -> str:
    return str(found[found.lastindex or 0])


def _capitalised(text: str) -> Iterator[Mention]:
    words = list(re.finditer(r"[^\W\d_][\w'\u2019&.-]*|[^\w\s]|\d+", text))
    run: list[re.Match[str]] = []
    opens = False
    for number, word in enumerate(words):
        capital = word[0][0].isupper()
        if run and (capital or word[0] in _CONNECTORS) and _goes_on(text, run[-1], word):
            run.append(word)
            continue
        yield from _trimmed(text, run, opens)
        run, opens = ([word] if capital else []), _opens_sentence(words, number)
    yield from _trimmed(text, run, opens)


def _trimmed(text: str, run: list[re.Match[str]], opens: bool) -> Iterator[Mention]:
    while run and run[-1][0] in _CONNECTORS:
        run = run[:-1]
    if run and (opens or len(run) == 1) and run[0][0].casefold() in _OPENERS:
        run = run[1:]
    while run and run[0][0] in _CONNECTORS:
        run = run[1:]
    if not run:
        return
    start = run[0].start()
    name = re.sub(r"['\u2019]s$", "", text[start : run[-1].end()])
    name = name if re.search(r"\b\w\.$", name) else name.rstrip(".'\u2019-&")
    yield Mention(name, start, start + len(name))


def _goes_on(text: str, last: re.Match[str], word: re.Match[str]) -> bool:
    """Tell whether only blanks, and no full stop of a sentence (`Mr.` and `J.R.R.` have none), part two words."""
    stops = last[0].endswith(".") and len(last[0]) > len("Mr.") and "." not in last[0][:-1]
    return not stops and text[last.end() : word.start()].isspace()


def _opens_sentence(words: list[re.Match[str]], number: int) -> bool:
    return number == 0 or words[number - 1][0][-1] in '.!?:;"\u201c\u201d'


def _starts(text: str, start: int, end: int) -> list[int]:
    starts = [start]
    while len(starts) <= _PUNCTUATION_KEPT and start < end - 1 and not text[start].isalnum():
        start += 1
        starts.append(start)
    return starts


def _ends(text: str, start: int, end: int) -> list[int]:
    ends = [end]
    while len(ends) <= _PUNCTUATION_KEPT and start < end - 1 and not text[end - 1].isalnum():
        end -= 1
        ends.append(end)
    possessive = _POSSESSIVE.search(text[start:end])
    if possessive:
        ends.append(start + possessive.start())
    return sorted(set(ends))


def _without_overlap(mentions: Iterable[Mention]) -> list[Mention]:
    """Those that overlap none that came before them, in order of place."""
    kept: list[Mention] = []
    for mention in mentions:
        at = bisect_left(kept, mention.start, key=lambda other: other.start)
        follows = at == 0 or kept[at - 1].end <= mention.start
        if follows and (at == len(kept) or mention.end <= kept[at].start):
            kept.insert(at, mention)
    return kept


_SHORTEST = 3
_BEFORE = re.compile(r"(\S+)\s$")
_AFTER = re.compile(r"\s(\S+)")
_NEAR = 30
_OPENS = frozenset(["the", "in", "a", "an", "at", "on", "by", "from", "of", "with", "for", "and"])


def stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether no capitalised word makes a longer name of what stands between two places."""
    after = _AFTER.match(text, end)
    if after and after[1][0].isupper():
        return False
    before = _BEFORE.search(text[max(0, start - _NEAR) : start])
    if before is None or not before[1][0].isupper():
        return True
    return before[1][-1] in ".!?:;," or before[1].casefold() in _OPENS


def joining_names(text: str) -> dict[str, tuple[int, int]]:
    """Names by rule and where they stand first; numbers and dates say too little to join two passages."""
    return {
        mention.name: (mention.start, mention.end)
        for mention in reversed(find_proper_names(text))
        if len(mention.name) >= _SHORTEST and not any(letter.isdigit() for letter in mention.name)
    }


_DAYS = """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
saturdays sundays january february march april may june july august september october november december"""
_TITLES = "mr mrs ms miss dr prof professor sir madam"
_SHOUTED = "ok pm am todo api ci faq ps fyi asap lgtm wip ui pr eta i"
_NO_NAME = frozenset(f"{_DAYS} {_TITLES} {_SHOUTED}".split())
_FORMS = """new north south east west old great upper lower central lake mount port fort cape river sea saint st queen
king prince princess red black white green big world human national royal united bank university ministry tower"""
_FORMING = frozenset(_FORMS.split())
"""Common words that open names of several words."""
_GIVEN = """ada al ann ava beau ben cal dan deb dee del di don drew ed ella em flo flora fran gene hal herb iris jo kit
les lia mat max mel mia mo nan nat ned nell norm pam pat peg pip rusty sal sid sol
stu sue tad tess tim una uri val vic"""
_GIVEN_NAMES = frozenset(_GIVEN.split())
"""Given names that are seldom words, though words begin with them (`annual`)."""
_WORDS = """art bill chance charity chase chip cliff dot faith ginger grace grant guy hope jasmine joy lane mark marsh
mercy miles olive page patience penny sky summer ward win"""
_WORDS_AND_NAMES = frozenset(_WORDS.split())
"""Words that are given names where another name follows (`Mark Twain`)."""
_WITHIN = re.compile(r"(?<=\w\w)\.\s+(?=\w)")
_SHORT_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Mt|Jr|Sr)$")
_SHORT_VERB = re.compile(r"(?:i|don|let|that|there|here|what|who|it|he|she)['\u2019]\w+")
_SHORTENED = re.compile(r"['\u2019](?:m|d|ve|ll|re|t|s)$", re.IGNORECASE)
_ENDS_BEFORE = re.compile(r"(?:^|[.!?:;\u2026\n\"\u201c\u201d(]|[^\w\s,'\u2019]\s)\s*$")


def find_names(text: str) -> list[Mention]:
    """Names by rule that entities may be made of: proper names without what only opens a sentence, days, months, titles
    of address, shortened verbs, numbers and quoted talk.

    >>> [m.name for m in find_names("Done. Wednesday I will ask Priya. CI. Also, I'm with Mr. Tanaka.")]
    ['Priya', 'Tanaka']
    """
    found = []
    for mention in find_proper_names(text):
        quoted = mention.start > 0 and text[mention.start - 1] in '"\u201c\u00ab'
        if quoted and not (mention.name.split() or [""])[-1][:1].isupper():
            continue
        for part in _sentences_of(mention):
            kept = part if quoted else _bare_name(text, part)
            if kept and len(kept.name) >= _SHORTEST and not any(letter.isdigit() for letter in kept.name):
                found.append(kept)
    return found


def _sentences_of(mention: Mention) -> Iterator[Mention]:
    """The mention, or its parts where a sentence ends within it: `CI. Also`."""
    start = 0
    for stop in _WITHIN.finditer(mention.name):
        if not _SHORT_TITLE.search(mention.name[: stop.start()]):
            yield Mention(mention.name[start : stop.start()], mention.start + start, mention.start + stop.start())
            start = stop.end()
    yield Mention(mention.name[start:], mention.start + start, mention.end)


def _bare_name(text: str, mention: Mention) -> Mention | None:
    """The mention without what is no name at its edges; None where nothing is left."""
    words = [(found[0], found.start(), found.end()) for found in re.finditer(r"\S+", mention.name)]
    opens = _opens(text, mention.start)
    while words and (_no_name(words[0][0]) or (opens and _only_opens(words))):
        words = words[1:]
        while words and words[0][0] in _CONNECTORS:
            words = words[1:]
    while words and _no_name(words[-1][0]) and len(words) > 1:
        words = words[:-1]
    if not words:
        return None
    start, end = words[0][1], words[-1][2]
    return Mention(mention.name[start:end], mention.start + start, mention.start + end)


def _no_name(word: str) -> bool:
    plain = word.rstrip(".,").casefold()
    return plain in _NO_NAME or bool(_SHORT_VERB.fullmatch(plain))


def _only_opens(words: list[tuple[str, int, int]]) -> bool:
    """Tell whether the first word stands high only because a sentence begins."""
    word = _SHORTENED.sub("", words[0][0]).rstrip(".,'\u2019-&")
    low = word.casefold()
    if low in _GIVEN_NAMES or (len(words) > 1 and low in _FORMING | _WORDS_AND_NAMES):
        return False
    return is_common(word)


def _opens(text: str, start: int) -> bool:
    """Tell whether a sentence, or what is set apart like one, begins at a place."""
    last = max(len(text[:start].rstrip()) - 1, 0)
    return bool(_ENDS_BEFORE.search(text[last:start]))


_EVERYDAY = 8_000
_NAMED = frozenset(["java", "android", "json"])
"""Words that are frequent only because much is written about what they name."""
_CLOSES = re.compile(r"[,.]?[\"\u201d\u2019\u00bb)\]]")


@lru_cache(maxsize=20_000)
def is_everyday(name: str) -> bool:
    """Tell whether a name is a word so usual that a text which has the word seldom means the name.

    >>> [is_everyday(name) for name in ("Will", "May", "data", "Berlin", "Docker", "Ben")]
    [True, True, True, False, False, False]
    """
    low = name.casefold()
    place = None if low in _NAMED | _GIVEN_NAMES else rank(f" {low}")
    return place is not None and place < _EVERYDAY and is_common(name.capitalize())


def is_meant(name: str, text: str, start: int, end: int) -> bool:
    """Tell whether a stretch that spells a name also means it: an everyday word does only in the name's own capitals,
    and where it has them not just because a sentence begins.

    >>> [is_meant("Will", text, *span) for text, span in (("I will go", (2, 6)), ("Will it?", (0, 4)))]
    [False, False]
    >>> is_meant("Will", "I met Will.", 6, 10), is_meant("coffee", "Coffee helps", 0, 6)
    (True, True)
    """
    if not name[:1].isupper() or not is_everyday(name):
        return True
    said, shouted = text[start:end], name.isupper()
    if not said[:1].isupper() or said.isupper() is not shouted:
        return False
    high = (shouted and len(name) > 1) or text[max(0, start - 2) : start].rstrip().endswith(";")  # whatever began
    return high or not _opens(text, start) or bool(_CLOSES.match(text, end))
