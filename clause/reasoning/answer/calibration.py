"""Calibration by feedback: verdicts on answers move the reader's scores in their scope, and source track records.

    logit p = slope * logit s + offset        s: the reader's score, p: the answer's

Slope and offset are the most probable ones under normal priors around the shipped calibration (slope 1, offset 0),
drawn back towards it by n / (n + 20) and by 1 - 4 / L, where L is twice the gain in log-likelihood: what chance would
gain (its mean is 2) moves nothing, and neither do a few verdicts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, Field

from clause.arrays import Doubles
from clause.errors import ConflictError, ForbiddenError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, readable_scopes
from clause.reasoning.answer.run_record import RunRecord
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.models.answer import RecordedAnswer, ScopeCalibration
from clause.reasoning.neighbourhood.port import View
from clause.text.fields import Frozen, Model
from clause.text.names import hashed, name_key

SLOPE_SPREAD, OFFSET_SPREAD = 0.3, 0.4
"""Standard deviations of the priors around the shipped calibration."""
WORTH = 20
"""Verdicts that the shipped calibration is worth."""
CHANCE = 4.0
"""Twice the gain in log-likelihood that is taken for chance."""
EDGE = 0.02
"""Scores nearer to 0 or 1 count as this far from them: one verdict on a sure answer does not outweigh all others."""
MOST = 2_000
"""The newest verdicts of a view; older ones are about another graph and another reader."""
BINS = 10
FOLDS = 5
_BELIEVED_S = 5.0
_STEPS = 50

Cause = Literal["statement", "reading"]


class FeedbackGiven(Model):
    """A verdict on an answer of a recorded run."""

    verdict: Literal["right", "wrong"] = Field(description="is the answer right")
    answer: str | None = Field(None, max_length=10_000, description="its node id or name (unset: the best answer)")
    model_config = ConfigDict(json_schema_extra={"example": {"verdict": "wrong", "cause": "statement"}})

    cause: Cause | None = Field(
        None,
        description="why it is wrong: a false statement, or a misread question, which speaks against no source",
    )


class FeedbackTaken(Frozen):
    """The effect of a verdict."""

    id: str = Field(description="the same author's next verdict on this answer to this question takes its place")
    scope: str = Field(description="whose calibration it moves")
    answer: str = Field(description="the name of the answer that was judged")
    score: float = Field(description="what the reader gave it, before any calibration")
    sources: int = Field(ge=0, description="sources whose track record it moves: those of the evidence, where yours")
    calibration: ScopeCalibration | None = Field(None, description="of the run's scopes now (null: as shipped)")


class ReliabilityBin(Frozen):
    """Answers whose scores lie together."""

    low: float
    high: float
    count: int = Field(ge=0)
    mean_score: float | None = Field(None, description="null where there is none")
    right_share: float | None = Field(None, description="null where there is none")


class Reliability(Frozen):
    """The extent to which scores say how often answers are right."""

    error: float = Field(description="expected calibration error: mean of |right share - mean score|, by count")
    bins: tuple[ReliabilityBin, ...]


class CalibrationReport(Frozen):
    """The reliability of scores in some scopes, as shipped and with what feedback taught."""

    scopes: tuple[str, ...]
    feedback: int = Field(ge=0, description="verdicts that are known there")
    calibration: ScopeCalibration | None = Field(None, description="what is in force (null: as shipped)")
    before: Reliability = Field(description="of the reader's own scores")
    after: Reliability = Field(description="of calibrated ones; each answer by what the verdicts on others taught")


class Calibrations:
    """Takes verdicts, and tells what they taught.

    Args:
        graph: where verdicts are kept.
        runs: the answers that are judged.
        clock: how long what was read is believed, in seconds of this clock.
    """

    def __init__(self, graph: Graph, runs: RunRecorder, clock: Callable[[], float] = time.monotonic) -> None:
        """Reads nothing yet."""
        self._graph = graph
        self._runs = runs
        self._clock = clock
        self._known: dict[View, tuple[float, ScopeCalibration | None]] = {}

    async def of(self, view: View) -> ScopeCalibration | None:
        """Give the calibration that the verdicts known to a view taught; None where they taught nothing."""
        key = View(view.scopes, None, view.as_of_recorded)
        known = self._known.get(key)
        if known is not None and self._clock() - known[0] < _BELIEVED_S:
            return known[1]
        found = fitted(*await self._verdicts(view.scopes, view.as_of_recorded))
        if len(self._known) > MOST:
            self._known.clear()
        self._known[key] = (self._clock(), found)
        return found

    async def give(
        self, run_id: str, given: FeedbackGiven, *, caller: Caller, origin: Literal["author", "outcome"] = "author"
    ) -> FeedbackTaken:
        """Keep a verdict on an answer.

        Raises:
            NotFoundError: the caller may not read the run, or it gave no such answer.
            ForbiddenError: the run is in a scope that the caller may not write to.
            ConflictError: the run gave no answer, or its evidence was not recorded with one.
        """
        run = await self._runs.get(run_id, caller)
        scope = caller.require_write(run.scope)
        judged = _judged(run, given.answer)
        key = hashed("fb_", scope, caller.author, name_key(run.query), judged.node or judged.name)
        row = await self._graph.one(
            "reasoning/give_feedback",
            id=key,
            run_id=run.id,
            scope=scope,
            properties={
                "author": caller.author,
                "verdict": given.verdict,
                "cause": given.cause or "statement",
                "origin": origin,
                "score": judged.reader_score,
                "recorded_at": self._runs.now(),
            },
            evidence=list(judged.evidence),
            writable=[one for one in run.scopes if caller.may_write(one)],
        )
        self._known.clear()
        return FeedbackTaken(
            id=key,
            scope=scope,
            answer=judged.name,
            score=judged.reader_score,
            sources=row["sources"] if row else 0,
            calibration=await self.of(View(run.scopes)),
        )

    async def outcome(self, run_id: str, /, *, right: bool, caller: Caller) -> None:
        """An experience that acted on an answer came out as it said, or not.

        An answer that is gone, or is not the caller's to judge, teaches nothing.
        """
        given = FeedbackGiven(verdict="right" if right else "wrong")
        try:
            await self.give(run_id, given, caller=caller, origin="outcome")
        except (NotFoundError, ForbiddenError, ConflictError):
            return

    async def report(self, scopes: Sequence[str] | None, *, caller: Caller) -> CalibrationReport:
        """Report how reliable scores are in some scopes, before and after.

        Raises:
            ForbiddenError: a scope is not the caller's.
        """
        readable = await readable_scopes(self._graph, caller, scopes)
        scores, right = await self._verdicts(readable, None)
        found = fitted(scores, right)
        return CalibrationReport(
            scopes=readable,
            feedback=len(scores),
            calibration=found,
            before=reliability(scores, right),
            after=reliability(held_out(scores, right), right),
        )

    async def _verdicts(self, scopes: Sequence[str], recorded: datetime | None) -> tuple[Doubles, Doubles]:
        at = recorded or self._runs.now()
        rows = await self._graph.run("reasoning/feedback", scopes=[*scopes], recorded=at, limit=MOST)
        return np.array([row["score"] for row in rows], float), np.array([row["right"] for row in rows], float)


def _judged(run: RunRecord, wanted: str | None) -> RecordedAnswer:
    if not run.answers:
        raise ConflictError("the run gave no answer that could be judged", remedy="ask again", field="run_id")
    if wanted is None:
        return run.answers[0]
    for answer in run.answers:
        if wanted == answer.node or name_key(wanted) == name_key(answer.name):
            return answer
    names = ", ".join(repr(answer.name) for answer in run.answers[:5])
    raise NotFoundError(f"the run gave no answer {wanted[:80]!r}", remedy=f"it gave {names}", field="answer")


def moved(score: float, calibration: ScopeCalibration | None) -> float:
    """A score after calibration.

    >>> moved(0.8, None), round(moved(0.8, ScopeCalibration(feedback=50, slope=1.0, offset=-1.0)), 3)
    (0.8, 0.595)
    """
    if calibration is None:
        return score
    return float(_moved(np.array([score]), calibration.slope, calibration.offset)[0])


def fitted(scores: Doubles, right: Doubles) -> ScopeCalibration | None:
    """Learn from verdicts: scores [n] of the reader, and 1.0 where the answer was right [n]; None: nothing learnt."""
    if not len(scores):
        return None
    z = _logit(scores)
    slope, offset = _most_probable(z, right)
    gain = 2 * (_loss(z, right, 1.0, 0.0) - _loss(z, right, slope, offset))
    trust = max(0.0, 1 - CHANCE / gain) * len(scores) / (len(scores) + WORTH) if gain > 0 else 0.0
    if trust == 0:
        return None
    slope, offset = max(0.1, 1 + trust * (slope - 1)), trust * offset
    return ScopeCalibration(feedback=len(scores), slope=round(slope, 6), offset=round(offset, 6))


def held_out(scores: Doubles, right: Doubles) -> Doubles:
    """Each score [n] as the verdicts on the others, a fifth of all left out at a time, would calibrate it."""
    found = np.array(scores)
    for fold in range(FOLDS):
        mine = np.arange(len(scores)) % FOLDS == fold
        learnt = fitted(scores[~mine], right[~mine])
        if learnt is not None:
            found[mine] = _moved(scores[mine], learnt.slope, learnt.offset)
    return found


def reliability(scores: Doubles, right: Doubles) -> Reliability:
    """The reliability diagram of scores [n] in ten bins of one width, and its expected calibration error.

    >>> reliability(np.array([0.75, 0.75]), np.array([1.0, 0.0])).error
    0.25
    """
    scores = np.clip(scores, 0.0, 1.0)  # a relevance may be negative
    place = np.minimum((scores * BINS).astype(int), BINS - 1)
    bins, error = [], 0.0
    for number in range(BINS):
        mine = place == number
        count = int(mine.sum())
        means: dict[str, Any] = {}
        if count:
            means = {"mean_score": float(scores[mine].mean()), "right_share": float(right[mine].mean())}
            error += count / len(scores) * abs(means["mean_score"] - means["right_share"])
        bins.append(ReliabilityBin(low=number / BINS, high=(number + 1) / BINS, count=count, **means))
    return Reliability(error=error, bins=tuple(bins))


def _moved(scores: Doubles, slope: float, offset: float) -> Doubles:
    z = _logit(scores)
    return np.asarray(np.clip(scores + _sigmoid(slope * z + offset) - _sigmoid(z), 0.0, 1.0), dtype=float)


def _most_probable(z: Doubles, right: Doubles) -> tuple[float, float]:
    """(slope, offset) by Newton's method, each step halved until it gains."""
    precision = np.array([SLOPE_SPREAD**-2, OFFSET_SPREAD**-2])
    shipped, x = np.array([1.0, 0.0]), np.array([1.0, 0.0])
    features = np.stack([z, np.ones_like(z)], axis=1)

    def cost(at: Doubles) -> float:
        return _loss(z, right, at[0], at[1]) + float((precision * (at - shipped) ** 2).sum()) / 2

    for _ in range(_STEPS):
        p = _sigmoid(features @ x)
        slope = features.T @ (p - right) + precision * (x - shipped)
        curve = (features * (p * (1 - p))[:, None]).T @ features + np.diag(precision)
        step = np.linalg.solve(curve, slope)
        while cost(x - step) > cost(x) + 1e-12 and abs(step).max() > 1e-9:
            step = step / 2
        x = x - step
        if abs(step).max() < 1e-9:
            break
    return float(x[0]), float(x[1])


def _loss(z: Doubles, right: Doubles, slope: float, offset: float) -> float:
    at = slope * z + offset
    return float((np.logaddexp(0, at) - right * at).sum())


def _logit(scores: Doubles) -> Doubles:
    clipped = np.clip(scores, EDGE, 1 - EDGE)
    return np.asarray(np.log(clipped / (1 - clipped)), dtype=float)


def _sigmoid(at: Doubles) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-at)), dtype=float)
