"""Budgeted curiosity: what to find out next, ranked by what an answer is expected to gain; answers close it.

    question   how often it was asked lately x doubt        doubt: 1 where nothing was answered, else 1 - best score
    tension    (answers that cite a side + 1) x least share of the two confidences
    belief     (answers that cite it + 1/2) x (1 - overall)      of those that one source alone holds up
    surprise   half of the prediction error of a hop

All four are answers, of as many as were given lately, that would come out otherwise. The best is taken first; what is
about the same things as one that is taken already gains half of what it would alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.curiosity import chosen_of
from clause.intelligence.models import (
    CuriosityAnswer,
    CuriosityClosed,
    CuriosityPlan,
    CuriosityPlanRequest,
    PlannedQuestion,
)
from clause.knowledge.beliefs.beliefs import BeliefService
from clause.knowledge.beliefs.models import BeliefCreate
from clause.knowledge.tension_detection import Action, TensionResolve
from clause.knowledge.tensions import TensionService
from clause.text.names import hashed

RECENT = 1_000
"""Runs that are looked back at."""
_TOLD, _CLOSED = "let somebody say so who was not told it here", "it is closed, or was never planned: plan again"
MOST, EVERY = 200, 10_000
"""Gaps of one kind that are looked at for a plan; and to find one that was planned before others came."""
LEAST_DOUBT = 0.3
SURPRISE = 0.5


class CuriosityPlanner:
    """Plans questions and takes their answers.

    Args:
        ground: the graph and the clock.
        beliefs: keep what is found out.
        tensions: are settled by it.
    """

    def __init__(self, ground: Ground, beliefs: BeliefService, tensions: TensionService) -> None:
        self._ground = ground
        self._beliefs = beliefs
        self._tensions = tensions

    async def plan(self, given: CuriosityPlanRequest, *, caller: Caller) -> CuriosityPlan:
        """Plan what to find out next with so many questions.

        Raises:
            ForbiddenError: a scope is not the caller's.
        """
        gaps = await self._gaps(await self._ground.readable(caller, given.scopes), MOST)
        chosen, rest = chosen_of(gaps, given.budget)
        return CuriosityPlan(
            budget=given.budget,
            questions=tuple(chosen),
            expected_gain=sum(gap.gain for gap in chosen),
            left_out=len(rest),
            left_out_gain=max((gap.gain for gap in rest), default=0.0),
        )

    async def close(self, given: CuriosityAnswer, *, caller: Caller) -> CuriosityClosed:
        """Take an answer: a statement is held as a belief, a tension is settled, and the question is asked no more
        unless it comes up again.

        Raises:
            NotFoundError: there is no such open question for this caller.
            ForbiddenError: it is in a scope that the caller may not write to.
            BadInputError: the answer does not say what this kind needs.
        """
        scopes = await self._ground.readable(caller, None)
        gap = await self._find(given.id, scopes, MOST) or await self._find(given.id, scopes, EVERY)
        if gap is None:
            raise NotFoundError(f"no open question {given.id[:80]!r}", remedy=_CLOSED, field="id")
        caller.require_write(gap.scope)
        if gap.kind == "tension":
            return await self._settle(gap, given, caller)
        content = given.statement or (gap.sides[0] if gap.kind == "belief" and given.source is not None else None)
        if content is None:
            needs = "`statement`, or `source` for who else says so" if gap.kind == "belief" else "`statement`"
            raise BadInputError(f"an answer to a {gap.kind} needs {needs}", field="statement")
        held = BeliefCreate(content=content, scope=gap.scope, source=given.source, signal="project_fact")
        found = await self._beliefs.create(held, caller=caller)
        if found.outcome not in {"created", "corroborated"}:
            raise ConflictError(f"nothing was counted: {found.reason or found.outcome}", remedy=_TOLD, field="source")
        row = gap.model_dump(mode="json", include={"id", "scope", "kind", "question", "about"})
        await self._ground.graph.write([("intelligence/close_gap", {**row, "now": self._ground.now()})])
        held_id = found.belief and found.belief.id
        return CuriosityClosed(id=gap.id, kind=gap.kind, did=f"{found.outcome}: {content}", belief_id=held_id)

    async def _settle(self, gap: PlannedQuestion, given: CuriosityAnswer, caller: Caller) -> CuriosityClosed:
        if given.side is None:
            raise BadInputError("an answer to a tension needs `side`: a, b or both", field="side")
        action = _SETTLED[given.side]
        why = given.statement or "found out for the curiosity plan"
        await self._tensions.resolve(gap.id, TensionResolve(action=action, resolution=why[:2000]), caller=caller)
        return CuriosityClosed(id=gap.id, kind=gap.kind, did=f"settled: {action}")

    async def _find(self, gap_id: str, scopes: Sequence[str], most: int) -> PlannedQuestion | None:
        return next((gap for gap in await self._gaps(scopes, most) if gap.id == gap_id), None)

    async def _gaps(self, scopes: Sequence[str], most: int) -> list[PlannedQuestion]:
        """Known gaps of some scopes, `most` of each kind, by falling gain."""
        await self._ground.recorded()
        run, asked = self._ground.graph.run, dict[str, Any](scopes=[*scopes], limit=most)
        gaps = [
            *map(_question, await run("intelligence/doubtful_questions", recent=RECENT, least=LEAST_DOUBT, **asked)),
            *map(_tension, await run("intelligence/open_tensions", **asked)),
            *map(_belief, await run("intelligence/lone_beliefs", **asked)),
            *map(_surprise, await run("intelligence/queued_surprises", **asked)),
        ]
        return sorted(gaps, key=lambda gap: (-gap.gain, gap.id))


_SETTLED: Mapping[str, Action] = {"a": "supersede_b", "b": "supersede_a", "both": "keep_both"}


def _question(row: Mapping[str, Any]) -> PlannedQuestion:
    told = "it was not answered" if row["doubt"] >= 1 else f"its best answer had a score of {1 - row['doubt']:.2f}"
    return PlannedQuestion(
        id=hashed("gap_", row["scope"], row["asked"]),
        kind="question",
        question=row["query"],
        why=f"asked {'once' if row['times'] == 1 else str(row['times']) + ' times'} lately; {told}",
        gain=row["times"] * row["doubt"],
        scope=row["scope"],
        about=tuple(row["about"]),
    )


def _tension(row: Mapping[str, Any]) -> PlannedQuestion:
    a, b = row["a"], row["b"]
    total = a["overall"] + b["overall"]
    held = f"held with {a['overall']:.2f} and {b['overall']:.2f}"
    return PlannedQuestion(
        id=row["id"],
        kind="tension",
        question=f"Which is right: (a) {a['content']} or (b) {b['content']}",
        why=f"they contradict each other, {held}; {row['cited']} answers cite one",
        gain=(row["cited"] + 1) * (min(a["overall"], b["overall"]) / total if total else 0.5),
        scope=row["scope"],
        about=(a["id"], b["id"], *row["about"]),
        sides=(a["content"], b["content"]),
    )


def _belief(row: Mapping[str, Any]) -> PlannedQuestion:
    return PlannedQuestion(
        id=hashed("gap_", row["scope"], row["id"]),
        kind="belief",
        question=f"Is it so, and who else says it: {row['content']}",
        why=f"one source alone says it; held with {row['overall']:.2f}; {row['cited']} answers cite it",
        gain=(row["cited"] + 0.5) * (1 - row["overall"]),
        scope=row["scope"],
        about=(row["id"], *row["about"]),
        sides=(row["content"],),
    )


def _surprise(row: Mapping[str, Any]) -> PlannedQuestion:
    return PlannedQuestion(
        id=row["id"],
        kind="surprise",
        question=f"What about {row['concept']}, where it was asked: {row['question']}",
        why=f"a hop from {row['concept']} came out otherwise than expected, by {row['error']:.2f}",
        gain=SURPRISE * row["error"],
        scope=row["scope"],
        about=(row["concept_id"],),
    )
