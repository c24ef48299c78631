"""Import: an archive into an empty scope, slice by slice; broken off, it goes on when run again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import ConflictError
from clause.graph.canonical import UPKEEP, scope_hash, unpacked
from clause.graph.embedding_model import check_embedding_model
from clause.graph.runner import Graph
from clause.graph.server.progress import Progress, silent
from clause.jobs.jobs import Jobs
from clause.jobs.turn import Turn
from clause.operations.archive import Archive

KIND = "import"
SLICE = 500

_NODES, _RELATIONSHIPS = "nodes", "relationships"


class ImportReport(BaseModel):
    """What was brought back."""

    model_config = ConfigDict(frozen=True)

    file: str
    scope: str
    nodes: int
    relationships: int
    canonical: str = Field(description="hash of the scope as it is now: the archive's own")
    resumed: bool = Field(description="an import that was broken off was finished")


async def import_archive(
    graph: Graph, path: Path, *, jobs: Jobs | None = None, progress: Progress = silent
) -> ImportReport:
    """Bring an archive's scope back; it must hold nothing yet, or a part of this very archive.

    Raises:
        BadInputError: the file is no archive, or not whole.
        ConflictError: the scope holds something else, or what came out is not what the archive says.
        EmbedderMismatchError: its vectors are of another model than the graph's.
    """
    archive = Archive(path)
    scope = archive.header.scope
    jobs = jobs or Jobs(graph)
    await _check_model(graph, archive)
    parameters = {"sha256": archive.footer.sha256}
    resource = f"import:{scope}"
    begun = await jobs.submit(KIND, parameters, scope, resource=resource, resume=True)
    resumed = bool(begun.cursor)
    if not resumed and await _holds_something(graph, scope):
        await jobs.cancel(begun.id)
        raise ConflictError(
            f"scope {scope!r} holds something already", remedy="import into an empty database, or forget the scope"
        )
    async with jobs.lease(begun.id, patient=True) as turn:
        await _bring_back(archive, turn, progress)
    found = await scope_hash(graph, scope)
    if found.sha256 != archive.footer.canonical:
        raise ConflictError(
            f"the scope's hash is {found.sha256}, the archive says {archive.footer.canonical}",
            remedy="somebody wrote to the scope meanwhile: forget it and import again",
        )
    return ImportReport(
        file=str(path),
        scope=scope,
        nodes=found.nodes,
        relationships=found.relationships,
        canonical=found.sha256,
        resumed=resumed,
    )


async def _bring_back(archive: Archive, turn: Turn, progress: Progress) -> None:
    """Nodes first, then relationships; the cursor says how many lines of each pass are done."""
    footer = archive.footer
    total = footer.nodes + footer.borrowed + footer.relationships
    done = 0
    for part in (_NODES, _RELATIONSHIPS):
        behind = int(turn.cursor.get(part, 0))
        for slice_of in _slices(_lines(archive, part)):
            done += len(slice_of)
            behind -= len(slice_of)
            if behind >= 0:
                continue
            reached = int(turn.cursor.get(part, 0)) + len(slice_of)
            await turn.commit(
                _work(part, slice_of, turn), done=done, total=total, message=f"importing {part}", cursor={part: reached}
            )
            progress(f"importing {archive.header.scope}", done, total)


def _work(part: str, forms: list[dict[str, Any]], turn: Turn) -> list[tuple[str, dict[str, Any]]]:
    keys = {"scope": turn.job.scope, **turn.keys}
    if part == _RELATIONSHIPS:
        rows = [
            [form["relationship"], *_end(form["start"]), *_end(form["end"]), unpacked(form["properties"])]
            for form in forms
        ]
        return [("operations/restore_relationships", {"rows": rows, **keys})]
    work = []
    for name, borrowed in (("node", False), ("borrowed", True)):
        rows = [[form[name], form["id"], unpacked(form["properties"])] for form in forms if name in form]
        if rows:
            work.append(("operations/restore_nodes", {"rows": rows, "borrowed": borrowed, **keys}))
    return work


def _lines(archive: Archive, part: str) -> Iterator[dict[str, Any]]:
    wanted = part == _RELATIONSHIPS
    return (form for form in archive.forms() if ("relationship" in form) == wanted)


def _slices(forms: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    part: list[dict[str, Any]] = []
    for form in forms:
        part.append(form)
        if len(part) == SLICE:
            yield part
            part = []
    if part:
        yield part


def _end(end: list[str]) -> tuple[str, str]:
    return end[0].split(":")[0], end[1]


async def _check_model(graph: Graph, archive: Archive) -> None:
    header = archive.header
    if header.embedding_model is not None and header.dimension is not None:
        await check_embedding_model(graph, header.embedding_model, header.dimension)


async def _holds_something(graph: Graph, scope: str) -> bool:
    """Whether the scope has any node but those of upkeep, and its own."""
    for row in await graph.run("graph/labels"):
        if row["label"] not in UPKEEP | {"Scope", "Policy"} and await graph.run(
            "graph/scope_ids", label=row["label"], scope=scope
        ):
            return True
    return False
