"""Units: the pieces of text that the Curator chooses from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from clause.reasoning.neighbourhood import Edge, Node


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of evidence: what it says, what it costs in tokens, and what it stands for in the graph.

    `edge` is set for a triple; `node` for a belief, memory, value or passage; neither for a bare string.
    """

    id: str
    text: str
    tokens: int
    kind: str = "text"
    edge: Edge | None = None
    node: str | None = None


class TokenCounter(Protocol):
    """Exact token counts of texts."""

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """One count for each text."""
        ...


def edge_sentence(edge: Edge, nodes: Mapping[str, Node], relation_text: str) -> str:
    """A triple as a sentence.

    >>> edge_sentence(Edge("a", "directed_by", "b"), {"a": Node("a", "Heat"), "b": Node("b", "Mann")}, "directed by")
    'Heat directed by Mann.'
    """
    return f"{nodes[edge.source].name} {relation_text} {nodes[edge.target].name}."


def edge_unit_id(edge: Edge) -> str:
    """The stable id of a triple's unit.

    >>> edge_unit_id(Edge("a", "directed_by", "b"))
    'a|directed_by|b'
    """
    return "|".join(edge)


def text_unit_id(text: str) -> str:
    """The stable id of a bare string; also its `source_uri`.

    >>> text_unit_id("rain")[:16]
    'request:319b44c5'
    """
    return f"request:{hashlib.sha256(text.encode()).hexdigest()}"
