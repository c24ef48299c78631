"""The axes on which experiences are clustered, readable ids of clusters and values, what this room refuses; experiences
as nodes: flat properties in the graph, nested models outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.graph.scopes import scope_token
from clause.values.ghap import GhapEntry, GhapOutcome, GhapStep, Lesson, Outcome, RootCause


class InsufficientDataError(BadInputError):
    """Too few experiences to find clusters: `details` has how many there are and how many are needed."""

    status = 422
    code = "insufficient_data"


class InvalidAxisError(BadInputError, ValueError):
    """An axis that is none of the four, or not the cluster's own."""

    status = 422
    code = "invalid_axis"


class UnknownClusterError(NotFoundError, ValueError):
    """No cluster by that id, or none that this caller may see."""

    code = "unknown_cluster"


class EmptyClusterError(ConflictError, ValueError):
    """A cluster whose members are all gone: nothing can be compared with it."""

    code = "empty_cluster"


class ValueRejectedError(ConflictError, ValueError):
    """A text too far from its cluster to be stored: `details["validation"]` has every number."""

    status = 422
    code = "value_rejected"


class Axis(StrEnum):
    """The sides of an experience that are compared."""

    FULL = "full"
    STRATEGY = "strategy"
    SURPRISE = "surprise"
    ROOT_CAUSE = "root_cause"


def parse_axis(text: str) -> Axis:
    """The axis of that name.

    Raises:
        InvalidAxisError: there is none (it is a ValueError too).

    >>> parse_axis("root_cause")
    <Axis.ROOT_CAUSE: 'root_cause'>
    >>> parse_axis("domain")
    Traceback (most recent call last):
    ...
    clause.values.axes.InvalidAxisError: 'domain' is no axis; domain is a filter on experiences
    """
    try:
        return Axis(text)
    except ValueError:
        names = ", ".join(axis.value for axis in Axis)
        remedy = "domain is a filter on experiences" if text == "domain" else f"use one of {names}"
        raise InvalidAxisError(
            f"{text[:80]!r} is no axis", remedy=remedy, field="axis", bound=f"one of {names}"
        ) from None


def axis_texts(entry: GhapEntry) -> dict[Axis, str]:
    """The texts of an experience that are embedded, by axis; surprise and root cause only where it was falsified."""
    texts = {Axis.FULL: full_text(entry), Axis.STRATEGY: _strategy_text(entry)}
    if entry.outcome is not None and entry.outcome.status is Outcome.FALSIFIED:
        if entry.surprise:
            texts[Axis.SURPRISE] = _lines(
                ("Unexpected", entry.surprise), ("Expected", entry.prediction), ("Actual", entry.outcome.result)
            )
        if entry.root_cause:
            texts[Axis.ROOT_CAUSE] = _lines(
                ("Category", entry.root_cause.category),
                ("Cause", entry.root_cause.description),
                ("Context", f"{entry.domain}, {entry.strategy}"),
            )
    return texts


def full_text(entry: GhapEntry) -> str:
    """The whole experience in lines; what is not known yet is left out."""
    outcome = entry.outcome
    return _lines(
        ("Goal", entry.goal),
        ("Hypothesis", entry.hypothesis),
        ("Action", entry.action),
        ("Prediction", entry.prediction),
        ("Outcome", f"{outcome.status.value}: {outcome.result}" if outcome else None),
        ("Surprise", entry.surprise),
        ("Lesson", _lesson(entry)),
    )


def told_sentences(entry: GhapEntry, axis: Axis = Axis.FULL) -> list[str]:
    """The words of the agent on one side of an experience, without our headings: what a value is compared with."""
    cause = entry.root_cause.description if entry.root_cause else None
    result = entry.outcome.result if entry.outcome else None
    learned = (entry.lesson.what_worked, entry.lesson.takeaway) if entry.lesson else ()
    parts: dict[Axis, tuple[str | None, ...]] = {
        Axis.FULL: (entry.goal, entry.hypothesis, entry.action, entry.prediction, result, entry.surprise, cause),
        Axis.STRATEGY: (entry.action,),
        Axis.SURPRISE: (entry.surprise, entry.prediction, result),
        Axis.ROOT_CAUSE: (cause, entry.surprise),
    }
    return [part for part in (*parts[axis], *learned) if part]


def told_text(entry: GhapEntry) -> str:
    """All the words of the agent, one sentence a line: the text in which entities are looked for."""
    return "\n".join(told_sentences(entry))


def clauses(sentence: str) -> list[str]:
    """A sentence in its clauses, at marks and connectives: as short as a lesson is; single words stay where they are.

    >>> clauses("The page is slow because its query is not cached; Ann had asked twice")
    ['The page is slow', 'because its query is', 'not cached;', 'Ann had asked twice']
    """
    found: list[str] = []
    for piece in _CLAUSE.split(sentence.strip()):
        if found and len(piece.split()) < _SHORTEST_CLAUSE:
            found[-1] = f"{found[-1]} {piece}".strip()
        elif piece:
            found.append(piece)
    return found


def _strategy_text(entry: GhapEntry) -> str:
    outcome = entry.outcome
    return _lines(
        ("Strategy", entry.strategy),
        ("Action", entry.action),
        ("Outcome", outcome.status.value if outcome else None),
        ("Worked", entry.lesson.what_worked if entry.lesson else None),
    )


def _lesson(entry: GhapEntry) -> str | None:
    if entry.lesson is None:
        return None
    return " ".join(part for part in (entry.lesson.what_worked, entry.lesson.takeaway) if part)


def _lines(*parts: tuple[str, str | None]) -> str:
    """One line for each part that says something."""
    return "\n".join(f"{name}: {text}" for name, text in parts if text)


_SHORTEST_CLAUSE = 2
_CLAUSE = re.compile(
    r"(?<=[.!?;:,])\s+|\s+(?=(?:because|but|and|so|before|after|when|while|until|which|that|where|if|without|with|not)\b)",
    re.IGNORECASE,
)
_CLUSTER = re.compile(rf"({'|'.join(axis.value for axis in Axis)})_(\d{{1,9}})(?:@([0-9A-Za-z]{{1,64}}))?")
_VALUE = re.compile(rf"value_(?:{'|'.join(axis.value for axis in Axis)})_\d{{1,9}}_(\d{{8}}T\d{{12}})Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ClusterRef(NamedTuple):
    """A public cluster id, taken apart; without a run it means the latest one."""

    axis: Axis
    label: int
    run_id: str | None

    def of_run(self, run_id: str) -> str:
        """The whole id, with its run.

        >>> parse_cluster_id("full_0").of_run("01JD7W9ZB6V3Q7T5N9S4E2M8XK")
        'full_0@01JD7W9ZB6V3Q7T5N9S4E2M8XK'
        """
        return f"{self.axis.value}_{self.label}@{run_id}"


def parse_cluster_id(text: str) -> ClusterRef:
    """A public cluster id, taken apart.

    Raises:
        UnknownClusterError: no cluster can have this id (it is a ValueError too).

    >>> parse_cluster_id("root_cause_12@01JD")
    ClusterRef(axis=<Axis.ROOT_CAUSE: 'root_cause'>, label=12, run_id='01JD')
    """
    match = _CLUSTER.fullmatch(text)
    if match is None:
        raise UnknownClusterError(
            f"{text[:80]!r} is no cluster's id", remedy="use one such as full_0 or full_0@<run>", field="cluster_id"
        )
    return ClusterRef(Axis(match[1]), int(match[2]), match[3])


def value_id(axis: str, label: int, number: int) -> str:
    """The readable id of a value made `number` microseconds after 1970.

    >>> value_id("full", 0, 1_796_000_000_123_456)
    'value_full_0_20261130T005320123456Z'
    """
    return f"value_{axis}_{label}_{_EPOCH + timedelta(microseconds=number):%Y%m%dT%H%M%S%fZ}"


def micros(instant: datetime) -> int:
    """Microseconds after 1970 of an instant.

    >>> micros(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005
    """
    return (instant - _EPOCH) // timedelta(microseconds=1)


def number_of(value: str) -> int:
    """The microseconds after 1970 in a value's readable id.

    Raises:
        BadInputError: no value has this id.

    >>> number_of("value_full_0_20261130T005320123456Z")
    1796000000123456
    """
    match = _VALUE.fullmatch(value)
    try:
        made = datetime.strptime(match[1], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC) if match else None
    except ValueError:
        made = None
    if made is None:
        raise BadInputError(f"{value[:80]!r} is no value's id", field="value_id")
    return micros(made)


MIN_EXPERIENCES = 20
"""Fewer experiences on an axis make no clusters."""


def require_enough(count: int, axis: Axis) -> None:
    """Let an axis pass that has enough experiences for clusters.

    Raises:
        InsufficientDataError: it has fewer than MIN_EXPERIENCES.
    """
    if count < MIN_EXPERIENCES:
        raise InsufficientDataError(
            f"{count} experiences have the axis {axis.value}",
            remedy="resolve more of them",
            bound=f"at least {MIN_EXPERIENCES} experiences",
            details={"experiences": count, "needed": MIN_EXPERIENCES},
        )


_VECTORS = frozenset({"embedding", "strategy_embedding", "surprise_embedding", "root_cause_embedding"})


def hidden(node: Mapping[str, Any]) -> dict[str, Any]:
    """A node's properties without its vectors."""
    return {name: value for name, value in node.items() if name not in _VECTORS}


def open_key(scope: str, session_id: str | None) -> str:
    """The key that only one open experience may have: its scope and session.

    >>> open_key("user:ann", "7")
    'user:ann#7'
    """
    return f"{scope}#{session_id or ''}"


def properties_of(entry: GhapEntry) -> dict[str, Any]:
    """All properties of an experience's node but id, vectors and degree; None removes one."""
    outcome, cause, lesson = entry.outcome, entry.root_cause, entry.lesson
    texts = axis_texts(entry)
    return {
        "scope": entry.scope,
        "scope_token": scope_token(entry.scope),
        "session_id": entry.session_id,
        "open_key": None if outcome else open_key(entry.scope, entry.session_id),
        "name": entry.goal[:80],
        "content": next(iter(texts.values())),
        **{f"{axis.value}_text": text for axis, text in texts.items() if axis.value != "full"},
        "domain": entry.domain,
        "strategy": entry.strategy,
        "goal": entry.goal,
        "hypothesis": entry.hypothesis,
        "action": entry.action,
        "prediction": entry.prediction,
        "history": [step.model_dump_json(exclude_none=True) for step in entry.history],
        "outcome": outcome.status.value if outcome else None,
        "result": outcome.result if outcome else None,
        "auto_captured": outcome.auto_captured if outcome else None,
        "surprise": entry.surprise,
        "root_cause_category": cause.category if cause else None,
        "root_cause": cause.description if cause else None,
        "lesson": lesson.what_worked if lesson else None,
        "takeaway": lesson.takeaway if lesson else None,
        "confidence_tier": entry.confidence_tier.value if entry.confidence_tier else None,
        "recorded_at": entry.created_at,
        "resolved_at": entry.resolved_at,
        "run_id": entry.run_id,
        "version": entry.version,
    }


def entry_of(row: Mapping[str, Any]) -> GhapEntry:
    """The model of a row with the columns `entry` and `entities`."""
    node = row["entry"]
    outcome = node.get("outcome")
    cause = node.get("root_cause")
    return GhapEntry(
        id=node["id"],
        scope=node["scope"],
        session_id=node.get("session_id"),
        domain=node["domain"],
        strategy=node["strategy"],
        goal=node["goal"],
        hypothesis=node["hypothesis"],
        action=node["action"],
        prediction=node["prediction"],
        history=tuple(GhapStep.model_validate_json(step) for step in node["history"]),
        outcome=GhapOutcome(
            status=outcome,
            result=node["result"],
            captured_at=node["resolved_at"],
            auto_captured=node["auto_captured"],
        )
        if outcome
        else None,
        surprise=node.get("surprise"),
        root_cause=RootCause(category=node["root_cause_category"], description=cause) if cause else None,
        lesson=Lesson(what_worked=node["lesson"], takeaway=node.get("takeaway")) if node.get("lesson") else None,
        confidence_tier=node.get("confidence_tier"),
        entities=row["entities"],
        run_id=node.get("run_id"),
        created_at=node["recorded_at"],
        resolved_at=node.get("resolved_at"),
        version=node["version"],
    )
