"""The four axes on which experiences are compared: a text, a vector and an index for each. `domain` is a filter."""

from __future__ import annotations

from enum import StrEnum

from clause.values.errors import InvalidAxisError
from clause.values.ghap import GhapEntry, Outcome


class Axis(StrEnum):
    """What is compared."""

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
    clause.values.errors.InvalidAxisError: 'domain' is no axis; domain is a filter on experiences
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
    """What is embedded of an experience, by axis; surprise and root cause only where it was falsified."""
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


def told_text(entry: GhapEntry) -> str:
    """What the agent wrote, without our headings: where entities are looked for."""
    cause = entry.root_cause.description if entry.root_cause else None
    result = entry.outcome.result if entry.outcome else None
    parts = (entry.goal, entry.hypothesis, entry.action, entry.prediction, result, entry.surprise, cause)
    return "\n".join(part for part in (*parts, _lesson(entry)) if part)


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
