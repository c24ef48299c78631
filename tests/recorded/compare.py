"""Compares two recordings: `python -m tests.recorded.compare A.json B.json` prints what differs, and counts."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.recorded.normal import IDS

CLOCKED = re.compile(
    r"(\.overall|\.temporal_freshness|\.recency|\.ranking\.confidence|\.final_score|\.decay_adjusted_score"
    r"|\.dimensions\[\d+\]\.value|\.trust|\.items\[\d+\]\.confidence)$"
)
"""Numbers that fall with every second since something was told: the freshness of a belief is one of six dimensions of
its confidence, and both of them, like the decay of a memory, are part of what is found with them."""
CLOCK_TOLERANCE = 5e-4
LAST_MINUTE = "answer.rate"
"""The share of conflicts among the writes of the last minute: on a slower machine the one of before is gone."""
SCORES = ("decay_adjusted_score", "final_score")
"""What lists are ordered by that the clock has a say in: it decides between those that score alike."""
PARTS = ("operation", "request", "status", "headers", "answer")


class Difference(NamedTuple):
    """One place where two recordings differ; `number` counts exchanges from 1."""

    number: int
    operation: str
    place: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"#{self.number} {self.operation} {self.place}: {_short(self.before)} -> {_short(self.after)}"


def differences(
    before: list[dict[str, Any]], after: list[dict[str, Any]], tolerance: float = 0.0
) -> Iterator[Difference]:
    """Every place where exchanges differ; numbers may by `tolerance`, those of CLOCKED by CLOCK_TOLERANCE at least."""
    comparison = _Comparison(tolerance)
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        for part in PARTS:
            for place, old, new in comparison.compared(one[part], other[part], part):
                yield Difference(number, one["operation"], place, old, new)
    if len(before) != len(after):
        yield Difference(min(len(before), len(after)) + 1, "-", "exchanges", len(before), len(after))


class _Comparison:
    """Compares values one after the other; an id of one recording stands for the same id of the other from then on."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._pairs: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def compared(self, one: Any, other: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
        """The places where two values differ."""
        if isinstance(one, dict) and isinstance(other, dict):
            for name in sorted(one.keys() | other.keys()):
                if name in one and name in other:
                    yield from self.compared(one[name], other[name], f"{place}.{name}")
                else:
                    yield f"{place}.{name}", one.get(name, "(absent)"), other.get(name, "(absent)")
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            for index, (old, new) in enumerate(zip(_ordered(one), _ordered(other), strict=True)):
                yield from self.compared(old, new, f"{place}[{index}]")
        elif not self._same(one, other, place):
            yield place, one, other

    def _same(self, one: Any, other: Any, place: str) -> bool:
        if isinstance(one, str) and isinstance(other, str):
            ids, others = IDS.findall(one), IDS.findall(other)
            return IDS.split(one) == IDS.split(other) and all(map(self._is_pair, ids, others))
        if isinstance(one, float) and isinstance(other, int | float) and not isinstance(other, bool):
            if place == LAST_MINUTE:
                return True
            tolerance = max(self._tolerance, CLOCK_TOLERANCE) if CLOCKED.search(place) else self._tolerance
            return one == other or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        return type(one) is type(other) and bool(one == other)

    def _is_pair(self, one: str, other: str) -> bool:
        return self._pairs.setdefault(one, other) == other and self._taken.setdefault(other, one) == one


def _ordered(items: list[Any]) -> list[Any]:
    """A list with its ties in the order of their words; any other list as it is."""
    score = next(
        (name for name in SCORES if items and all(isinstance(item, dict) and name in item for item in items)), ""
    )
    ordered: list[Any] = []
    for item in items if score else ():
        if not ordered or not math.isclose(ordered[-1][0][score], item[score], rel_tol=CLOCK_TOLERANCE):
            ordered.append([])
        ordered[-1].append(item)
    return [item for tied in ordered for item in sorted(tied, key=_words)] if score else items


def _words(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [word for one in inner for word in _words(one)]
    return [IDS.sub("", value)] if isinstance(value, str) else []


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


def main() -> int:
    """Print the differences; the exit code is 1 where there are any."""
    from tests.recorded.record import read

    parser = argparse.ArgumentParser(description="Compare two recordings.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.0, help="by how much numbers may differ")
    parser.add_argument("--most", type=int, default=50, help="how many differences are printed")
    given = parser.parse_args()
    before, after = read(given.before)["exchanges"], read(given.after)["exchanges"]
    found = list(differences(before, after, given.tolerance))
    sys.stdout.write("".join(f"{one}\n" for one in found[: given.most]))
    by_operation = Counter(one.operation for one in found)
    sys.stdout.write("".join(f"{count:6} {operation}\n" for operation, count in by_operation.most_common()))
    differing = len({one.number for one in found})
    sys.stdout.write(f"{len(before)} and {len(after)} exchanges, {differing} differ in {len(found)} places\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
