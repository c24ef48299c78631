"""What rests on what: everything above a belief or source by lineage, sources and recorded answers.

A derived node stands on its parents; a belief without parents on its sources; a recorded answer on what it cites. With
the ground gone, a node falls when nothing is left under it: all parents fell and no second, independent source says the
same, or no parent was there and every source fell. What keeps some of its ground is weakened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from clause.graph.runner import Graph

Key = tuple[str, str]
"""Label and id of a node."""

DEEPEST = 32
"""Steps of a lineage that are followed."""
MOST = 20_000
"""Nodes that one retraction or erasure may touch."""

_ANSWERS = "Run"


@dataclass(frozen=True)
class Dependent:
    """A node that rests on another.

    Attributes:
        key, name, kind, scope: what it is.
        by: how it rests: relationship types, sorted.
        parents: what it was derived from and still stands.
        sources: ids of the sources that still stand.
        independent: independent sources by the last count.
        grounds: the nodes of the closure that it rests on.
    """

    key: Key
    name: str
    kind: str
    scope: str
    by: frozenset[str]
    parents: frozenset[Key]
    sources: frozenset[str]
    independent: int
    grounds: frozenset[Key]


class Closure(NamedTuple):
    """What rests on something: the nodes by key, and whether these are all (`whole`) or as many as were asked for."""

    dependents: Mapping[Key, Dependent]
    whole: bool


async def closure(graph: Graph, roots: Sequence[Key], scopes: Sequence[str], *, most: int = MOST) -> Closure:
    """Everything in `scopes` that rests on `roots`, directly or through others; the retracted is left out.

    Args:
        graph: where they are.
        roots: what may go.
        scopes: in which dependents are looked for.
        most: rows of one look; where there are more, or more nodes were found, it stops and is not whole.
    """
    found: dict[Key, Dependent] = {}
    frontier = sorted(roots)
    whole = True
    for _ in range(DEEPEST):
        rows = await graph.run(
            "knowledge/dependents", nodes=[list(key) for key in frontier], scopes=list(scopes), limit=most
        )
        labels = {identity: label for label, identity in frontier}
        fresh = set()
        for row in rows:
            key = (str(row["label"]), str(row["id"]))
            if row["gone"] or key in roots:
                continue
            if key not in found:
                fresh.add(key)
            found[key] = _joined(found.get(key), key, row, (labels[row["on"]], row["on"]))
        whole = whole and len(rows) < most
        frontier = sorted(key for key in fresh if key[0] != _ANSWERS)
        if not frontier or len(found) > most:
            return Closure(found, whole and not frontier)
    return Closure(found, False)


def fallen(roots: Sequence[Key], dependents: Mapping[Key, Dependent]) -> frozenset[Key]:
    """The dependents under which nothing is left when `roots` go; without the roots themselves.

    A recorded answer never falls: it happened. It is marked instead. Evidence that was made from a node falls with it.

    >>> a = Dependent(("Belief", "b"), "", "", "", frozenset(), frozenset({("Belief", "a")}), frozenset({"s"}), 1,
    ...               frozenset({("Belief", "a")}))
    >>> fallen([("Belief", "a")], {a.key: a})
    frozenset({('Belief', 'b')})
    """
    gone = set(roots)
    while fell := {key for key, one in dependents.items() if key not in gone and _falls(one, gone)}:
        gone |= fell
    return frozenset(gone) - frozenset(roots)


def _falls(one: Dependent, gone: set[Key]) -> bool:
    if one.key[0] == _ANSWERS:
        return False
    if "UNIT" in one.by:
        return bool(one.grounds & gone)
    standing = [source for source in one.sources if ("Source", source) not in gone]
    if one.parents:
        corroborated = one.independent > 1 and len(standing) > 1
        return one.parents <= gone and not corroborated
    if one.sources:
        return not standing
    return one.grounds <= gone


def _joined(known: Dependent | None, key: Key, row: Mapping[str, Any], on: Key) -> Dependent:
    return Dependent(
        key=key,
        name=row["name"],
        kind=row["kind"],
        scope=row["scope"],
        by=(known.by if known else frozenset()) | {row["by"]},
        parents=frozenset((str(label), str(identity)) for label, identity in row["parents"]),
        sources=frozenset(row["sources"]),
        independent=row["independent"],
        grounds=(known.grounds if known else frozenset()) | {on},
    )
