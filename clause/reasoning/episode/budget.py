"""Budgets, prices and spend of one episode, and the units of text that tokens are spent on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from clause.reasoning.neighbourhood.port import Edge, Node, RelationshipType


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


def relation_text(edge: Edge, types: Mapping[str, RelationshipType]) -> str:
    """The words of an edge's relationship type, from head to tail: the registered ones, else those of its name.

    >>> relation_text(Edge("a", "DIRECTED_BY", "b"), {})
    'directed by'
    """
    kind = types.get(edge.relation)
    return kind.text if kind else edge.relation.replace("_", " ").lower()


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


Resource = Literal["edges", "steps", "tokens"]
RESOURCES: tuple[Resource, ...] = get_args(Resource)
TOKENS_PER_PRICE_UNIT = 100
"""The token price is per this many tokens (decision 1 of the spec)."""


@dataclass(frozen=True, slots=True)
class Spend:
    """The amounts that were spent, or that an action costs.

    >>> Spend(edges=2) + Spend(edges=1, tokens=7)
    Spend(edges=3, steps=0, tokens=7)
    """

    edges: int = 0
    steps: int = 0
    tokens: int = 0

    def __add__(self, other: Spend) -> Spend:
        """Resource by resource."""
        return Spend(self.edges + other.edges, self.steps + other.steps, self.tokens + other.tokens)

    def of(self, resource: Resource) -> int:
        """The amount of one resource."""
        return int(getattr(self, resource))


@dataclass(frozen=True, slots=True)
class Budgets:
    """Hard limits of a request. `token_margin` tokens of the token budget are kept free (0: none).

    >>> Budgets(edges=5, steps=3, tokens=64).remaining(Spend(edges=2))
    Spend(edges=3, steps=3, tokens=64)
    """

    edges: int = 50
    steps: int = 10
    tokens: int = 2048
    token_margin: int = 0

    def remaining(self, spend: Spend) -> Spend:
        """Compute what is left, never below 0."""
        return Spend(
            max(0, self.edges - spend.edges),
            max(0, self.steps - spend.steps),
            max(0, self.tokens - self.token_margin - spend.tokens),
        )

    def of(self, resource: Resource) -> int:
        """The limit of one resource."""
        return int(getattr(self, resource))

    def exceeded_by(self, spend: Spend) -> tuple[Resource, ...]:
        """The resources of which more was spent than the budget allows."""
        return tuple(resource for resource in RESOURCES if spend.of(resource) > self.of(resource))


AMPLE = Budgets(edges=200, steps=10, tokens=2048)
"""The budgets under which prices alone bind."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Lagrange multipliers of a request: per edge, per step, and per 100 tokens.

    >>> round(Prices(token=0.01).tokens_cost(156), 4)
    0.0156
    """

    edge: float = 0.01
    latency: float = 0.01
    token: float = 0.01

    def tokens_cost(self, tokens: int) -> float:
        """The price of `tokens` tokens."""
        return self.token * tokens / TOKENS_PER_PRICE_UNIT
