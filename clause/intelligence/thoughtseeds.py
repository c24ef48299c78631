"""ThoughtSeeds: concepts met while reasoning, kept after the answer is ready and linked across documents.

A seed's id is a hash of scope, concept and source (a document's id, or the hash of a query; never a run's id), so that
a path can name it before it is written, and the same concept met again in the same source is the same seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from clause.errors import NotFoundError
from clause.graph.lease import Lease
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.models import BasinContext, ThoughtSeed
from clause.text.names import hashed

SIMILARITY_THRESHOLD = 0.8
"""Least similarity of two seeds that are linked."""
ATTRACTED = 0.7
"""Similarity above which a basin attracts a seed; the nearest three do."""
BASINS_OF_A_SEED = 3
LINKS_OF_A_SEED = 10
LINKED_DOCUMENTS = 100
"""Documents that a seed names in `linked_documents`, at most."""
PATTERN_SEEDS = 5
"""Seeds in one basin that make an EmergentPattern."""
ACTIVE_FOR = timedelta(hours=24)
PAGE = 500
NEIGHBOURS_KEPT = 50

Work = list[tuple[str, dict[str, Any]]]


def query_source(query: str) -> str:
    """The source that a query is: the same text is the same source.

    >>> query_source("who directed Heat")
    'query:a8d4f1cc864f3b5044978f6d'
    """
    return hashed("query:", query)


def seed_id(scope: str, concept: str, source: str) -> str:
    """The id of the seed of a concept (its node's id) in a source, known before it is written."""
    return hashed("seed_", scope, concept, source)


def seed_rows(
    concepts: Mapping[str, str], source: str, scope: str, scopes: Sequence[str], at: datetime
) -> list[dict[str, Any]]:
    """Rows of intelligence/write_thoughtseeds, by id.

    Args:
        concepts: node id -> name of each concept that was met.
        source: the document or query in which it was.
        scope: whose the seeds are.
        scopes: where the concepts were read; basins of these may attract them.
        at: when.
    """
    common = {"source_doc": source, "scope": scope, "scopes": [*scopes], "created_at": at}
    rows = [
        {"id": seed_id(scope, concept, source), "concept_id": concept, "concept": name, **common}
        for concept, name in concepts.items()
    ]
    return sorted(rows, key=lambda row: str(row["id"]))


def writing(rows: Iterable[Mapping[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The statement that writes seeds, each once, in the order of ids (one order for every writer)."""
    distinct = {str(row["id"]): row for row in rows}
    kept = [distinct[key] for key in sorted(distinct)]
    return "intelligence/write_thoughtseeds", {
        "rows": kept,
        "threshold": SIMILARITY_THRESHOLD,
        "neighbours": NEIGHBOURS_KEPT,
    }


class ThoughtSeeds:
    """The ThoughtSeeds of one graph."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write seeds in one batch (idempotent)."""
        if rows:
            await self._ground.graph.write([writing(rows)])

    async def get(self, seed: str, *, caller: Caller) -> ThoughtSeed:
        """One seed with the basin that its concept had when it was made.

        Raises:
            NotFoundError: there is none that this caller may read.
        """
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("intelligence/thoughtseed", id=seed, scopes=list(scopes))
        if row is None:
            raise NotFoundError(f"no ThoughtSeed has the id {seed!r}", field="seed_id")
        strength, activations = row["strength"] or 1.0, row["activation_count"] or 0
        known = dict(row["co_occurring"])
        basin = BasinContext(strength=strength, activation_count=activations, co_occurring=known)
        return ThoughtSeed(**row["seed"], basin_context=basin)

    async def link(self, scopes: Sequence[str], *, page: int = PAGE) -> dict[str, int]:
        """Join what was written and not yet linked with basins and with seeds of other documents.

        Runs after the write has committed: a vector index does not show a transaction's own writes.
        """
        total = {"linked": 0, "related": 0, "attracted": 0, "patterns": 0}
        while rows := await self._ground.graph.run("intelligence/unlinked_thoughtseeds", scopes=[*scopes], limit=page):
            ids = [str(row["id"]) for row in rows]
            for name, done in (await self._link_page(ids, [*scopes])).items():
                total[name] += done
            if len(rows) < page:
                break
        return total

    async def archive(self, scopes: Sequence[str], now: datetime) -> int:
        """Archive what is older than a day; nothing is deleted. How many were archived."""
        total = 0
        while True:
            row = await self._ground.graph.one(
                "intelligence/archive_thoughtseeds", scopes=[*scopes], before=now - ACTIVE_FOR, now=now, limit=PAGE
            )
            archived = int(row["archived"]) if row else 0
            total += archived
            if archived < PAGE:
                return total

    async def link_job(self, lease: Lease) -> None:
        """The job `thoughtseed_links`: link what is not linked yet in the job's scope, and find emergent patterns."""
        done = await self.link([lease.job.scope])
        message = f"{done['linked']} seeds linked, {done['patterns']} patterns"
        await lease.progress(done["linked"], done["linked"], message)

    async def archive_job(self, lease: Lease) -> None:
        """The job `thoughtseed_archive`: archive what is older than a day in the job's scope."""
        archived = await self.archive([lease.job.scope], self._ground.now())
        await lease.progress(archived, archived, f"{archived} seeds archived")

    async def _link_page(self, ids: list[str], scopes: list[str]) -> dict[str, int]:
        graph = self._ground.graph
        near = await graph.run(
            "intelligence/near_thoughtseeds", ids=ids, scopes=scopes, links=LINKS_OF_A_SEED, basins=BASINS_OF_A_SEED
        )
        related, attracted = _related(near), _attracted(near)
        work: Work = [
            ("intelligence/relate_thoughtseeds", {"rows": related, "scopes": scopes, "most": LINKED_DOCUMENTS}),
            ("intelligence/attract_thoughtseeds", {"rows": attracted, "scopes": scopes}),
            ("intelligence/linked_thoughtseeds", {"ids": sorted(ids), "scopes": scopes}),
        ]
        await graph.write(work)
        basins = sorted({row["basin"] for row in attracted})
        found = await graph.run(
            "intelligence/emergent_patterns", basins=basins, scopes=scopes, least=PATTERN_SEEDS, now=self._ground.now()
        )
        return {"linked": len(ids), "related": len(related), "attracted": len(attracted), "patterns": len(found)}


def _related(near: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each unordered pair, by ids."""
    pairs = {}
    for row in near:
        for other, similarity in row["related"]:
            one, two = sorted((str(row["id"]), str(other)))
            pairs[one, two] = {"one": one, "other": two, "similarity": similarity}
    return [pairs[key] for key in sorted(pairs)]


def _attracted(near: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    pairs = [(str(basin), str(row["id"]), close) for row in near for basin, close in row["attracted"]]
    near_enough = [pair for pair in sorted(pairs) if pair[2] > ATTRACTED]
    return [{"seed": seed, "basin": basin, "similarity": close} for basin, seed, close in near_enough]
