"""Records turned into rows: each name once, each triple once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from clause.ingest.readers import Record, Term
from clause.ingest.registry import stored_name
from clause.text.names import canonical_key, entity_id, name_key

_REMEMBERED = 500_000
_BLANK = "_:"


@dataclass
class Batch:
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

    def batch(self, records: Sequence[Record]) -> Batch:
        """The rows of some records, in their order."""
        if len(self._young) > self._remembered:
            self._old, self._young = self._young, {}
        batch = Batch(records=len(records))
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

    def _id(self, term: Term, batch: Batch) -> str:
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
