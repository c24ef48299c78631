"""The notation of the worlds' gold, evaluated on nothing but a world's triples (described in README.md)."""

from __future__ import annotations

import json
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
CLOCK = re.compile(r"(\d\d?):(\d\d)")
NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)\s*(.*)")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def value_of(text: str) -> tuple[tuple[float, ...], str]:
    """A literal as numbers to compare and its unit: dates and times part by part, numbers as one part."""
    plain = text.split('"')[1] if text.startswith('"') else text
    for shape in (DATE, CLOCK):
        if found := shape.fullmatch(plain):
            return tuple(float(part) for part in found.groups() if part), ""
    found = NUMBER.fullmatch(plain.replace(",", ""))
    if not found:
        raise ValueError(f"{text!r} is neither a date, a time nor a number")
    return (float(found[1]),), found[2]


def compare(left: str, symbol: str, right: str) -> bool:
    """True if two literals stand so; the coarser one decides how finely (2021-05-03 is in 2021, not after it)."""
    (one, unit), (other, other_unit) = value_of(left), value_of(right)
    if unit and other_unit and unit != other_unit:
        raise ValueError(f"{left!r} and {right!r} have different units")
    length = min(len(one), len(other))
    return COMPARISONS[symbol](one[:length], other[:length])


class World:
    """One graph of triples, and the evaluation of gold on it."""

    def __init__(self, path: Path) -> None:
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.names: set[str] = set()
        self.relations: set[str] = set()
        self._steps: dict[tuple[str, str], set[str]] = defaultdict(set)
        for line in self.lines:
            head, relation, tail = line.split("|")
            self.names |= {head, tail}
            self.relations.add(relation)
            self._steps[head, ">" + relation].add(tail)
            self._steps[tail, "<" + relation].add(head)

    def answers(self, gold: Any) -> set[str]:
        """The answers that a gold stands for; a name or a relation which the graph lacks is an error."""
        if isinstance(gold, str):
            if gold not in self.names:
                raise ValueError(f"the graph has no {gold!r}")
            return {gold}
        operators = [key for key in gold if hasattr(self, f"_{key}")]
        if len(operators) != 1:
            raise ValueError(f"one operator is wanted in {gold}")
        return set(getattr(self, f"_{operators[0]}")(gold[operators[0]]))

    def follow(self, start: Iterable[str], steps: str | list[str]) -> set[str]:
        """The names at the end of some steps, each a relation behind `>` (with it) or `<` (against it)."""
        front = set(start)
        for step in [steps] if isinstance(steps, str) else steps:
            if step[0] not in "<>" or step[1:] not in self.relations:
                raise ValueError(f"the graph has no relation {step!r}")
            front = {name for known in front for name in self._steps.get((known, step), ())}
        return front

    def _walk(self, path: list[Any]) -> set[str]:
        return self.follow(self.answers(path[0]), path[1:])

    def _and(self, parts: list[Any]) -> set[str]:
        return set.intersection(*map(self.answers, parts))

    def _or(self, parts: list[Any]) -> set[str]:
        return set.union(*map(self.answers, parts))

    def _minus(self, parts: list[Any]) -> set[str]:
        return self.answers(parts[0]).difference(*map(self.answers, parts[1:]))

    def _having(self, step: str) -> set[str]:
        return {name for name in self.names if self.follow({name}, step)}

    def _count(self, part: Any) -> set[str]:
        return {str(len(self.answers(part)))}

    def _where(self, part: dict[str, Any]) -> set[str]:
        wanted = part["value"] if isinstance(part["value"], str) else next(iter(self.answers(part["value"])))
        return {
            name
            for name in self.answers(part["of"])
            if any(compare(value, part["op"], wanted) for value in self.follow({name}, part["by"]))
        }

    def _max(self, part: dict[str, Any], better: str = ">") -> set[str]:
        values: dict[str, set[str]] = {}
        for name in self.answers(part["of"]):
            reached = self.follow({name}, part["by"] if "by" in part else part["number"])
            if reached:  # who has no value takes no part
                values[name] = reached if "by" in part else {str(len(reached))}
        every = {value for reached in values.values() for value in reached}
        best = {value for value in every if not any(compare(other, better, value) for other in every)}
        return {name for name, reached in values.items() if reached & best}

    def _min(self, part: dict[str, Any]) -> set[str]:
        return self._max(part, "<")

    def _is(self, parts: list[Any]) -> set[str]:
        known, asked = map(self.answers, parts)
        return {"yes" if asked <= known else "no"} if known else set()

    def _same(self, parts: list[Any]) -> set[str]:
        one, other = map(self.answers, parts)
        return {"yes" if one & other else "no"} if one and other else set()

    def _none(self, why: dict[str, Any]) -> set[str]:
        """Nothing, once the reason is proved: names or relations the graph lacks, walks that lead nowhere."""
        if not why.keys() & {"unknown", "unrelated", "empty"}:
            raise ValueError(f"no proof that nothing answers: {why}")
        folded = {re.sub(r"[\W_]+", "", relation).casefold() for relation in self.relations}
        if set(why.get("unknown", ())) & self.names:
            raise ValueError(f"the graph knows one of {why['unknown']}")
        if {re.sub(r"[\W_]+", "", word).casefold() for word in why.get("unrelated", ())} & folded:
            raise ValueError(f"the graph has one of the relations {why['unrelated']}")
        if "empty" in why and self.answers(why["empty"]):
            raise ValueError(f"something answers {why['empty']}")
        if "near" in why and not self.answers(why["near"]):
            raise ValueError(f"nothing is near: {why['near']}")
        return set()
