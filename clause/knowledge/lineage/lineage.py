"""Lineage: what rests on what, the authority that passes along it, and receipts by which a change is undone exactly.

A derived node stands on its parents; a belief without parents on its sources; a recorded answer on what it cites. With
the ground gone, a node falls when nothing is left under it: all parents fell and no second, independent source says the
same, or no parent was there and every source fell. What keeps some of its ground is weakened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from clause.errors import ConflictError, NotFoundError
from clause.graph.runner import Graph, apart
from clause.graph.scopes import OWNER_AUTHOR, Caller
from clause.ground import Ground
from clause.knowledge.beliefs.confidence import CORROBORATED, INFERRED, STARTS
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.lineage.models import AuthorityAudit, ReceiptKind, Violation

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
        gone: true where it is retracted or merged already.
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
    gone: bool = False


class Closure(NamedTuple):
    """The dependents of something: the nodes by key, and whether these are all (`whole`) or as many as asked for."""

    dependents: Mapping[Key, Dependent]
    whole: bool


async def closure(
    graph: Graph, roots: Sequence[Key], scopes: Sequence[str], *, most: int = MOST, gone: bool = False
) -> Closure:
    """Everything in `scopes` that rests on `roots`, directly or through others.

    Args:
        graph: where they are.
        roots: what may go.
        scopes: in which dependents are looked for.
        most: rows of one look; where there are more, or more nodes were found, it stops and is not whole.
        gone: what is retracted or merged already counts too.
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
            if (row["gone"] and not gone) or key in roots:
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
    left = [source for source in one.sources if ("Source", source) not in gone]
    if one.parents or one.sources:
        return not stands(
            parents=len(one.parents),
            parents_left=len(one.parents - gone),
            sources=len(one.sources),
            sources_left=len(left),
            independent=one.independent,
        )
    return one.grounds <= gone


def stands(*, parents: int, parents_left: int, sources: int, sources_left: int, independent: int) -> bool:
    """Tell whether something is left under a node, given how much it rests on and how much of that still stands.

    >>> stands(parents=0, parents_left=0, sources=1, sources_left=0, independent=1)
    False
    >>> stands(parents=0, parents_left=0, sources=0, sources_left=0, independent=0)
    True
    """
    if parents:
        return parents_left > 0 or (independent >= CORROBORATED and sources_left >= CORROBORATED)
    return sources == 0 or sources_left > 0


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
        gone=row["gone"],
    )


TOLERANCE = 1e-9
SHOWN = 100
_AUDIT_S = 120.0


async def descendants(graph: Graph, ids: Sequence[str], scopes: Sequence[str]) -> set[Key]:
    """The beliefs that settling these settles too: whoever wants to undo it keeps them."""
    rows = await graph.run("knowledge/descendants", ids=list(ids), scopes=list(scopes))
    return {("Belief", str(row["id"])) for row in rows}


class AuthorityService:
    """Proves that authority is sound, by one query."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def audit(self, *, caller: Caller, scopes: Sequence[str] | None = None) -> AuthorityAudit:
        """Everything that claims more than its lineage, its signal or its statements give; none, when all is well."""
        readable = list(await self._ground.readable(caller, scopes))
        graph = self._ground.graph
        rows = await graph.run(
            "knowledge/authority_audit",
            scopes=readable,
            tolerance=TOLERANCE,
            starts=dict(STARTS),
            inferred=INFERRED,
            owner=OWNER_AUTHOR,
            limit=SHOWN,
            timeout_s=_AUDIT_S,
        )
        counted = await graph.one("knowledge/count_derived", scopes=readable, timeout_s=_AUDIT_S)
        found = tuple(Violation.model_validate(row) for row in rows)
        return AuthorityAudit(sound=not found, derived=int(counted["derived"]) if counted else 0, violations=found)


Work = list[tuple[str, dict[str, Any]]]


def keeping(receipt: Mapping[str, Any], nodes: Iterable[Key], scopes: Sequence[str], at: datetime) -> Work:
    """First in the transaction: the receipt, the locks, and what undoing restores."""
    ordered = [list(key) for key in sorted(set(nodes), key=lambda key: (key[1], key[0]))]
    asked = {"receipt": dict(receipt), "nodes": ordered, "scopes": list(scopes), "recorded_at": at}
    return [("knowledge/keep_before", asked)]


def standing(receipt_id: str, nodes: Iterable[Key], scopes: Sequence[str], *, held: bool) -> Work:
    """After the locks: refuse all of it where another writer retracted or merged a node first.

    Args:
        held: also where it was put away.
    """
    marks = ["retracted_at", "merged_into", *(["archived_at"] if held else [])]
    statuses = ["superseded", "archived", "retracted"] if held else []
    asked = {"nodes": [list(key) for key in sorted(nodes)], "marks": marks, "statuses": statuses}
    return [("knowledge/require_standing", {**asked, "receipt_id": receipt_id, "scopes": list(scopes)})]


def sealing(receipt_id: str, scopes: Sequence[str]) -> Work:
    """Last in the transaction: which versions the change left behind."""
    return [("knowledge/seal_receipt", {"id": receipt_id, "scopes": list(scopes)})]


_UNDONE = "it has been undone already"


class Receipts:
    """Reads receipts and undoes them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def get(self, receipt_id: str, kinds: Sequence[ReceiptKind], scopes: Sequence[str]) -> dict[str, Any]:
        """The properties of a receipt.

        Raises:
            NotFoundError: there is none of these kinds in these scopes.
        """
        row = await self._graph.one("knowledge/receipt", id=receipt_id, scopes=list(scopes))
        if row is None or row["receipt"]["kind"] not in kinds:
            raise NotFoundError(f"no receipt {receipt_id[:80]!r}", field="receipt_id")
        return dict(row["receipt"])

    async def list(
        self, kinds: Sequence[ReceiptKind], scopes: Sequence[str], *, after: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Receipts newest first."""
        rows = await self._graph.run(
            "knowledge/receipts", kinds=list(kinds), scopes=list(scopes), after=after, limit=limit
        )
        return [row["receipt"] for row in rows]

    async def undo(self, receipt: Mapping[str, Any], scopes: Sequence[str], at: datetime, first: Work) -> None:
        """Give everything back what the receipt kept; beliefs that changed meanwhile are settled anew.

        Args:
            first: statements that take back what restoring alone does not, in the same transaction.

        Raises:
            ConflictError: it was undone already, or what it brings back has been stated anew meanwhile.
        """
        if receipt.get("undone_at") is not None:  # what comes first would take from what was done since
            raise ConflictError(_UNDONE)
        receipt_id = receipt["id"]
        rows = await self._graph.run("knowledge/changed_since", id=receipt_id, scopes=list(scopes))
        changed = [row["id"] for row in rows if row["label"] == "Belief"]
        held: Work = [("knowledge/hold_receipt", {"id": receipt_id, "scopes": list(scopes)}), *first]
        work: Work = [*held, ("knowledge/restore", {"id": receipt_id, "scopes": list(scopes), "now": at})]
        if changed:
            work.append(settling(changed, scopes, at))
        try:
            answers = await self._graph.write(work, idempotent=False)
        except ConflictError as error:
            with apart():
                now = await self._graph.one("knowledge/receipt", id=receipt_id, scopes=list(scopes))
            if now is not None and now["receipt"].get("undone_at") is not None:
                raise ConflictError(_UNDONE) from error
            raise ConflictError(
                "what it brings back has been stated anew meanwhile", remedy="retract that belief first"
            ) from error
        if not answers[len(held)]:
            raise ConflictError(_UNDONE)


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts as a property can hold them.

    >>> counts_text({"b": 1, "a": 2})
    '{"a": 2, "b": 1}'
    """
    return json.dumps(dict(counts), sort_keys=True)


Settling = list[tuple[str, Mapping[str, Any]]]
