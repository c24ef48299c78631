"""Migration scripts `V0001__what_it_does.cypher`, and the indexes and constraints that they declare."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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

    @property
    def mode(self) -> Mode:
        """What its statements change: `schema` or `write`.

        Raises:
            MigrationError: schema and data are mixed (the server refuses both in one transaction), or there is no
                statement.
        """
        modes = {mode_of(text) for text in _texts(self.text)}
        if len(modes) != 1 or modes == {"read"}:
            raise MigrationError(f"{self.name}: a script holds either schema or data statements, and at least one")
        return modes.pop()

    def statements(self, values: Mapping[str, object]) -> list[Statement]:
        """Its statements in order, placeholders filled, each with the mode of its clauses.

        Raises:
            MigrationError: schema and data are mixed, an unknown placeholder is used, or there is no statement.
        """
        mode, texts = self.mode, _texts(self._filled(values))
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


def _texts(script: str) -> list[str]:
    return [text for text in map(_without_comments, _split(script)) if text]


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


_NAME = r"`?(?P<name>\w+)`?"
_INDEX = re.compile(
    rf"CREATE\s+(?:(?P<type>RANGE|TEXT|POINT|VECTOR|FULLTEXT|LOOKUP)\s+)?INDEX\s+{_NAME}\s+IF\s+NOT\s+EXISTS\s+"
    r"FOR\s+(?P<pattern>\(.*?\)(?:-\[.*?\]-\(\))?)\s+ON\s+(?:EACH\s+)?(?P<on>\[.*?\]|\(.*?\)|\w+\.\w+)"
    r"(?:\s+WITH\s+(?P<with>\[.*?\]))?(?:\s+OPTIONS\s+(?P<options>\{.*\}))?$",
    re.DOTALL | re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    rf"CREATE\s+CONSTRAINT\s+{_NAME}\s+IF\s+NOT\s+EXISTS\s+FOR\s+(?P<pattern>\(.*?\)(?:-\[.*?\]-\(\))?)\s+"
    r"REQUIRE\s+(?P<on>.*?)\s+IS\s+UNIQUE$",
    re.DOTALL | re.IGNORECASE,
)
_DROP = re.compile(rf"DROP\s+(?:INDEX|CONSTRAINT)\s+{_NAME}\s+IF\s+EXISTS$", re.IGNORECASE)
_LABELS = re.compile(r":\s*([\w`|]+)")
_PROPERTY = re.compile(r"\w+\.(\w+)")
_OPTION = re.compile(r"`([\w.]+)`\s*:\s*('[^']*'|[\w.]+)")


@dataclass(frozen=True)
class Declaration:
    """One index or constraint as its statement declares it; `options` holds only what the statement names."""

    name: str
    type: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    statement: Statement | None = field(default=None, compare=False)


def declared(statements: Iterable[Statement]) -> dict[str, Declaration]:
    """Declarations by name after all schema statements ran in order: a drop forgets, a later create stands.

    Raises:
        MigrationError: a schema statement has no name, lacks IF [NOT] EXISTS, or is of a form not known here.
    """
    found: dict[str, Declaration] = {}
    for statement in statements:
        text = statement.text.removeprefix("CYPHER 25 ").strip()
        dropped = _DROP.match(text)
        if dropped:
            found.pop(dropped["name"], None)
        else:
            declaration = _declaration(text, statement)
            found[declaration.name] = declaration
    return found


def differences(
    wanted: Mapping[str, Declaration], indexes: Sequence[Mapping[str, Any]], constraints: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """List what differs, by name: missing, or another definition than declared, or an index that failed to build.

    `indexes` and `constraints` are the rows of `graph/indexes` and `graph/constraints`. What the database has beyond
    the declared is somebody else's and no difference.
    """
    real = {row["name"]: _real(row) for row in indexes if row["constraint"] is None}
    real.update({row["name"]: _real(row) for row in constraints})
    failed = {row["name"] for row in indexes if row["state"] == "FAILED"}
    found: dict[str, str] = {}
    for name, declaration in sorted(wanted.items()):
        if name not in real:
            found[name] = "is missing"
        elif difference := _difference(declaration, real[name]):
            found[name] = difference
        elif name in failed:
            found[name] = "failed to build"
    return found


def _declaration(text: str, statement: Statement) -> Declaration:
    index, constraint = _INDEX.match(text), _CONSTRAINT.match(text)
    match = index or constraint
    if match is None:
        raise MigrationError(
            f"{statement.name}: not a form that the drift check can read",
            remedy="name the index or constraint and say IF [NOT] EXISTS",
        )
    labels = _LABELS.findall(match["pattern"])
    listed = match["on"] + (index["with"] or "" if index else "")
    return Declaration(
        name=match["name"],
        type=(index["type"] or "RANGE").upper() if index else "UNIQUENESS",
        labels=tuple(sorted(label.strip("`") for label in labels[0].split("|"))),
        properties=tuple(_PROPERTY.findall(listed)),
        options=_options(index["options"] or "") if index else {},
        statement=statement,
    )


def _options(text: str) -> dict[str, str]:
    return {key: _plain(value.strip("'")) for key, value in _OPTION.findall(text)}


def _real(row: Mapping[str, Any]) -> Declaration:
    config = (row.get("options") or {}).get("indexConfig", {})
    kind = "UNIQUENESS" if row["type"].endswith("UNIQUENESS") else row["type"]
    return Declaration(
        name=row["name"],
        type=kind,
        labels=tuple(sorted(row["labels"] or ())),
        properties=tuple(row["properties"] or ()),
        options={key: _plain(value) for key, value in config.items()},
    )


def _difference(wanted: Declaration, real: Declaration) -> str:
    for what in ("type", "labels", "properties"):
        if getattr(wanted, what) != getattr(real, what):
            return f"has {what} {getattr(real, what)} instead of {getattr(wanted, what)}"
    for key, value in wanted.options.items():
        if real.options.get(key) != value:
            return f"has {key} {real.options.get(key)} instead of {value}"
    return ""


def _plain(value: object) -> str:
    """One spelling for numbers, booleans and names: 3.0 and 3, TRUE and true, COSINE and cosine are equal."""
    text = str(value).lower()
    return text.removesuffix(".0")
