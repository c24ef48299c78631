"""Records turned into rows: each name once, each triple once, and the relationship types with words for both
directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clause.ingest.readers import Record, Term
from clause.text.names import (
    canonical_key,
    entity_id,
    hashed,
    inverse_text,
    last_segment,
    name_key,
    normalise,
    readable_relation,
)

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


def register(scope: str, name: str) -> RegisteredType:
    """The registry's entry for the stored name of a type.

    >>> register("kg:x", "CAUSES")[1:]
    ('CAUSES', 'causes', 'inverse of causes', True)
    """
    text = readable_relation(name.removeprefix("kg_") if name.removeprefix("kg_") in RESERVED else name)
    return RegisteredType(hashed("rel_", scope, name), name, text, inverse_text(text), name.casefold() in CAUSAL)


_REMEMBERED = 500_000
_BLANK = "_:"


@dataclass
class TripleBatch:
    """Rows of one transaction.

    Attributes:
        records: how many records it holds, bad ones included.
        entities: rows of graph/merge_entities, of names that no recent batch held.
        triples: rows of ingest/create_triples, without repetitions.
        bad: the records that are no triples.
        fresh: ids of those entities that had no relationship before this batch; filled by the loader.
    """

    records: int = 0
    entities: list[list[Any]] = field(default_factory=list)
    triples: list[list[Any]] = field(default_factory=list)
    bad: list[Record] = field(default_factory=list)
    fresh: set[str] = field(default_factory=set)


class Interner:
    """Names to ids, within bounded memory: two generations, so that what the last batch held is never forgotten."""

    def __init__(self, scope: str, source_id: str, remembered: int = _REMEMBERED) -> None:
        self._scope = scope
        self._source_id = source_id
        self._remembered = remembered
        self._young: dict[Term, str] = {}
        self._old: dict[Term, str] = {}

    def batch(self, records: Sequence[Record]) -> TripleBatch:
        """The rows of some records, in their order."""
        if len(self._young) > self._remembered:
            self._old, self._young = self._young, {}
        batch = TripleBatch(records=len(records))
        seen: set[tuple[str, str, str]] = set()
        for record in records:
            if record.triple is None:
                batch.bad.append(record)
                continue
            head, relation, tail, valid_from, valid_until = record.triple
            key = (self._id(head, batch), stored_name(relation), self._id(tail, batch))
            if key not in seen:
                seen.add(key)
                batch.triples.append([*key, valid_from, valid_until])
        return batch

    def _id(self, term: Term, batch: TripleBatch) -> str:
        found = self._young.get(term)
        if found is not None:
            return found
        found = self._old.get(term)
        if found is None:
            identity = f"{term.identity}@{self._source_id}" if term.identity.startswith(_BLANK) else term.identity
            key = canonical_key(term.name, term.kind, identity)
            found = entity_id(self._scope, key)
            number = len(batch.entities)
            batch.entities.append([number, found, key, term.name, name_key(term.name), term.kind, [*term.aliases]])
        self._young[term] = found
        return found
