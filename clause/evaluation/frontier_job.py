"""The frontier as a job: a user's own questions on their own graph, bounded, the result in the job's cursor."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import BadInputError
from clause.evaluation.frontier import Cell, frontier_study, grid, priced
from clause.evaluation.playing import PlayedSystem, Stage
from clause.evaluation.questions import Question
from clause.evaluation.system import System
from clause.jobs.turn import Turn
from clause.reasoning.asking import Asker
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.neighbourhood import View

MOST_QUESTIONS = 500

Limits = Annotated[tuple[Annotated[int, Field(ge=1, le=8192)], ...], Field(max_length=6)]
Name = Annotated[str, Field(max_length=200)]


class OwnQuestion(BaseModel):
    """One question with all its right answers, by name; none means that abstaining is right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Annotated[str, Field(min_length=1, max_length=2000)]
    answers: Annotated[tuple[Name, ...], Field(max_length=1000)]
    entity: Name | None = None


class FrontierParameters(BaseModel):
    """What the job `evaluate_frontier` is asked with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: Annotated[tuple[OwnQuestion, ...], Field(min_length=1, max_length=MOST_QUESTIONS)]
    policy: Name | None = None
    against: Name = "heuristic"
    edges: Limits = (5, 10, 20)
    tokens: Limits = (64, 128, 256)
    steps: Limits = (3, 6)
    prices: Annotated[tuple[Annotated[float, Field(ge=0, le=1)], ...], Field(max_length=6)] = ()


async def evaluate_frontier(turn: Turn, *, asker: Asker, coordinator: Coordinator) -> None:
    """Measure in the job's scope alone; `cursor.frontier` then holds what `clause evaluate frontier --json` prints.

    Raises:
        BadInputError: the parameters are not those of `FrontierParameters`.
        NotFoundError: there is no such policy.
    """
    try:
        asked = FrontierParameters.model_validate(turn.job.parameters)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadInputError(f"parameters.{where}: {first['msg']}", field=f"parameters.{where}") from error
    policy = asked.policy or coordinator.policies.default
    for name in (policy, asked.against):
        coordinator.policies[name]
    stage = Stage(asker, coordinator, View((turn.job.scope,)), "text")

    def system(name: str, cell: Cell) -> System:
        return PlayedSystem(stage, name, lambda _question: cell.budgets, cell.prices)

    async def tell(done: int, total: int) -> None:
        await turn.progress(done, total, "measuring")

    found = await frontier_study(
        system,
        [policy],
        asked.against,
        [Question(own.question, own.answers, own.entity) for own in asked.questions],
        limits=grid(asked.edges, asked.tokens, asked.steps),
        prices=priced(asked.prices),
        command="POST /api/jobs evaluate_frontier",
        after_cell=tell,
    )
    await turn.progress(message="measured", cursor={"frontier": found})
