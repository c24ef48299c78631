"""Memories on their way into the graph: rows of the write statements, made once and kept over tries; pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from clause.errors import ConflictError
from clause.memory.assignment import Floats, Group
from clause.memory.config import MCSConfig
from clause.memory.models import MemoryWriteInput, MemoryWriteResult
from clause.memory.saying import occurred_at, short_name, speaker_of
from clause.text.names import hashed
from clause.text.similarity import clip01

Statement = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Draft:
    """A memory about to be written: its id and write key stay the same however often the write is tried."""

    id: str
    key: str
    request: MemoryWriteInput
    content: str


def write_key(scope: str, request: MemoryWriteInput, memory_id: str) -> str:
    """What is unique about a write: its scope and idempotency key, or the new memory's own id."""
    return memory_id if request.idempotency_key is None else hashed("mwk_", scope, request.idempotency_key)


def memory_rows(drafts: Sequence[Draft], vectors: Floats, recorded_at: datetime) -> list[dict[str, Any]]:
    """Rows of memory/create; numbers count from 1."""
    return [
        {
            "id": draft.id,
            "number": number,
            "write_key": draft.key,
            "content": draft.content,
            "name": short_name(draft.content),
            "speaker": speaker_of(draft.content),
            "timestamp": draft.request.timestamp,
            "occurred_at": occurred_at(draft.request.timestamp, recorded_at),
            "metadata": json.dumps(draft.request.metadata or {}, ensure_ascii=False, sort_keys=True),
            "embedding": vector,
        }
        for number, (draft, vector) in enumerate(zip(drafts, vectors, strict=True), start=1)
    ]


def group_rows(groups: Sequence[Group], drafts: Sequence[Draft], new_id: Callable[[], str]) -> list[dict[str, Any]]:
    """Rows of memory/join."""
    return [
        {
            "joins": group.joins,
            "spare": new_id(),
            "sum": group.sum.astype(np.float32),
            "name": short_name(drafts[group.members[0][0]].content),
            "members": [[drafts[place].id, similarity] for place, similarity in group.members],
        }
        for group in groups
    ]


def results(
    drafts: Sequence[Draft],
    groups: Sequence[Group],
    joined: Sequence[Mapping[str, Any]],
    entities: Sequence[Sequence[str]],
    *,
    scope: str,
    config: MCSConfig,
) -> dict[str, MemoryWriteResult]:
    """What is answered for each draft, by write key."""
    found: dict[str, MemoryWriteResult] = {}
    for row in joined:
        members = groups[row["number"]].members
        for position, (place, similarity) in enumerate(members, start=1):
            size = row["size"] - len(members) + position
            opened = bool(row["fresh"]) and position == 1
            found[drafts[place].key] = MemoryWriteResult(
                memory_id=drafts[place].id,
                cluster_id=row["cluster_id"],
                is_new_cluster=opened,
                consolidated=size > config.consolidation_threshold,
                similarity_to_prototype=1.0 if opened else clip01(similarity),
                scope=scope,
                entities=tuple(entities[place]),
            )
    return found


def replayed(row: Mapping[str, Any], draft: Draft, scope: str, config: MCSConfig) -> MemoryWriteResult:
    """What is answered to a key that is known.

    Raises:
        ConflictError: the key came with another content.
    """
    if row["content"] != draft.content:
        raise ConflictError(
            "this idempotency key came with another memory", remedy="use a new key", field="idempotency_key"
        )
    return MemoryWriteResult(
        memory_id=row["id"],
        cluster_id=row["cluster_id"],
        is_new_cluster=row["opened"],
        consolidated=row["size"] > config.consolidation_threshold,
        similarity_to_prototype=clip01(row["similarity"]),
        scope=scope,
        entities=tuple(row["entities"]),
        replayed=row["id"] != draft.id,
    )


def mention_rows(drafts: Sequence[Draft], entities: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of memory/mention, in one order for all writers."""
    pairs = ((one, draft.id) for draft, found in zip(drafts, entities, strict=True) for one in found)
    return [list(pair) for pair in sorted(pairs)]
