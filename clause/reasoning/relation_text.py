"""Statements that must name relationship types, or a length, in their text.

Neo4j 2026.08 expands a type alone only when it stands in the text; `[r:$(type)]` from a parameter is a filter behind
an expansion of every relationship of the node. The statement's file marks the part to repeat:

    /* each relation, between: UNION ALL */ ... `RELATION` ... /* end */
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clause.errors import ClauseError
from clause.graph.catalogue import Statement
from clause.graph.quoting import quoted

__all__ = ["name_relations", "quoted", "reach"]

_HOPS = re.compile(r"\d+ /\* hops \*/")
_PART = re.compile(r"/\* each relation, between: (?P<between>[A-Z ]+) \*/(?P<part>.*?)/\* end \*/", re.DOTALL)


def name_relations(statement: Statement, relations: Sequence[str]) -> Statement:
    """The statement with its marked part repeated for each relationship type, in order.

    Raises:
        ClauseError: no relationship type is given, or the statement marks no part.
    """
    marked = _PART.search(statement.text)
    if marked is None or not relations:
        raise ClauseError(f"{statement.name}: needs a part marked `each relation`, and at least one relationship type")
    parts = (marked["part"].replace("`RELATION`", quoted(relation)).strip() for relation in relations)
    text = f"\n{marked['between']}\n".join(parts)
    return replace(statement, text=f"{statement.text[: marked.start()]}{text}{statement.text[marked.end() :]}")


def reach(statement: Statement, hops: int) -> Statement:
    """The statement with the length marked `/* hops */` written over; a bound in the text keeps the search shallow.

    Raises:
        ClauseError: the statement marks no length.
    """
    text, count = _HOPS.subn(str(hops), statement.text)
    if not count:
        raise ClauseError(f"{statement.name}: needs a length marked `hops`")
    return replace(statement, text=text)
