"""The file that is loaded: how it is opened, its fingerprint, the Source node that everything from it points to, the
entities that its names stand for, and the report of its loading."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from pydantic import Field

from clause.errors import BadInputError, NotFoundError
from clause.text.fields import Frozen
from clause.text.names import canonical_key, entity_id, hashed, name_key, short_names


@contextmanager
def open_text(path: Path, *, bad_bytes: str = "strict", field: str = "file") -> Iterator[io.TextIOWrapper]:
    """A text stream of a UTF-8 file, unpacked if its name ends in .gz; line ends stay as they are.

    Args:
        path: the file.
        bad_bytes: what to do with bytes that are not UTF-8, as `open`'s `errors` says it.
        field: the input that errors name.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: it cannot be read, is damaged, or is not UTF-8.
    """
    try:
        with path.open("rb") as raw:
            packed = path.name.endswith(".gz")
            stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
            with io.TextIOWrapper(stream, encoding="utf-8-sig", errors=bad_bytes, newline="") as lines:
                yield lines
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path.name}", remedy="check the path", field=field) from error
    except (IsADirectoryError, PermissionError) as error:
        raise BadInputError(f"{path.name} cannot be read: {error.strerror}", field=field) from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8: {error.reason}", field=field) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInputError(f"{path.name} is damaged: {error}", remedy="fetch the file again", field=field) from error


class SourceFile(NamedTuple):
    """A file by content: renamed or moved it is the same source of a scope only under the same name."""

    id: str
    name: str
    content_hash: str
    lines: int
    root: str | None = None
    """The folder that a document comes from, hashed: it tells apart documents of one name."""

    def row(self, scope: str, recorded_at: datetime) -> Mapping[str, Any]:
        """Parameters of ingest/merge_source; the uri is the file's name, never a local path."""
        told = {"id": self.id, "scope": scope, "title": self.name, "uri": self.name, "content_hash": self.content_hash}
        return {**told, "root": self.root, "recorded_at": recorded_at}


def refuse_stream(path: Path, field: str = "file") -> None:
    """Raise BadInputError of a pipe and the like: a load reads its file again, and they give everything only once."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise BadInputError(f"{path.name} is no regular file", remedy="write it to a file first", field=field)


def describe(path: Path, scope: str) -> SourceFile:
    """Read a file once: sha256 of its (unpacked) bytes and its number of lines.

    Raises:
        NotFoundError: no such file.
        BadInputError: it cannot be read again or unpacked.
    """
    refuse_stream(path)
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with open_text(path, bad_bytes="surrogateescape") as text:
        stream = text.buffer
        while chunk := bytes(stream.read(1 << 20)):
            digest.update(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    content_hash = digest.hexdigest()
    name = path.name.removesuffix(".gz")
    return SourceFile(hashed("src_", scope, name, content_hash), name, content_hash, lines + (last != b"\n"))


BAD_KEPT = 100
"""Bad records that are listed one by one; the others are only counted."""


class BadRecord(Frozen):
    """A line that was no record, and why."""

    number: int = Field(ge=1, description="line in the file, from 1")
    reason: str


class BadRecordError(BadInputError):
    """A line of the file is no record, and the caller wants none skipped."""

    code = "bad_record"


def nothing_good(name: str, bad: Sequence[BadRecord], remedy: str, *, place: str = "line {}: ") -> BadInputError:
    """The refusal of what holds not one good record; it tells the first reasons, each once, and their `place`."""
    first: dict[str, str] = {}
    for one in bad:
        first.setdefault(one.reason, place.format(one.number))
    told = "; ".join(f"{where}{reason}" for reason, where in [*first.items()][:3])
    return BadInputError(f"{name} holds nothing that can be loaded: {told}", remedy=remedy, field="file")


class EmbedReport(Frozen):
    """The work of an embedding job in this run."""

    job_id: str
    model: str
    embedded: int = Field(ge=0, description="nodes that got a vector in this run")
    seconds: float = Field(ge=0)


class LoadReport(Frozen):
    """The work of a load; counts are of the whole file, also when an earlier run had done a part of it."""

    job_id: str
    scope: str
    source_id: str
    format: str
    records: int = Field(ge=0, description="records read, bad ones included")
    created: int = Field(ge=0, description="triples or passages that were not there before")
    known: int = Field(ge=0, description="triples or passages that were there already, repeated lines included")
    named: int = Field(0, ge=0, description="records that only name a thing: no triples, but further names of it")
    replaced: int = Field(0, ge=0, description="documents that were there with other content and were made anew")
    sources: dict[str, str] = Field({}, description="of documents: the id of each file's source, by its path")
    bad_count: int = Field(ge=0)
    bad: tuple[BadRecord, ...] = Field(description="the first bad records, at most 100")
    seconds: float = Field(ge=0, description="wall-clock time of this run, without embedding")
    records_per_s: float = Field(ge=0, description="of this run, without embedding")
    resumed_at: int = Field(0, ge=0, description="records that an earlier run had done")
    embedding: EmbedReport | None = Field(None, description="None: vectors were not asked for, or come later")


class ScopeNames:
    """The entities that names of a scope stand for, and the rows of graph/merge_entities that make them."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._rows: dict[str, list[Any]] = {}

    def ids(self, names: Iterable[str]) -> list[str]:
        """The entities of these names, each once."""
        keys = {canonical_key(name): name for name in names}
        found = {entity_id(self._scope, key): (key, name) for key, name in keys.items()}
        for entity, (key, name) in found.items():
            self._rows.setdefault(entity, [len(self._rows), entity, key, name, name_key(name), "concept", []])
        return [*found]

    def about(self, title: str) -> list[list[Any]]:
        """[entity, role, weight] of what a passage under this title is about."""
        subject = self.ids([title] if title else [])
        shorter = [one for one in self.ids(short_names(title)) if one not in subject]
        return [[one, "subject", 1.0] for one in subject] + [[one, "short name", 0.5] for one in shorter]

    def rows(self) -> list[list[Any]]:
        """Rows of graph/merge_entities, in the order in which the names came."""
        return [*self._rows.values()]
