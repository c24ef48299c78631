"""Relationship types: their names in the graph, and words for both directions."""

from __future__ import annotations

from typing import NamedTuple

from clause.text.names import hashed, last_segment, normalise, readable_relation

_OURS = """
    ABOUT HAS_PROVENANCE FROM SUPPORTED_BY SUPERSEDES SAME_AS BETWEEN DERIVED_FROM MERGED_INTO TRUSTS EXTRACTED_FROM
    HAS_PASSAGE NEXT MENTIONS ASKED_FROM VISITED SELECTED DECIDED_BY HAS_BASIN CO_OCCURS_WITH ATTRACTED_TO
    RELATED_THOUGHTSEED GENERATED_BY INVESTIGATES MEMBER_OF IN_CLUSTER OF_RUN ON_TOPIC CONFLICTS_WITH IN_SESSION
    EVIDENCED_BY NEXT_VERSION CHANGED MAYBE_SAME_AS HAS_STEP
"""
RESERVED = frozenset(_OURS.split())
"""Our own relationship types: a loaded one of the same name gets the prefix kg_."""

CAUSAL = frozenset({"causes", "enables", "inhibits"})


class RegisteredType(NamedTuple):
    """A relationship type as the registry keeps it."""

    id: str
    name: str
    text: str
    inverse_text: str
    is_causal: bool


def stored_name(relation: str) -> str:
    """The type's name in the graph: of an IRI its end; reserved names are prefixed.

    >>> stored_name("directed_by"), stored_name("MENTIONS"), stored_name("http://e.org/birthPlace")
    ('directed_by', 'kg_MENTIONS', 'birthPlace')
    """
    name = normalise(last_segment(relation) if "://" in relation else relation)
    return f"kg_{name}" if name in RESERVED else name


def inverse_text(text: str) -> str:
    """Words for a relationship read from its tail.

    Sentence embeddings hear `directed by` and `directed` as nearly the same, so that a paraphrase would hide the
    direction; the plain `inverse of` keeps the two apart, and is the wording that the policy learns from.

    >>> inverse_text("directed by")
    'inverse of directed by'
    """
    return f"inverse of {text}"


def register(scope: str, name: str) -> RegisteredType:
    """The registry's entry for the stored name of a type.

    >>> register("kg:x", "CAUSES")[1:]
    ('CAUSES', 'causes', 'inverse of causes', True)
    """
    text = readable_relation(name.removeprefix("kg_") if name.removeprefix("kg_") in RESERVED else name)
    return RegisteredType(hashed("rel_", scope, name), name, text, inverse_text(text), name.casefold() in CAUSAL)
