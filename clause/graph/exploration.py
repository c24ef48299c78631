"""Statements that an agent wrote: explained, judged by the server's own plan, then read within limits.

A READ session refuses writes, and does not stop LOAD CSV, TERMINATE, SHOW or procedures that change the server. So a
statement is explained first, and every operator of its plan must be one that only reads this database.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neo4j import AsyncResult, AsyncSession, Query
from neo4j.exceptions import BrokenRecordError, DriverError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.vector import Vector

from clause.errors import BadInputError, ClauseError, ForbiddenError
from clause.graph.catalogue import bare
from clause.graph.codec import Meter, encode
from clause.graph.jobs import Bounds
from clause.graph.wire import ExplorationLimits, ExplorationResult

MAX_RANGE = 100_000
"""Most numbers that the ranges of one statement make, multiplied."""

MAX_JOINS = 10
"""Most additions and concatenations: each may double a text."""

MAX_STEPS = 30
"""Most relationships in the patterns of one statement: planning a join takes longer with each."""

MAX_DEPTH = 16
"""Most brackets within each other: subqueries that nest take longer to plan with each."""

MAX_GROWTH = 100_000
"""Most values that lists and maps of one statement make of one, multiplied; one that is collected counts as ten."""

_PIECES = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|(`(?:``|[^`])*`)|//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = "\x01"
_FOLD = re.compile(r"\b(?:reduce|allReduce|replace)\s*\(", re.IGNORECASE)
_CALLED = re.compile(rf"{_QUOTED}\s*\(")
_RANGE = re.compile(r"(?<!\.)\brange\s*\(", re.IGNORECASE)
_NUMBERS = re.compile(r"\s*(-?\d{1,18})\s*,\s*(-?\d{1,18})\s*(?:,\s*(-?\d{1,18})\s*)?\)")
_WALK = re.compile(
    rf"\[\s*(?:\w+|{_QUOTED})\s+IN\b|\b(?:any|all|none|single)\s*\(\s*(?:\w+|{_QUOTED})\s+IN\b", re.IGNORECASE
)
_NAMED = re.compile(r"[^,\]})]*?[A-Za-z_\x01$]")
_COLLECTS = re.compile(r"\bcollect\s*[({]", re.IGNORECASE)
_STEP = re.compile(r"-\s*\[|--|<-(?!-|\s*\[)|(?<!-)->")
_TYPES = re.compile(rf"\s*(?:[A-Za-z_]\w*|{_QUOTED})?\s*(?::|\bIS\b)", re.IGNORECASE)


def check_growth(text: str) -> None:
    """Let a statement pass none of whose expressions can grow without a limit.

    Raises:
        ForbiddenError: it computes a list, folds one, replaces or matches text, calls a quoted name.
        BadInputError: its ranges, concatenations or patterns are too many.
    """
    words = _PIECES.sub(lambda piece: _QUOTED if piece[1] else " ", text)
    if found := _FOLD.search(words):
        raise _refusal(f"{found[0].rstrip('( ')}() may build without end", "use UNWIND and an aggregate")
    if "=~" in words:
        raise _refusal("=~ may never come to an end", "use CONTAINS, STARTS WITH, ENDS WITH or the full-text index")
    if _CALLED.search(words):
        raise _refusal("it calls a quoted name", "write the name without backticks")
    _check_brackets(words.replace("||", "  "))
    _check_ranges(words)
    if words.count("+") + words.count("||") > MAX_JOINS:
        raise _too_many("additions and concatenations", MAX_JOINS)
    if len(_STEP.findall(words)) > MAX_STEPS:
        raise _too_many("relationships in patterns", MAX_STEPS)


def _check_brackets(words: str) -> None:
    """Refuse a bar right within square brackets that are not those of a relationship, a list that is walked for each
    value of another, and what nests too deep or doubles too often."""
    walks = {found.start() + found[0].index("(" if "(" in found[0] else "[") for found in _WALK.finditer(words)}
    growth = 10 ** len(_COLLECTS.findall(words))
    open_since: list[list[int]] = []  # place and elements
    for place, letter in enumerate(words):
        if letter in "[({":
            if place in walks and any(began in walks for began, _ in open_since):
                raise _refusal("a list is walked for each value of another", "use UNWIND, or WITH for the inner one")
            open_since.append([place, 1])
            if len(open_since) > MAX_DEPTH:
                raise _too_many("brackets within each other", MAX_DEPTH)
        elif letter in "])}" and open_since:
            elements = open_since.pop()[1]
            growth *= 1 if letter == ")" else elements
        elif letter == "|" and open_since:
            began = open_since[-1][0]
            if words[began] == "[" and not _TYPES.match(words, began + 1):
                raise _refusal(
                    "a list is computed ([... | ...])", "use COLLECT { UNWIND ... RETURN ... }, or UNWIND and collect"
                )
        elif letter == "," and open_since and _NAMED.match(words, place + 1):
            open_since[-1][1] += 1
    if growth > MAX_GROWTH:
        raise _too_many("lists, maps and collections within each other", MAX_GROWTH)


def _check_ranges(words: str) -> None:
    sizes = []
    for found in _RANGE.finditer(words):
        numbers = _NUMBERS.match(words, found.end())
        if numbers is None:
            raise _refusal(
                "the bounds of range() are not whole numbers", "write the numbers, or UNWIND the list itself"
            )
        first, last, step = int(numbers[1]), int(numbers[2]), int(numbers[3] or 1)
        sizes.append(max(1, (last - first) // step + 1) if step else 1)
    if math.prod(sizes) > MAX_RANGE:
        raise _too_many("numbers in ranges, multiplied", MAX_RANGE)


def _refusal(reason: str, remedy: str = "send one that only reads") -> ForbiddenError:
    return ForbiddenError(f"the statement is refused: {reason}", remedy=remedy, field="query")


def _too_many(what: str, most: int) -> BadInputError:
    return BadInputError(
        f"the statement has too many {what}", remedy="ask in several statements", field="query", bound=f"at most {most}"
    )


MAX_TEXT = 10_000
"""Most characters of a statement."""

PARAMETERS = Bounds(levels=8, values=50_000, characters=200_000, names=100)
"""Most that its parameters may be."""

PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.index.vector.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)
"""Procedures that only read this database."""

FUNCTIONS = frozenset({"date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector"})
"""Name spaces of functions that only compute. A plugin's functions may read files, call addresses, or run Cypher."""

_DANGEROUS = re.compile(r"LoadCSV|TerminateTransactions|Show\w*|AdministrationCommand|Transaction\w*|RunQueryAt")
_CALL = re.compile(r"([A-Za-z_]\w*)(?:\.\w+)+\s*\(")
_PROCEDURE = re.compile(r"([\w.]+)\(")
_VERSION = re.compile(r"\s*CYPHER\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}")


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a plan: its name, the database that it works on ("" if not said), and what it does."""

    name: str
    database: str
    details: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The plan that EXPLAIN gives: `query_type` is r, rw, w or s, as the driver tells it; operators in any order."""

    query_type: str
    operators: tuple[Operator, ...]


def operators(plan: Mapping[str, Any]) -> Iterator[Operator]:
    """The operators of a driver's plan, from the root down."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        name, _, database = str(node.get("operatorType", "")).partition("@")
        yield Operator(name, database, str(node.get("args", {}).get("Details") or ""))
        waiting += node.get("children", [])


def prepared(text: str) -> str:
    """The statement as it will be explained and run: in Cypher 25 unless it says otherwise.

    Raises:
        BadInputError: it is too long, holds a NUL or an escape that could hide a word, or repeats what grows.
        ForbiddenError: an expression in it could grow without a limit.

    >>> prepared("MATCH (n) RETURN count(n)")
    'CYPHER 25 MATCH (n) RETURN count(n)'
    """
    if len(text) > MAX_TEXT:
        raise BadInputError("the statement is too long", field="query", bound=f"at most {MAX_TEXT} characters")
    if "\0" in text or _ESCAPE.search(text):
        raise BadInputError(
            "the statement holds a NUL or a \\u escape", remedy="write the character itself", field="query"
        )
    check_growth(text)
    return text if _VERSION.match(text) else f"CYPHER 25 {text}"


def judge(text: str, plan: QueryPlan, database: str) -> None:
    """Let a statement pass that only reads `database` and computes.

    Raises:
        ForbiddenError: it writes, changes the server, reads files or addresses, shows the server's own affairs,
            works on another database, or calls a procedure or function that is not known to be harmless.
    """
    if plan.query_type != "r":
        raise _refusal("it does more than read")
    if not plan.operators:
        raise _refusal("the server gives no plan for it")
    for operator in plan.operators:
        if _DANGEROUS.fullmatch(operator.name):
            raise _refusal(f"{operator.name} is no read of this graph")
        if operator.database not in {"", database}:
            raise _refusal(f"it works on the database {operator.database}")
        if operator.name.startswith("ProcedureCall"):
            _judge_procedure(operator.details)
    for words in (bare(text), *(operator.details for operator in plan.operators)):
        _judge_functions(words)


def _judge_procedure(details: str) -> None:
    match = _PROCEDURE.match(details)
    name = match[1] if match else details
    if name not in PROCEDURES:
        raise _refusal(f"procedure {name[:80]} is not one of {', '.join(sorted(PROCEDURES))}")


def _judge_functions(words: str) -> None:
    for call in _CALL.finditer(words):
        name = call[0].rstrip("( \t\n")
        if call[1].lower() not in FUNCTIONS and name not in PROCEDURES:
            raise _refusal(f"function {name[:80]} is not known to be harmless")


_LONGEST_NUMBERS = 32

_READ_ONLY = "Neo.ClientError.Statement.AccessMode"
_MENDABLE = ("Neo.ClientError.Statement.", "Neo.ClientError.Procedure.", "Neo.DatabaseError.Statement.ExecutionFailed")
_TIMED_OUT = "TransactionTimedOut"


async def explore(
    session: AsyncSession, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits, database: str
) -> ExplorationResult:
    """Give what a statement finds, if the guard lets it pass. `session` must be a READ session of `database`.

    Raises:
        BadInputError: the server does not understand it (the message is its own), or it finds what cannot be told.
        ForbiddenError: the guard refuses it.
    """
    PARAMETERS.check(parameters, "the parameters", "parameters")
    statement, values = prepared(text), encode(dict(parameters))
    started = time.monotonic()
    try:
        judge(text, await _explained(session, statement, values, limits.timeout_s), database)
        left_s = max(0.1, limits.timeout_s - (time.monotonic() - started))
        return await _read(session, statement, values, replace(limits, timeout_s=left_s))
    except BrokenRecordError as error:
        raise BadInputError(
            "a value in the answer is none that can be told",
            remedy="ask for dates of the years 1 to 9999",
            field="query",
        ) from error
    except Neo4jError as error:
        mended = _mendable(error)
        if mended is None:
            raise
        raise mended from error


async def _explained(session: AsyncSession, statement: str, values: dict[str, Any], timeout_s: float) -> QueryPlan:
    result = await session.run(Query(f"EXPLAIN {statement}", timeout=timeout_s), values)
    summary = await result.consume()
    return QueryPlan(str(summary.query_type), tuple(operators(summary.plan)) if summary.plan else ())


async def _read(
    session: AsyncSession, statement: str, values: dict[str, Any], limits: ExplorationLimits
) -> ExplorationResult:
    result = await session.run(Query(statement, timeout=limits.timeout_s), values)
    meter = Meter(session)
    columns, cut = result.keys(), False
    rows: list[dict[str, Any]] = []
    try:
        cut = await _taken(result, columns, rows, limits)
        await result.consume()
    except (Neo4jError, DriverError, OSError):
        if not meter.full:
            raise
        cut = True
    finally:
        meter.remove()
    return ExplorationResult(tuple(columns), tuple(rows), cut)


async def _taken(
    result: AsyncResult, columns: Sequence[str], rows: list[dict[str, Any]], limits: ExplorationLimits
) -> bool:
    """Fill `rows` up to the limits; True where there is more."""
    size = 0
    async for record in result:
        row = {column: plain(value) for column, value in zip(columns, record.values(), strict=True)}
        size += len(json.dumps(row, ensure_ascii=False))
        if len(rows) >= limits.rows or size > limits.characters:
            return True
        rows.append(row)
    return False


def plain(value: Any) -> Any:
    """A result as JSON can say it: nodes and relationships by their properties, instants as text, no embeddings.

    >>> plain([0.5] * 384), plain(float("nan")), plain({"name": "Ann"})
    ('384 numbers, left out', None, {'name': 'Ann'})
    """
    if isinstance(value, Node):
        return {"labels": sorted(value.labels), **plain(dict(value))}
    if isinstance(value, Relationship):
        return {"type": value.type, **plain(dict(value))}
    if isinstance(value, Path):
        return {
            "nodes": [plain(node) for node in value.nodes],
            "relationships": [plain(step) for step in value.relationships],
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and not (hasattr(value, "srid") or hasattr(value, "iso_format")):
        return left_out(len(value)) if is_long_vector(value) else [plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, Vector):
        return left_out(len(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes, left out"
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


def is_long_vector(value: list[Any] | tuple[Any, ...]) -> bool:
    """Tell whether a list is an embedding, or so long a list of numbers that it tells a reader as little."""
    return len(value) > _LONGEST_NUMBERS and all(isinstance(item, float) for item in value)


def left_out(count: int) -> str:
    """The text in place of so many numbers.

    >>> left_out(384)
    '384 numbers, left out'
    """
    return f"{count} numbers, left out"


def _mendable(error: Neo4jError) -> ClauseError | None:
    """Give the error that the writer of the statement can mend; None for a fault that is not in the statement."""
    code = error.code or ""
    if code == _READ_ONLY:
        return ForbiddenError("the statement is refused: it does more than read", field="query")
    if code.startswith(_MENDABLE) and _TIMED_OUT not in code:
        said = " ".join((error.message or code).split())
        return BadInputError(f"the statement does not run: {said[:500]}", field="query")
    return None
