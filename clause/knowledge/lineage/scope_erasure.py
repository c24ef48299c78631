"""Forgetting a whole scope, and the traces of a text outside its own node."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clause.graph.canonical import UPKEEP
from clause.graph.runner import Graph
from clause.knowledge.lineage.lineage import Key

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
    r"""The pieces to look for in JSON texts: the beginnings of `texts`, as JSON writes them with and without escapes.

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
    """The forms in which a scope, or a session's scope within it, stands in JSON texts.

    >>> pieces_of_scope("user:ann")
    ['"user:ann"', '"user:ann/']
    """
    return [f'"{scope}"', f'"{scope}/']


def counted(row: Mapping[str, Any]) -> dict[str, int]:
    """The counts of `knowledge/erase_traces` by the names that receipts use.

    >>> counted({"answers": 2, "jobs": 1, "questions": 0})
    {'kept answers': 2, 'jobs': 1, 'questions': 0}
    """
    return {"kept answers": int(row["answers"]), "jobs": int(row["jobs"]), "questions": int(row["questions"])}


class Traces:
    """Finds and removes them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def texts(self, nodes: Iterable[Key], scopes: Sequence[str]) -> Sequence[str]:
        """The texts of nodes, longest first: a text is looked for before the shorter ones within it."""
        listed = [list(key) for key in sorted(nodes)]
        rows = await self._graph.run("knowledge/erasable_texts", nodes=listed, scopes=list(scopes))
        found = [str(row["text"]) for row in rows if len(row["text"]) >= SHORTEST]
        return sorted(found, key=lambda text: (-len(text), text))

    async def runs(self, scopes: Sequence[str], pieces: Sequence[str] | None) -> set[str]:
        """Recorded runs that read one of some scopes and hold one of the pieces; None: all that read one."""
        rows = await self._graph.run(
            "knowledge/runs_holding",
            scopes=list(scopes),
            pieces=None if pieces is None else list(pieces),
            timeout_s=_SCAN_S,
        )
        return {str(row["id"]) for row in rows}

    async def count(self, pieces: Sequence[str]) -> dict[str, int]:
        """Counts the kept answers, ended jobs and curiosity's questions hold one of the pieces."""
        row = await self._graph.one("knowledge/count_traces", pieces=list(pieces), timeout_s=_SCAN_S)
        return counted(row) if row else {}

    async def erase(
        self,
        scopes: Sequence[str],
        pieces: Sequence[str],
        texts: Sequence[str],
        runs: Sequence[str],
        said: Sequence[str],
    ) -> dict[str, int]:
        """Remove what holds it, and take it out of what was said; counts by kind.

        Args:
            scopes: what the runs read.
            pieces: by which kept answers, jobs and questions are recognised, whosesoever they are.
            texts: what is taken out of turns, summaries and themes.
            runs: ids of those that go.
            said: the scopes whose turns, summaries and themes are looked through.
        """
        counts = {"Run": 0, "RunStep": 0}
        for start in range(0, len(runs), _SLICE):
            row = await self._graph.one(
                "knowledge/erase_runs", ids=list(runs[start : start + _SLICE]), scopes=list(scopes), timeout_s=_SCAN_S
            )
            counts["Run"] += int(row["runs"]) if row else 0
            counts["RunStep"] += int(row["steps"]) if row else 0
        traces = await self._graph.one("knowledge/erase_traces", pieces=list(pieces), timeout_s=_SCAN_S)
        redacted = await self._graph.one(
            "knowledge/redact", scopes=list(said), texts=list(texts), mark=MARK, timeout_s=_SCAN_S
        )
        if traces and redacted:
            counts |= {**counted(traces), "redacted": int(redacted["redacted"])}
        return counts

    async def elsewhere(self, scopes: Sequence[str], texts: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
        """Other nodes of some scopes that hold one of the texts in their own right; at most 100 are named."""
        found: list[str] = []
        if not texts:
            return ()
        for row in await self._graph.run("graph/labels"):
            if row["label"] not in UPKEEP | _SPOKEN | {"Run", "RunStep", "Kept", "Receipt"}:
                holders = await self._graph.run(
                    "knowledge/holders",
                    label=row["label"],
                    scopes=list(scopes),
                    texts=list(texts),
                    ids=list(ids),
                    timeout_s=_SCAN_S,
                )
                found += [str(holder["id"]) for holder in holders]
        return tuple(found[:100])

    async def vectors(self, nodes: Iterable[Key], scopes: Sequence[str]) -> int:
        """Counts the embeddings of some nodes."""
        listed = [list(key) for key in sorted(nodes)]
        row = await self._graph.one("knowledge/count_vectors", nodes=listed, scopes=list(scopes))
        return int(row["vectors"]) if row else 0


KEPT = ("SchemaVersion", "MigrationLock", "EmbeddingModel", "ApiKey", "Policy", "TestDatabase")
"""The labels that stay even where its scope goes: it belongs to the installation."""

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
            counts["relationships"] += await (self._cut_relations if apply else self._count_relations)(scope)
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

    async def _count_relations(self, scope: str) -> int:
        row = await self._graph.one("knowledge/count_relations", scope=scope, timeout_s=_SLICE_S)
        return int(row["relationships"]) if row else 0

    async def _cut_relations(self, scope: str) -> int:
        """Its relationships between entities of others: no node of its own leads there."""
        asked, total = {"scope": scope, "limit": _RELATIONSHIPS}, 0
        while (row := await self._graph.one("knowledge/cut_relations", **asked, timeout_s=_SLICE_S)) and row["erased"]:
            total += int(row["erased"])
        return total

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
