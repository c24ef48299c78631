"""The kind of thing that a question asks a statement for, and the stretches of a statement that tell it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Final

from clause.text.mentions import Mention, find_proper_names
from clause.text.statements.lexicon import shipped_lexicon
from clause.text.statements.quantities import MONTHS, WEEKDAYS
from clause.text.statements.words import ADJUNCTS, ARTICLES, NEGATIONS, NOUNS, Word, bases, denials, words


class Wanted(StrEnum):
    """The kinds of things that questions ask for."""

    PERSON = "person"
    PLACE = "place"
    TIME = "time"
    NUMBER = "number"
    REASON = "reason"
    MANNER = "manner"
    TRUTH = "truth"
    THING = "thing"


class Counted(StrEnum):
    """The kinds of things that numbers count."""

    MONEY = "money"
    DURATION = "duration"
    THINGS = "things"
    ANYTHING = "anything"


_MANY = "many much long old far big tall high fast large deep heavy wide cold hot"
_WHENEVER = frozenset(["often", "early", "late", "soon"])
_AUXILIARIES = """is are was were do does did can could has have had will would should may might must am isn't aren't"""
_TRUTHS = frozenset(_AUXILIARIES.split())
_BEING = frozenset(["is", "are", "was", "were", "isn't", "aren't"])
_OF_NOUN: Final = {noun: Wanted(kind) for kind, nouns in NOUNS.items() for noun in nouns}
_COSTING = "cost costs price save saves saved pay pays weigh weighs charge charges earn earns"
_AMOUNTS = frozenset(_COSTING.split())
_AMOUNTING = frozenset(["come", "comes", "came", "amount", "amounts", "amounted"])
_OF_WORD: Final = {
    "who": Wanted.PERSON,
    "whos": Wanted.PERSON,
    "wheres": Wanted.PLACE,
    "whens": Wanted.TIME,
    "whom": Wanted.PERSON,
    "whose": Wanted.PERSON,
    "where": Wanted.PLACE,
    "when": Wanted.TIME,
    "why": Wanted.REASON,
}
_ASKING_WORDS = """what which who whom whose where when why how please tell me know remember anything something say said
about happened thing things many much"""
_ASKING = frozenset(_ASKING_WORDS.split())


@dataclass(frozen=True)
class Inquiry:
    """A question about what is kept: what it wants, and the words that say what about.

    >>> Inquiry.read("who runs the Berlin office?").wanted.value
    'person'
    """

    text: str
    wanted: Wanted
    tokens: tuple[Word, ...]

    @classmethod
    def read(cls, text: str) -> Inquiry:
        """The inquiry that a question is."""
        tokens = tuple(words(text))
        return cls(text, _wanted([token.lower for token in tokens]), tokens)

    @cached_property
    def content(self) -> tuple[Word, ...]:
        """The words that say what it is about."""
        telling = [token for token in self.tokens if token.lower not in ADJUNCTS and token.lower not in _ASKING]
        return tuple({token.lower: token for token in telling}.values())


_LETTERS = re.compile(r"[^\W\d_]+")


def _wanted(said: list[str]) -> Wanted:
    for place, word in enumerate(said):
        after = said[place + 1 : place + 3]
        nouns = [noun for noun in said[place + 1 : place + 5] if noun not in ADJUNCTS][:2]
        if word in ("what", "which"):
            found = next((_OF_NOUN[noun] for noun in nouns if noun in _OF_NOUN), Wanted.THING)
            if _about(said[place + 1 : place + 5], found):
                found = Wanted.THING
            amounts = (one in _AMOUNTS and before != "to" for before, one in pairwise(said[place:]))
            amounting = said[-1:] == ["to"] and said[-2] in _AMOUNTING
            return Wanted.NUMBER if found is Wanted.THING and (any(amounts) or amounting) else found
        if word == "how":
            if _WHENEVER & set(after[:1]):
                return Wanted.TIME
            return Wanted.NUMBER if after and after[0] in _MANY.split() else Wanted.MANNER
        if word in _OF_WORD:
            return _OF_WORD[word]
    return Wanted.TRUTH if said and said[0] in _TRUTHS else Wanted.THING


def _about(after: Sequence[str], found: Wanted) -> bool:
    """True where the noun is not what is asked for, but what it is asked about (`what does the school need`)."""
    if not after or after[0] not in _TRUTHS:
        return False
    return after[0] not in _BEING or (found is Wanted.PERSON and "name" not in after)


_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half zero"
)
_SPELT = "|".join(_NUMBER_WORDS.split())
_ORDINALS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|"
    "sixteenth|seventeenth|eighteenth|nineteenth|twentieth|last"
)
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SHORT = "k|m|km|cm|mm|kg|g|mg|l|ml|ms|s|h|min|gb|mb|tb|kb|eur|usd|gbp|mph|kwh|kw|w|v|hz|\u00b0c|\u00b0f"
_BEFORE_HOURS = "|".join(rf"(?<=\b{word} )" for word in ("at", "by", "from", "until", "till", "before", "after"))
_CLOCK = (
    rf"\b(?:{_HOURS}) o'clock|(?:{_BEFORE_HOURS})(?:half past |quarter (?:past|to) )?(?:{_HOURS})\b"
    r"(?!\s(?:of|[a-z]+s)\b)|"
    r"\d{1,2}(?::\d\d|\.\d\d(?=\s*[ap]m))?\s*(?:[ap]\.?m\b\.?|o'clock)|\d{1,2}:\d\d"
)
_MONTH = "|".join(sorted((name for name in MONTHS if name not in ("may", "march", "mar")), key=len, reverse=True))
_DAYS = "|".join(f"{day}s?" for day in sorted(WEEKDAYS))
_HOUR = r"\d{1,2}(?:[:.]\d\d)?(?:\s*[ap]\.?m\.?)?"
_TIME = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|{_HOUR}\s?[-\u2013]\s?(?:{_CLOCK})|(?<=\bat )\d{{1,2}}\.\d\d"
    rf"|(?:(?<=\bfrom )|between ){_HOUR} (?:to|and|until|till) (?=\d)(?:{_CLOCK}|\d{{1,2}})"
    r"|(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)\s+century|\d{3}0s)(?:\s(?:BCE?|AD|CE))?|\d{1,4}\s(?:BCE?|AD|CE)"
    r"|(?<=\bin )\d{3,4}\b(?![.,:/-]\d|\s(?!and|when|while|by|for|with|after|before|as)[a-z])"
    rf"|{_CLOCK}|(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH}|May|March)\b(?:,?\s+\d{{4}})?"
    rf"|(?:{_MONTH}|May|March)\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?|(?:{_MONTH}|May|March)\b(?:\s+\d{{4}})?"
    rf"|the\s+\d{{1,2}}(?:st|nd|rd|th)\b|(?<=\b[bo][yn] )the (?:{_ORDINALS})\b"
    rf"|(?<![./-])(?:1[6-9]|20)\d\d\b(?![./-]\d)|{_DAYS}|yesterday|today|tomorrow|tonight|noon|midnight"
    r"|(?:(?:last|next|this|every|each)\s+(?:other\s+|two\s+|three\s+)?)(?:day|night|morning|afternoon|evening|week|weekend|month|"
    r"quarter|year|spring|summer|autumn|fall|winter)s?|daily|weekly|monthly|quarterly|yearly|annually|nightly|hourly|q[1-4]"
    rf"|(?:an?|half an|\d+|{_SPELT})\s(?:minute|hour|day|week|month|year)s?\s(?:before|after|ago|later|earlier)"
    r"|(?:once|twice)\s+an?\s+\w+|(?:mornings?|afternoons?|evenings?|nights?|weekends?|dawn|dusk|sunrise|sunset|dinner|lunch"
    r"|breakfast|spring|summer|autumn|winter|christmas|easter|whitsun|new year|advent|lent|ramadan))\b",
    re.IGNORECASE,
)
_JOIN = re.compile(r"\s*(?:,|at|of|on|in|the|and|around|about|from|to|until|\s)*\s*", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![\w.:/\u2212-])[-\u2212]?(?:[$\u20ac\u00a3\u00a5]\s?)?(?:(?:\d{1,3}(?: \d{3})+|\d+(?:[.,'\u2019]\d+)*)"
    r"(?:\s?[-\u2013/]\s?[$\u20ac\u00a3\u00a5]?\d+(?:[.,]\d+)*|\s\d/\d)*(?:\s(?:thousand|million|billion)\b)?"
    rf"(?:\s?(?:%|\u20ac|(?:{_SHORT})\b))?"
    rf"|(?:{_SPELT})(?:[\s-](?:and\s)?(?:{_SPELT}))*\b)",
    re.IGNORECASE,
)
_JUST_ONE = re.compile(r"\b(?:has|have|had|having|keeps?|kept|owns?|only|just|exactly|is|are|was|were) $")
_UNITS = (
    "seconds? minutes? hours? days? weeks? months? years? euros? dollars? pounds? percent km kg meters? metres? miles?"
)
_UNIT_WORDS = frozenset([*_UNITS.replace("?", "").split(), "percentage", "cents", "pence"])
_UNIT = re.compile(rf"[\s-](?:{'|'.join(_UNITS.split())})\b(?:\s\d+)?(?:\sand a half)?", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:in|at|to|from|near|into|behind|under|above|inside|outside|beside|next to|on|over|below|between|towards?)\s+"
    r"((?:the|a|an|our|her|his|their|my)\s+)?([^\W\d_][\w'\u2019-]*(?:\s+[^\W\d_][\w'\u2019-]*){0,4})"
)
_WITHIN_PLACES = ARTICLES | {"of", "on", "in", "at", "under", "behind", "near", "above", "below", "between"}
_REASON = re.compile(
    r"(?:\b(?:because|so that|due to|in order|thanks to|as it|as they|caused|after|to avoid|so we|reason|otherwise|"
    r"to (?:keep|save|make|get|let|stop|prevent|reduce|cut)|for fear|owing to|which is why|too|"
    r"since (?:i|we|you|he|she|it|they|there|nobody|everybody|no one)))\b",
    re.IGNORECASE,
)
_MANNER = re.compile(r"\b(?:by|with|via|using|through)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"([A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+)?):\s")


def told(inquiry: Inquiry, statement: str, common: frozenset[str] = frozenset()) -> list[Mention]:
    """The stretches of a statement that may be what is asked for, none that the question says itself; `common` are
    words that other statements write without a capital, which are no names.

    >>> [one.name for one in told(Inquiry.read("when is the standup?"), "The standup is on Mondays at 9:40.")]
    ['Mondays at 9:40']
    >>> [one.name for one in told(Inquiry.read("who runs the Berlin office?"), "Ana Ruiz runs our Berlin office.")]
    ['Ana Ruiz']
    """
    said = {token.lower for token in inquiry.content}
    if inquiry.wanted is Wanted.PERSON:
        found = _people(statement, common)
    else:
        found = _FINDERS.get(inquiry.wanted, _nothing)(statement)
        if inquiry.wanted is Wanted.NUMBER:
            found = (one for one in found if _may_count(_counted(inquiry), one.name, statement[one.end :]))
    clause = inquiry.wanted in (Wanted.REASON, Wanted.MANNER)
    denied = [] if clause else _denied(inquiry, statement)
    return [
        one
        for one in found
        if (not _said(one, said, clause) or _digits(one, inquiry)) and not _is_denied(one, statement, denied)
    ]


def _is_denied(one: Mention, statement: str, denied: Sequence[tuple[int, int]]) -> bool:
    inside = any(start < one.end and one.start < end for start, end in denied)
    return inside and not _SINCE.search(statement[: one.start])


_SINCE = re.compile(r"\b(?:since|until|till|before|after|for) (?:the )?$", re.IGNORECASE)


def _denied(inquiry: Inquiry, statement: str) -> list[tuple[int, int]]:
    """The stretches of a statement that say that it is not so; none where the question asks what is not."""
    asks = {one.lower for one in inquiry.tokens}
    return [] if asks & NEGATIONS else denials([one.bases | {one.lower} for one in inquiry.content], statement)


def _said(one: Mention, said: AbstractSet[str], clause: bool) -> bool:
    """True where the question says a part of it; of a clause, all of it."""
    if clause:
        return said >= {token.lower for token in words(one.name) if token.lower not in ADJUNCTS}
    return bool(said & {part.lower() for part in _LETTERS.findall(one.name)})


def _digits(one: Mention, inquiry: Inquiry) -> bool:
    """A time or a number is another one where its digits are."""
    numbers = re.findall(r"\d+", one.name)
    return bool(numbers) and not set(numbers) & set(re.findall(r"\d+", inquiry.text))


_MONEY = r"[$\u20ac\u00a3\u00a5]|\b(?:euros?|dollars?|pounds?|cents?|eur|usd|gbp)\b"
_DURATION = r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
_OTHER_UNIT: Final = {
    Counted.MONEY: re.compile(rf"{_DURATION}(?!.*(?:{_MONEY}))|%|percent", re.IGNORECASE),
    Counted.DURATION: re.compile(rf"{_MONEY}|%|percent", re.IGNORECASE),
    Counted.THINGS: re.compile(rf"{_MONEY}|{_DURATION}|%|percent", re.IGNORECASE),
    Counted.ANYTHING: re.compile(r"(?!)"),
}
_NEXT = re.compile(r"[\s-]+([^\W\d_]+)")


def _may_count(counted: Counted, number: str, after: str) -> bool:
    """True unless a number counts something else: by its unit, or by what stands behind it (`nine clinics`)."""
    if _OTHER_UNIT[counted].search(number):
        return False
    noun = _NEXT.match(after)
    if counted in (Counted.THINGS, Counted.ANYTHING) or not noun or noun[1] in ADJUNCTS | _UNIT_WORDS:
        return True
    return not (noun[1].endswith("s") and bases(noun[1]) - {noun[1]})


_SPENDING = _AMOUNTS | frozenset(
    ["costing", "paid", "spend", "spent", "price", "fee", "salary", "wage", "rent", "euros", "dollars", "pounds"]
)
_LASTING = frozenset(["time", "seconds", "minutes", "hours", "days", "weeks", "months", "years"])


def _counted(inquiry: Inquiry) -> Counted:
    """Name what a number that is asked for counts, as far as the question says so."""
    said = [token.lower for token in inquiry.tokens]
    after = [two for one, two in pairwise(said) if one == "how"]
    if _LASTING & set(said) or after == ["long"]:
        return Counted.DURATION
    if _SPENDING & set(said) and after != ["many"]:
        return Counted.MONEY
    return Counted.THINGS if after == ["many"] and not _UNIT_WORDS & set(said) else Counted.ANYTHING


_SOMEBODY = re.compile(
    r"\b(?:by|from|to|with|for) (?:the|an?|our|my|his|her|its|their) [^\W\d_]"
    rf"|(?<![\w-])(?:{'|'.join(NOUNS['person'])})s?(?![\w-])",
    re.IGNORECASE,
)


def passes_over(inquiry: Inquiry, statement: str, telling: Sequence[str]) -> bool:
    """Tell whether a statement that tells only so much says nothing of the person, place, time or number that is
    wanted; somebody may be there without a name.

    >>> asked = Inquiry.read("who borrowed the ladder?")
    >>> passes_over(asked, "We lent it to the museum.", []), passes_over(asked, "It hangs in the shed.", [])
    (False, True)
    """
    if telling or inquiry.wanted not in (Wanted.PERSON, Wanted.PLACE, Wanted.TIME, Wanted.NUMBER):
        return False
    said = {token.lower for token in inquiry.tokens}
    return (
        inquiry.wanted is not Wanted.PERSON
        or bool(_denied(inquiry, statement))
        or all(one[0].lower() in said for one in _SOMEBODY.finditer(statement))
    )


def _nothing(_statement: str) -> Iterator[Mention]:
    return iter(())


_I = re.compile(r"\b(?:I|we|We|me|us|mine|ours|myself|ourselves)\b")
_OTHERS = re.compile(
    r"(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Hh]e|[Ss]he|[Tt]hey)\b"
    r"|[A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+)? (?:is|was|has|no|does|did|[a-z]+(?:ed|s))\b"
)
_BEFORE_PLACES = re.compile(r"\b(?:on|in|at|from|via|near|of the|the|an?)\s+$", re.IGNORECASE)


def _people(statement: str, common: frozenset[str]) -> Iterator[Mention]:
    """Names that may be somebody's: who speaks, and those that stand where somebody acts or is spoken of."""
    speaker = _SPEAKER.match(statement)
    if speaker and (_I.search(statement) or not _OTHERS.match(statement, speaker.end())):
        yield Mention(speaker[1], *speaker.span(1))
    for name in find_proper_names(statement):
        letters = [part.lower() for part in _LETTERS.findall(name.name)]
        dated = any(part in MONTHS or part.rstrip("s") in WEEKDAYS for part in letters)
        first = _opens(statement, name.start) and len(letters) == 1
        plain = not letters or not name.name[0].isupper() or dated or name.name.isupper()
        no_name = first and (letters[0] in common or shipped_lexicon().knows(letters[0]))
        if plain or no_name or _BEFORE_PLACES.search(statement[: name.start]):
            continue
        if not (speaker and name.start < speaker.end()):
            yield name


def _opens(statement: str, at: int) -> bool:
    return not statement[:at].rstrip() or statement[:at].rstrip()[-1] in ".!?:;"


def _times(statement: str) -> Iterator[Mention]:
    """Times, those that only small words part as one."""
    run: tuple[int, int] | None = None
    for hit in _TIME.finditer(statement):
        if run and _JOIN.fullmatch(statement, run[1], hit.start()):
            run = (run[0], hit.end())
            continue
        if run:
            yield Mention(statement[slice(*run)], *run)
        run = hit.span()
    if run:
        yield Mention(statement[slice(*run)], *run)


def _numbers(statement: str) -> Iterator[Mention]:
    """Numbers with their units, none that are times."""
    dates = [hit.span() for hit in _TIME.finditer(statement)]
    end = 0
    for hit in _NUMBER.finditer(statement):
        inside = any(start <= hit.start() < stop for start, stop in dates) or hit.start() < end
        if not inside and (hit[0].lower() != "one" or _JUST_ONE.search(statement, 0, hit.start())):
            unit = _UNIT.match(statement, hit.end())
            end = unit.end() if unit else hit.end()
            yield Mention(statement[hit.start() : end].strip(), hit.start(), end)


def _places(statement: str) -> Iterator[Mention]:
    times = [hit.span() for hit in _TIME.finditer(statement)]
    hit = _PLACE.search(statement)
    while hit:
        end = hit.start(2)
        for word in re.finditer(r"\S+", hit[2]):
            here = hit.start(2) + word.start()
            if word[0].lower() in ADJUNCTS - _WITHIN_PLACES or any(start <= here < stop for start, stop in times):
                break
            end = hit.start(2) + word.end() if word[0].lower() not in _WITHIN_PLACES else end
        if end > hit.start(2) and not any(start <= hit.start(2) < stop for start, stop in times):
            yield Mention(statement[hit.start(2) : end], hit.start(2), end)
        # from here to there; not here but there
        another = hit[0].startswith("from ") or statement.startswith(" but ", end)
        hit = _PLACE.search(statement, end if another and end > hit.start(2) else hit.end())


def _reasons(statement: str) -> Iterator[Mention]:
    """Yield what follows a word of reasons, and what stands before `so`."""
    for hit in _REASON.finditer(statement):
        yield Mention(statement[hit.start() :], hit.start(), len(statement))
    for hit in re.finditer(", so ", statement):
        yield Mention(statement[: hit.start()], 0, hit.start())


def _manners(statement: str) -> Iterator[Mention]:
    return (Mention(statement[hit.start() :], hit.start(), len(statement)) for hit in _MANNER.finditer(statement))


_FINDERS = {
    Wanted.TIME: _times,
    Wanted.NUMBER: _numbers,
    Wanted.PLACE: _places,
    Wanted.REASON: _reasons,
    Wanted.MANNER: _manners,
}
