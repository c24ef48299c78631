"""Closed classes of English words, and forms that follow no rule."""

from __future__ import annotations

_ARTICLES = "a an the this that these those some any such one's"
_AUXILIARIES = """is are was were be been being am has have had having do does did doing 's 're 've 'd 'm
get gets getting got"""
_FILLERS = """and or but so then there here who which whom whose where when while what how why as than also too just
very really quite of to by for with from in on at into onto upon within through along across against around about toward
towards off out up down over via per during until till since because if though although that s t"""
_LIGHT = "colored coloured dyed made kind type sort piece set size age wear dress group currently"
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
weep wept; sweep swept; shine shone"""

ARTICLES = frozenset(_ARTICLES.split())
AUXILIARIES = frozenset(_AUXILIARIES.split())
FILLERS = frozenset(_FILLERS.split())
"""Conjunctions, prepositions and particles: they carry no content, but may exclude one another (`up`, `down`)."""

LIGHT = frozenset(_LIGHT.split())
"""Base forms that may be there or not: `a hat colored red`, `a group of people`, `wearing a hat`."""

NEGATIONS = frozenset(_NEGATIONS.split())
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
