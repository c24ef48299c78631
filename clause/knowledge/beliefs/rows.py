"""Beliefs on their way to and from the graph: text and its hash, properties of a new one, a row as of any instant."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from clause.graph.scopes import OWNER_AUTHOR, scope_token
from clause.knowledge.beliefs.confidence import (
    AUTHOR_LIKENESS,
    CORROBORATED,
    DECAYS,
    EVERYONE,
    FLOOR,
    HALF_LIVES_DAYS,
    LADDER,
    MOST_VOICES,
    PENALTIES,
    STAGES,
    VERIFIED_FROM,
    VERIFYING_SOURCES,
    WEIGHTS,
    StatementOrigin,
    freshness,
    overall,
    stage,
    start_of,
    starting_quality,
)
from clause.knowledge.beliefs.models import (
    ABSENT,
    SETTLED,
    Belief,
    BeliefCreate,
    BeliefEntity,
    ConfidenceDimensions,
    ConfidenceGiven,
    ConfidenceRecord,
    instant_of,
    millis,
    recorded_by,
)
from clause.knowledge.tension_detection import OPEN
from clause.text.fields import utc_now

NAME_LENGTH = 80
_BLANKS = re.compile(r"\s+")


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
    """Make the key that is unique among the beliefs held in a scope: the text, and its valid time where one is given.

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
    return text if len(text) <= NAME_LENGTH else text[:NAME_LENGTH].rsplit(" ", 1)[0]


def recorded_token(at: datetime) -> str:
    """An instant as digits that sort like it, for ranges in the full-text index.

    >>> recorded_token(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
    '20260102030405000006'
    """
    return at.astimezone(UTC).strftime("%Y%m%d%H%M%S%f")


def domain_token(domain: str) -> str:
    """One word for a domain, whatever its letters; upper and lower case are the same domain.

    >>> domain_token("Tech") == domain_token("tech")
    True
    """
    return "d" + hashlib.sha256(domain.casefold().encode("utf-8", "replace")).hexdigest()[:16]


ACTIVE: Final = "active"
DISPUTED: Final = "disputed"
"""The status of a held belief with an open tension."""

HELD: Final = (ACTIVE, DISPUTED)
"""The statuses of beliefs that are held."""

ROLES: Final = ("subject", "object", "source", "context")
"""The roles of entities, in the order in which they are told."""

FIELDS: Final = (
    "id", "scope", "content", "content_hash", "domain_path", "status", "stage", "signal", "source_kind", "source_id",
    "extraction_method", "visibility", "decay", "sources", "statements", "open_tensions", "version", "valid_from",
    "valid_until", "given_until", "superseded_at", "archived_at", "retracted_at", "superseded_by_id", "merged_into",
    "given_freshness", "ceiling", "verified_at", *(f"c_{name}" for name in WEIGHTS),
)  # fmt: skip
"""Properties that a read of many beliefs asks for by name; `recorded_at` and `confirmed_at` come as numbers."""

PAST: Final = ("history", "ends", "ends_at")
"""Properties that only a question about what was known at an earlier instant needs."""

_DAY_MS = 86_400_000.0


def settling(ids: Iterable[str], scopes: Sequence[str], now: datetime) -> tuple[str, dict[str, Any]]:
    """The statement that derives the confidence of these beliefs anew: last in each transaction that touches them.

    Their statements, sources, tensions and lineage as they are then give stage, status, dimensions and overall; what
    was derived from them follows, parents before children. That is one order for every writer, so that writers wait
    for each other and never deadlock.
    """
    return "knowledge/settle", {
        "ids": sorted(set(ids)),
        "scopes": list(scopes),
        "now": now,
        "dimensions": list(WEIGHTS),
        "weights": dict(WEIGHTS),
        "floor": FLOOR,
        "ladder": list(LADDER),
        "half_lives": dict(HALF_LIVES_DAYS),
        "penalties": dict(PENALTIES),
        "corroborated": CORROBORATED,
        "author_likeness": AUTHOR_LIKENESS,
        "owner": OWNER_AUTHOR,
        "everyone": EVERYONE,
        "most_voices": MOST_VOICES,
        "stages": [{"name": name, "below": below} for name, below in STAGES],
        "active": ACTIVE,
        "disputed": DISPUTED,
        "open": list(OPEN),
        "record": list(SETTLED),
        "absent": ABSENT,
    }


def floors_as_of(
    floors: Mapping[str, float], recorded: datetime | None, now: Callable[[], datetime] = utc_now
) -> dict[str, Any]:
    """The parameters of a statement that holds floors against `dimensions_of`: those of now, or as they were known."""
    return {
        "floors": dict(floors),
        "dimensions": list(floors),
        "at": recorded or now(),
        "recorded": recorded,
        "record": len(SETTLED) + 1,
        "absent": ABSENT,
        "weights": dict(WEIGHTS),
        "least": FLOOR,
        "half_lives": dict(HALF_LIVES_DAYS),
    }


def starting_dimensions(given: BeliefCreate, kind: str) -> dict[str, float | None]:
    """The dimensions of a new belief with one source of this kind, so that its signal's overall is reached.

    What the caller gives can lower it and never raise it: source and method are at most what the signal and the source
    come to, and a corroboration that is claimed lifts neither them now nor the whole when the claim is replaced.
    """
    own = given.confidence or ConfidenceGiven()
    others: dict[str, float | None] = {
        "internal_consistency": 1.0 if own.internal_consistency is None else own.internal_consistency,
        "temporal_freshness": 1.0 if own.temporal_freshness is None else own.temporal_freshness,
        "corroboration": own.corroboration,
        "domain_applicability": own.domain_applicability,
    }
    start = start_of(given.signal, kind)
    quality = min(starting_quality(start, others), starting_quality(start, {**others, "corroboration": None}))
    return {
        "source_reliability": quality if own.source_reliability is None else min(quality, own.source_reliability),
        "method_quality": quality if own.method_quality is None else min(quality, own.method_quality),
        **others,
    }


def origin_of(row: Mapping[str, Any]) -> StatementOrigin:
    """A statement from the properties of its provenance; one of an older version was the owner's."""
    return StatementOrigin(
        origin=row["origin"] or "",
        session=row["session_id"],
        reliability=row["reliability"],
        words=frozenset(row["words"] or ()),
        recalled=bool(row["recalled"]),
        author=row["author"] or OWNER_AUTHOR,
        sites=frozenset(row["sites"] or ()),
        derived=bool(row["derived"]),
    )


def new_belief(
    given: BeliefCreate,
    belief_id: str,
    source: Mapping[str, Any],
    proof: Mapping[str, Any],
    *,
    scope: str,
    model: str,
    at: datetime,
) -> dict[str, Any]:
    """The properties of a belief that nobody has stated before; `proof` is its provenance."""
    dimensions = starting_dimensions(given, source["kind"])
    said = origin_of(proof)
    own = given.confidence or ConfidenceGiven()
    first = ConfidenceRecord(
        at=millis(at),
        **dimensions,
        confirmed_at=millis(at),
        sources=1.0,
        open_tensions=0.0,
        statements=1.0,
        ceiling=None,
    )
    return {
        "id": belief_id,
        "scope": scope,
        "scope_token": scope_token(scope),
        "live_hash": live_hash(given.content, given.valid_from, given.valid_until),
        "content": given.content.replace("\x00", ""),
        "content_hash": content_hash(given.content),
        "name": short_name(given.content),
        "domain_path": list(given.domain_path),
        "domain_token": " ".join(map(domain_token, given.domain_path)),
        "status": ACTIVE,
        "stage": stage(1),
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
        "voices": sorted(said.marks | said.authors),
        "depth": 0,
        "version": 1,
        "embedding_model": model,
        "overall": overall(dimensions),
        "given_consistency": own.internal_consistency,
        "given_freshness": own.temporal_freshness,
        "given_corroboration": own.corroboration,
        "history": first.packed(),
        **{f"c_{name}": value for name, value in dimensions.items()},
    }


def belief_of(found: Mapping[str, Any], entities: Sequence[Sequence[str]], at: datetime) -> Belief:
    """A belief from its properties and [id, name, kind, role] of its entities; fresh as of `at`."""
    return Belief.model_validate(
        {
            **found,
            "domain_path": tuple(found.get("domain_path") or ()),
            "confidence": dimensions_of(found, at),
            "merged_into_id": found.get("merged_into"),
            "verification_status": _verification(found),
            "entities": tuple(
                BeliefEntity(id=one[0], name=one[1], kind=one[2], role=one[3])
                for one in sorted(entities, key=lambda one: (ROLES.index(one[3]), one[1], one[0]))
            ),
            **{name: found.get(name) for name in _INSTANTS},
        }
    )


def _verification(found: Mapping[str, Any]) -> str:
    """Say how far a belief was checked: by a person, or enough independent sources; a disputed one waits for review."""
    if found["status"] == DISPUTED:
        return "pending_review"
    several = found["sources"] >= VERIFYING_SOURCES and (found.get("c_corroboration") or 0.0) >= VERIFIED_FROM
    return "verified" if several or found.get("verified_at") is not None else "unverified"


_INSTANTS = ("valid_from", "valid_until", "superseded_at", "archived_at", "retracted_at", "verified_at")


def dimensions_of(found: Mapping[str, Any], at: datetime) -> ConfidenceDimensions:
    """The dimensions as stored, with the freshness and the overall of the instant `at`."""
    values = {name: found.get(f"c_{name}") for name in WEIGHTS}
    given = found.get("given_freshness")
    age_days = (millis(at) - millis(found["confirmed_at"])) / _DAY_MS
    fresh = (1.0 if given is None else given) * freshness(age_days, HALF_LIVES_DAYS[found["decay"]])
    values["temporal_freshness"] = fresh
    ceiling = found.get("ceiling")
    total = overall(values)
    return ConfidenceDimensions(**values, overall=total if ceiling is None else min(total, ceiling))


def _end_known(found: Mapping[str, Any], recorded: datetime) -> datetime | None:
    """Until when a superseded belief was thought to be true; what took its place may have been moved back later."""
    known = [end for end, at in zip(found.get("ends") or (), found.get("ends_at") or (), strict=True) if at <= recorded]
    until: datetime | None = known[-1] if known else found.get("valid_until")
    return until


def as_recorded(found: Mapping[str, Any], recorded: datetime) -> dict[str, Any] | None:
    """The properties as they were known at an instant; None where the belief was not known yet.

    What happened later (statements, tensions, supersession, archiving, retraction) is undone from `history` and from
    the instants of the changes, so that later facts never change an answer about the past.
    """
    if found["recorded_at"] > recorded:
        return None
    known = recorded_by(found["history"], recorded)
    last = known[-1]
    open_tensions, sources = int(last.open_tensions), int(last.sources)
    ended = {status: found.get(f"{status}_at") for status in ("retracted", "archived", "superseded")}
    past = {status: at for status, at in ended.items() if at is not None and at <= recorded}
    status = next(iter(past), DISPUTED if open_tensions else ACTIVE)
    return {
        **found,
        **{f"c_{name}": value for name, value in last.dimensions.items()},
        "given_freshness": last.temporal_freshness,
        "confirmed_at": instant_of(last.confirmed_at),
        "sources": sources,
        "open_tensions": open_tensions,
        "statements": int(last.statements),
        "ceiling": last.ceiling,
        **{f"{name}_at": past.get(name) for name in ended},
        "verified_at": at if (at := found.get("verified_at")) is not None and at <= recorded else None,
        "superseded_by_id": found.get("superseded_by_id") if "superseded" in past else None,
        "merged_into": found.get("merged_into") if "archived" in past else None,
        "valid_until": _end_known(found, recorded) if "superseded" in past else found.get("given_until"),
        "status": status,
        "stage": stage(sources),
        "version": len(known),
    }


def held_then(found: Mapping[str, Any], recorded: datetime) -> tuple[float, Mapping[str, Any]] | None:
    """The overall confidence and the properties as they were known at an instant; None where it was not known yet."""
    known = as_recorded(found, recorded)
    return None if known is None else (float(dimensions_of(known, recorded).overall), known)


def grounds(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    """Tell what changed in a belief's record."""
    counts = {"sources": "independent sources", "open_tensions": "open tensions", "statements": "statements"}
    for name, words in counts.items():
        if before[name] != after[name]:
            yield f"{words}: {before[name]} -> {after[name]}"
