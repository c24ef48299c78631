"""The file that is loaded: its fingerprint, and the Source node that everything from it points to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from clause.ingest.readers import open_text
from clause.text.names import hashed


class SourceFile(NamedTuple):
    """A file by content: renamed or moved it is the same source of a scope only under the same name."""

    id: str
    name: str
    content_hash: str
    lines: int

    def row(self, scope: str, recorded_at: datetime) -> Mapping[str, Any]:
        """Parameters of ingest/merge_source; the uri is the file's name, never a local path."""
        return {
            "id": self.id,
            "scope": scope,
            "title": self.name,
            "uri": self.name,
            "content_hash": self.content_hash,
            "recorded_at": recorded_at,
        }


def describe(path: Path, scope: str) -> SourceFile:
    """Read a file once: sha256 of its (unpacked) bytes and its number of lines.

    Raises:
        NotFoundError: no such file.
        BadInputError: it cannot be read or unpacked.
    """
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with open_text(path) as text:
        stream = text.buffer
        while chunk := bytes(stream.read(1 << 20)):
            digest.update(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    content_hash = digest.hexdigest()
    name = path.name.removesuffix(".gz")
    return SourceFile(hashed("src_", scope, name, content_hash), name, content_hash, lines + (last != b"\n"))
