"""Export: a scope to an archive, consistently, while others may write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from clause import __version__
from clause.errors import ConflictError, NotFoundError
from clause.graph.canonical import (
    Line,
    NodeLine,
    canonical_text,
    combined,
    line_digest,
    packed,
    read_scope,
    scope_hash,
)
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope
from clause.graph.server.progress import Progress, silent
from clause.operations.archive import FORMAT, ArchiveWriter, Footer, Header

TRIES = 5
"""How often a scope is read until two readings in a row agree."""

_TOLD = 500


class ExportReport(BaseModel):
    """What was written."""

    model_config = ConfigDict(frozen=True)

    file: str
    scope: str
    nodes: int
    relationships: int
    borrowed: int
    canonical: str = Field(description="hash of the scope: an import on an empty one has the same")
    size_bytes: int


async def export_scope(
    graph: Graph,
    path: Path,
    scope: str,
    *,
    progress: Progress = silent,
    now: datetime | None = None,
) -> ExportReport:
    """Write a scope to a file, consistently: it is read until two readings in a row agree, while others may write.

    The file appears under its name only when it is whole.

    Raises:
        NotFoundError: the scope holds nothing.
        ConflictError: it kept changing while it was read.
    """
    parse_scope(scope)
    if scope not in {row["id"] for row in await graph.run("graph/scopes")}:
        raise NotFoundError(f"nothing is stored in scope {scope!r}", field="scope")
    model = await graph.one("graph/embedding_model")
    header = Header(
        clause_archive=FORMAT,
        scope=scope,
        created_at=now or datetime.now(UTC),
        clause=__version__,
        embedding_model=model["model"] if model else None,
        dimension=model["dimension"] if model else None,
    )
    partial = path.with_name(f".{path.name}.partial")
    total = 0
    try:
        for attempt in range(TRIES):
            out = ArchiveWriter(partial, zipped=path.suffix == ".gz")
            footer = await _write(graph, out, header, total, progress)
            after = await scope_hash(graph, scope)
            if after.sha256 == footer.canonical:
                return _report(partial, path, scope, footer)
            progress(f"the scope changed while it was read, reading {attempt + 2}", 0, 0)
            total = after.nodes + after.relationships
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    raise ConflictError("the scope kept changing while it was read", remedy="export while less is written to it")


async def _write(graph: Graph, out: ArchiveWriter, header: Header, total: int, progress: Progress) -> Footer:
    with out:
        out.line(header.model_dump(mode="json"))
        digests: list[bytes] = []
        nodes = 0
        foreign: set[tuple[str, str]] = set()
        async for line in read_scope(graph, header.scope):
            out.text(canonical_text(line))
            digests.append(line_digest(line))
            nodes += isinstance(line, NodeLine)
            _note_foreign(line, header.scope, foreign)
            if len(digests) % _TOLD == 0:
                progress(f"exporting {header.scope}", len(digests), max(total, len(digests)) if total else 0)
        borrowed = 0
        async for form in _borrowed(graph, foreign):
            out.line(form)
            borrowed += 1
        footer = Footer(
            end=out.lines,
            nodes=nodes,
            relationships=len(digests) - nodes,
            borrowed=borrowed,
            canonical=combined(digests),
            sha256=out.digest.hexdigest(),
        )
        out.line(footer.model_dump())
        progress(f"exporting {header.scope}", len(digests), len(digests))
    return footer


def _note_foreign(line: Line, scope: str, foreign: set[tuple[str, str]]) -> None:
    if not isinstance(line, NodeLine) and line.end[2] != scope:
        foreign.add((line.end[0][0], line.end[1]))


async def _borrowed(graph: Graph, foreign: set[tuple[str, str]]) -> AsyncIterator[dict[str, Any]]:
    """Nodes of other scopes that the archive's relationships end at: an import makes those that are missing."""
    ordered = sorted(foreign)
    for start in range(0, len(ordered), _TOLD):
        part = [list(key) for key in ordered[start : start + _TOLD]]
        for row in await graph.run("operations/borrowed_nodes", nodes=part):
            node = {"borrowed": sorted(row["labels"]), "id": row["properties"]["id"]}
            yield {**node, "properties": packed(row["properties"])}


def _report(partial: Path, path: Path, scope: str, footer: Footer) -> ExportReport:
    partial.replace(path)
    return ExportReport(
        file=str(path),
        scope=scope,
        nodes=footer.nodes,
        relationships=footer.relationships,
        borrowed=footer.borrowed,
        canonical=footer.canonical,
        size_bytes=path.stat().st_size,
    )
