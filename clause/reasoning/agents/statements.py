"""A policy that answers from what is kept in words: the belief, memory, insight or value that tells what is asked, and
before it the entity in it that the question wants."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from clause.arrays import Floats
from clause.reasoning.agents.policy import (
    Account,
    Agents,
    Embed,
    PlainPolicy,
    Policy,
    ProvedAnswer,
    Question,
    SaidBy,
    SeedCandidate,
    least_score,
)
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.agents.text_walk import ABOUT, MENTIONS, SEARCHED, TextAgents
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Expansion, FoundText, Hop
from clause.text.mentions import folded_key
from clause.text.retrieval import nearness
from clause.text.statements.inquiry import Inquiry, Wanted, passes_over, told
from clause.text.statements.words import words

NAME: Final = "statements"
KINDS: Final = frozenset({"belief", "memory", "insight", "value", "experience"})
PASSAGE: Final = "passage"
NOTHING_KEPT: Final = "nothing is kept that could answer this"
READ = 32
"""Statements whose words are compared with the question's, the best that recall gives."""
READ_BESIDE = 4
"""Statements that are read beside the question, the likeliest of these."""
TOLD = 3
"""Statements told as answers at most."""
SAME = 0.85
"""Statements at least so alike say one thing: they are no rivals of each other."""
ONE_MATTER, BETTER_HELD, CLOSE = 0.5, 0.2, 3.0
"""Of statements at least so alike, one that is less held by so much is a rumour, unless it is worth so much more."""
_ENTITIES = 30

Compare = Callable[[str, Sequence[str]], Awaitable[Floats]]
"""A question, and texts -> what a trained reader makes of each [n, 2]: the log-odds that it answers, but for a
constant, and how far the question explains it, in [-1, 1]."""
ReadBeside = Callable[[str, Sequence[str]], Awaitable[Floats]]
"""A question, and texts -> the log-odds [n] that each answers, each read beside the question, word by word."""


class StatementWeights(NamedTuple):
    """The worth of each sign that a statement answers: its words are near the question's, even near those that it says
    least; a trained reader says that it does, of both apart and beside each other; it tells what is wanted or is silent
    about it; how sure it is.
    """

    near: float
    weakest: float
    read: float
    beside: float
    tells: float
    silent: float
    confidence: float


class StatementJudge(NamedTuple):
    """The log-odds that a statement is right: by the logarithm of its share of what it and its rivals are worth, by how
    far the question explains it, by what both say beside each other, and where it says nothing of what is wanted.
    """

    share: float
    explained: float
    beside: float
    bias: float
    silent: float


WEIGHTS: Final = StatementWeights(
    near=7.96, weakest=4.19, read=0.547, beside=0.3, tells=0.86, silent=-0.86, confidence=2.66
)
JUDGE: Final = StatementJudge(share=1.06, explained=2.18, beside=0.212, bias=-0.05, silent=-2.32)
"""docs/benchmarks-texts.md says what these were fitted on."""
LEAST_RIVAL: Final = 9.3
"""The worth of a rival that is thought to be there where little is kept: leading nothing is no proof."""
MOST_LEAD, FAR = 5.0, 7.0
"""Leading by more is worth no more, and rivals so far behind count for nothing: what became of them since is no part of
a replay."""
_WEAKEST = 2
SAID: Final = 0.9
"""The confidence of what was told outright; what is less sure is worth less."""
_NAMED, _MOST_NAMED = 0.1, 0.4
NAMED: Final = frozenset({Wanted.PERSON, Wanted.PLACE, Wanted.TIME, Wanted.NUMBER})
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")


@dataclass(slots=True)
class StatementAgents(TextAgents):
    """The agents of a question that statements answer: a statement counts as far as its text is in the evidence."""

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer]:
        """The answers whose statements were cited."""
        cited = {episode.pool[place].id for place in episode.picked}
        found = ProvingAgents.findings(self, episode)
        return [one for one in found if one.statement is not None and one.statement.id in cited]


@dataclass(frozen=True, slots=True)
class Rated:
    """A statement with its worth as an answer, how far the question explains it, its log-odds beside it, and what in it
    may be what is wanted; `names`: that is a name, a time or a number, which answers before the statement; `silent`:
    it has none; `held` by how many.
    """

    found: FoundText
    worth: float
    explained: float
    beside: float
    tells: Sequence[str]
    names: bool
    silent: bool
    held: float


@dataclass(frozen=True, slots=True)
class StatementPolicy(PlainPolicy):
    """Answers from statements; the rest of the token budget holds what is near.

    Args:
        compare: tells how likely each statement is to answer.
        beside: tells it of the likeliest, more surely.
    """

    compare: Compare
    beside: ReadBeside
    name: str = NAME
    abstain_below: float = 0.7

    async def begin(self, question: Question, embed: Embed) -> StatementAgents:  # noqa: ARG002 -- reads no other wording
        """Agents that know what is told; they pay for what they cite."""
        recalled = await question.recall(SEARCHED)
        statements = [one for one in recalled if one.node.kind in KINDS and one.node.text][:READ]
        rated = await _rate(question, statements, self.compare, self.beside)
        best = _answers(question, rated)
        look, mentioned = await _mentions(question, [rated[place].found.node.id for place, _ in best])
        found = [answer for place, score in best for answer in _told(rated[place], score, mentioned)]
        chosen = [rated[place].found.node for place, _ in best]
        texts = list({node.id: node for node in (*chosen, *(one.node for one in recalled))}.values())
        topics = [node.id for node in chosen]
        question.seeds = [*question.seeds, *(SeedCandidate(node.id, node.name, 1.0) for node in chosen)]
        account = Account(
            reason=None if found else NOTHING_KEPT,
            doubt=_doubt(rated, best),
            abstain_below=self.abstain_below,
            texts=texts,
            sureness=max((one.score for one in found), default=0.0),
        )
        return StatementAgents(found, account, [(look, mentioned)], topics, question.prices, unlinked=texts)


def silent(question: Question, agents: Agents, policy: Policy) -> bool:
    """True where it is known before the walk that the graph answers nothing surely enough."""
    account = agents.account
    if account.reason is not None or not question.seeds:
        return True
    return bool(account.readings) and account.readings[0].probability < least_score(question, account, policy)


async def begun_by(
    question: Question, embed: Embed, policy: Policy, *, instead: Policy | None, walk: Policy | None
) -> tuple[Policy, Agents]:
    """The policy that decides, and its agents: `policy`; where the graph is silent, `instead` if it is sure of an
    answer, else `walk` where passages are among the texts. Only a request that names nobody has `instead` or `walk`.
    """
    seeds = question.seeds
    agents = await policy.begin(question, embed)
    if instead is None or policy.name == instead.name or not silent(question, agents, policy):
        return policy, agents
    known, question.seeds = question.seeds, seeds
    others = await instead.begin(question, embed)
    if others.account.sureness >= least_score(question, others.account, instead):
        return instead, others
    found = await question.recall(SEARCHED)
    if walk is None or isinstance(agents, TextAgents) or not any(one.node.kind == PASSAGE for one in found):
        question.seeds = known
        return policy, agents
    question.seeds = seeds
    walkers = await walk.begin(question, embed)
    if isinstance(walkers, TextAgents):
        walkers.account = replace(walkers.account, readings=agents.account.readings)
    return walk, walkers


async def _rate(
    question: Question, statements: Sequence[FoundText], compare: Compare, beside: ReadBeside
) -> list[Rated]:
    """The statements with their worth, best first."""
    if not statements:
        return []
    texts = [one.node.text or "" for one in statements]
    (asked, *said), read = await asyncio.gather(
        question.embed_tokens([question.text, *texts]), compare(question.text, texts)
    )
    inquiry = Inquiry.read(question.text)
    common = frozenset(word.text for text in texts for word in words(text) if not word.capital)
    telling = _places(inquiry, asked.spans)
    near = np.array([nearness(asked, tokens) for tokens in said])
    by_word = np.stack([near[:, places].mean(1) for places in telling], axis=1) if telling else near
    weakest = np.sort(by_word, axis=1)[:, :_WEAKEST].mean(1) if telling else near.mean(1)
    nearest = WEIGHTS.near * near.mean(1) + WEIGHTS.weakest * weakest + WEIGHTS.read * read[:, 0]
    rated = []
    for place, (one, text) in enumerate(zip(statements, texts, strict=True)):
        tells = [mention.name for mention in told(inquiry, text, common)]
        worth = float(nearest[place]) + _telling(inquiry, tells) + _sureness(one)
        silent = passes_over(inquiry, text, tells)
        rated.append(Rated(one, worth, float(read[place, 1]), 0.0, tells, inquiry.wanted in NAMED, silent, _held(one)))
    likeliest = sorted(rated, key=lambda one: (-one.worth, one.found.node.id))
    rated, _ = await asyncio.gather(
        _closer(question.text, likeliest, beside), question.learn([one.found.node.id for one in rated])
    )
    told_by_many = [one for one in rated if not any(_belied(question, one, other) for other in rated)]
    return sorted(told_by_many, key=lambda one: (-one.worth, one.found.node.id))


async def _closer(question: str, rated: Sequence[Rated], beside: ReadBeside) -> list[Rated]:
    """The likeliest read beside the question; of the others that says no more than of the least of these."""
    said = await beside(question, [one.found.node.text or "" for one in rated[:READ_BESIDE]])
    log_odds = [*said.tolist(), *[float(said.min())] * (len(rated) - len(said))]
    return [
        replace(one, worth=one.worth + WEIGHTS.beside * told, beside=told)
        for one, told in zip(rated, log_odds, strict=True)
    ]


def _belied(question: Question, one: Rated, other: Rated) -> bool:
    """True for a rumour: more hold another statement of the same matter, which answers about as well."""
    less = other.held - one.held >= BETTER_HELD and one.worth - other.worth <= CLOSE
    return less and _likeness(question, one, other) >= ONE_MATTER


def _places(inquiry: Inquiry, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """For each word that says what the question is about, its tokens."""
    content = {word.lower for word in inquiry.content}
    found = []
    for word in _WORD.finditer(inquiry.text):
        if any(part.lower in content for part in words(word[0])):
            here = [place for place, (start, end) in enumerate(spans) if word.start() <= start and end <= word.end()]
            found += [here] if here else []
    return found


def _telling(inquiry: Inquiry, tells: Sequence[str]) -> float:
    if inquiry.wanted in (Wanted.THING, Wanted.TRUTH):
        return 0.0
    return WEIGHTS.tells if tells else WEIGHTS.silent


def _sureness(found: FoundText) -> float:
    if found.confidence is None:
        return 0.0
    return WEIGHTS.confidence * (_held(found) + min(0.0, found.confidence - SAID))


def _held(found: FoundText) -> float:
    """A rumour stands behind what many hold: each independent source halves the doubt; sources that one author names
    count a little, and never as much as two independent ones.
    """
    independent = 1 - 0.5 ** max(0, found.sources - 1)
    return max(independent, min(_MOST_NAMED, _NAMED * max(0, found.named - 1)))


def _answers(question: Question, rated: Sequence[Rated]) -> list[tuple[int, float]]:
    """Places of the statements that answer, each with the probability that it is right."""
    if not rated:
        return []
    rivals = [place for place in range(1, len(rated)) if _likeness(question, rated[0], rated[place]) < SAME]
    kept = [0, *(place for place in range(1, len(rated)) if place not in rivals)][:TOLD]
    others = [LEAST_RIVAL, *(worth for place in rivals if rated[0].worth - (worth := rated[place].worth) < FAR)]
    return [(place, _probability(rated[place], others)) for place in kept]


def _likeness(question: Question, one: Rated, other: Rated) -> float:
    """The cosine of two statements; 0 where one has no vector."""
    left, right = (question.vectors.get(rated.found.node.id) for rated in (one, other))
    return 0.0 if left is None or right is None else float(np.dot(left, right))


def log_share(worth: float, others: Sequence[float]) -> float:
    """The logarithm of the share of one statement, where each counts e to the power of its worth, up to a lead of
    MOST_LEAD.

    >>> round(log_share(9.0, [9.0]), 3), round(log_share(9.0, [2.0]), 3)
    (-0.693, -0.007)
    """
    led = min(worth, max(others) + MOST_LEAD)
    return -math.log1p(sum(math.exp(other - led) for other in others))


def _probability(rated: Rated, others: Sequence[float]) -> float:
    """The probability in [0, 1] that a statement with such rivals answers rightly."""
    odds = JUDGE.share * log_share(rated.worth, others) + JUDGE.explained * rated.explained + JUDGE.bias
    return 1 / (1 + math.exp(-odds - JUDGE.beside * rated.beside - JUDGE.silent * rated.silent))


async def _mentions(question: Question, statements: Sequence[str]) -> tuple[Look, Expansion]:
    look = Look(tuple(statements), (Hop(ABOUT, True), Hop(MENTIONS, True)), _ENTITIES)
    found = await question.expand(look) if statements and question.expand else Expansion()
    return look, found


def _told(rated: Rated, score: float, mentioned: Expansion) -> list[ProvedAnswer]:
    """The thing that is wanted, where the statement says just one such, and the statement itself."""
    node = rated.found.node
    said = SaidBy(node.id, rated.found.confidence)
    statement = ProvedAnswer(node.text or "", node.id, score, (), said)
    if not rated.names or len(rated.tells) != 1:
        return [statement]
    (name,) = rated.tells
    edge = _edge_to(name, node.id, mentioned)
    entity = ProvedAnswer(name, edge.target if edge else None, score, (edge,) if edge else (), said)
    return [entity, statement]


def _edge_to(name: str, statement: str, mentioned: Expansion) -> Edge | None:
    by_hop: Mapping[Hop, Sequence[Edge]] = mentioned.neighbours.get(statement, {})
    edges = [edge for edges in by_hop.values() for edge in edges]
    return next((edge for edge in edges if folded_key(mentioned.nodes[edge.target].name) == folded_key(name)), None)


def _doubt(rated: Sequence[Rated], best: Sequence[tuple[int, float]]) -> str | None:
    """The reason that is told where the best statement is too unsure."""
    if not best:
        return None
    text = rated[best[0][0]].found.node.text or ""
    return f"nothing that is kept answers this surely enough; nearest: {text[:160]}"
