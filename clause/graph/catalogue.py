"""The catalogue of Cypher statements: one file a statement, with a header that is checked when the folder is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from clause.errors import SetupError

Mode = Literal["read", "write", "schema"]
Returns = Literal["none", "maybe", "one", "many"]

_PREFIX = "CYPHER 25"
_KEYS = ("mode", "returns", "parameters", "columns")
_APART = frozenset({"migrations", "browse"})  # scripts and saved explorations: not statements that code runs
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:``|[^`])*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PARAMETER = re.compile(r"\$([A-Za-z_]\w*)")
_WRITES = re.compile(r"(?<![.:$\w])(?:CREATE|MERGE|INSERT|SET|DELETE|REMOVE|FOREACH)\b", re.IGNORECASE)
_SCHEMA = re.compile(r"(?<![.:$\w])(?:CREATE|DROP)\s+(?:\w+\s+){0,2}?(?:INDEX|CONSTRAINT)\b", re.IGNORECASE)
_COMMAND = re.compile(r"SHOW\b", re.IGNORECASE)  # commands cannot stand in a subquery
_FOREIGN = re.compile(r"(?<![.:$\w])LOAD\s+CSV\b", re.IGNORECASE)


class CatalogueError(SetupError):
    """A file under cypher/ breaks the contract of its header: a fault of the installation, found at load."""

    code = "catalogue"


@dataclass(frozen=True)
class Statement:
    """One Cypher statement and what it promises. `text` is what the server gets, without the header."""

    name: str
    purpose: str
    mode: Mode
    returns: Returns
    parameters: Mapping[str, str]
    columns: tuple[str, ...]
    text: str

    @property
    def is_read(self) -> bool:
        """True when it may be sent to a follower, in READ access mode."""
        return self.mode == "read"

    @cached_property
    def packed(self) -> str | None:
        """The same read with all rows in one record, as lists in the order of `columns`; None where that cannot be.

        A driver pays for each record, about ten times what a row within one costs (1,000 rows: 5 ms instead of 40).
        """
        body = self.text.removeprefix(_PREFIX).strip()
        if self.mode != "read" or self.returns != "many" or _COMMAND.match(body):
            return None
        columns = ", ".join(f"`{column}`" for column in self.columns)
        return f"{_PREFIX} CALL () {{\n{body}\n}}\nRETURN collect([{columns}]) AS rows"


class Catalogue(Mapping[str, Statement]):
    """All statements by name (`room/name`), sorted.

    >>> catalogue = Catalogue([parse("demo/one", "// demo/one, answer\\n// mode: read\\n// returns: one\\n"
    ...     "// parameters: none\\n// columns: x\\nCYPHER 25 RETURN 1 AS x")])
    >>> catalogue["demo/one"].columns
    ('x',)
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        found: dict[str, Statement] = {}
        for statement in statements:
            if statement.name in found:
                raise CatalogueError(f"{statement.name}: two statements have this name")
            found[statement.name] = statement
        self._statements = dict(sorted(found.items()))

    @classmethod
    def load(cls, folder: Path | None = None) -> Catalogue:
        """Read every statement file below `folder` (default: the packaged one).

        Raises:
            CatalogueError: a file breaks its contract; the message names file and rule.
        """
        root = cypher_folder() if folder is None else folder
        paths = [path for path in sorted(root.rglob("*.cypher")) if path.relative_to(root).parts[0] not in _APART]
        return cls(parse(_name_of(path, root), path.read_text(encoding="utf-8")) for path in paths)

    def __getitem__(self, name: str) -> Statement:
        """The statement called `name`; CatalogueError (not KeyError) when there is none."""
        try:
            return self._statements[name]
        except KeyError:
            raise CatalogueError(f"no statement is called {name!r}") from None

    def __contains__(self, name: object) -> bool:
        """True when a statement has that name."""
        return name in self._statements

    def __iter__(self) -> Iterator[str]:
        """Names in order."""
        return iter(self._statements)

    def __len__(self) -> int:
        """How many statements there are."""
        return len(self._statements)


def cypher_folder() -> Path:
    """The folder of Cypher files: `clause/cypher` in a wheel, `cypher` beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "cypher"
    return packaged if packaged.is_dir() else package.parent / "cypher"


def bare(text: str) -> str:
    """`text` with string literals, quoted names and comments blanked: what is left is keywords, names, parameters.

    >>> bare("RETURN '$a' AS x // $b")
    'RETURN   AS x  '
    """
    return _QUOTED.sub(" ", text)


def parse(name: str, source: str) -> Statement:
    """A statement from the text of its file; `name` is its path below the folder, without the ending.

    Raises:
        CatalogueError: the header is incomplete, or says something else than the statement does.
    """
    header, text = _split(source)
    title, values = _fields(name, header)
    statement = Statement(
        name=name,
        purpose=title,
        mode=cast("Mode", _one_of(name, "mode", values["mode"], get_args(Mode))),
        returns=cast("Returns", _one_of(name, "returns", values["returns"], get_args(Returns))),
        parameters=MappingProxyType(_parameters(name, values["parameters"])),
        columns=tuple(_items(values["columns"])),
        text=text,
    )
    _check(statement)
    return statement


def _name_of(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").as_posix()


def _split(source: str) -> tuple[list[str], str]:
    lines = source.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [line.removeprefix("//").strip() for line in lines[:count]], "\n".join(lines[count:]).strip()


def _fields(name: str, header: list[str]) -> tuple[str, dict[str, str]]:
    """Title and values; a header line without a known key goes on with the line before it."""
    first, *rest = header or [""]
    named, _, purpose = first.partition(",")
    if named.strip() != name or not purpose.strip():
        raise CatalogueError(f"{name}: the first line must read `// {name}, purpose`")
    values: dict[str, str] = {}
    last, title = "", purpose.strip()
    for line in rest:
        key, colon, value = line.partition(":")
        if colon and key in _KEYS:
            if key in values:
                raise CatalogueError(f"{name}: the header has {key!r} twice")
            last, values[key] = key, value.strip()
        elif last:
            values[last] = f"{values[last]} {line}"
        else:
            title = f"{title} {line}"
    missing = [key for key in _KEYS if not values.get(key)]
    if missing:
        raise CatalogueError(f"{name}: the header lacks {', '.join(missing)}")
    return title, values


def _one_of(name: str, key: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise CatalogueError(f"{name}: {key} is {value!r}, not one of {', '.join(allowed)}")
    return value


def _items(value: str) -> list[str]:
    return [] if value == "none" else [item.strip() for item in re.split(r",(?![^<(]*[>)])", value) if item.strip()]


def _parameters(name: str, value: str) -> dict[str, str]:
    declared: dict[str, str] = {}
    for item in _items(value):
        parameter, _, kind = item.partition(" ")
        if not parameter.startswith("$") or not kind.strip():
            raise CatalogueError(f"{name}: parameter {item!r} must read `$name TYPE`")
        if parameter[1:] in declared:
            raise CatalogueError(f"{name}: parameter {parameter} is declared twice")
        declared[parameter[1:]] = kind.strip()
    return declared


def _check(statement: Statement) -> None:
    name, text = statement.name, bare(statement.text)
    if not statement.text.startswith((f"{_PREFIX} ", f"{_PREFIX}\n")):
        raise CatalogueError(f"{name}: the statement must start with `{_PREFIX}`")
    if ";" in text:
        raise CatalogueError(f"{name}: one statement for one file, without a semicolon")
    if _FOREIGN.search(text):
        raise CatalogueError(f"{name}: LOAD CSV reads files and addresses of the server; send rows as a parameter")
    used, declared = set(_PARAMETER.findall(text)), set(statement.parameters)
    if used - declared:
        raise CatalogueError(f"{name}: undeclared parameter ${min(used - declared)}")
    if declared - used:
        raise CatalogueError(f"{name}: unused parameter ${min(declared - used)}")
    actual = mode_of(statement.text)
    if actual != statement.mode:
        raise CatalogueError(f"{name}: says mode {statement.mode}, but its clauses are those of {actual}")
    if (statement.returns == "none") != (not statement.columns):
        raise CatalogueError(f"{name}: returns {statement.returns} and columns do not agree")


def mode_of(text: str) -> Mode:
    """What a statement's clauses need, judged by its keywords.

    >>> mode_of("MATCH (n) RETURN n.set"), mode_of("MATCH (n) SET n.x = 1"), mode_of("DROP INDEX a")
    ('read', 'write', 'schema')
    """
    clauses = bare(text)
    if _SCHEMA.search(clauses):
        return "schema"
    return "write" if _WRITES.search(clauses) else "read"
