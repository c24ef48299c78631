"""Traces of a text outside its own node: recorded runs, kept answers, ended jobs, and what was said in sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from clause.graph.canonical import UPKEEP
from clause.graph.runner import Graph
from clause.knowledge.lineage import Key

MARK = "[erased]"
"""Stands where a text was taken out of something that stays."""

SHORTEST = 8
"""Shorter texts are not looked for by themselves: they stand in too much that is not theirs."""

PIECE = 60
"""Characters by which a text is recognised, also where it was cut."""

_SPOKEN = frozenset({"Exchange", "Session"})
_SLICE = 200
_SCAN_S = 600.0


def pieces_of(texts: Iterable[str]) -> list[str]:
    r"""What to look for in JSON texts: the beginnings of `texts`, as JSON writes them with and without escapes.

    >>> pieces_of(["a longer text", "short", "ein längerer Text"])
    ['a longer text', 'ein l\\u00e4ngerer Text', 'ein längerer Text']
    """
    found = set()
    for text in texts:
        start = text[:PIECE]
        if len(start) >= SHORTEST:
            found |= {start, json.dumps(start)[1:-1], json.dumps(start, ensure_ascii=False)[1:-1]}
    return sorted(found)


def pieces_of_scope(scope: str) -> list[str]:
    """How a scope, or a session's scope within it, stands in JSON texts.

    >>> pieces_of_scope("user:ann")
    ['"user:ann"', '"user:ann/']
    """
    return [f'"{scope}"', f'"{scope}/']


class Traces:
    """Finds and removes them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def texts(self, nodes: Iterable[Key], scope: str) -> Sequence[str]:
        """What nodes say, longest first: a text is looked for before the shorter ones within it."""
        listed = [list(key) for key in sorted(nodes)]
        rows = await self._graph.run("knowledge/erasable_texts", nodes=listed, scope=scope)
        found = [str(row["text"]) for row in rows if len(row["text"]) >= SHORTEST]
        return sorted(found, key=lambda text: (-len(text), text))

    async def runs(self, scope: str, pieces: Sequence[str] | None) -> set[str]:
        """Recorded runs that read a scope and hold one of the pieces; None: all that read it."""
        rows = await self._graph.run(
            "knowledge/runs_holding",
            scope=scope,
            pieces=None if pieces is None else list(pieces),
            timeout_s=_SCAN_S,
        )
        return {str(row["id"]) for row in rows}

    async def count(self, pieces: Sequence[str]) -> dict[str, int]:
        """How many kept answers and ended jobs hold one of the pieces."""
        row = await self._graph.one("knowledge/count_traces", pieces=list(pieces), timeout_s=_SCAN_S)
        return {"kept answers": int(row["answers"]), "jobs": int(row["jobs"])} if row else {}

    async def erase(
        self, scope: str, pieces: Sequence[str], texts: Sequence[str], runs: Sequence[str]
    ) -> dict[str, int]:
        """Remove runs, kept answers and jobs that hold it, and take it out of what was said; counts by kind."""
        counts = {"Run": 0, "RunStep": 0}
        for start in range(0, len(runs), _SLICE):
            row = await self._graph.one(
                "knowledge/erase_runs", ids=list(runs[start : start + _SLICE]), scope=scope, timeout_s=_SCAN_S
            )
            counts["Run"] += int(row["runs"]) if row else 0
            counts["RunStep"] += int(row["steps"]) if row else 0
        traces = await self._graph.one("knowledge/erase_traces", pieces=list(pieces), timeout_s=_SCAN_S)
        redacted = await self._graph.one(
            "knowledge/redact", scope=scope, texts=list(texts), mark=MARK, timeout_s=_SCAN_S
        )
        if traces and redacted:
            counts |= {"kept answers": traces["answers"], "jobs": traces["jobs"], "redacted": redacted["redacted"]}
        return counts

    async def elsewhere(self, scope: str, texts: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
        """Other nodes of the scope that hold one of the texts in their own right; at most 100 are named."""
        found: list[str] = []
        if not texts:
            return ()
        for row in await self._graph.run("graph/labels"):
            if row["label"] not in UPKEEP | _SPOKEN | {"Run", "RunStep", "Kept", "Receipt"}:
                holders = await self._graph.run(
                    "knowledge/holders",
                    label=row["label"],
                    scope=scope,
                    texts=list(texts),
                    ids=list(ids),
                    timeout_s=_SCAN_S,
                )
                found += [str(holder["id"]) for holder in holders]
        return tuple(found[:100])

    async def vectors(self, nodes: Iterable[Key], scope: str) -> int:
        """How many embeddings some nodes have."""
        listed = [list(key) for key in sorted(nodes)]
        row = await self._graph.one("knowledge/count_vectors", nodes=listed, scope=scope)
        return int(row["vectors"]) if row else 0
