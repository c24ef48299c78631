"""Origins of a statement as the graph keeps them: its source, its provenance, its words as evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from clause.knowledge.beliefs.models import SourcedStatement, SourceGiven
from clause.knowledge.beliefs.rows import content_hash
from clause.text.names import hashed

RELIABILITY: Final[Mapping[str, float]] = {
    "document": 0.6,
    "conversation": 0.5,
    "inference": 0.4,
    "observation": 0.6,
    "api": 0.5,
    "user_input": 0.7,
}
"""Reliability of a source without a track record, by kind."""

_WORD = re.compile(r"[^\W_]+")


def new_source(given: SourcedStatement, scope: str, at: datetime) -> dict[str, Any]:
    """The properties of a statement's source: the one given, or the caller in this session.

    The same kind, title, uri and upstream are one source of a scope; without any of them, one session is.
    """
    source = given.source or SourceGiven(kind="conversation" if given.session_id else "user_input")
    described = (source.title, source.uri, source.upstream)
    own = described if any(described) else (given.session_id or "caller",)
    return {
        "id": hashed("src_", scope, source.kind, *own),
        "scope": scope,
        "kind": source.kind,
        "title": source.title,
        "name": source.title or source.kind.replace("_", " "),
        "uri": source.uri or None,
        "upstream": source.upstream or None,
        "recorded_at": at,
        "version": 1,
    }


def provenance(
    given: SourcedStatement, source: Mapping[str, Any], provenance_id: str, *, scope: str, at: datetime
) -> dict[str, Any]:
    """How a statement came here, and what tells whether it is independent of others."""
    return {
        "id": provenance_id,
        "scope": scope,
        "source_id": source["id"],
        "origin": source.get("upstream") or source["id"],
        "session_id": given.session_id,
        "reliability": RELIABILITY.get(source.get("kind") or "", 0.5),
        "words": sorted(source_words(source)),
        "recalled": given.recalled,
        "extractor_identity": given.extraction_method,
        "extraction_timestamp": at,
        "source_uri": source.get("uri"),
        "verification_status": "unverified",
        "recorded_at": at,
    }


def evidence(text: str, belief_id: str, proof: Mapping[str, Any], *, model: str) -> dict[str, Any]:
    """The words of one more statement, kept beside the belief; `model` makes their vector."""
    return {
        "id": hashed("evb_", belief_id, proof["id"]),
        "scope": proof["scope"],
        "text": text.replace("\x00", ""),
        "content_hash": content_hash(text),
        "embedding_model": model,
        "recorded_at": proof["recorded_at"],
    }


def source_words(source: Mapping[str, Any]) -> frozenset[str]:
    """The words of a source's title and uri, in lower case: sources that share them are less independent.

    >>> sorted(source_words({"title": "The News", "uri": None}))
    ['news', 'the']
    """
    return frozenset(_WORD.findall(f"{source.get('title') or ''} {source.get('uri') or ''}".casefold()))
