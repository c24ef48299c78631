"""Archives: a scope as JSON lines, and back. The online backup that Neo4j's Community edition lacks.

The first line says what it is; then come the canonical lines (`clause/graph/canonical.py`): nodes, each with the
relationships that start there, and `borrowed` nodes of other scopes that those end at; the last line has the counts,
the scope's hash and the sha256 of every byte before it. A scope imported where it was empty has the last line's hash.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError, NotFoundError

FORMAT = 1
"""The archive's own version: a reader refuses a newer one."""


class Header(BaseModel):
    """The first line."""

    model_config = ConfigDict(frozen=True)

    clause_archive: int = Field(description="version of the format")
    scope: str
    created_at: datetime
    clause: str = Field(description="version that wrote it")
    embedding_model: str | None = Field(description="whose vectors it holds")
    dimension: int | None = Field(description="numbers of a vector")


class Footer(BaseModel):
    """The last line."""

    model_config = ConfigDict(frozen=True)

    end: int = Field(description="lines before this one")
    nodes: int
    relationships: int
    borrowed: int = Field(description="nodes of other scopes that relationships end at")
    canonical: str = Field(description="hash of the scope")
    sha256: str = Field(description="of every byte before this line")


class Archive:
    """An archive that was read through once and found whole.

    Args:
        path: the file; a name that ends in .gz is unpacked.

    Raises:
        BadInputError: it is no archive, is cut off, or was changed.
        NotFoundError: there is no such file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        digest, lines = hashlib.sha256(), 0
        header: Header | None = None
        last = b""
        for line in _raw_lines(path):
            if last:
                digest.update(last)
                lines += 1
                header = header or _header(last, path)
            last = line
        if header is None:
            raise BadInputError(f"{path} is no archive of clause", field="file")
        self.header = header
        self.footer = _footer(last, path)
        if self.footer.end != lines or self.footer.sha256 != digest.hexdigest():
            raise BadInputError(f"{path} was cut off or changed: its checksum is another one", field="file")

    def forms(self) -> Iterator[dict[str, Any]]:
        """Every line between the first and the last, as the file has it."""
        for number, line in enumerate(_raw_lines(self.path)):
            if 0 < number < self.footer.end:
                yield json.loads(line)


class ArchiveWriter:
    """Lines to a file, counted and hashed; `with ArchiveWriter(path, zipped=False) as out:`."""

    def __init__(self, path: Path, *, zipped: bool) -> None:
        self._raw = path.open("wb")
        self._file = cast(
            "IO[bytes]",
            gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0, compresslevel=6) if zipped else self._raw,
        )
        self.digest = hashlib.sha256()
        self.lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._raw.close()

    def line(self, form: Mapping[str, Any]) -> None:
        """One object as a compact line with sorted keys."""
        self.text(json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False))

    def text(self, text: str) -> None:
        """One line as it is."""
        data = text.encode("utf-8", "surrogatepass") + b"\n"
        self.digest.update(data)
        self.lines += 1
        self._file.write(data)


def _raw_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as raw:
            file = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            yield from io.BufferedReader(file) if isinstance(file, gzip.GzipFile) else file
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path}", field="file") from None
    except (OSError, EOFError) as error:
        raise BadInputError(f"{path} cannot be read: {error}", field="file") from error


def _header(line: bytes, path: Path) -> Header:
    try:
        header = Header.model_validate_json(line)
    except ValueError:
        raise BadInputError(f"{path} is no archive of clause", field="file") from None
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
