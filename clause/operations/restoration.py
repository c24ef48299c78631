"""Import: an archive into an empty scope, slice by slice; broken off, it goes on when run again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from clause.errors import ConflictError
from clause.graph.canonical import UPKEEP, combined, scope_hash
from clause.graph.database import check_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.graph.scopes import confined
from clause.operations.archive import Archive, kept_policies
from clause.operations.archive_lines import Checked, End, may_end_outside
from clause.telemetry import Progress, silent
from clause.text.fields import Frozen
from clause.text.names import RESERVED

KIND = "import"
SLICE = 500

_NODES, _RELATIONSHIPS = "node", "relationship"
_UNCOUNTED = sorted(RESERVED - {"ABOUT", "DERIVED_FROM", "HAS_PASSAGE", "MEMBER_OF", "MENTIONS"})  # in degrees


class ImportReport(Frozen):
    """The counts of what was brought back."""

    file: str
    scope: str
    nodes: int
    relationships: int
    left_out: int = Field(0, ge=0, description="relationships to other scopes that were not brought back")
    canonical: str = Field(description="hash of the scope as it is now: the archive's own, less what was left out")
    resumed: bool = Field(description="an import that was broken off was finished")


async def import_archive(
    graph: Graph, path: Path, *, jobs: Jobs | None = None, progress: Progress = silent
) -> ImportReport:
    """Bring an archive's scope back; it must hold nothing yet, or a part of this very archive.

    Raises:
        BadInputError: the file is no archive, or not whole.
        ConflictError: the scope holds something else, a node is in another scope, or what came out is not what the
            archive says.
        EmbedderMismatchError: its vectors are of another model than the graph's.
    """
    archive = await asyncio.to_thread(Archive, path)
    scope = archive.header.scope
    jobs = jobs or Jobs(graph)
    await _check_model(graph, archive)
    await _check_ids(graph, archive)
    plan = await _planned(graph, archive)
    parameters = {"sha256": archive.footer.sha256}
    resource = f"import:{scope}"
    begun = await jobs.submit(KIND, parameters, scope, resource=resource, resume=True)
    resumed = bool(begun.cursor)
    if not resumed and await _holds_something(graph, scope):
        await jobs.cancel(begun.id)
        raise ConflictError(
            f"scope {scope!r} holds something already", remedy="import into an empty database, or forget the scope"
        )
    if archive.lines.has_scope:  # so that what a broken-off import leaves can be forgotten
        await graph.run("graph/register_scope", scope=scope, recorded_at=archive.header.created_at)
    async with jobs.lease(begun.id, patient=True) as lease:
        with confined(scope):
            await _bring_back(archive, plan, lease, progress)
    found = await scope_hash(graph, scope)
    if found.sha256 != plan.canonical:
        raise ConflictError(
            f"the scope's hash is {found.sha256}, the archive says {plan.canonical}",
            remedy="somebody wrote to the scope meanwhile: forget it and import again",
        )
    return ImportReport(
        file=str(path),
        scope=scope,
        nodes=found.nodes,
        relationships=found.relationships,
        left_out=plan.left_out,
        canonical=found.sha256,
        resumed=resumed,
    )


class _ImportPlan(NamedTuple):
    """The plan of what will be written: `meant` are the entities outside of the scope that relationships may end at."""

    meant: frozenset[End]
    canonical: str
    left_out: int


async def _planned(graph: Graph, archive: Archive) -> _ImportPlan:
    """Plan which relationships that end outside of the scope are brought back, and the hash without the others."""
    outside = archive.lines.outside
    wanted = sorted({line.end for line in outside.values() if line.end and may_end_outside(line, archive.header)})
    there: set[End] = set()
    for start in range(0, len(wanted), SLICE):
        rows = [list(end) for end in wanted[start : start + SLICE]]
        found = await graph.run("operations/meant_entities", rows=rows)
        there.update(End("Entity", str(row["id"]), str(row["scope"])) for row in found)
    kept = {digest for digest, line in outside.items() if line.end in there and may_end_outside(line, archive.header)}
    left = [digest for digest in archive.lines.digests if digest not in outside or digest in kept]
    left += await kept_policies(graph, archive)
    return _ImportPlan(frozenset(there), combined(left), len(outside) - len(kept))


async def _check_ids(graph: Graph, archive: Archive) -> None:
    """Refuse an archive one of whose nodes is somebody else's already, before anything is written."""
    for part in _slices(line for line in archive.forms() if line.kind == "node"):
        rows = [[line.start.label, line.start.id] for line in part]
        taken = await graph.run("operations/taken_ids", rows=rows, scope=archive.header.scope)
        if taken:
            raise ConflictError(
                f"the archive's node {str(taken[0]['id'])[:80]!r} is in another scope already",
                remedy="forget that scope first, if it is the same thing",
            )


async def _bring_back(archive: Archive, plan: _ImportPlan, lease: Lease, progress: Progress) -> None:
    """Nodes first, then relationships; the cursor says how many lines of each pass are done."""
    footer = archive.footer
    total = footer.nodes + footer.relationships
    done = 0
    for part in (_NODES, _RELATIONSHIPS):
        behind = int(lease.cursor.get(part, 0))
        for slice_of in _slices(line for line in archive.forms() if line.kind == part):
            done += len(slice_of)
            behind -= len(slice_of)
            if behind >= 0:
                continue
            reached = int(lease.cursor.get(part, 0)) + len(slice_of)
            work = _work(part, slice_of, archive, plan, lease)
            await lease.commit(work, done=done, total=total, message=f"importing {part}s", cursor={part: reached})
            progress(f"importing {archive.header.scope}", done, total)


def _work(
    part: str, lines: list[Checked], archive: Archive, plan: _ImportPlan, lease: Lease
) -> list[tuple[str, dict[str, Any]]]:
    keys = {"scope": lease.job.scope, **lease.keys}
    if part == _NODES:
        rows = [[[line.name], line.start.id, line.properties] for line in lines]
        return [("operations/restore_nodes", {"rows": rows, **keys})]
    rows = [
        [line.name, line.start.label, line.start.id, *line.end, line.properties]
        for line in lines
        if line.end and (not line.outside or (line.end in plan.meant and may_end_outside(line, archive.header)))
    ]
    return [("operations/restore_relationships", {"rows": rows, "uncounted": _UNCOUNTED, **keys})]


def _slices(forms: Iterator[Checked]) -> Iterator[list[Checked]]:
    while part := list(islice(forms, SLICE)):
        yield part


async def _check_model(graph: Graph, archive: Archive) -> None:
    header = archive.header
    if header.embedding_model is not None and header.dimension is not None:
        await check_embedding_model(graph, header.embedding_model, header.dimension)


async def _holds_something(graph: Graph, scope: str) -> bool:
    """Tell whether the scope has any node but those of upkeep, and its own."""
    for row in await graph.run("graph/labels"):
        if row["label"] not in UPKEEP | {"Scope", "Policy"} and await graph.run(
            "graph/scope_ids", label=row["label"], scope=scope
        ):
            return True
    return False
