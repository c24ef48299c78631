"""`clause evaluate curiosity`: prediction errors on questions, and how well they tell wrong answers from right ones."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.measuring import (
    SAMPLE_SCOPE,
    Limit,
    MoreQuestions,
    PolicyName,
    Questions,
    Sample,
    SampleSeed,
    given_command,
    question_sets,
)


def curiosity(
    *,
    questions: Questions,
    more: MoreQuestions = None,
    limit: Limit = None,
    sample: Sample = None,
    sample_seed: SampleSeed = 0,
    policy: PolicyName = "heuristic",
    edge_budget: Annotated[int, typer.Option(min=1, max=1000, help="Edges.")] = 50,
    as_json: JsonFlag = False,
) -> None:
    """The distribution of prediction errors, what fires at 0.3, 0.5 and 0.7, and the AUC of "the answer is wrong"."""
    from clause.cli.measuring import opened, snapshot_stage
    from clause.evaluation.curious import curiosity_study
    from clause.reasoning.budget import Budgets

    sets = question_sets(questions, more, limit, sample, sample_seed)

    async def run() -> dict[str, Any]:
        async with opened() as container:
            stage = await snapshot_stage(container, [SAMPLE_SCOPE], "text")
            return await curiosity_study(
                stage, container.port, policy, sets, Budgets(edge_budget), command=given_command()
            )

    result = asyncio.run(run())
    if as_json:
        print_json(result)
        return
    for name, value in result.items():
        stdout().print(f"{name}: {value}", markup=False)
