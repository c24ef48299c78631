"""Migration scripts: files `V0001__what_it_does.cypher`, statements ended by `;` at the end of a line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clause.errors import MigrationError
from clause.graph.catalogue import Mode, Statement, bare, cypher_folder, mode_of

_FILE = re.compile(r"V(\d{4})__([a-z0-9_]+)\.cypher")
_PLACEHOLDER = re.compile(r"\{\{(\w*)\}\}")
_PREFIX = "CYPHER 25 "
PLACEHOLDERS = frozenset({"dimension"})
"""The closed set of names that may stand in double braces."""


@dataclass(frozen=True)
class Script:
    """One migration. `checksum` is the sha256 of the file's text before placeholders are filled."""

    id: str
    name: str
    checksum: str
    text: str

    def statements(self, values: Mapping[str, object]) -> list[Statement]:
        """Its statements in order, placeholders filled, each with the mode of its clauses.

        Raises:
            MigrationError: schema and data are mixed (the server refuses both in one transaction), or an unknown
                placeholder is used, or there is no statement.
        """
        texts = [text for text in map(_without_comments, _split(self._filled(values))) if text]
        modes = {mode_of(text) for text in texts}
        if len(modes) != 1 or modes == {"read"}:
            raise MigrationError(f"{self.name}: a script holds either schema or data statements, and at least one")
        (mode,) = modes
        return [_statement(f"migrations/{self.name}#{number}", text, mode) for number, text in enumerate(texts, 1)]

    def _filled(self, values: Mapping[str, object]) -> str:
        unknown = set(_PLACEHOLDER.findall(self.text)) - PLACEHOLDERS
        if unknown:
            raise MigrationError(f"{self.name}: {{{{{min(unknown)}}}}} is no placeholder")
        return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), self.text)


def load_scripts(folder: Path | None = None) -> list[Script]:
    """All scripts by version.

    Raises:
        MigrationError: a file's name is malformed, or a version is taken twice.
    """
    root = cypher_folder() / "migrations" if folder is None else folder
    scripts = [_script(path) for path in sorted(root.glob("*.cypher"))]
    ids = [script.id for script in scripts]
    for script in scripts:
        if ids.count(script.id) > 1:
            raise MigrationError(f"two migrations have the version {script.id}")
    return scripts


def checksum(text: str) -> str:
    """sha256 of a script's text, line ends unified, in hex."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def chained(previous: str, own: str) -> str:
    """The link of the checksum chain after `previous` ("" for the first): sha256 of both, in hex."""
    return hashlib.sha256(f"{previous}{own}".encode()).hexdigest()


def _script(path: Path) -> Script:
    match = _FILE.fullmatch(path.name)
    if match is None:
        raise MigrationError(f"migration {path.name} must be called V0001__what_it_does.cypher")
    text = path.read_text(encoding="utf-8")
    return Script(id=f"V{match[1]}", name=path.stem, checksum=checksum(text), text=text)


def _split(text: str) -> list[str]:
    parts = [[""]]
    for line in text.splitlines():
        parts[-1].append(line)
        if bare(line).rstrip().endswith(";"):
            parts.append([])
    return ["\n".join(part) for part in parts]


def _without_comments(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    return "\n".join(lines).strip().removesuffix(";").strip()


def _statement(name: str, text: str, mode: Mode) -> Statement:
    prefixed = text if text.startswith(_PREFIX) else f"{_PREFIX}{text}"
    return Statement(name, "a line of a migration", mode, "none", {}, (), prefixed)
