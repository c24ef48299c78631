"""Beliefs on their way to and from the graph: properties of a new one, a row as a model, as of any instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from clause.graph.scopes import scope_token
from clause.knowledge.confidence import (
    DECAYS,
    FLOOR,
    HALF_LIVES_DAYS,
    LADDER,
    PENALTIES,
    STARTS,
    WEIGHTS,
    freshness,
    overall,
    stage,
    starting_quality,
)
from clause.knowledge.content import content_hash, domain_token, live_hash, recorded_token, short_name
from clause.knowledge.models import Belief, BeliefCreate, BeliefEntity, ConfidenceDimensions, ConfidenceGiven

HELD: Final = ("active", "disputed")
"""The statuses of beliefs that are held."""

ROLES: Final = ("subject", "object", "source", "context")
"""The roles of entities, in the order in which they are told."""

ENTRY: Final = 12
"""Numbers of one entry of `history`: see cypher/knowledge/settle.cypher."""

FIELDS: Final = (
    "id", "scope", "content", "content_hash", "domain_path", "status", "stage", "signal", "source_kind", "source_id",
    "extraction_method", "visibility", "decay", "sources", "statements", "open_tensions", "version", "valid_from",
    "valid_until", "given_until", "superseded_at", "archived_at", "retracted_at", "superseded_by_id", "merged_into",
    "given_freshness", "ceiling", *(f"c_{name}" for name in WEIGHTS),
)  # fmt: skip
"""Properties that a read of many beliefs asks for by name; `recorded_at` and `confirmed_at` come as numbers."""

_DAY_MS = 86_400_000.0


def settling(ids: Iterable[str], scopes: Sequence[str], now: datetime) -> tuple[str, dict[str, Any]]:
    """The statement that derives the confidence of these beliefs anew: last in each transaction that touches them.

    Their statements, sources, tensions and lineage as they are then give stage, status, dimensions and overall. Ids go
    in one order for every writer, so that writers wait for each other and never deadlock.
    """
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
    own = given.confidence or ConfidenceGiven()
    standing = (*dimensions.values(), _millis(at), 1.0, 0.0, 1.0, None)
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
        "overall": overall(dimensions),
        "given_consistency": own.internal_consistency,
        "given_freshness": own.temporal_freshness,
        "given_corroboration": own.corroboration,
        "history": [_millis(at), *(-1.0 if value is None else value for value in standing)],
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
            "entities": tuple(
                BeliefEntity(id=one[0], name=one[1], kind=one[2], role=one[3])
                for one in sorted(entities, key=lambda one: (ROLES.index(one[3]), one[1], one[0]))
            ),
            **{name: found.get(name) for name in _INSTANTS},
        }
    )


_INSTANTS = ("valid_from", "valid_until", "superseded_at", "archived_at", "retracted_at")


def dimensions_of(found: Mapping[str, Any], at: datetime) -> ConfidenceDimensions:
    """The dimensions as stored, with the freshness and the overall of the instant `at`."""
    values = {name: found.get(f"c_{name}") for name in WEIGHTS}
    given = found.get("given_freshness")
    age_days = (_millis(at) - _millis(found["confirmed_at"])) / _DAY_MS
    fresh = (1.0 if given is None else given) * freshness(age_days, HALF_LIVES_DAYS[found["decay"]])
    values["temporal_freshness"] = fresh
    ceiling = found.get("ceiling")
    total = overall(values)
    return ConfidenceDimensions(**values, overall=total if ceiling is None else min(total, ceiling))


def as_recorded(found: Mapping[str, Any], recorded: datetime) -> dict[str, Any] | None:
    """The properties as they were known at an instant; None where the belief was not known yet.

    What happened later (statements, tensions, supersession, archiving, retraction) is undone from `history` and from
    the instants of the changes, so that later facts never change an answer about the past.
    """
    if found["recorded_at"] > recorded:
        return None
    moment = _millis(recorded)
    history = found["history"]
    entries = [history[at : at + ENTRY] for at in range(0, len(history), ENTRY)]
    known = [entry for entry in entries if entry[0] <= moment] or entries[:1]
    names = (*(f"c_{name}" for name in WEIGHTS), "confirmed_at", "sources", "open_tensions", "statements", "ceiling")
    then: dict[str, Any] = dict(
        zip(names, (None if number == -1.0 else number for number in known[-1][1:]), strict=True)
    )
    then["given_freshness"] = then["c_temporal_freshness"]
    then["confirmed_at"] = datetime.fromtimestamp((then["confirmed_at"] or 0.0) / 1000, UTC)
    then |= {name: int(then[name] or 0) for name in ("sources", "open_tensions", "statements")}
    ended = {status: found.get(f"{status}_at") for status in ("retracted", "archived", "superseded")}
    past = {status: at for status, at in ended.items() if at is not None and at <= recorded}
    status = next(iter(past), "disputed" if then["open_tensions"] else "active")
    return {
        **found,
        **then,
        **{f"{name}_at": past.get(name) for name in ended},
        "superseded_by_id": found.get("superseded_by_id") if "superseded" in past else None,
        "valid_until": found.get("valid_until") if "superseded" in past else found.get("given_until"),
        "status": status,
        "stage": stage(then["sources"]),
        "version": len(known),
    }


def _millis(at: datetime) -> float:
    return float(int(at.timestamp() * 1000))
