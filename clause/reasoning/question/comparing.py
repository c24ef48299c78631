"""Plans that compare things, tell the value of the best, and what lacks something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.question.patterns import Effects, NodeNames, ReadBounds, TypedPattern
from clause.reasoning.question.plan import PlanAnswer, PlanResult, QuestionPlan, ends_of
from clause.reasoning.question.seed_matching import alike
from clause.text.literals import LiteralValue, Operator, holds, order, sort_key
from clause.text.quantities import Date, Number
from clause.text.tokens import singular

_SMALLER = frozenset(("before", "less"))
_DAYS = 365.2425 / 372.0  # in a year, by those of `sort_key`


def counted_in(values: Iterable[LiteralValue | None], noun: str) -> bool:
    """Tell whether some values are numbers of what a noun says: `4000 people`."""
    return any(isinstance(value, Number) and value.unit == singular(noun) for value in values)


@dataclass(frozen=True, slots=True)
class Measured:
    """A pattern's say on one operand: its ends, the value that counts, and the triples that say so."""

    operand: str
    ends: frozenset[str]
    value: LiteralValue | None
    triples: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """The operand that wins by `operator`; with `verdict` yes or no, whether the first stands so to the second.

    Args:
        operands: of each the ids of what it may be; the first that the pattern leads from counts.
        pattern: from an operand to what is compared. Of several dates the earliest counts, of several numbers the
            largest; where the ends are neither, `more` and `less` compare how many there are.
        until: where given, the time from `pattern`'s date to this one's is compared.
        denied: yes and no change places.
    """

    operands: tuple[tuple[str, ...], ...]
    pattern: TypedPattern
    operator: Operator
    verdict: bool = False
    until: TypedPattern = ()
    denied: bool = False

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Read the pattern from all operands at once and compare."""
        nodes = tuple(dict.fromkeys(node for operand in self.operands for node in operand))
        ends = yield from ends_of(nodes, self.pattern, bounds)
        last = (yield from ends_of(nodes, self.until, bounds)) if self.until else None
        measured: list[Measured] = []
        for operand in self.operands:
            node = next((one for one in operand if ends.get(one)), None)
            if node is None:
                return PlanResult(reason=f"the graph does not say it of {names.name(operand[0])}")
            found = self._measured(node, ends[node], names)
            if last is not None:
                found = _lasting(found, self._measured(node, last[node], names))
            measured.append(found)
        proof = tuple(dict.fromkeys(edge for one in measured for edge in one.triples))
        return self._same(measured, proof, names) if self.operator == "same" else self._decided(measured, proof, names)

    def _measured(self, node: str, ends: Sequence[tuple[str, tuple[Edge, ...]]], names: NodeNames) -> Measured:
        values = [(value, proof) for end, proof in ends if (value := names.value(end)) is not None]
        ordered = [(key, value, proof) for value, proof in values if (key := sort_key(value)) is not None]
        reached = frozenset(end for end, _ in ends)
        if self.operator == "same":
            proof = tuple(edge for _, one in ends for edge in one)
            return Measured(node, reached, values[0][0] if len(values) == 1 else None, proof)
        if ordered:
            dated = isinstance(ordered[0][1], Date)
            _, value, proof = (min if dated else max)(ordered, key=lambda one: one[0])
            return Measured(node, reached, value, proof)
        counted = Number(Decimal(len(ends))) if self.operator in {"more", "less"} else None
        return Measured(node, reached, counted, tuple(edge for _, proof in ends for edge in proof))

    def _same(self, measured: Sequence[Measured], proof: tuple[Edge, ...], names: NodeNames) -> PlanResult:
        first, *others = measured
        shared = all(_share(first.ends, other.ends, names) for other in others)
        if not shared and first.value is not None:
            told = [other.value is not None and holds("same", first.value, other.value) for other in others]
            if None in told:
                return PlanResult(reason="the dates are not exact enough to tell")
            shared = all(told)
        return PlanResult((PlanAnswer("no" if shared is self.denied else "yes", None, proof),))

    def _decided(self, measured: Sequence[Measured], proof: tuple[Edge, ...], names: NodeNames) -> PlanResult:
        values = [one.value for one in measured]
        if any(value is None for value in values):
            return PlanResult(reason="the graph has no values to compare them by")
        if self.verdict:
            told = holds(self.operator, values[0], values[1])  # type: ignore[arg-type]
            if told is None:
                return PlanResult(reason="the values are not exact enough to compare")
            return PlanResult((PlanAnswer("no" if told is self.denied else "yes", None, proof),))
        wanted = -1 if self.operator in _SMALLER else 1
        for place, one in enumerate(measured):
            others = [values[other] for other in range(len(values)) if other != place]
            if all(order(values[place], other) == wanted for other in others):  # type: ignore[arg-type]
                return PlanResult((PlanAnswer(names.name(one.operand), one.operand, proof),))
        return PlanResult(reason="they are equal, or their values are not exact enough to compare")


def _share(one: frozenset[str], two: frozenset[str], names: NodeNames) -> bool:
    """Tell whether two sets of ends have one in common, by id or by name (`Austria` and `Austrian`)."""
    values = [end for end in one if names.value(end) is None]
    others = [end for end in two if names.value(end) is None]
    return bool(one & two) or any(alike(names.name(end), names.name(other)) for end in values for other in others)


def _lasting(first: Measured, last: Measured) -> Measured:
    """The time from one date to another, in days; nothing where either is no date."""
    begins, ends = first.value, last.value
    length: LiteralValue | None = None
    if isinstance(begins, Date) and isinstance(ends, Date):
        keys = sort_key(ends), sort_key(begins)
        length = Number(Decimal(round(((keys[0] or 0.0) - (keys[1] or 0.0)) * _DAYS)))
    return Measured(first.operand, first.ends | last.ends, length, (*first.triples, *last.triples))


@dataclass(frozen=True, slots=True)
class ValueOf:
    """The values that a pattern leads to from the answers of a plan: how high the highest is, not which it is."""

    of: QuestionPlan
    pattern: TypedPattern

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan and read the pattern from its answers; each value once."""
        result = yield from self.of.run(names, bounds)
        proofs = {answer.node: answer.triples for answer in result.answers if answer.node is not None}
        ends = yield from ends_of(list(proofs), self.pattern, bounds)
        found: dict[str, PlanAnswer] = {}
        for node, reached in ends.items():
            for end, proof in reached:
                triples = tuple(dict.fromkeys((*proofs[node], *proof)))
                found.setdefault(names.name(end), PlanAnswer(names.name(end), end, triples))
        return PlanResult(tuple(found.values()), None if found else result.reason, result.truncated)


@dataclass(frozen=True, slots=True)
class Lacking:
    """The answers of a plan from which a hop leads nowhere."""

    of: QuestionPlan
    hop: Hop

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run the plan, read the hop from all its answers, keep those without."""
        result = yield from self.of.run(names, bounds)
        if result.truncated or len(result.answers) > bounds.front:  # what is not read would seem to lack it
            return PlanResult(reason="there are too many to tell what they lack", truncated=True)
        ends = yield from ends_of(result.nodes, (self.hop,), bounds)
        kept = tuple(one for one in result.answers if one.node is not None and not ends.get(one.node))
        return PlanResult(kept, None if kept else result.reason or "all of them have it")


ALIKE = 0.6
"""The least share of a side that has what some lack: then all of the side are of a kind."""


def of_one_kind_with(having: Sequence[str], sides: Mapping[Hop, list[str]], but: Hop) -> tuple[Hop, ...]:
    """The sides of types on which are mostly things that have something, and others too."""
    known = set(having)
    return tuple(
        side
        for side, nodes in sorted(sides.items())
        if side != but and set(nodes) - known and len(known & set(nodes)) >= ALIKE * len(set(nodes))
    )
