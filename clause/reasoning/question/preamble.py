"""Words that people put around a question: greetings, politeness, tags at its end, key words without a sentence."""

from __future__ import annotations

import re

from clause.reasoning.question.pattern_text import VERB_FORMS
from clause.reasoning.question.skeleton import TOPIC
from clause.reasoning.question.vocabulary import AUXILIARIES, COMPARATIVES, FORM_WORDS, PREPOSITIONS, WH_WORDS

ANY_WH = re.compile(rf"\b(?:{'|'.join(sorted(WH_WORDS))})\b")
"""A word that opens a question."""

_PREAMBLE = re.compile(
    r"^(?:"
    r"(?:hi|hello|hey|hiya|yo|dear|ok|okay|so|well|um|uh|hmm|please|kindly|and|but|also|just|now|then|btw|sorry|thanks|quick"
    r"|question|random|serious|genuine|actually|basically|like|again|guys|folks|there|everyone|mate|pal)\b"
    r"(?= ?[,!:]| [a-z])(?: ?[,!:.])?"
    r"|(?:do|does|did|would|could|can|will|might) (?:you|anyone|anybody|someone|somebody|i)"
    r"(?: (?:all|please|happen to|maybe|perhaps|by any chance|kindly|possibly|here|also|just|even|like to|be able to))*"
    r" (?:know|tell|give|show|list|find|name|remember|help|say|look up|look|check|explain|enumerate|get|ask|count"
    r"|describe|remind|provide|advise|confirm|pull up|bring up|dig out)(?: (?:me|us))?(?: out)?(?: about)?(?: with)?"
    r"|(?:would|could) you be (?:(?:good|kind|nice) enough to|so (?:good|kind) as to"
    r"|an? (?:dear|love|darling|angel) and)"
    r"|(?:do|does) (?:you|anyone|anybody) have (?:any|an) (?:idea|clue)(?: about)?"
    r"|(?:do|does) (?:you|we|anyone|anybody) have(?= (?:the|an?) [a-z ]+ (?:of|for) )"
    r"|(?:anyone|anybody|someone|somebody)(?: here)? (?:know|knows|remember|remembers)"
    r"|(?:have you )?(?:got )?any (?:idea|clue)s?|is there any chance you know|by any chance"
    r"|(?:i was|i am|i am just|just) (?:wondering|curious|asking|trying to (?:find(?: out)?|remember|figure out))"
    r"(?: about)?|wondering|i wonder"
    r"|(?:excuse|pardon|forgive) me|(?:can|could|may) (?:i|we)(?: please)? (?:have|see)(?= (?:the|all|every)\b)"
    r"|(?:my|our|a) [a-z]+(?: [a-z]+)? (?:wishes|wants|needs|would like|asks|is asking) to know"
    r"|i (?:would |should )?(?:(?:really|so|very much|dearly) )*(?:like|want|need|have|love|wish) to"
    r" (?:know|find out|find|see|ask|hear)(?: about)?"
    r"|(?:i|we) (?:would|should) be (?:most |very |so )?(?:grateful|obliged|glad|pleased) (?:for|to (?:know|have))"
    r"|(?:i (?:am )?)?(?:need|want|looking for|searching for|interested in)|i forgot|i forget|i mean|remind me"
    r"|let me know|tell me|tell us|give me|give us|show me|show us|find me|find out|get me|bring me|fetch me"
    r"|help me find|list|name|find|show|display|enumerate|print|return|identify|state|mention|tell|give|search"
    r"|advise|certify|confirm|specify|indicate|clarify|search for|look up|(?:question|query|q) ?:"
    r")(?: |$)(?:[,:] )?"
)
_WHETHER = re.compile(
    r"^(?:if|whether)(?: or not)? |^true or false ?[:,]? "
    r"|^(?:is|was) (?:it|that) (?:true|correct|right|the case|a fact)(?: to say)? that "
)
_TAG = re.compile(
    r"(?: ,)? (?:right|correct|yes|no|true|true or false|yes or no|or not|or no|innit|huh|eh"
    r"|or (?:(?:is|was|did) (?:it|that) )?(?:someone|somebody|something) else"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|will|would) (?:not )?"
    r"(?:it|he|she|they|there|that|this)(?: not)?)$"
)
_CLOSING = re.compile(
    r"(?:(?: ,)? (?:please|thanks|thank you|by any chance|if you know|do you know|do you have|anyone|then|though"
    r"|exactly|called|again|ever|at all|now|i (?:think|guess|believe)|in the (?:whole|entire) [a-z]+))+$"
)
_ASKED_LAST = re.compile(r"^([^,]+) ,? ?(who|when|where|which one|which ones)$")
_NOTED = re.compile(rf"^({TOPIC}) [,:] ((?!and\b|or\b)[a-z]+(?: [a-z]+)?)$")
_KEYWORDS = re.compile(rf"^({TOPIC}) ([a-z]+(?: [a-z]+){{0,3}})$")
_NOUNS = {"cast", "stars", "release", "rating", "score", "award", "review", "name", "names", "number"}
_VERBAL = (FORM_WORDS | VERB_FORMS) - _NOUNS
_ASIDE = re.compile(
    rf"^(?!(?:{'|'.join(sorted(WH_WORDS | PREPOSITIONS))}|out|not|no|without|besides|apart|except|excluding|other|if"
    r"|while|before|after|since|during|until|among|between|unlike|ignoring|leaving)\b)[a-z' ]+ [,;:] "
    r"(?:(?:so|and|but|please) )?"
    r"(?=(?:which|what|who|whose|whom|where|when|how|(?:give|show|tell|find|list|name) me)\b)"
    r"|^(?:for|regarding|about|re) [a-z' ]+ : "
)
"""The words before the question that name nothing: `I am broke, which ...`."""
_EMPTY = re.compile(r" (?:even|actually|really|exactly|precisely|(?<=is |as |re )also)\b(?! [,?]|$)")
_POSSESSED = re.compile(rf"^({TOPIC}) ([a-z]+s)(?= (?:[a-z]+ing|[a-z]+ed|with|by|from|in|about|that|which|set|made)\b)")
_HEADS = re.compile(rf"\bhead ?count (?:(?:of|for|in|at) )?(?=(?:the )?{TOPIC})|\bhead ?count$")
_SET_APART = re.compile(
    rf"^(?:the )?({TOPIC}) , (?=(?:{'|'.join(sorted(AUXILIARIES | WH_WORDS))})\b)((?:(?!{TOPIC}).)*?)"
    rf"\b(?:that|it|this|he|she|they|him|them)\b"
)
"""A name that is set before its question: `X, does that belong to Y`."""
_THEN = re.compile(rf"\b({'|'.join(sorted(COMPARATIVES.keys() - {'before', 'after'}))}|rather|other) then\b")
"""The usual slip: `is Kes longer then Heat`."""
_ONCE = re.compile(
    rf"(?:^((?:when|(?:in |on )?(?:what|which) (?:year|date|day|month))\b.*{TOPIC})|(?<=[a-z] )(that|who)) first\b"
)

_STEMS = [word.removesuffix("er") for word in COMPARATIVES if word.endswith("er")]
_DEGREES = {base: stem for stem in _STEMS for base in (stem, f"{stem}e", stem[:-1], f"{stem[:-1]}y")}
_DEGREES["ancient"] = "old"
_PLAIN_DEGREE = re.compile(rf"\b(?P<sense>more|most) (?P<base>{'|'.join(sorted(_DEGREES, key=len, reverse=True))})\b")
_NUMBER_OF = re.compile(r"\b(?:(?P<most>greatest|largest|highest|biggest)|smallest|lowest) (?:number|count) of\b")
_MEANT = re.compile(r"^(?P<said>.+?)(?: [,;:(.])? (?:i mean|i ?\. ?e ?\.?|that is to say)(?: [,:])? (?P<meant>.+)$")
_MEANT_KIND = re.compile(r"^(?P<place>(?:at|in|on|for|from|by|to) )?(?:which|what|the) (?P<kind>[a-z]+)$")


def said_once(core: str) -> str:
    """A core with what it says again said once: `who did she direct , i mean which plays` asks for plays."""
    again = _MEANT.match(core)
    if again is None or re.search(TOPIC, again["meant"]) or not re.search(TOPIC, again["said"]):
        return core
    kind = _MEANT_KIND.match(again["meant"])
    if kind is None:
        return again["said"]
    asked = f"which {kind['kind']}"
    said = re.sub(r"^(?:where|when)\b", f"{kind['place'] or ''}{asked}", again["said"])
    return re.sub(r"^(?:who|what|which)\b", asked, said)


_MORE = "|".join(
    sorted(word for word in COMPARATIVES if (word.endswith("er") and word != "after") or word in {"more", "less"})
)
_OTHERS = (
    r"(?:(?:all|any|every)(?: of)?(?: the)? others?(?: [a-z]+)?|any(?:one|body|thing)(?: else)?"
    r"|every(?:one|body|thing) else|the (?:rest|others))\b"
)
_BEST = re.compile(
    rf"\b(?P<word>{_MORE}) (?P<noun>(?:[a-z-]+ ){{0,2}})than {_OTHERS}"
    rf"|\bthe (?P<two>{_MORE}) of (?:the|these|those|our|your|my|its|his|her|their) (?:two|pair of) "
    rf"|^(?!.*(?:{TOPIC}.*{TOPIC}|\b(?:than|or)\b))(?P<before>.*\bwh(?:ich|o)\b.*?)( the)? (?P<last>{_MORE})( one)?$"
)
"""Comparisons with all others, which ask for the best: `more than any other`, `the smaller of the two`."""


def _as_best(hit: re.Match[str]) -> str:
    word = hit["word"] or hit["two"] or hit["last"]
    best = {"more": "most", "less": "least", "better": "best"}.get(word, f"{word[:-2]}est")
    return f"{hit['before']} {best}" if hit["before"] else f"the {best} {hit['noun'] or ''}"


def stripped(text: str) -> tuple[str, bool]:
    """A skeleton's text without what is said around the question, and whether that asks for yes or no.

    >>> stripped("please tell me is it longer then that ?")
    ('is it longer than that', False)
    >>> stripped("which of them does it look after")[0], stripped("which of the two lapses later")[0]
    ('which of them does it look after', 'which of the two lapses latest')
    """
    core = _THEN.sub(r"\1 than", re.sub(r"(?: [?!.])+$", "", text))
    asked = False
    while True:
        before = core
        core = _PREAMBLE.sub("", core, count=1)
        whether = _WHETHER.match(core)
        if whether:
            core, asked = core[whether.end() :], True
        if core == before:
            break
    core = _PREAMBLE.sub("", _ASIDE.sub("", _EMPTY.sub("", _SET_APART.sub(r"\2\1", core))))
    tag = _TAG.search(core)
    if tag and re.search(TOPIC, core[: tag.start()]) and not ANY_WH.match(core.rsplit(" , ", 1)[-1]):
        core, asked = core[: tag.start()], True
    core = _CLOSING.sub("", core).strip(" ,")
    core = degrees(_ONCE.sub(r"\1\2", said_once(_HEADS.sub("number of members of ", core))))
    core = " ".join(_BEST.sub(_as_best, core).split())
    core = _ASKED_LAST.sub(r"\2 \1", core)
    return as_noun_phrase(core), asked


def as_noun_phrase(core: str) -> str:
    """A question of key words as a noun phrase: `X: label`, `X movies` are the label, and the movies, of X.

    >>> kes = chr(0xE000)
    >>> as_noun_phrase(f"{kes} movies") == as_noun_phrase(f"{kes} : movies") == f"movies of {kes}"
    True
    >>> as_noun_phrase(f"{kes} programming language") == f"programming language of {kes}"
    True
    """
    listed = _KEYWORDS.match(core)
    if listed and not listed[2].endswith(("ed", "ing")) and not _VERBAL & {*listed[2].split()} - {"of"}:
        core = f"{listed[2]} of {listed[1]}"
    owned = _POSSESSED.match(core)
    if owned and owned[2] not in _VERBAL:
        core = f"{owned[2]} of {owned[1]}{core[owned.end() :]}"
    return _NOTED.sub(r"\2 of \1", core)


def degrees(text: str) -> str:
    """A text with its adjectives compared in one word.

    >>> degrees("is it more big than"), degrees("the most short one"), degrees("most recent")
    ('is it bigger than', 'the shortest one', 'most recent')
    """
    text = _NUMBER_OF.sub(lambda hit: "most" if hit["most"] else "fewest", text)
    return _PLAIN_DEGREE.sub(lambda hit: _DEGREES[hit["base"]] + ("er" if hit["sense"] == "more" else "est"), text)
