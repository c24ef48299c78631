"""Merging: two beliefs, or two entities, are one. The loser and a receipt are kept; undone, all is as it was.

The winner gets copies of the loser's relationships, each marked with the receipt, while the loser keeps its own and is
put away. Undoing removes the copies and brings the loser back, so that whatever was added meanwhile stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.lineage.lineage import Receipts, Work, descendants, keeping, sealing, standing, stands
from clause.knowledge.lineage.models import Merge, MergeRequest

Label = Literal["Belief", "Entity"]
_OWN_AFFAIR = ("MERGED_INTO", "SAME_AS", "SUPERSEDES", "BETWEEN", "VISITED", "ASKED_FROM", "NEXT", "MAYBE_SAME_AS")
_MERGE_S = 120.0


class MergeService:
    """Merges of one kind of node.

    Args:
        ground: the open parts below.
        label: Belief or Entity.
    """

    def __init__(self, ground: Ground, label: Label) -> None:
        self._ground = ground
        self._label: Label = label
        self._kind: Literal["belief_merge", "entity_merge"] = "belief_merge" if label == "Belief" else "entity_merge"
        self._receipts = Receipts(ground.graph)

    async def merge(self, given: MergeRequest, *, caller: Caller) -> Merge:
        """Put the loser into the winner.

        Raises:
            NotFoundError: one of them is not there for this caller.
            ForbiddenError: one may be read, not written.
            ConflictError: one is merged, retracted or put away already, or they belong to different scopes.
        """
        scope = await self._check(given, caller)
        at, receipt_id = self._ground.now(), self._ground.ids()
        receipt = {
            "id": receipt_id,
            "kind": self._kind,
            "scope": scope,
            "winner": given.winner_id,
            "loser": given.loser_id,
            "reason": given.reason,
            "relationships": 0,
            "recorded_at": at,
            "version": 1,
        }
        work = await self._work(receipt, [scope])
        try:
            await self._ground.graph.write(work, timeout_s=_MERGE_S, idempotent=False)
        except ConflictError as error:
            raise ConflictError(
                "one of them was merged, retracted or put away meanwhile", remedy="read both again, then merge"
            ) from error
        return await self.get(receipt_id, caller=caller)

    async def unmerge(self, receipt_id: str, *, caller: Caller) -> Merge:
        """Bring a loser back; `receipt_id` is the merge's receipt, or the loser's own id.

        Raises:
            NotFoundError: there is no such merge for this caller.
            ConflictError: it was undone already, the loser's text has been stated anew meanwhile, or all that the loser
                rests on was retracted.
        """
        readable = list(await self._ground.readable(caller, None))
        found = await self._ground.graph.one(
            "knowledge/merge_of_loser", loser=receipt_id, kind=self._kind, scopes=readable
        )
        receipt = await self._receipts.get(found["id"] if found else receipt_id, [self._kind], readable)
        scopes = [caller.require_write(receipt["scope"])]
        if self._label == "Belief" and receipt.get("undone_at") is None:
            await self._require_ground(receipt["loser"], scopes)
        first: Work = [
            (
                "knowledge/hand_back",
                {
                    "label": self._label,
                    "winner": receipt["winner"],
                    "receipt_id": receipt["id"],
                    "scopes": scopes,
                },
            )
        ]
        if self._label == "Entity":
            dropped = {"winner": receipt["winner"], "names": receipt.get("names", []), "scopes": scopes}
            first.append(("knowledge/drop_names", dropped))
        await self._receipts.undo(receipt, scopes, self._ground.now(), first)
        return await self.get(receipt["id"], caller=caller)

    async def _require_ground(self, loser: str, scopes: Sequence[str]) -> None:
        """Refuse to bring back what a retraction would have taken, had it not been merged away then."""
        row = await self._ground.graph.one("knowledge/ground_left", id=loser, scopes=list(scopes))
        if row is not None and not stands(**row):
            raise ConflictError(
                "all that it rests on was retracted while it was merged",
                remedy="undo that retraction first",
                field="receipt_id",
            )

    async def get(self, receipt_id: str, *, caller: Caller) -> Merge:
        """The receipt of a merge; NotFoundError when there is none that this caller may see."""
        return _merge(await self._receipts.get(receipt_id, [self._kind], await self._ground.readable(caller, None)))

    async def list(self, *, caller: Caller, after: str | None = None, limit: int = 20) -> Sequence[Merge]:
        """Merges newest first."""
        scopes = await self._ground.readable(caller, None)
        found = await self._receipts.list([self._kind], scopes, after=after, limit=limit)
        return [_merge(receipt) for receipt in found]

    async def _check(self, given: MergeRequest, caller: Caller) -> str:
        ids = [given.winner_id, given.loser_id]
        readable = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run("knowledge/merge_sides", label=self._label, ids=ids, scopes=list(readable))
        known = {row["id"]: row for row in rows}
        for field, identity in zip(("winner_id", "loser_id"), ids, strict=True):
            if identity not in known:
                raise NotFoundError(f"no {self._label.lower()} {identity[:80]!r}", field=field)
            caller.require_write(known[identity]["scope"])
            if known[identity]["gone"]:
                raise ConflictError("it is merged, retracted or put away already", field=field)
        if known[ids[0]]["scope"] != known[ids[1]]["scope"]:
            raise ConflictError("they belong to different scopes", field="loser_id")
        return str(known[ids[0]]["scope"])

    async def _work(self, receipt: Mapping[str, Any], scopes: Sequence[str]) -> Work:
        winner, loser, at = receipt["winner"], receipt["loser"], receipt["recorded_at"]
        sides = {"winner": winner, "loser": loser, "receipt_id": receipt["id"], "scopes": list(scopes), "now": at}
        belief = self._label == "Belief"
        copying = {**sides, "label": self._label, "own_affair": list(_OWN_AFFAIR)}
        nodes = [(str(self._label), winner), (str(self._label), loser)]
        work: Work = []
        if belief:
            rows = await self._ground.graph.run("knowledge/disputed_by", ids=[loser], scopes=list(scopes))
            others = sorted({str(row["other"]) for row in rows} - {winner})
            settled = [winner, *others]
            nodes += [("Belief", other) for other in others]
            nodes += sorted(await descendants(self._ground.graph, [loser, *settled], scopes))
            work += [("knowledge/absorb_belief", sides), settling(settled, scopes, at)]
        else:
            work.append(("knowledge/absorb_entity", sides))
        return [
            *keeping(receipt, nodes, scopes, at),
            *standing(receipt["id"], nodes[:2], scopes, held=True),
            ("knowledge/take_over", copying),
            *work,
            *sealing(receipt["id"], scopes),
        ]


def _merge(receipt: Mapping[str, Any]) -> Merge:
    return Merge(
        id=receipt["id"],
        kind=receipt["kind"],
        scope=receipt["scope"],
        winner_id=receipt["winner"],
        loser_id=receipt["loser"],
        reason=receipt["reason"],
        relationships=receipt["relationships"],
        merged_at=receipt["recorded_at"],
        undone_at=receipt.get("undone_at"),
    )
