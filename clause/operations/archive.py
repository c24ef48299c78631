"""Archives: a scope as JSON lines, exported consistently while others may write. The online backup that Community
lacks.

The first line says what it is; then come the canonical lines (`clause/graph/canonical.py`): nodes, each with the
relationships that start there, and `borrowed` nodes of other scopes that those end at; the last line has the counts,
the scope's hash and the sha256 of every byte before it. A scope imported where it was empty has the last line's hash.
What the command line forgets for good is here too: the erasure service on an open graph, and the sample taken out.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self, cast

from pydantic import Field

from clause import __version__
from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.graph.canonical import Line, NodeLine, canonical_text, combined, line_digest, packed, read_scope, scope_hash
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, known_scopes, parse_scope
from clause.ground import Ground
from clause.ingest.samples import SCOPE, TEXTS_SCOPE
from clause.knowledge.lineage.erasure import ErasureService
from clause.knowledge.lineage.models import Erasure, ErasureRequest
from clause.operations.archive_lines import Checked, End, Footer, Header, checked, created, lines_of
from clause.settings import Settings
from clause.telemetry import Metrics, Progress, silent
from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.fields import Frozen
from clause.workers import CpuPool

FORMAT = 1
"""The archive's own version: a reader refuses a newer one."""

MAX_NODES = 4_000_000
"""Most nodes and ends outside that an archive may have: each is remembered while it is read."""


class Archive:
    """An archive that was read through once and found whole, each line of it such as an export writes.

    Args:
        path: the file; a name that ends in .gz is unpacked.

    Raises:
        BadInputError: it is no archive, is cut off, was changed, or holds what no export writes.
        NotFoundError: there is no such file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = _Lines()
        digest, number = hashlib.sha256(), 0
        header: Header | None = None
        last = b""
        for line in lines_of(path):
            if last:
                digest.update(last)
                number += 1
                if header is None:
                    header = _header(last, path)
                else:
                    self.lines.add(checked(last, header, number, str(path)), last)
            last = line
        if header is None:
            raise BadInputError(f"{path} is no archive of clause", field="file")
        self.header = header
        self.footer = _footer(last, path)
        if self.footer.end != number or self.footer.sha256 != digest.hexdigest():
            raise BadInputError(f"{path} was cut off or changed: its checksum is another one", field="file")
        self.lines.check(self.footer, path)

    def forms(self) -> Iterator[Checked]:
        """Every line between the first and the last, checked again: the file may have been changed meanwhile."""
        for number, line in enumerate(lines_of(self.path)):
            if 0 < number < self.footer.end:
                yield checked(line, self.header, number + 1, str(self.path))


class _Lines:
    """The sum of what the lines say: their hash, that no node comes twice, and that every end is there."""

    def __init__(self) -> None:
        self.has_scope = False
        self.digests: list[bytes] = []
        self.outside: dict[bytes, Checked] = {}
        self._nodes: set[int] = set()
        self._ends: set[int] = set()
        self._counts = Counter[str]()

    def add(self, line: Checked, text: bytes) -> None:
        self._counts[line.kind] += 1
        self.has_scope |= line.kind == "node" and line.name == "Scope"
        if len(self._nodes) + len(self._ends) + len(self.outside) > MAX_NODES:
            raise BadInputError("the archive has too many nodes", field="file", bound=f"at most {MAX_NODES}")
        if line.kind == "borrowed":
            return
        digest = hashlib.sha256(text.removesuffix(b"\n")).digest()
        self.digests.append(digest)
        key = _key(line.start)
        if line.kind == "node" and key in self._nodes:
            raise BadInputError(f"the archive has the node {line.start.id[:80]!r} twice", field="file")
        if line.kind == "node":
            self._nodes.add(key)
        elif key not in self._nodes:
            raise BadInputError("a relationship starts at a node that is not in the archive", field="file")
        elif line.outside:
            self.outside[digest] = line
        elif line.end is not None:
            self._ends.add(_key(line.end))

    def check(self, footer: Footer, path: Path) -> None:
        if self._ends - self._nodes:
            raise BadInputError(f"{path}: a relationship ends at a node that is not in the archive", field="file")
        counts = (self._counts["node"], self._counts["relationship"], self._counts["borrowed"])
        if counts != (footer.nodes, footer.relationships, footer.borrowed) or footer.canonical != combined(
            self.digests
        ):
            raise BadInputError(f"{path}: its last line counts other things than it holds", field="file")


def _key(end: End) -> int:
    """A node in eight bytes, so that a large archive's fit into memory."""
    digest = hashlib.blake2b(f"{end.label}\n{end.id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


async def kept_policies(graph: Graph, archive: Archive) -> list[bytes]:
    """The digests of the policies that the archive's scope has and the archive has not: no erasure takes them."""
    scope = archive.header.scope
    told = {line.start.id for line in archive.forms() if line.kind == "node" and line.name == "Policy"}
    ids = [str(row["id"]) for row in await graph.run("graph/scope_ids", label="Policy", scope=scope)]
    others = [one for one in ids if one not in told]
    rows = await graph.run("graph/scope_nodes", label="Policy", ids=others, scope=scope) if others else []
    return [line_digest(NodeLine(("Policy",), row["properties"]["id"], row["properties"])) for row in rows]


class ArchiveWriter:
    """Lines to an open file, from its start, counted and hashed; `with ArchiveWriter(raw, zipped=False) as out:`."""

    def __init__(self, raw: IO[bytes], *, zipped: bool) -> None:
        raw.seek(0)
        raw.truncate()
        self._raw = raw
        self._file = cast(
            "IO[bytes]",
            gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0, compresslevel=6) if zipped else self._raw,
        )
        self.digest = hashlib.sha256()
        self.lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not self._raw:
            self._file.close()
        self._raw.flush()

    def line(self, form: Mapping[str, Any]) -> None:
        """One object as a compact line with sorted keys."""
        self.text(json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False))

    def text(self, text: str) -> None:
        """One line as it is."""
        data = text.encode("utf-8", "surrogatepass") + b"\n"
        self.digest.update(data)
        self.lines += 1
        self._file.write(data)


def _header(line: bytes, path: Path) -> Header:
    try:
        header = Header.model_validate_json(line)
    except ValueError:
        raise BadInputError(f"{path} is no archive of clause", field="file") from None
    parse_scope(header.scope)
    if header.clause_archive > FORMAT:
        raise BadInputError(
            f"{path} has format {header.clause_archive}, this version reads up to {FORMAT}",
            remedy="use a newer clause",
            field="file",
        )
    return header


def _footer(line: bytes, path: Path) -> Footer:
    try:
        return Footer.model_validate_json(line)
    except ValueError:
        raise BadInputError(f"{path} was cut off: its last line is missing", field="file") from None


TRIES = 5
"""The times a scope is read until two readings in a row agree."""

_TOLD = 500


class ExportReport(Frozen):
    """The counts of what was written."""

    file: str
    scope: str
    nodes: int
    relationships: int
    borrowed: int
    canonical: str = Field(description="hash of the scope: an import on an empty one has the same")
    size_bytes: int
    sessions: int = Field(0, ge=0, description="scopes of the user's sessions, which have archives of their own")

    @property
    def left_out(self) -> str:
        """The end of a sentence that says what a reader of the scope's name would take to be in the file."""
        if not self.sessions:
            return ""
        return f"; {self.sessions:,} scopes {self.scope}/session:... are not in it: export each by its name"


def refuse_folder(path: Path) -> None:
    """Raise BadInputError where an archive would take the place of a folder: asked before anything is read."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder", remedy="name a file in it", field="file")


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
        BadInputError: the file is a folder.
        NotFoundError: the scope holds nothing.
        ConflictError: it kept changing while it was read, or another export writes this file.
    """
    parse_scope(scope)
    refuse_folder(path)
    known = await known_scopes(graph)
    if scope not in known:
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
    with created(path.with_name(f".{path.name}.partial"), then=path) as raw:
        footer = await _agreed(graph, raw, header, progress, zipped=path.suffix == ".gz")
    return _report(path, scope, footer, sum(one.startswith(f"{scope}/session:") for one in known))


def _report(path: Path, scope: str, footer: Footer, sessions: int) -> ExportReport:
    return ExportReport(
        file=str(path),
        scope=scope,
        nodes=footer.nodes,
        relationships=footer.relationships,
        borrowed=footer.borrowed,
        canonical=footer.canonical,
        size_bytes=path.stat().st_size,
        sessions=sessions,
    )


async def _agreed(graph: Graph, raw: IO[bytes], header: Header, progress: Progress, *, zipped: bool) -> Footer:
    """The last line of a reading that the next one agreed with."""
    total = 0
    for attempt in range(TRIES):
        footer = await _write(graph, ArchiveWriter(raw, zipped=zipped), header, total, progress)
        after = await scope_hash(graph, header.scope)
        if after.sha256 == footer.canonical:
            return footer
        progress(f"the scope changed while it was read, reading {attempt + 2}", 0, 0)
        total = after.nodes + after.relationships
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


def erasure_of(graph: Graph, settings: Settings) -> ErasureService:
    """The service that forgets; no model is loaded and no thread started, since erasing embeds nothing."""
    embedder = SentenceTransformerEmbedder.of(settings)
    return ErasureService(Ground(graph, embedder, Jobs(graph), CpuPool(1), settings, Metrics()))


MADE = frozenset(
    {
        *("Entity", "RelationshipType", "Source", "Scope", "Job", "JobLease", "IdempotencyKey"),
        *(
            "Run",
            "RunStep",
            "Evidence",
            "Provenance",
            "AttractorBasin",
            "ThoughtSeed",
            "EmergentPattern",
            "CuriosityTrigger",
            "Feedback",
        ),
        "relationships",
    }
)
"""The labels that loading the sample and asking it leave behind."""


async def reset_sample(graph: Graph, settings: Settings, *, apply: bool, scope: str = SCOPE) -> Erasure | None:
    """Counts of what goes, or with `apply` went; None where nothing is loaded. Every other scope stays as it is.

    Raises:
        ConflictError: the scope holds what neither the sample nor asking it made, such as beliefs; nothing is erased.
    """
    service = erasure_of(graph, settings)
    request = ErasureRequest(scope=scope)
    try:
        found = await service.preview(request, caller=Caller())
    except NotFoundError:
        return None
    made = MADE | {"Document", "Passage", "BasinActivation"} if scope == TEXTS_SCOPE else MADE
    strange = {name: number for name, number in found.counts.items() if number and name not in made}
    if strange:
        told = ", ".join(f"{number:,} {name}" for name, number in sorted(strange.items()))
        raise ConflictError(
            f"{scope} holds {told} that the sample did not bring; nothing was erased",
            remedy=f"keep a copy with `clause export`, then `clause forget --scope {scope}`",
            field="reset",
        )
    return await service.apply(request, caller=Caller()) if apply else found
