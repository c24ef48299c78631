"""Beliefs on their way to and from the graph: properties of a new one, a read row as a model."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from clause.graph.scopes import scope_token
from clause.knowledge.confidence import (
    DECAYS,
    FLOOR,
    HALF_LIVES_DAYS,
    LADDER,
    PENALTIES,
    STARTS,
    WEIGHTS,
    overall,
    starting_quality,
)
from clause.knowledge.models import (
    Belief,
    BeliefCreate,
    BeliefEntity,
    ConfidenceDimensions,
    ConfidenceGiven,
    SourceGiven,
    Statement,
)
from clause.text.names import hashed

HELD = ("active", "disputed")
"""The statuses of beliefs that are held."""

NAME_LENGTH = 80
RELIABILITY = {
    "document": 0.6,
    "conversation": 0.5,
    "inference": 0.4,
    "observation": 0.6,
    "api": 0.5,
    "user_input": 0.7,
}
"""Reliability of a source without a track record, by kind."""

_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+")


def normalised(content: str) -> str:
    r"""The text that a belief is keyed by: NFC, NUL bytes and outer blanks gone, inner blanks as one; case is kept.

    >>> normalised("  Ann\n likes  tea ")
    'Ann likes tea'
    """
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", content.replace("\x00", ""))).strip()


def content_hash(content: str) -> str:
    """Sha256 of the normalised text, in hex."""
    return hashlib.sha256(normalised(content).encode("utf-8", "replace")).hexdigest()


def live_hash(content: str, valid_from: datetime | None, valid_until: datetime | None) -> str:
    """What is unique among the beliefs held in a scope: the text, and its valid time where one is given.

    >>> live_hash("a", None, None) == content_hash("a")
    True
    """
    if valid_from is None and valid_until is None:
        return content_hash(content)
    times = "/".join(at.astimezone(UTC).isoformat() if at else "" for at in (valid_from, valid_until))
    return f"{content_hash(content)}@{times}"


def short_name(content: str) -> str:
    """A title of at most 80 characters, cut after a whole word where there is one.

    >>> short_name("word " * 40)[-9:]
    'word word'
    """
    text = normalised(content)
    if len(text) <= NAME_LENGTH:
        return text
    return text[:NAME_LENGTH].rsplit(" ", 1)[0]


def recorded_token(at: datetime) -> str:
    """An instant as digits that sort like it, for ranges in the full-text index.

    >>> recorded_token(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
    '20260102030405000006'
    """
    return at.astimezone(UTC).strftime("%Y%m%d%H%M%S%f")


def settling(ids: Sequence[str], scopes: Sequence[str], now: datetime) -> tuple[str, dict[str, Any]]:
    """The statement that derives the confidence of these beliefs anew: last in each transaction that touches them."""
    return "knowledge/settle", {
        "ids": sorted(set(ids)),
        "scopes": list(scopes),
        "now": now,
        "weights": list(WEIGHTS.values()),
        "floor": FLOOR,
        "ladder": list(LADDER),
        "half_lives": dict(HALF_LIVES_DAYS),
        "penalties": dict(PENALTIES),
    }


def starting_dimensions(given: BeliefCreate) -> dict[str, float | None]:
    """The dimensions of a new belief with one source: as given, or so that its signal's overall is reached."""
    own = given.confidence or ConfidenceGiven()
    others: dict[str, float | None] = {
        "internal_consistency": 1.0 if own.internal_consistency is None else own.internal_consistency,
        "temporal_freshness": 1.0 if own.temporal_freshness is None else own.temporal_freshness,
        "corroboration": own.corroboration,
        "domain_applicability": own.domain_applicability,
    }
    quality = starting_quality(STARTS[given.signal], others)
    return {
        "source_reliability": quality if own.source_reliability is None else own.source_reliability,
        "method_quality": quality if own.method_quality is None else own.method_quality,
        **others,
    }


def new_belief(
    given: BeliefCreate, belief_id: str, source: Mapping[str, Any], *, scope: str, model: str, at: datetime
) -> dict[str, Any]:
    """The properties of a belief that nobody has stated before."""
    dimensions = starting_dimensions(given)
    total = overall(dimensions)
    own = given.confidence or ConfidenceGiven()
    ordered = [dimensions["source_reliability"], dimensions["method_quality"], dimensions["internal_consistency"],
               1.0 if own.temporal_freshness is None else own.temporal_freshness, dimensions["corroboration"],
               dimensions["domain_applicability"]]  # fmt: skip
    instant = at.timestamp() * 1000 // 1
    history = [instant, *(-1.0 if value is None else value for value in ordered), instant, 1.0, 0.0]
    return {
        "id": belief_id,
        "scope_token": scope_token(scope),
        "content": given.content.replace("\x00", ""),
        "content_hash": content_hash(given.content),
        "name": short_name(given.content),
        "domain_path": list(given.domain_path),
        "status": "active",
        "stage": "tentative",
        "signal": given.signal,
        "source_kind": source["kind"],
        "source_id": source["id"],
        "session_id": given.session_id,
        "extraction_method": given.extraction_method,
        "visibility": given.visibility,
        "decay": given.decay or DECAYS[given.signal],
        "automatic": given.automatic,
        "sources": 1,
        "statements": 1,
        "open_tensions": 0,
        "degree": 0,
        "valid_from": given.valid_from,
        "valid_until": given.valid_until,
        "given_until": given.valid_until,
        "recorded_at": at,
        "recorded_token": recorded_token(at),
        "confirmed_at": at,
        "settled_at": at,
        "version": 1,
        "embedding_model": model,
        "overall": total,
        "given_consistency": own.internal_consistency,
        "given_freshness": own.temporal_freshness,
        "given_corroboration": own.corroboration,
        "history": history,
        **{f"c_{name}": value for name, value in dimensions.items()},
    }


def new_source(given: Statement, scope: str, at: datetime) -> dict[str, Any]:
    """The source of a statement: the one given, or the caller in this session."""
    source = given.source or SourceGiven(kind="conversation" if given.session_id else "user_input")
    parts = (source.kind, source.title, source.uri, source.upstream)
    own = parts if any(parts[1:]) else (source.kind, given.session_id or "caller")
    return {
        "id": given.source_id or hashed("src_", scope, *own),
        "scope": scope,
        "kind": source.kind,
        "title": source.title,
        "name": source.title or source.kind.replace("_", " "),
        "uri": source.uri or None,
        "upstream": source.upstream or None,
        "session_id": given.session_id if not any(parts[1:]) else None,
        "recorded_at": at,
        "version": 1,
    }


def provenance(
    given: Statement, source: Mapping[str, Any], provenance_id: str, scope: str, at: datetime
) -> dict[str, Any]:
    """How a statement came here, and what tells whether it is independent of others."""
    return {
        "id": provenance_id,
        "scope": scope,
        "source_id": source["id"],
        "origin": source.get("upstream") or source["id"],
        "session_id": given.session_id,
        "reliability": RELIABILITY.get(source["kind"], 0.5),
        "words": sorted(source_words(source)),
        "recalled": given.recalled,
        "extractor_identity": given.extraction_method,
        "extraction_timestamp": at,
        "source_uri": source.get("uri"),
        "verification_status": "unverified",
        "recorded_at": at,
    }


def source_words(source: Mapping[str, Any]) -> frozenset[str]:
    """The words of a source's title and uri, in lower case.

    >>> sorted(source_words({"title": "The News", "uri": None}))
    ['news', 'the']
    """
    return frozenset(_WORD.findall(f"{source.get('title') or ''} {source.get('uri') or ''}".casefold()))


def belief_of(row: Mapping[str, Any]) -> Belief:
    """A belief from a row of `knowledge/beliefs`."""
    found = row["belief"]
    dimensions = {name: found[f"c_{name}"] for name in WEIGHTS}
    return Belief.model_validate(
        {
            **found,
            "domain_path": tuple(found["domain_path"] or ()),
            "confidence": ConfidenceDimensions(**dimensions, overall=found["overall"]),
            "entities": tuple(
                BeliefEntity(id=one[0], name=one[1], kind=one[2], role=one[3]) for one in row["entities"]
            ),
        }
    )
