"""Files of odd shapes for loading tests."""

from __future__ import annotations

import gzip
from pathlib import Path


def write_hub(path: Path, edges: int = 100_000, hub: str = "Hub") -> Path:
    """A star: `edges` spokes point to one hub; .gz when the name says so."""
    lines = (f"spoke {number}|points_to|{hub}\n" for number in range(edges))
    return write_text(path, "".join(lines))


def write_text(path: Path, text: str) -> Path:
    """A UTF-8 file, packed when its name ends in .gz."""
    data = text.encode("utf-8", "surrogateescape")
    path.write_bytes(gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)
    return path


ODD_NAMES = (
    "🎬 film 🍿",
    "فيلم عربي",
    "סרט \u202eעברי",
    "x" * 9_999,
    "'}) DETACH DELETE n //",
    "`; MATCH (n) DETACH DELETE n; //",
    "a\\u0041 $scope",
    "+scope_token:s_other AND (*",
    "e\u0301tude",
)
"""Names that break what does not keep text and statement apart."""
