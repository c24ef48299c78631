"""Statements that an agent wrote, run behind the guard: explained, judged, then read within limits."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from neo4j import AsyncSession, Query
from neo4j.exceptions import Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.vector import Vector

from clause.errors import BadInputError, ClauseError, ForbiddenError
from clause.graph.codec import encode
from clause.graph.guard import Plan, judge, operators, prepared
from clause.graph.wire import Found, Limits

LONGEST_NUMBERS = 32
"""A longer list of numbers is an embedding, or tells as little to a reader."""

_HIDDEN = frozenset({"secret_hash"})
_READ_ONLY = "Neo.ClientError.Statement.AccessMode"
_MENDABLE = ("Neo.ClientError.Statement.", "Neo.ClientError.Procedure.")
_TIMED_OUT = "TransactionTimedOut"


async def explore(
    session: AsyncSession, text: str, parameters: Mapping[str, Any], limits: Limits, database: str
) -> Found:
    """What a statement finds, if the guard lets it pass. `session` must be a READ session of `database`.

    Raises:
        BadInputError: the server does not understand it; the message is the server's own.
        ForbiddenError: the guard refuses it.
    """
    statement, values = prepared(text), encode(dict(parameters))
    try:
        judge(text, await _explained(session, statement, values, limits.timeout_s), database)
        return await _read(session, statement, values, limits)
    except Neo4jError as error:
        mended = _mendable(error)
        if mended is None:
            raise
        raise mended from error


async def _explained(session: AsyncSession, statement: str, values: dict[str, Any], timeout_s: float) -> Plan:
    result = await session.run(Query(f"EXPLAIN {statement}", timeout=timeout_s), values)
    summary = await result.consume()
    return Plan(str(summary.query_type), tuple(operators(summary.plan)) if summary.plan else ())


async def _read(session: AsyncSession, statement: str, values: dict[str, Any], limits: Limits) -> Found:
    result = await session.run(Query(statement, timeout=limits.timeout_s), values)
    rows: list[dict[str, Any]] = []
    columns, size, cut = result.keys(), 0, False
    async for record in result:
        row = {column: plain(value) for column, value in zip(columns, record.values(), strict=True)}
        size += len(json.dumps(row, ensure_ascii=False))
        cut = len(rows) >= limits.rows or size > limits.characters
        if cut:
            break
        rows.append(row)
    await result.consume()
    return Found(tuple(columns), tuple(rows), cut)


def plain(value: Any) -> Any:
    """A result as JSON can say it: nodes and relationships by their properties, instants as text, no embeddings.

    >>> plain([0.5] * 384), plain(float("nan")), plain({"secret_hash": "1f", "name": "Ann"})
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
        return {str(key): plain(item) for key, item in value.items() if key not in _HIDDEN}
    if isinstance(value, list | tuple) and not hasattr(value, "srid"):
        return _numbers(len(value)) if _is_vector(value) else [plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, Vector):
        return _numbers(len(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes, left out"
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


def _is_vector(value: list[Any] | tuple[Any, ...]) -> bool:
    return len(value) > LONGEST_NUMBERS and all(isinstance(item, float) for item in value)


def _numbers(count: int) -> str:
    return f"{count} numbers, left out"


def _mendable(error: Neo4jError) -> ClauseError | None:
    """What the writer of the statement can mend; None for a fault that is not in the statement."""
    code = error.code or ""
    if code == _READ_ONLY:
        return ForbiddenError("the statement is refused: it does more than read", field="query")
    if code.startswith(_MENDABLE) and _TIMED_OUT not in code:
        said = " ".join((error.message or code).split())
        return BadInputError(f"the statement does not run: {said[:500]}", field="query")
    return None
