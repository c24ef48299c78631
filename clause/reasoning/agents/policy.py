"""The protocols of a policy (heuristics here, the learned agents in `clause.policy`), and the book of all policies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np

from clause.arrays import Floats, Vector
from clause.errors import ClauseError, NotFoundError
from clause.intelligence.causal.scores import CausalScores
from clause.reasoning.episode.actions import ArchitectAction, CuratorAction, Look, NavigatorAction
from clause.reasoning.episode.budget import Prices
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import EdgeScore
from clause.reasoning.models.answer import AnswerReading, QuestionForm
from clause.reasoning.neighbourhood.port import Edge, Expansion, FoundText, Hop, Node, RelationshipType
from clause.telemetry import logger
from clause.text.bert import Tokens

A_co = TypeVar("A_co", covariant=True)

Embed = Callable[[Sequence[str]], Awaitable[Floats]]
"""Texts -> unit vectors [n, d]."""

Starts = Callable[[Hop, int], Awaitable[Sequence[Node]]]
"""The nodes that a hop leads from, so many at most, in what the caller may see."""

Expand = Callable[[Look], Awaitable[Expansion]]
"""Reads what a look asks for, in what the caller may see."""

Recall = Callable[[int], Awaitable[Sequence[FoundText]]]
"""The texts nearest to the question by meaning and by words, so many of each, best first."""

EmbedTokens = Callable[[Sequence[str]], Awaitable[Sequence[Tokens]]]
"""Texts -> the tokens of each."""

ReadVectors = Callable[[Sequence[str]], Awaitable[Mapping[str, Vector]]]
"""The unit vectors of those nodes that have one."""


async def _nothing_recalled(_limit: int) -> Sequence[FoundText]:
    return ()


async def _no_tokens(texts: Sequence[str]) -> Sequence[Tokens]:
    return [Tokens(np.empty((0, 1), dtype=np.float32), ())] * len(texts)


async def _no_vectors(_nodes: Sequence[str]) -> Mapping[str, Vector]:
    return {}


@dataclass(frozen=True, slots=True)
class SeedCandidate:
    """A node where the question may start: `score` in [0, 1], and the span [start, end) of the question that names it.

    Both ends are None when the caller named the node in `start_nodes`.
    """

    id: str
    name: str
    score: float
    start: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Question:
    """A request as a policy knows it.

    `vectors` holds unit vectors of the nodes read so far when the policy asks for them (`Policy.reads_vectors`);
    the coordinator fills it after every look. `causal` scores hops where the graph has causal relationships and the
    request wants them. `expand`, `starts`, `recall` and `read_vectors` read the graph and its texts before an episode
    begins, for policies that ground their reading; `reading` is the id of the reading that the request chose,
    `abstain_below` the score below which it wants no answer.
    """

    text: str
    embedding: Vector
    seeds: Sequence[SeedCandidate]
    relationship_types: Mapping[str, RelationshipType]
    prices: Prices
    vectors: dict[str, Vector] = field(default_factory=dict)
    start_nodes_given: bool = False
    causal: CausalScores | None = None
    expand: Expand | None = None
    starts: Starts | None = None
    reading: str | None = None
    abstain_below: float | None = None
    recall: Recall = _nothing_recalled
    read_vectors: ReadVectors = _no_vectors
    embed_tokens: EmbedTokens = _no_tokens

    async def learn(self, nodes: Sequence[str]) -> None:
        """See to it that the vectors of some nodes are known."""
        unknown = [node for node in nodes if node not in self.vectors]
        if unknown:
            self.vectors.update(await self.read_vectors(unknown))

    def causal_score(self, hop: Hop, seed: str, ends: Sequence[str]) -> float | None:
        """The causal score of a hop from a walk's seed to `ends`; None where the hop's type is no causal one, nothing
        causal leads either way, or causes were not asked for.
        """
        kind = self.relationship_types.get(hop.relation)
        if self.causal is None or kind is None or not kind.is_causal:
            return None
        return self.causal.of_hop(seed, ends)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The best thing that was not chosen, and what it would have cost."""

    what: str
    would_cost: int
    score: float


@dataclass(frozen=True, slots=True)
class Decision(Generic[A_co]):
    """An action, the score that chose it, and the best thing left out when the action is Stop."""

    action: A_co
    score: float | None = None
    left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class Foresight:
    """A critic's forecast of one hop: what it will realise (`clause.intelligence.curiosity`), but for two cosines
    that are known only where vectors are read.

    >>> Foresight(0.25, -0.5, 1.0).expected(before=0.5, relation=0.25)
    0.25
    """

    base: float
    by_before: float
    by_relation: float

    def expected(self, before: float, relation: float) -> float:
        """The estimate, given the best cosine before the hop and that of its relationship's words; any number."""
        return self.base + self.by_before * before + self.by_relation * relation


@dataclass(frozen=True, slots=True)
class SaidBy:
    """The belief, memory, insight or value that says an answer, and how sure it is itself where it tells."""

    id: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ProvedAnswer:
    """An answer that a reading found: a node of the graph, or a word (`yes`, `3`) whose `node` is None.

    `score` is the probability that it is right; `triples` prove it, or `statement`, the text that says it.
    """

    name: str
    node: str | None
    score: float
    triples: tuple[Edge, ...]
    statement: SaidBy | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """The understanding of a question: its form, its readings (the chosen one first), and why nothing answers it.

    `reason` is None where something does; `doubt` is what to say where the best answer is too unsure. `abstain_below`
    replaces the policy's, where these agents measure sureness otherwise. `texts` are what evidence is chosen from, best
    first; None: what the walk touched, and what is near. `sureness` is the best answer's score where it is known
    before the walk.
    """

    form: QuestionForm | None = None
    readings: tuple[AnswerReading, ...] = ()
    reason: str | None = None
    doubt: str | None = None
    abstain_below: float | None = None
    texts: Sequence[Node] | None = None
    sureness: float = 0.0


class Agents(Protocol):
    """The three agents of one episode. Each decides again and again until it answers Stop."""

    @property
    def edge_score(self) -> EdgeScore | None:
        """Ranks the edges inside a bundle; None keeps the order of the store."""
        ...

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """The next edit of the subgraph, or what must be read before one."""
        ...

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The next step of the walk, or what must be read before one."""
        ...

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit of evidence."""
        ...

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """A score in [0, 1] for each end node of the walk; the threshold of abstaining compares the best of them."""
        ...

    @property
    def foresights(self) -> Sequence[Foresight]:
        """A critic's forecast of each hop taken, in order; empty where there is none."""
        ...

    @property
    def account(self) -> Account:
        """The understanding of the question; empty where the policy does not say."""
        ...

    @property
    def reads(self) -> Sequence[tuple[Look, Expansion]]:
        """The reads of the graph before the episode; they are part of what the episode knows."""
        ...

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer] | None:
        """The answers with their proofs; None: the ends of the walk are the answers."""
        ...


class PlainAgents:
    """The defaults of `Agents`: nothing ranks inside a bundle, and nothing is foretold."""

    @property
    def edge_score(self) -> EdgeScore | None:
        """None: the order of the store."""
        return None

    @property
    def foresights(self) -> Sequence[Foresight]:
        """None."""
        return ()

    @property
    def account(self) -> Account:
        """Nothing to say."""
        return Account()

    @property
    def reads(self) -> Sequence[tuple[Look, Expansion]]:
        """Nothing."""
        return ()

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer] | None:  # noqa: ARG002 -- the protocol's
        """None: the ends of the walk are the answers."""
        return None


class Policy(Protocol):
    """Makes the agents of an episode."""

    @property
    def name(self) -> str:
        """The name that `policy` in a request says, and that a run's DECIDED_BY points at."""
        ...

    @property
    def reads_vectors(self) -> bool:
        """True where the vectors of the nodes read must be in `Question.vectors`."""
        ...

    @property
    def abstain_below(self) -> float:
        """Answers are withheld when the best score is below this (calibrated on dev)."""
        ...

    @property
    def judges_hops(self) -> bool:
        """True where the score of a step is what the policy expects of that hop."""
        ...

    def warm(self) -> None:
        """Read now what the first question would wait for."""
        ...

    async def begin(self, question: Question, embed: Embed) -> Agents:
        """Agents for one question; `embed` serves policies that read the question in another wording."""
        ...


def least_score(question: Question, account: Account, policy: Policy) -> float:
    """The score below which answers are withheld: the request's, else these agents', else the policy's."""
    wanted = (question.abstain_below, account.abstain_below, policy.abstain_below)
    return next(least for least in wanted if least is not None)


class PlainPolicy:
    """The defaults of `Policy`: no vectors are read, hops are not judged one by one, and nothing needs warming."""

    @property
    def reads_vectors(self) -> bool:
        """No vectors."""
        return False

    @property
    def judges_hops(self) -> bool:
        """A step's score is the whole plan's."""
        return False

    def warm(self) -> None:
        """Nothing is read beforehand."""


class PolicyBook:
    """The policies by name; each is made when first asked for.

    Args:
        makers: those that are known from the start.
        default: who decides where nobody else is named or chosen.
        find: the maker of a policy that came later, such as a checkpoint that was promoted since; None: there is none.
        version: tells the weights that a name stands for now; empty where it has none that could change. Where they
            are others than those that were read, the policy is found anew.

    >>> book = PolicyBook({"heuristic": lambda: "H"}, default="heuristic")
    >>> book[None]
    'H'
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], Policy]],
        *,
        default: str,
        find: Callable[[str], Callable[[], Policy] | None] = lambda _name: None,
        version: Callable[[str], str] = lambda _name: "",
    ) -> None:
        self._makers = dict(makers)
        self._made: dict[str, tuple[str, Policy]] = {}
        self._find, self._version = find, version
        self._ready: dict[str, Policy] = {}
        self._told: set[str] = set()
        self.default = default

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that was known from the start or asked for since, sorted."""
        return tuple(sorted(self._makers))

    def __getitem__(self, name: str | None) -> Policy:
        """The policy called `name`, or the default one.

        Raises:
            NotFoundError: there is none of that name.
        """
        wanted = name or self.default
        version = self._version(wanted)
        if wanted in self._made and self._made[wanted][0] not in ("", version):
            del self._made[wanted], self._makers[wanted]
            self._ready.pop(wanted, None)
        if wanted not in self._makers:
            found = self._find(wanted)
            if found is None:
                raise NotFoundError(
                    f"no policy is called {wanted!r}", remedy=f"known: {', '.join(self.names)}", field="policy"
                )
            self._makers[wanted] = found
        if wanted not in self._made:
            self._made[wanted] = version, self._makers[wanted]()
        return self._made[wanted][1]

    async def problem(self, name: str) -> str | None:
        """The reason why a policy cannot decide: it is not at hand, or its files are damaged; None: it can."""
        try:
            policy = self[name]
            if self._ready.get(name) is not policy:
                await asyncio.to_thread(policy.warm)
        except ClauseError as error:
            return str(error)
        self._ready[name] = policy
        return None

    async def chosen(self, name: str | None) -> Policy:
        """The policy that a scope chose; the default, with a warning in the log, where it cannot decide."""
        if name is None:
            return self[None]
        problem = await self.problem(name)
        if problem is None:
            return self[name]
        if problem not in self._told:
            self._told.add(problem)
            logger(__name__).warning("the chosen policy cannot decide; the default does", policy=name, problem=problem)
        return self[None]
