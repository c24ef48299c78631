"""Plans: what a reading of a question does on the graph, as a tree that is run by bounded reads.

Every plan is a generator (`patterns.Effects`): it yields the frontier that it wants read, and returns a `PlanResult`
of which each answer carries the triples that prove it. Nothing here knows a database, a clock or a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.question.pattern_text import plain_words
from clause.reasoning.question.patterns import (
    Around,
    Effects,
    NodeNames,
    Read,
    ReadBounds,
    TypedGraph,
    TypedPattern,
    drive,
)
from clause.reasoning.question.seed_matching import alike, named_kinds
from clause.reasoning.question.vocabulary import counted_by, measured_by, shared_unit, sort_keys
from clause.text.literals import LiteralValue, Operator, Others, holds
from clause.text.quantities import Number

MOST_PROOFS = 12
"""Triples that a yes, a no or a count shows at most."""
UNCOMPARED = "the graph has no values to compare them by"


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """One answer: a node of the graph or a word (`yes`, `3`), the triples that prove it, in how many ways it is met."""

    name: str
    node: str | None
    triples: tuple[Edge, ...] = ()
    ways: int = 1


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Answers, best first; `reason` says in words why there are none; `truncated`, that a bound cut reading off."""

    answers: tuple[PlanAnswer, ...] = ()
    reason: str | None = None
    truncated: bool = False

    @property
    def triples(self) -> tuple[Edge, ...]:
        """The triples of all answers, each once."""
        return tuple(dict.fromkeys(edge for answer in self.answers for edge in answer.triples))

    @property
    def nodes(self) -> tuple[str, ...]:
        """The answers that are nodes of the graph, by id."""
        return tuple(answer.node for answer in self.answers if answer.node is not None)


class QuestionPlan(Protocol):
    """The doing of a reading; frozen and comparable, so that a replay can tell whether it is the same."""

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Read what is needed and answer."""
        ...


def answers(plan: QuestionPlan, graph: TypedGraph, bounds: ReadBounds | None = None) -> PlanResult:
    """The result of a plan on a graph that answers at once."""
    return drive(plan.run(graph, bounds or ReadBounds()), graph)


@dataclass(frozen=True, slots=True)
class WalkFrom:
    """All nodes that `pattern` reaches from the topics (ids of one thing); to them only where it `returns`."""

    topics: tuple[str, ...]
    pattern: TypedPattern
    returns: bool = field(default=False, repr=False)

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Walk front by front, each read once."""
        front: dict[str, tuple[tuple[Edge, ...], int]] = dict.fromkeys(self.topics, ((), 1))
        truncated = False
        for hop in self.pattern:
            around: Around = yield Read(tuple(front), (hop,), bounds.per_type)
            reached: dict[str, tuple[tuple[Edge, ...], int]] = {}
            for node, (proof, _) in front.items():
                edges = around.get(node, {}).get(hop, ())
                truncated |= len(edges) >= bounds.per_type
                for edge in edges:
                    other = edge.other(node)
                    if other in self.topics and not self.returns:
                        continue
                    known = reached.get(other)
                    reached[other] = (known[0], known[1] + 1) if known else ((*proof, edge), 1)
            truncated |= len(reached) > bounds.front
            front = dict(list(reached.items())[: bounds.front])
        found = () if not self.pattern else tuple(front.items())
        listed = tuple(PlanAnswer(names.name(node), node, proof, ways) for node, (proof, ways) in found)
        return PlanResult(listed, None if listed else "the walk leads nowhere", truncated)


@dataclass(frozen=True, slots=True)
class Having:
    """All nodes that a hop leads from, where the question names none, each with a triple that says so."""

    hop: Hop

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Read one edge of each."""
        around: Around = yield Read((), (self.hop,), 1, bounds.front)
        proofs = {node: tuple(hops.get(self.hop, ()))[:1] for node, hops in around.items()}
        found = tuple(PlanAnswer(names.name(node), node, proof) for node, proof in proofs.items() if proof)
        nothing = f"nothing has {plain_words(self.hop.relation)}"
        return PlanResult(found, None if found else nothing, truncated=len(around) >= bounds.front)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The answers of any of some plans, each once (both grandfathers)."""

    parts: tuple[QuestionPlan, ...]

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run all parts and join what they find."""
        joined: dict[str, PlanAnswer] = {}
        truncated = False
        for part in self.parts:
            result = yield from part.run(names, bounds)
            truncated |= result.truncated
            for answer in result.answers:
                joined.setdefault(answer.node or answer.name, answer)
        return PlanResult(tuple(joined.values()), None if joined else "none of the ways leads anywhere", truncated)


@dataclass(frozen=True, slots=True)
class Without:
    """The answers of a plan that are none of `nodes` and that no plan of `minus` has."""

    of: QuestionPlan
    nodes: frozenset[str] = frozenset()
    minus: tuple[QuestionPlan, ...] = ()

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan, then those that take away."""
        result = yield from self.of.run(names, bounds)
        away = set(self.nodes)
        for plan in self.minus:
            other = yield from plan.run(names, bounds)
            away.update(other.nodes)
            result = replace(result, truncated=result.truncated or other.truncated)
        kept = tuple(answer for answer in result.answers if answer.node not in away)
        return replace(result, answers=kept, reason=None if kept else result.reason or "there is nothing else")


@dataclass(frozen=True, slots=True)
class NodeTest:
    """A test of an end node, or of a node that `pattern` reaches from it.

    Of `classes` (compared as words, singular or plural), called one of `called`, of a name of several words that
    `begins` so, or a value to which `operator` and `value` (`second`) hold, or `negated` do not. Several: any of them.
    """

    pattern: TypedPattern = ()
    classes: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    begins: str = ""
    operator: Operator | None = None
    value: LiteralValue | None = None
    second: Others | None = None
    negated: bool = False

    def _value(self, node: str, names: NodeNames) -> LiteralValue | None:
        name = plain_words(self.pattern[-1].relation) if self.pattern else ""
        return (value := names.value(node)) and measured_by(value, name, self.value)

    def unit(self, nodes: Iterable[str], names: NodeNames) -> Number | None:
        """A number of the unit that the values of some nodes share, which others may leave out."""
        return shared_unit(self._value(node, names) for node in nodes) if self.operator else None

    def passes(self, node: str, names: NodeNames, unit: Number | None = None) -> bool:
        """Tell whether one node passes; bare numbers are of `unit`."""
        kinds = self.classes and (names.classes(node) or named_kinds(names.name(node)))  # `Kiln 5` has no class
        if any(alike(name, word) for name in kinds for word in self.classes):
            return True
        if self.called and any(alike(names.name(node), word) for word in self.called):
            return True
        if self.begins and names.name(node).casefold().startswith(f"{self.begins} "):
            return True
        value = self._value(node, names) if self.operator is not None else None
        if value is None or self.operator is None or self.value is None:
            return False
        second = self.second if self.second is None or isinstance(self.second, tuple) else counted_by(self.second, unit)
        told = holds(self.operator, counted_by(value, unit), counted_by(self.value, unit), second)
        return told is (not self.negated)


@dataclass(frozen=True, slots=True)
class Where:
    """The answers of a plan that pass a test; the test's triples join the proof."""

    of: QuestionPlan
    test: NodeTest

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan, look where the test looks, keep what passes."""
        result = yield from self.of.run(names, bounds)
        ends = yield from ends_of(result.nodes, self.test.pattern, bounds)
        unit, kept = self.test.unit((end for found in ends.values() for end, _ in found), names), list[PlanAnswer]()
        for answer in result.answers:
            good = [proof for end, proof in ends.get(answer.node or "", ()) if self.test.passes(end, names, unit)]
            if good and (not self.test.negated or len(good) == len(ends[answer.node or ""])):
                kept.append(replace(answer, triples=_joined((answer.triples, good[0]))))
        reason = None if kept else result.reason or _nothing(truncated=result.truncated)
        return replace(result, answers=tuple(kept), reason=reason)


@dataclass(frozen=True, slots=True)
class HavingValue:
    """All nodes that a hop leads from to values that pass a test, or to the best value: read from the values on.

    There are fewer values than nodes; `rank` 1 is the best, `largest` or smallest, and 0 asks for no best.
    """

    hop: Hop
    test: NodeTest | None = None
    largest: bool = True
    rank: int = 0

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Read every value, then all edges of those that are wanted."""
        back = self.hop.inverse
        values: Around = yield Read((), (back,), 0, bounds.values)
        cut = len(values) >= bounds.values
        if cut and self.rank:
            return PlanResult(reason="there are too many to compare them all", truncated=True)
        test = self.test
        unit = test.unit(values, names) if test else None
        wanted = self._wanted([one for one in values if test is None or test.passes(one, names, unit)], names)
        around: Around = (yield Read(wanted, (back,), bounds.per_type)) if wanted else {}
        found: dict[str, PlanAnswer] = {}
        for value in wanted:
            edges = around.get(value, {}).get(back, ())
            cut |= len(edges) >= bounds.per_type
            for edge in edges:
                node = edge.other(value)
                found.setdefault(node, PlanAnswer(names.name(node), node, (edge,)))
        reason = UNCOMPARED if self.rank else _nothing(truncated=cut)
        return PlanResult(tuple(found.values()), None if found else reason, cut)

    def _wanted(self, values: Sequence[str], names: NodeNames) -> tuple[str, ...]:
        if not self.rank:
            return tuple(values)
        keys = dict(zip(values, sort_keys([names.value(value) for value in values]), strict=True))
        levels = sorted({key for key in keys.values() if key is not None}, reverse=self.largest)
        return tuple(value for value in values if keys[value] in levels[self.rank - 1 : self.rank])


@dataclass(frozen=True, slots=True)
class Count:
    """The number of a plan's answers; where its only answer is a number, that number is the answer."""

    of: QuestionPlan

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan and count. A count that a bound cut off is none."""
        result = yield from self.of.run(names, bounds)
        if not result.answers:
            return PlanResult(reason=result.reason, truncated=result.truncated)
        if result.truncated:
            return PlanResult(reason=f"there are more than {len(result.answers)}", truncated=True)
        (only, *more) = result.answers
        if not more and only.node is not None and isinstance(names.value(only.node), Number):
            return result
        return PlanResult((PlanAnswer(str(len(result.answers)), None, result.triples),))


@dataclass(frozen=True, slots=True)
class Exists:
    """Yes where a plan has an answer (one of `targets`, where given); no where it is `denied`, and the other way round.

    No only where the graph knows alternatives: `alternatives` (the plan itself, where targets are given) has answers.
    """

    of: QuestionPlan
    targets: frozenset[str] = frozenset()
    alternatives: QuestionPlan | None = None
    denied: bool = False

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan; where it does not say yes, look whether it may say no."""
        result = yield from self.of.run(names, bounds)
        met = [answer for answer in result.answers if not self.targets or answer.node in self.targets]
        if met:
            proof = _joined(answer.triples for answer in met[: 1 if self.targets else MOST_PROOFS])[:MOST_PROOFS]
            return PlanResult((PlanAnswer("no" if self.denied else "yes", None, proof),))
        if result.truncated:
            return PlanResult(reason="it is not among what was read, and there is more", truncated=True)
        others = result if self.alternatives is None else (yield from self.alternatives.run(names, bounds))
        if not others.answers:
            return PlanResult(reason="the graph does not say, neither this nor another")
        return PlanResult((PlanAnswer("yes" if self.denied else "no", None, others.triples[:MOST_PROOFS]),))


@dataclass(frozen=True, slots=True)
class Best:
    """The answers of a plan with the largest or smallest value, or met in most (fewest) ways.

    `pattern` leads from an answer to its value; None counts the ways; `counted` counts the ends of the pattern.
    Ties are all answers. Of `most` above one the best so many are answers.
    """

    of: QuestionPlan
    pattern: TypedPattern | None
    largest: bool = True
    rank: int = 1
    counted: bool = False
    most: int = 1

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan, read the values of all its answers, keep the best."""
        result = yield from self.of.run(names, bounds)
        if result.truncated:
            return PlanResult(reason="there are too many to compare them all", truncated=True)
        ends = (yield from ends_of(result.nodes, self.pattern, bounds)) if self.pattern is not None else {}
        if self.counted and any(len(found) >= bounds.per_type for found in ends.values()):
            return PlanResult(reason="some have more than are read, so they cannot be compared", truncated=True)
        reached = [end for found in ends.values() for end, _ in found]
        values = dict(zip(reached, sort_keys([names.value(end) for end in reached]), strict=True))
        measured: list[tuple[float, PlanAnswer]] = []
        for answer in result.answers:
            if self.pattern is None:
                measured.append((float(answer.ways), answer))
                continue
            best = self._measure(ends.get(answer.node or "", ()), values)
            if best is not None:
                measured.append((best[0], replace(answer, triples=_joined((answer.triples, best[1])))))
        levels = list(dict.fromkeys(keys := sorted((key for key, _ in measured), reverse=self.largest)))
        if len(levels) < self.rank:
            return PlanResult(reason=result.reason or UNCOMPARED)
        wanted = list(dict.fromkeys(keys[: self.most])) if self.most > 1 else levels[self.rank - 1 : self.rank]
        return PlanResult(tuple(answer for level in wanted for key, answer in measured if key == level))

    def _measure(
        self, reached: Sequence[tuple[str, tuple[Edge, ...]]], values: Mapping[str, float | None]
    ) -> tuple[float, tuple[Edge, ...]] | None:
        """The value that one answer is compared by, and the triples that say it; None where the graph has nothing."""
        if self.counted:
            return (float(len(reached)), _joined(proof for _, proof in reached[:MOST_PROOFS])) if reached else None
        valued = [(key, proof) for end, proof in reached if (key := values[end]) is not None]
        return (max if self.largest else min)(valued, key=lambda pair: pair[0], default=None)


@dataclass(frozen=True, slots=True)
class Untold:
    """No answer, and why: for what is asked in words that no plan follows."""

    reason: str

    def run(self, _names: NodeNames, _bounds: ReadBounds) -> Effects[PlanResult]:
        """Read nothing."""
        yield from ()
        return PlanResult(reason=self.reason)


def ends_of(
    nodes: Sequence[str], pattern: TypedPattern, bounds: ReadBounds
) -> Effects[Mapping[str, list[tuple[str, tuple[Edge, ...]]]]]:
    """Of each node the ends of a pattern with the triples that lead there; all fronts in one read a hop."""
    paths = {node: [(node, tuple[Edge, ...]())] for node in nodes}
    for hop in pattern:
        wanted = tuple(dict.fromkeys(end for found in paths.values() for end, _ in found))[: bounds.front]
        if not wanted:
            break
        around: Around = yield Read(wanted, (hop,), bounds.per_type)
        for node, found in paths.items():
            further = {
                edge.other(end): (*proof, edge)
                for end, proof in found
                for edge in around.get(end, {}).get(hop, ())
                if edge.other(end) != node
            }
            paths[node] = list(further.items())[: bounds.front]
    return paths


def _nothing(*, truncated: bool) -> str:
    """Say why no answer passed a filter."""
    return "nothing of what was read passes the filter, and there is more" if truncated else "nothing passes the filter"


def _joined(proofs: Iterable[tuple[Edge, ...]]) -> tuple[Edge, ...]:
    return tuple(dict.fromkeys(edge for proof in proofs for edge in proof))
