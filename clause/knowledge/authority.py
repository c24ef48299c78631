"""Authority: nothing derived is trusted more than the lowest of its lineage, unless a second source says the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.lineage import Key
from clause.knowledge.models_lineage import AuthorityAudit, Violation

TOLERANCE = 1e-9
SHOWN = 100
_AUDIT_S = 120.0


def capping(ids: Sequence[str], scopes: Sequence[str], now: datetime) -> tuple[str, dict[str, Any]]:
    """The statement that lowers what was derived from these beliefs to their lineage: after each settling of them."""
    return "knowledge/cap_authority", {"ids": sorted(set(ids)), "scopes": list(scopes), "now": now}


async def descendants(graph: Graph, ids: Sequence[str], scopes: Sequence[str]) -> set[Key]:
    """The beliefs that `capping` these may lower: whoever wants to undo it keeps them too."""
    rows = await graph.run("knowledge/descendants", ids=list(ids), scopes=list(scopes))
    return {("Belief", str(row["id"])) for row in rows}


class AuthorityService:
    """Proves that authority is sound, by one query."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def audit(self, *, caller: Caller, scopes: Sequence[str] | None = None) -> AuthorityAudit:
        """Every derived node that claims more than its lineage gives; none, when all is well."""
        readable = list(await self._ground.readable(caller, scopes))
        graph = self._ground.graph
        rows = await graph.run(
            "knowledge/authority_audit", scopes=readable, tolerance=TOLERANCE, limit=SHOWN, timeout_s=_AUDIT_S
        )
        counted = await graph.one("knowledge/count_derived", scopes=readable, timeout_s=_AUDIT_S)
        found = tuple(Violation.model_validate(row) for row in rows)
        return AuthorityAudit(sound=not found, derived=int(counted["derived"]) if counted else 0, violations=found)
