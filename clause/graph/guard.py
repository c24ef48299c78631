"""The guard of statements that an agent wrote: what the server's own plan says of them decides, not their words.

A READ session refuses writes, and does not stop LOAD CSV, TERMINATE, SHOW or procedures that change the server. So a
statement is explained first, and every operator of its plan must be one that only reads this database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clause.errors import BadInputError, ForbiddenError
from clause.graph.catalogue import bare

MAX_TEXT = 10_000
"""Most characters of a statement."""

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

FUNCTIONS = frozenset({"coll", "date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector"})
"""Name spaces of functions that only compute. A plugin's functions may read files, call addresses, or run Cypher."""

_DANGEROUS = re.compile(r"LoadCSV|TerminateTransactions|Show\w*|AdministrationCommand|Transaction\w*|RunQueryAt")
_SECRET = re.compile(r"\bApiKey\b|\bsecret_hash\b")
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
class Plan:
    """What EXPLAIN says: `query_type` is r, rw, w or s, as the driver tells it; the operators in any order."""

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
        BadInputError: it is too long, or holds a NUL, or an escape that could hide a word.

    >>> prepared("MATCH (n) RETURN count(n)")
    'CYPHER 25 MATCH (n) RETURN count(n)'
    """
    if len(text) > MAX_TEXT:
        raise BadInputError("the statement is too long", field="query", bound=f"at most {MAX_TEXT} characters")
    if "\0" in text or _ESCAPE.search(text):
        raise BadInputError(
            "the statement holds a NUL or a \\u escape", remedy="write the character itself", field="query"
        )
    return text if _VERSION.match(text) else f"CYPHER 25 {text}"


def judge(text: str, plan: Plan, database: str) -> None:
    """Let a statement pass that only reads `database` and computes.

    Raises:
        ForbiddenError: it writes, changes the server, reads files or addresses, shows the server's own affairs or the
            API keys, works on another database, or calls a procedure or function that is not known to be harmless.
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
    said = (bare(text), *(operator.details for operator in plan.operators))
    if any(_SECRET.search(words) for words in said):
        raise _refusal("API keys are not shown")
    for words in said:
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


def _refusal(reason: str) -> ForbiddenError:
    return ForbiddenError(f"the statement is refused: {reason}", remedy="send one that only reads", field="query")
