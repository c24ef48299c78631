"""Forgetting a whole scope: its nodes, the runs of others that read it, what others noted and kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clause.graph.runner import Graph
from clause.knowledge.traces import counted, pieces_of_scope

KEPT = ("SchemaVersion", "EmbeddingModel", "ApiKey", "Policy", "TestDatabase")
"""What stays even where its scope goes: it belongs to the installation."""

_RELATIONSHIPS = 5_000
_NODES = 1_000
_RUNS = 200
_SLICE_S = 300.0


class ScopeErasure:
    """Erases scopes slice by slice; the scopes' own nodes go last, so that a broken off run is finished by another."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def run(self, scopes: Sequence[str], *, apply: bool) -> tuple[Counter[str], int]:
        """Counts by label and of vectors: removed with `apply`, else found."""
        counts: Counter[str] = Counter()
        vectors = 0
        labels = sorted((row["label"] for row in await self._graph.run("graph/labels")), key=lambda one: one == "Scope")
        for scope in scopes:
            counts += await self._traces(scope, apply=apply)
        name = "knowledge/erase_noted" if apply else "knowledge/count_noted"
        for row in await self._graph.run(name, scopes=list(scopes), timeout_s=_SLICE_S):
            counts[row["label"]] += row["erased"]
            vectors += row["vectors"]
        for label in labels:
            for scope in scopes:
                found, embedded = await (self._erase if apply else self._count)(label, scope)
                counts += found
                vectors += embedded
        return counts, vectors

    async def _traces(self, scope: str, *, apply: bool) -> Counter[str]:
        """Runs of other scopes that read this one, and kept answers and jobs that name it."""
        counts: Counter[str] = Counter()
        pieces = pieces_of_scope(scope)
        if not apply:
            counts["Run"] = len(await self._graph.run("knowledge/runs_of_scope", scope=scope, limit=100_000))
            row = await self._graph.one("knowledge/count_traces", pieces=pieces, timeout_s=_SLICE_S)
        else:
            while rows := await self._graph.run("knowledge/runs_of_scope", scope=scope, limit=_RUNS):
                ids = [row["id"] for row in rows]
                erased = await self._graph.one("knowledge/erase_runs", ids=ids, scopes=[scope], timeout_s=_SLICE_S)
                counts["Run"] += int(erased["runs"]) if erased else 0
                counts["RunStep"] += int(erased["steps"]) if erased else 0
            row = await self._graph.one("knowledge/erase_traces", pieces=pieces, timeout_s=_SLICE_S)
        if row:
            counts.update(counted(row))
        return counts

    async def _count(self, label: str, scope: str) -> tuple[Counter[str], int]:
        row = await self._graph.one(
            "knowledge/count_scope", label=label, scope=scope, kept=list(KEPT), timeout_s=_SLICE_S
        )
        if row is None:
            return Counter(), 0
        return Counter({label: row["nodes"], "relationships": row["relationships"]}), row["vectors"]

    async def _erase(self, label: str, scope: str) -> tuple[Counter[str], int]:
        counts: Counter[str] = Counter()
        vectors = 0
        asked = {"label": label, "scope": scope, "kept": list(KEPT)}
        while row := await self._graph.one("knowledge/cut_scope", **asked, limit=_RELATIONSHIPS, timeout_s=_SLICE_S):
            counts["relationships"] += row["erased"]
            if not row["erased"]:
                break
        while row := await self._graph.one("knowledge/erase_scope", **asked, limit=_NODES, timeout_s=_SLICE_S):
            counts[label] += row["erased"]
            vectors += row["vectors"]
            if not row["erased"]:
                break
        return counts, vectors
