"""Agents that prove answers which a reading found: the Architect adds their triples, the Navigator walks them, the
Curator cites them; an answer counts as far as all three could be paid. They keep limits with masks and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from clause.reasoning.agents.policy import Account, Decision, Foresight, LeftOut, ProvedAnswer
from clause.reasoning.agents.scoring import AnswerProof, ProofPurse, Walk, shaped_gain, shaped_utility
from clause.reasoning.episode.actions import (
    AddEdge,
    ArchitectAction,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Pick,
    Restart,
    Stop,
)
from clause.reasoning.episode.budget import Prices, edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import EdgeScore, chains
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node

CountEdges = Callable[[Sequence[Edge], Mapping[str, Node]], Sequence[int]]
"""The tokens of edges' sentences."""


def pick_texts(episode: Episode) -> Decision[CuratorAction]:
    """The next of the pool's texts, for a question of which nothing was walked: as many as the tokens hold."""
    pickable = episode.pickable()
    if not pickable:
        return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))
    return Decision(Pick(pickable[0]))


@dataclass(slots=True)
class ProvingAgents:
    """The agents of one question whose answers are known before they are proved.

    Args:
        found: the answers of the reading that was chosen, best first, each with its proof.
        account: the readings, and why there is no answer where there is none.
        reads: what was read on the way.
        topics: ids that walks start from.
        prices: the request's prices.
        count: counts tokens before there is a pool; None: limits that bind are met in the order of `found`.
    """

    found: Sequence[ProvedAnswer]
    account: Account
    reads: Sequence[tuple[Look, Expansion]]
    topics: Sequence[str]
    prices: Prices
    count: CountEdges | None = None
    _edges: list[Edge] | None = None
    _walks: list[Walk] | None = None
    _walked: set[Walk] = field(default_factory=set)
    _skipped: LeftOut | None = None
    _units: list[int] | None = None
    _unread: int = 0
    _uncited: LeftOut | None = None

    @property
    def edge_score(self) -> EdgeScore | None:
        """None: single edges are added, nothing ranks inside a bundle."""
        return None

    @property
    def foresights(self) -> Sequence[Foresight]:
        """Nothing is foretold."""
        return ()

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """The next triple of a proof that fits whole; dear proofs give way to cheaper ones."""
        if self._edges is None:
            self._settle(episode)
            self._edges = self._affordable(episode)
        if self._edges:
            return Decision(AddEdge(self._edges.pop(0)), self._score)
        built = bool(episode.subgraph.edges)
        stop = Stop("BUDGET_EXHAUSTED" if self._skipped else "COMPLETE" if built else "NO_CANDIDATES")
        return Decision(stop, self._score if built else None, self._skipped)

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The next hop of a walk that fits whole; from the seeds again for the next walk."""
        if self._walks is None:
            self._walks = self._wanted(episode)
        left_out: LeftOut | None = None
        while self._walks:
            walk = self._walks[0]
            start, hops = walk
            front = episode.front
            done = () if front is None else front.pattern
            under_way = front is not None and front.seed == start and done == hops[: len(done)] != hops
            needed = len(hops) - len(done) * under_way  # what a finished walk begins alike is not paid twice
            if needed > episode.remaining.steps:
                left_out = LeftOut(" ".join(hop.relation for hop in hops), needed, self._score)
                self._walks.pop(0)
                continue
            if front is not None and not under_way:
                return Decision(Restart())
            hop = hops[len(done)]
            if len(done) + 1 == len(hops):
                self._walks.pop(0)
                self._walked.add(walk)
            return Decision(Continue(hop, seed=start), self._score)
        stop = Stop("BUDGET_EXHAUSTED" if left_out else "COMPLETE" if episode.walked else "NO_CANDIDATES")
        return Decision(stop, left_out=left_out)

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next triple of an answer that can be cited whole."""
        if not self.found:
            return pick_texts(episode)
        place_of = {unit.id: place for place, unit in enumerate(episode.pool)}
        while not self._units:
            if self._unread == len(self.found):
                complete = Stop("COMPLETE" if episode.picked else "NO_CANDIDATES")
                return Decision(Stop("BUDGET_EXHAUSTED") if self._uncited else complete, left_out=self._uncited)
            finding = self.found[self._unread]
            self._unread += 1
            if not self._reached(finding, episode):
                continue
            ids = dict.fromkeys(edge_unit_id(edge) for edge in finding.triples)  # a walk may come by one again
            units = [place_of[one] for one in ids if one in place_of and place_of[one] not in episode.picked]
            tokens = sum(episode.pool[place].tokens for place in units)
            left_out = LeftOut(f"evidence for {finding.name}", tokens, finding.score)
            if tokens > episode.remaining.tokens:
                self._uncited = self._uncited or left_out
                continue
            if episode.picked and shaped_utility(finding.score, tokens, self.prices.token) <= 0:
                return Decision(Stop("GAIN_NEGATIVE"), left_out=left_out)
            self._units = units
        return Decision(Pick(self._units.pop(0)), self._score)

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer]:
        """The answers whose whole proof was added and walked."""
        return [finding for finding in self.found if self._reached(finding, episode)]

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """The score of every answer that is a node."""
        return {finding.node: finding.score for finding in self.findings(episode) if finding.node is not None}

    @property
    def _score(self) -> float:
        return self.found[0].score if self.found else 0.0

    def _settle(self, episode: Episode) -> None:
        """Decide what is worth paying for, where the limits cannot pay for everything: the answers that cost least
        first, each by the way that others share.
        """
        if self.count is None or not self.found or self._purse(self.found, episode).whole():
            return
        bought = self._bought(self.found, episode)
        self.found = [*bought, *_without(self.found, bought)]

    def _purse(self, found: Sequence[ProvedAnswer], episode: Episode) -> ProofPurse:
        count, nodes, known = self.count, episode.subgraph.nodes, episode.subgraph.known
        assert count is not None  # noqa: S101 -- the callers have checked
        tokens = lru_cache(maxsize=None)(lambda edge: count([edge], nodes)[0])
        proofs = [_proof(one, self.topics) for one in found]
        return ProofPurse(proofs, known, self.topics, episode.remaining, tokens)

    def _bought(self, found: Sequence[ProvedAnswer], episode: Episode) -> list[ProvedAnswer]:
        """The answers that the limits pay for, each with the way that is cheapest."""
        bought = self._purse(found, episode).bought()
        return [replace(found[place], triples=triples) for place, triples in bought]

    def _affordable(self, episode: Episode) -> list[Edge]:
        """The triples of the proofs that fit, in order; the first proof is taken at any price."""
        kept: dict[Edge, None] = {}
        for finding in self.found:
            fresh = [edge for edge in finding.triples if edge not in kept]
            gain = shaped_gain(finding.score, self.prices.edge, len(fresh))
            if len(kept) + len(fresh) > episode.remaining.edges or (kept and fresh and gain <= 0):
                self._skipped = self._skipped or LeftOut(f"the proof of {finding.name}", len(fresh), finding.score)
                continue
            kept.update(dict.fromkeys(fresh))
        return [edge for edge in kept if edge not in episode.subgraph.edges]

    def _wanted(self, episode: Episode) -> list[Walk]:
        walks: dict[Walk, None] = {}
        for finding in self.found:
            if all(edge in episode.subgraph.edges for edge in finding.triples):
                walks.update(dict.fromkeys(self._walks_of(finding)))
        return [walk for walk in walks if walk not in self._walked]

    def _walks_of(self, finding: ProvedAnswer) -> list[Walk]:
        """The walks of a proof that start at a topic; what a filter looked at is cited, not walked."""
        return walks_of(finding.triples, self.topics)

    def _reached(self, finding: ProvedAnswer, episode: Episode) -> bool:
        added = all(edge in episode.subgraph.edges for edge in finding.triples)
        return added and all(walk in self._walked for walk in self._walks_of(finding))


def walks_of(triples: Sequence[Edge], topics: Sequence[str]) -> list[Walk]:
    """The walks that triples make from topics.

    >>> walks_of([Edge("kes", "made_by", "ken"), Edge("ken", "lives_in", "bath")], ["kes"])
    [('kes', (Hop(relation='made_by', forward=True), Hop(relation='lives_in', forward=True)))]
    """
    walks: list[Walk] = []
    for start, edges in chains(triples, topics):
        if start not in topics:
            continue
        hops: list[Hop] = []
        here = start
        for edge in edges:
            hops.append(Hop(edge.relation, edge.source == here))
            here = edge.other(here)
        walks.append((start, tuple(hops)))
    return walks


def _proof(finding: ProvedAnswer, topics: Sequence[str]) -> AnswerProof:
    """A proof with its walks; one that begins with a single walk to the answer may take another way there."""
    walks = tuple(dict.fromkeys(walks_of(finding.triples, topics)))
    if len(walks) != 1:
        return AnswerProof(finding.triples, walks)
    here, hops = walks[0]
    for edge, hop in zip(finding.triples, hops, strict=False):
        if here not in edge or Hop(edge.relation, edge.source == here) != hop:
            return AnswerProof(finding.triples, walks)
        here = edge.other(here)
    return AnswerProof(finding.triples, walks, here if here == finding.node else None)


def _without(found: Sequence[ProvedAnswer], paid: Sequence[ProvedAnswer]) -> list[ProvedAnswer]:
    known = {(one.name, one.node) for one in paid}
    return [one for one in found if (one.name, one.node) not in known]
