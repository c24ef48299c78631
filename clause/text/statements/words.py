"""Closed classes of English words, look-up forms, and forms that follow no rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_ARTICLES = "a an the this that these those some any such one's"
_AUXILIARIES = """is are was were be been being am has have had having do does did doing 's 're 've 'd 'm
get gets getting got"""
_FILLERS = """and or but so then there here who which whom whose where when while what how why as than also too just
very really quite of to by for with from in on at into onto upon within through along across against around about toward
towards off out up down over via per during until till since because if though although that s t"""
_LIGHT = "able colored coloured dyed made kind type sort piece set size age wear dress group currently"
_NEGATIONS = "not no never nobody none nothing nowhere neither nor without hardly barely"
_MODALS = "will would shall should may might can could must"
_PAST = "was were had did"
_PRESENT = "is are am has have does do"
_PERSONS = """i me my mine myself; we us our ours ourselves; you your yours yourself yourselves; he him his himself;
she her hers herself; it its itself; they them their theirs themselves"""
_IRREGULAR = """man men; woman women; child children; person persons; foot feet; tooth teeth; goose geese; mouse mice;
knife knives; wife wives; life lives; leaf leaves; wolf wolves; shelf shelves; half halves; loaf loaves;
calf calves; sheep sheep; run ran running; sit sat; stand stood; lie lay lain lying; lay laid; eat ate eaten;
drink drank drunk; swim swam swum; sing sang sung; ring rang rung; begin began begun; throw threw thrown;
catch caught; buy bought; bring brought; think thought; teach taught; fight fought; seek sought;
ride rode ridden; drive drove driven; write wrote written; rise rose risen; speak spoke spoken;
break broke broken; choose chose chosen; freeze froze frozen; steal stole stolen; wear wore worn; tear tore torn;
bear bore borne; take took taken; shake shook shaken; give gave given; forgive forgave forgiven; see saw seen;
go went gone goes; come came; become became; know knew known; grow grew grown; blow blew blown; fly flew flown;
draw drew drawn; fall fell fallen; feel felt; keep kept; sleep slept; leap leapt; leave left; meet met; feed fed;
lead led; read read; hold held; tell told; sell sold; say said; pay paid; make made; build built; send sent;
spend spent; lend lent; lose lost; shoot shot; get got gotten; win won; find found; hear heard; hide hid hidden;
bite bit bitten; slide slid; understand understood; spin spun; stick stuck; strike struck; swing swung;
hang hung; dig dug; wake woke woken; beat beaten; forget forgot forgotten; mean meant; deal dealt; show shown;
weep wept; sweep swept; shine shone; arise arose arisen; awake awoke awoken; bend bent; bind bound; bleed bled;
breed bred; burn burnt; cling clung; creep crept; do does did done doing; dream dreamt; dwell dwelt;
flee fled; fling flung; forbid forbade forbidden; foresee foresaw foreseen; kneel knelt; lean leant; learn learnt;
light lit; mistake mistook mistaken; misunderstand misunderstood; mow mown; outgrow outgrew outgrown;
overcome overcame; overtake overtook overtaken; overthrow overthrew overthrown; prove proven; repay repaid; sew sewn;
shear shorn; shrink shrank shrunk shrunken; sink sank sunk sunken; slay slew slain; smell smelt; sow sown; spell spelt;
spill spilt; spit spat; spoil spoilt; spring sprang sprung; sting stung; stink stank stunk; strive strove striven;
swear swore sworn; swell swollen; tread trod trodden; undergo underwent undergone; undertake undertook undertaken;
undo undid undone; withdraw withdrew withdrawn; withhold withheld; withstand withstood; wring wrung; rebuild rebuilt;
rewrite rewrote rewritten; unwind unwound; uphold upheld; oversee oversaw overseen; forgo forwent forgone"""
_TIMES = """time times day days date dates year month week weekday hour hours deadline quarter season birthday
anniversary"""
_PLACES = """city country town office room place street building region site floor village port hotel restaurant shop
school hospital station airport address island beach park hall museum"""
_FIGURES = """percentage number amount share budget score temperature price fee salary wage rent size weight height
length age rate total sum figure capacity distance speed duration bill balance"""
_PEOPLE = """person people colleague doctor dentist vet teacher customer engineer man woman boy girl friend neighbour
neighbor boss director employee worker member student pupil nurse lawyer solicitor author writer artist actor actress
singer musician conductor organist driver expert guest visitor client tenant landlord landlady lodger mother father
mum mom dad parents grandmother grandfather grandma grandpa gran sister brother daughter son wife husband partner
cousin aunt uncle niece nephew children kids child baby family twin fiance fiancee girlfriend boyfriend flatmate
roommate housemate caretaker janitor gardener cleaner plumber electrician carpenter joiner builder roofer painter
mechanic locksmith baker butcher grocer florist hairdresser barber tailor cobbler chemist pharmacist optician midwife
surgeon physio physiotherapist therapist psychologist paramedic accountant bookkeeper auditor adviser advisor
consultant broker banker notary secretary clerk receptionist treasurer chairman chairwoman president mayor
minister priest vicar pastor rabbi imam judge coach trainer referee captain pilot sailor skipper fisherman farmer
shepherd forester vintner postman courier farrier reviewer critic journalist reporter editor publisher translator
interpreter proofreader illustrator photographer curator librarian archivist supplier provider contractor manager
supervisor foreman intern apprentice trainee volunteer assistant deputy owner founder professor lecturer researcher
scientist developer programmer designer architect analyst operator inspector officer policeman police firefighter
soldier guard cook chef waiter waitress host hostess babysitter nanny council committee board team crew staff company
firm club union agency society association university insurer insurance bank"""

ARTICLES = frozenset(_ARTICLES.split())
AUXILIARIES = frozenset(_AUXILIARIES.split())
FILLERS = frozenset(_FILLERS.split())
"""Conjunctions, prepositions and particles: they carry no content, but may exclude one another (`up`, `down`)."""

LIGHT = frozenset(_LIGHT.split())
"""Base forms that may be there or not: `a hat colored red`, `a group of people`, `wearing a hat`."""

NEGATIONS = frozenset(_NEGATIONS.split())
NOUNS = {
    "time": tuple(_TIMES.split()),
    "place": tuple(_PLACES.split()),
    "number": tuple(_FIGURES.split()),
    "reason": ("reason", "cause"),
    "person": tuple(form for one in _PEOPLE.split() for form in (one, one + "s")),
}
"""Nouns of what questions ask for, by its kind."""

MODALS = frozenset(_MODALS.split())
PAST = frozenset(_PAST.split())
PRESENT = frozenset(_PRESENT.split())
PRONOUNS = {form: group.split()[0] for group in _PERSONS.split(";") for form in group.split()}
"""Personal pronouns with the person they stand for (`him`: `he`)."""

ADJUNCTS = ARTICLES | AUXILIARIES | FILLERS | MODALS | NEGATIONS | frozenset(PRONOUNS)
"""Every word that is no content word."""

IRREGULAR = {form: group.split()[0] for group in _IRREGULAR.split(";") for form in group.split()[1:]}
"""Irregular forms with their base (`rode`: `ride`)."""

AMBIGUOUS = {
    "left": ("left", "leave"),
    "found": ("found", "find"),
    "saw": ("saw", "see"),
    "felt": ("felt", "feel"),
    "rose": ("rose", "rise"),
    "lay": ("lay", "lie"),
    "ground": ("ground",),
    "leaves": ("leaf", "leave"),
    "lives": ("life", "live"),
    "bore": ("bore", "bear"),
    "wound": ("wound",),
}
"""Forms that are a word of their own and a form of another, or look like one."""


_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S.
    r"|(?<![\w.,])[-+\u2212]?\d+(?:[.,:/-]\d+)*[^\W_]*"  # -3.5, 2026-01-02, 5kg, 2nd
    r"|[^\W_]+(?:['\u2019\u2010-][^\W_]+)*"  # words, well-known, don't, t-shirt
    r"|[$\u20ac\u00a3\u00a5%\u00b0]"
)
_PAUSE = re.compile(r"[,;:\"\u201c\u201d\u2014]|\s-+\s")
_OPENERS = re.compile(r"[.!?:;\"\u201c(]\s*$")

_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Word:
    """One token.

    Attributes:
        text: as written.
        lower: in lower case.
        bases: the base forms it may have.
        opens: whether it opens a sentence.
        pauses: whether a comma, a colon, a quote or a dash stands before it.
    """

    text: str
    lower: str
    bases: frozenset[str]
    opens: bool
    pauses: bool = False

    @property
    def capital(self) -> bool:
        """True where it begins with a capital letter or holds one."""
        return self.text != self.lower


def words(text: str) -> list[Word]:
    """The words of `text` in order; compounds and contractions of `not` are split, possessive endings fall away.

    >>> [word.lower for word in words("The U.S. isn't Ann's 5kg friend.")]
    ['the', 'u.s.', 'is', 'not', 'ann', '5kg', 'friend']
    """
    found: list[Word] = []
    end = 0
    for hit in _TOKEN.finditer(text):
        opens = not found or bool(_OPENERS.search(text[: hit.start()]))
        pauses = bool(found) and bool(_PAUSE.search(text[end : hit.start()]))
        end = hit.end()
        found.extend(_word(part, opens and not i, pauses and not i) for i, part in enumerate(_parts(hit.group())))
    return found


@lru_cache(maxsize=65536)
def bases(word: str) -> frozenset[str]:
    """The base forms that a lower-case word may have; two words are forms of one if theirs meet.

    >>> sorted(bases("riding") & bases("rode")), bases("plan") & bases("plane")
    (['ride'], frozenset())
    """
    if word in AMBIGUOUS:
        return frozenset(AMBIGUOUS[word])
    if word in IRREGULAR:
        return frozenset((IRREGULAR[word],))
    return frozenset((word, *_without_ending(word)))


def _parts(token: str) -> list[str]:
    plain = token.replace("\u2019", "'").replace("\u2010", "-")
    compound = plain.split("-") if plain[0].isalpha() else [plain]
    if len(compound) > 1 and all(len(part) > 1 or part.isdigit() for part in compound):
        return [word for part in compound for word in _parts(part)]
    lower = plain.lower()
    if lower in {"cannot", "can't", "won't"}:
        return [{"w": "will", "c": "can"}[lower[0]], "not"]
    if lower == "unable":
        return ["not", "able"]
    if lower.endswith("n't"):
        return [plain[:-3], "not"]
    for ending in ("'s", "s'", "'re", "'ve", "'ll", "'d", "'m"):
        if lower.endswith(ending) and len(lower) > len(ending):
            rest = plain[: -len(ending)] + ("s" if ending == "s'" else "")
            return [rest, "will"] if ending == "'ll" else [rest]
    return [plain]


def _word(text: str, opens: bool, pauses: bool) -> Word:
    lower = "u.s." if text == "US" else text.casefold()
    return Word(text, lower, bases(lower), opens, pauses)


def _without_ending(word: str) -> list[str]:
    if len(word) <= 3 or not word.isalpha():
        return []
    return _verb_stems(word) if word.endswith(("ed", "ing")) else _singular(word)


def _singular(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1]] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else []


def _verb_stems(word: str) -> list[str]:
    if word.endswith("ied"):
        return [word[:-3] + "y"]
    stem = word.removesuffix("ing") if word.endswith("ing") else word.removesuffix("ed")
    if len(stem) < 2 or not any(letter in _VOWELS or letter == "y" for letter in stem):
        return []
    stems = [stem, stem + "e"]
    if stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        stems.append(stem[:-1])
    return stems


_CAUSES_BY_WORDING = {
    "causes": """
        cause | cause of | causes | caused | leads to | led to | results in | resulted in | has effect | has result |
        triggers | triggered | induces | brings about | gives rise to | contributes to | contributing factor of |
        is a cause of | immediate cause of | is responsible for | provokes
        < caused by | result of | results from | resulted from | due to | has cause | has causes | consequence of |
        effect of | effect | triggered by | induced by | brought about by | stems from | arises from | because of |
        attributed to | attributable to | has contributing factor | has immediate cause | provoked by | root cause
    """,
    "enables": """
        enables | enabled | makes possible | facilitates | promotes
        < enabled by | made possible by | facilitated by | promoted by
    """,
    "inhibits": """
        inhibits | inhibited | prevents | prevented | suppresses | hinders | blocks | impedes
        < inhibited by | prevented by | suppressed by | hindered by | blocked by | impeded by
    """,
}
"""Words of relationships that mean a cause, by kind; behind the sign < those whose end is the cause."""

_MEANINGS = {
    wording.strip(): (kind, backward)
    for kind, text in _CAUSES_BY_WORDING.items()
    for backward, wordings in enumerate(text.split("<"))
    for wording in wordings.split("|")
}
_AUXILIARY = re.compile(r"^(?:is|are|was|were|be|been|being|has been|have been|can|may|directly|partly|mainly) ")


def causal_meaning(words: str) -> tuple[str, bool] | None:
    """The kind of cause that a relationship in words means, and whether its end is the cause; None: no cause.

    >>> causal_meaning("causes"), causal_meaning("is prevented by"), causal_meaning("near")
    (('causes', False), ('inhibits', True), None)
    """
    bare = _AUXILIARY.sub("", words)
    found = _MEANINGS.get(words) or _MEANINGS.get(bare) or _MEANINGS.get(_AUXILIARY.sub("", bare))
    return found and (found[0], bool(found[1]))


def derived(first: frozenset[str], second: frozenset[str]) -> bool:
    """True where a form of one word is the adjective in `y` of a form of the other.

    >>> derived(frozenset({"grass"}), frozenset({"grassy"})), derived(frozenset({"stone"}), frozenset({"stony"}))
    (True, True)
    """
    return any(
        len(one) > 2 and other in {one + "y", one + one[-1] + "y", one.removesuffix("e") + "y"}
        for one, other in (*((x, y) for x in first for y in second), *((y, x) for x in first for y in second))
    )


def graded(left: str, right: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The plain forms of two words of one degree.

    >>> [sorted(both) for both in next(graded("older", "bigger"))]
    [['old', 'olde'], ['big', 'bigg', 'bigge']]
    """
    for ending in ("er", "est"):
        if left.endswith(ending) and right.endswith(ending):
            first, second = (frozenset(_plain(word.removesuffix(ending))) for word in (left, right))
            yield first, second


def _plain(stem: str) -> Iterator[str]:
    """The words that a stem may be, which lost the ending of a degree."""
    yield from (stem, stem + "e")
    if stem.endswith("i"):
        yield stem[:-1] + "y"
    if len(stem) > 2 and stem[-1] == stem[-2]:
        yield stem[:-1]


_DENIAL = re.compile(
    r"\b(?:(?P<always>not|never|cannot|no longer|no more)|no|nobody|no one|none|neither|nor|nothing|nowhere|without"
    r"|hardly|barely)\b|(?P<short>n['\u2019]t)\b",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(
    r"(?:not|n['\u2019]t) (?:only|just|until|till|before)\b|no\.? ?\d|(?:no|not) (?:\w+er|more|less) than\b"
    r"|(?:nothing|none|nobody|no one|not|n['\u2019]t) (?:\w+ )?(?:but|except)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[,;:.!?\u2014]+(?=\s|$)|\s[-\u2013]+\s|\s(?=(?:but|because|although|though|while|whereas|so|instead"
    r"|and (?:she|he|it|they|we|i|now|not|is|are|was|were|lives?|works?))\s)",
    re.IGNORECASE,
)
_PASSED_OVER = frozenset(["longer", "more", "any", "yet", "ever", "even", "always", "currently", "actually", "anymore"])


def denials(asked: Sequence[frozenset[str]], statement: str) -> list[tuple[int, int]]:
    """The stretches of a statement that say of what is asked that it is not so: the clause, where it denies an asked
    word (each with its bases) or puts another in the place of one; else what stands right behind the `not`.

    >>> said = "Ann no longer lives in Porto, but in Ghent."
    >>> [said[start:end] for start, end in denials([frozenset(["live"])], said)]
    ['Ann no longer lives in Porto,']
    """
    if not _DENIAL.search(statement):
        return []
    found, start = [], 0
    for end in (*(hit.end() for hit in _CLAUSES.finditer(statement)), len(statement)):
        said = frozenset[str]().union(*(one.bases | {one.lower} for one in words(statement[start:end])))
        for hit in _DENIAL.finditer(statement, start, end):
            after = [one for one in words(statement[hit.end() : end]) if one.lower not in ADJUNCTS | _PASSED_OVER]
            if _NO_DENIAL.match(statement, hit.start()):
                continue
            missing = not all(one & said for one in asked)
            if (after and any(after[0].bases & one for one in asked)) or (missing and (hit["always"] or hit["short"])):
                found.append((start, end))
            elif after:
                found.append((hit.end(), statement.index(after[0].text, hit.end()) + 1))
        start = end
    return found


_SYMBOLS = re.compile(
    r"<?[-=]+>|<[-=]*|[<>=!]=+|[<>=\u2260\u2264\u2265]|(?<=\b[^\W\d_])[+#\u2212-]+(?!\w)|[-\u2212](?=[$\u20ac\u00a3\u00a5]\d)"
)
"""Comparisons, arrows, grades (`B+`), names of one letter (`C#`) and signs of money: no words, yet they tell apart."""
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]")
_VERSION = re.compile(r"\b(?:[A-Z]\w*|version|release|v)\s?(\d+\.\d+)\b(?![.,]\d)")


def symbols_differ(a: str, b: str) -> bool:
    """Tell whether signs, the pictures of both, or the versions of both are others.

    >>> symbols_differ("status = 200", "status != 200"), symbols_differ("on Python 3.1", "on Python 3.10")
    (True, True)
    >>> symbols_differ("well-known - really", "well known, really"), symbols_differ("fine", "fine 👍")
    (False, False)
    """
    if Counter(_SYMBOLS.findall(a)) != Counter(_SYMBOLS.findall(b)):
        return True
    return any(
        bool(mine and theirs) and mine != theirs
        for mine, theirs in ((Counter(told.findall(a)), Counter(told.findall(b))) for told in (_PICTURES, _VERSION))
    )
