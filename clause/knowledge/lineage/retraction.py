"""Retraction: a belief or a source is taken back, with everything that rests on it; undone, all is as it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from clause.errors import ConflictError, NotFoundError, OutOfBoundsError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.lineage.lineage import (
    MOST,
    Dependent,
    Key,
    Receipts,
    Work,
    closure,
    counts_text,
    descendants,
    fallen,
    keeping,
    sealing,
    standing,
)
from clause.knowledge.lineage.models import Affected, Effect, Retraction, RetractionPlan, RetractionRequest

_KINDS = {"Belief": "belief", "Value": "value", "ThoughtSeed": "thoughtseed", "Run": "answer", "Session": "summary"}
_SUMMARIES = frozenset({"session_summary", "session_theme", "summary"})
_TRIPLES_S = 300.0
MOST_TRIPLES = 50_000
"""Triples that go back with their source: what a transaction's memory on a small managed server holds twice over."""


class _Planned(NamedTuple):
    root: Key
    scope: str
    dependents: Mapping[Key, Dependent]
    fallen: frozenset[Key]
    triples: int


class RetractionService:
    """The service that the doors ask about retraction."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._receipts = Receipts(ground.graph)

    async def preview(self, given: RetractionRequest, *, caller: Caller) -> RetractionPlan:
        """Show what `apply` would do; nothing is written.

        Raises:
            NotFoundError: there is no such belief or source for this caller.
            ForbiddenError: it may be read, not written.
            ConflictError: it is retracted or merged already.
            OutOfBoundsError: more rests on it than goes back in one transaction.
        """
        await self._ground.recorded()
        return _shown(await self._planned(given, caller, await self._writable(caller)))

    async def apply(self, given: RetractionRequest, *, caller: Caller) -> Retraction:
        """Take it back in one transaction: what has nothing left under it goes too, what has is weakened.

        Raises:
            NotFoundError, ForbiddenError, OutOfBoundsError: as `preview`.
            ConflictError: as `preview`; also when `plan` is no longer the preview's, or another took some of it back
                at the same time.
        """
        await self._ground.recorded()
        scopes = await self._writable(caller)
        planned = await self._planned(given, caller, scopes)
        shown = _shown(planned)
        if given.plan is not None and given.plan != shown.plan:
            raise ConflictError("more or less rests on it than in that preview", remedy="preview again", field="plan")
        at, receipt_id = self._ground.now(), self._ground.ids()
        counts = Counter(shown.counts)
        counts[_KINDS.get(planned.root[0], planned.root[0].lower())] += 1
        receipt = {
            "id": receipt_id,
            "kind": "retraction",
            "scope": planned.scope,
            "target": planned.root[1],
            "label": planned.root[0],
            "reason": given.reason,
            "counts": counts_text(counts),
            "recorded_at": at,
            "version": 1,
        }
        work = await self._work(receipt, planned, scopes)
        try:
            await self._ground.graph.write(work, timeout_s=_TRIPLES_S, idempotent=False)
        except ConflictError as error:
            raise ConflictError(
                "it, or some of what rests on it, was retracted or merged meanwhile", remedy="preview again"
            ) from error
        return _retraction(receipt)

    async def get(self, receipt_id: str, *, caller: Caller) -> Retraction:
        """The receipt of a retraction; NotFoundError when there is none that this caller may see."""
        scopes = await self._ground.readable(caller, None)
        return _retraction(await self._receipts.get(receipt_id, ["retraction"], scopes))

    async def list(self, *, caller: Caller, after: str | None = None, limit: int = 20) -> Sequence[Retraction]:
        """Retractions newest first."""
        scopes = await self._ground.readable(caller, None)
        found = await self._receipts.list(["retraction"], scopes, after=after, limit=limit)
        return [_retraction(receipt) for receipt in found]

    async def undo(self, receipt_id: str, *, caller: Caller) -> Retraction:
        """Give back what a retraction took; what was not touched since is exactly as before.

        Raises:
            NotFoundError: there is no such retraction for this caller.
            ConflictError: it was undone already, or its text has been stated anew meanwhile.
        """
        readable = await self._ground.readable(caller, None)
        receipt = await self._receipts.get(receipt_id, ["retraction"], readable)
        caller.require_write(receipt["scope"])
        scopes = await self._writable(caller)
        first: Work = []
        if receipt["label"] == "Source":
            asked = {"source_id": receipt["target"], "scopes": scopes, "retracted_at": receipt["recorded_at"]}
            first = [("knowledge/restore_triples", asked)]
        await self._receipts.undo(receipt, scopes, self._ground.now(), first)
        return await self.get(receipt_id, caller=caller)

    async def _writable(self, caller: Caller) -> Sequence[str]:
        """The scopes in which this caller's retraction may change something."""
        return [scope for scope in await self._ground.readable(caller, None) if caller.may_write(scope)]

    async def _planned(self, given: RetractionRequest, caller: Caller, scopes: Sequence[str]) -> _Planned:
        root = ("Belief", given.belief_id) if given.belief_id is not None else ("Source", str(given.source_id))
        graph = self._ground.graph
        readable = await self._ground.readable(caller, None)
        row = await graph.one("knowledge/node", label=root[0], id=root[1], scopes=list(readable))
        if row is None:
            raise NotFoundError(f"no {root[0].lower()} {root[1][:80]!r}", field=f"{root[0].lower()}_id")
        caller.require_write(row["scope"])
        if row["retracted_at"] is not None or row["merged_into"] is not None:
            raise ConflictError(f"the {root[0].lower()} is retracted or merged already")
        dependents, whole = await closure(graph, [root], scopes)
        if not whole:
            raise OutOfBoundsError(
                f"more than {MOST:,} nodes rest on it",
                remedy="retract what it said in parts, or forget the source",
                bound=f"at most {MOST:,}",
            )
        triples = 0
        if root[0] == "Source":
            counted = await graph.one(
                "knowledge/count_triples", source_id=root[1], scopes=list(scopes), timeout_s=_TRIPLES_S
            )
            triples = int(counted["triples"]) if counted else 0
            if triples > MOST_TRIPLES:
                raise OutOfBoundsError(
                    f"{triples:,} triples rest on it, too many to take back in one transaction",
                    remedy="forget the source: that goes in slices",
                    field="source_id",
                    bound=f"at most {MOST_TRIPLES:,}",
                )
        return _Planned(root, row["scope"], dependents, fallen([root], dependents), triples)

    async def _work(self, receipt: dict[str, Any], planned: _Planned, scopes: Sequence[str]) -> Work:
        at, receipt_id = receipt["recorded_at"], receipt["id"]
        gone = {planned.root, *planned.fallen}
        weakened = planned.dependents.keys() - planned.fallen
        disputed = await self._ground.graph.run(
            "knowledge/disputed_by", ids=sorted(key[1] for key in gone if key[0] == "Belief"), scopes=list(scopes)
        )
        partners = {("Belief", str(row["other"])) for row in disputed} - gone
        settled = sorted(key[1] for key in {*weakened, *partners} if key[0] == "Belief")
        touched = {*gone, *weakened, *partners, *await descendants(self._ground.graph, settled, scopes)}
        own = {"receipt_id": receipt_id, "scopes": list(scopes)}
        work = keeping(receipt, touched, scopes, at) + standing(receipt_id, gone, scopes, held=False)
        if planned.root[0] == "Source":
            asked = {"source_id": planned.root[1], "scopes": list(scopes), "now": at}
            work.append(("knowledge/retract_provenance", asked))
        work.append(("knowledge/retract_nodes", {**own, "nodes": _ordered(gone), "now": at}))
        if weakened:
            work.append(("knowledge/mark_nodes", {**own, "nodes": _ordered(weakened)}))
        if settled:
            work.append(settling(settled, scopes, at))
        return work + sealing(receipt_id, scopes)


def _shown(planned: _Planned) -> RetractionPlan:
    affected = sorted(
        (_affected(one, planned) for one in planned.dependents.values()), key=lambda one: (one.kind, one.id)
    )
    counts = dict(sorted(Counter(one.kind for one in affected).items()))
    said = [planned.root, planned.triples, [[one.kind, one.id, one.effect] for one in affected]]
    digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]
    return RetractionPlan(
        target=planned.root[1],
        label=planned.root[0],
        affected=tuple(affected),
        counts=counts,
        triples=planned.triples,
        plan=digest,
    )


def _affected(one: Dependent, planned: _Planned) -> Affected:
    label, identity = one.key
    kind = "summary" if one.kind in _SUMMARIES else _KINDS.get(label, label.lower())
    effect: Effect = "retracted" if one.key in planned.fallen else "marked" if label == "Run" else "weakened"
    return Affected(id=identity, label=label, kind=kind, name=one.name, effect=effect, by=tuple(sorted(one.by)))


def _ordered(keys: set[Key] | frozenset[Key]) -> list[list[str]]:
    return [list(key) for key in sorted(keys, key=lambda key: (key[1], key[0]))]


def _retraction(receipt: Mapping[str, Any]) -> Retraction:
    return Retraction(
        id=receipt["id"],
        scope=receipt["scope"],
        target=receipt["target"],
        label=receipt["label"],
        reason=receipt["reason"],
        counts=json.loads(receipt["counts"]),
        retracted_at=receipt["recorded_at"],
        undone_at=receipt.get("undone_at"),
    )
