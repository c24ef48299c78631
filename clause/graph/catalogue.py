"""The catalogue of Cypher statements: one file for a Python module, each statement a section below a header that is
checked when the folder is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from clause.errors import SetupError

Mode = Literal["read", "write", "schema"]
Returns = Literal["none", "maybe", "one", "many"]

_PREFIX = "CYPHER 25"
_KEYS = ("mode", "returns", "parameters", "columns")
_KINDS = "kinds"
_APART = frozenset({"migrations", "browse"})  # scripts and saved explorations: not statements that code runs
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:``|[^`])*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PARAMETER = re.compile(r"\$([A-Za-z_]\w*)")
_WRITES = re.compile(r"(?<![.:$\w])(?:CREATE|MERGE|INSERT|SET|DELETE|REMOVE|FOREACH)\b", re.IGNORECASE)
_SCHEMA = re.compile(r"(?<![.:$\w])(?:CREATE|DROP)\s+(?:\w+\s+){0,2}?(?:INDEX|CONSTRAINT)\b", re.IGNORECASE)
_COMMAND = re.compile(r"SHOW\b", re.IGNORECASE)  # commands cannot stand in a subquery
_NAME = re.compile(r"[a-z_]+/[a-z0-9_]+(?:\[\w+\])?")
_PLACEHOLDER = re.compile(r"\{\{(\w*)\}\}")
_WORD = re.compile(r"\w+")
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
    """All statements by name (`room/name`, or `room/name[kind]` where one text serves several kinds), sorted.

    >>> catalogue = Catalogue(parse("// demo/one, answer\\n// mode: read\\n// returns: one\\n"
    ...     "// parameters: none\\n// columns: x\\nCYPHER 25 RETURN 1 AS x"))
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
        """Read every section of every file below `folder` (default: the packaged one, read once in a process).

        Raises:
            CatalogueError: a section breaks its contract; the message names it and the rule.
        """
        return _packaged() if folder is None else cls(chain.from_iterable(of for _, of in statement_files(folder)))

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
        """Count the statements."""
        return len(self._statements)


@cache
def _packaged() -> Catalogue:
    return Catalogue.load(cypher_folder())


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


def statement_files(folder: Path | None = None) -> Iterator[tuple[str, list[Statement]]]:
    """Each file of statements by its path below the folder, without the ending, with its statements in their order.

    Raises:
        CatalogueError: a section breaks its contract.
    """
    root = cypher_folder() if folder is None else folder
    for path in sorted(root.rglob("*.cypher")):
        place = path.relative_to(root)
        if place.parts[0] not in _APART:
            yield place.with_suffix("").as_posix(), parse(path.read_text(encoding="utf-8"), place.as_posix())


def parse(source: str, file: str = "a text") -> list[Statement]:
    """The statements of a file in their order; `file` names it in errors.

    A section begins with its header, comments at the margin; comments inside a statement are indented. Where the
    header has `kinds`, the section is one statement for each of them.

    Raises:
        CatalogueError: a header is incomplete or missing, or says something else than its statement does.
    """
    return [
        _statement(*expanded)
        for lines in _sections(source, file)
        for expanded in _expanded(lines, _name_of(lines, file))
    ]


def _statement(name: str, header: list[str], text: str) -> Statement:
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


def _sections(source: str, file: str) -> list[list[str]]:
    """The lines of each section: from the first comment at the margin to the next one below a statement."""
    sections: list[list[str]] = []
    before = ""
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith("//") and not before.startswith("//"):
            sections.append([])
        if sections:
            sections[-1].append(line)
        elif line.strip():
            raise CatalogueError(f"{file}:{number}: a statement without a header")
        before = line
    return sections


def _name_of(lines: list[str], file: str) -> str:
    name, _, purpose = lines[0].removeprefix("//").partition(",")
    if not _NAME.fullmatch(_PLACEHOLDER.sub(r"\1", name.strip())) or not purpose.strip():
        raise CatalogueError(f"{file}: the first line {lines[0]!r} of a section must read `// room/name, purpose`")
    return name.strip()


def _expanded(lines: list[str], name: str) -> Iterator[tuple[str, list[str], str]]:
    """Name, header and text of each statement that a section stands for.

    `// kinds: label property: Belief content, Entity name` makes two, in which {{label}} and {{property}} are filled.
    """
    header, text = _split(lines)
    kinds = _fields(name, header)[1].get(_KINDS)
    names, rows = _kinds(name, kinds) if kinds else ([], [[]])
    used = set(_PLACEHOLDER.findall("\n".join([*header, text])))
    if used != set(names):
        raise CatalogueError(f"{name}: {{{{{min(used ^ set(names))}}}}} is not declared in `kinds`, or not used")
    if names and not name.endswith(f"[{{{{{names[0]}}}}}]"):
        raise CatalogueError(f"{name}: the name must end in [{{{{{names[0]}}}}}]")
    for row in rows:
        filled = dict(zip(names, row, strict=True))
        yield _filled(name, filled), [_filled(line, filled) for line in header], _filled(text, filled)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def _kinds(name: str, declared: str) -> tuple[list[str], list[list[str]]]:
    placeholders, _, rows = declared.partition(":")
    names, values = placeholders.split(), [row.split() for row in rows.split(",")]
    if any(len(row) != len(names) or not all(map(_WORD.fullmatch, row)) for row in [names, *values]) or not names:
        raise CatalogueError(f"{name}: kinds must read `placeholder ...: word ..., word ...`")
    return names, values


def _split(lines: list[str]) -> tuple[list[str], str]:
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [line.removeprefix("//").strip() for line in lines[:count]], "\n".join(lines[count:]).strip()


def _fields(name: str, header: list[str]) -> tuple[str, dict[str, str]]:
    """Title and values; a header line without a known key goes on with the line before it."""
    first, *rest = header
    values: dict[str, str] = {}
    last, title = "", first.partition(",")[2].strip()
    for line in rest:
        key, colon, value = line.partition(":")
        if colon and key in (*_KEYS, _KINDS):
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
        raise CatalogueError(f"{name}: one statement for one section, without a semicolon")
    if text.count(_PREFIX) > 1:
        raise CatalogueError(f"{name}: a second `{_PREFIX}` in one section; the one below needs a header of its own")
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
    """Tell the mode that a statement's clauses need, judged by its keywords.

    >>> mode_of("MATCH (n) RETURN n.set"), mode_of("MATCH (n) SET n.x = 1"), mode_of("DROP INDEX a")
    ('read', 'write', 'schema')
    """
    clauses = bare(text)
    if _SCHEMA.search(clauses):
        return "schema"
    return "write" if _WRITES.search(clauses) else "read"


def quoted(name: str) -> str:
    """A name as Cypher reads it, whatever is in it: a backslash would begin an escape even between backticks.

    >>> quoted("directed_by"), quoted("odd`name")
    ('`directed_by`', '`odd``name`')
    """
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"
