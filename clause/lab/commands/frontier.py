"""`clause evaluate frontier` and `curiosity`: budgets that bind, and prediction errors that tell wrong answers."""

from __future__ import annotations

import asyncio
import math
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from clause.cli.console import JsonFlag, counter, note, print_json, stdout
from clause.errors import BadInputError
from clause.lab.commands.measuring import (
    SAMPLE_SCOPE,
    Clients,
    Limit,
    MoreQuestions,
    PolicyName,
    Questions,
    Sample,
    SampleSeed,
    given_command,
    on_sample,
    question_sets,
)

if TYPE_CHECKING:
    from clause.app import Container
    from clause.evaluation.frontier import Cell
    from clause.evaluation.harness import System

Numbers = Annotated[str, typer.Option(metavar="N,N,...", help="Comma-separated; empty: none.")]


def frontier(
    *,
    questions: Questions,
    more: MoreQuestions = None,
    limit: Limit = None,
    sample: Sample = None,
    sample_seed: SampleSeed = 0,
    policy: Annotated[list[str] | None, typer.Option(help="Who decides; may be repeated.  [default: learned]")] = None,
    against: Annotated[str, typer.Option(help="The null model.")] = "relation-path-depth-first",
    edges: Numbers = "5,10,20",
    tokens: Numbers = "64,128,256",
    steps: Numbers = "3,6",
    prices: Numbers = "0.01,0.03,0.1,0.3,1",
    seeds: Annotated[str, typer.Option(help="gold or text: take the bracketed entity, or find it.")] = "gold",
    clients: Clients = 1,
    plot: Annotated[Path | None, typer.Option(help="Also draw supported F1 against edges (needs matplotlib).")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Supported F1 over scarce budgets and over prices, with the paired difference to a null model (95 %)."""
    from clause.evaluation.frontier import frontier_study, grid, priced
    from clause.lab.report import draw, frontier_text

    asked = list(chain.from_iterable(question_sets(questions, more, limit, sample, sample_seed).values()))
    limits = grid(_whole(edges, "edges"), _whole(tokens, "tokens"), _whole(steps, "steps"))
    price_cells = priced(_numbers(prices, "prices"))
    source: Literal["gold", "text"] = "gold" if seeds == "gold" else "text"
    if seeds not in ("gold", "text"):
        raise BadInputError(f"--seeds {seeds!r} is neither gold nor text", field="seeds")

    async def run(container: Container) -> dict[str, Any]:
        from clause.evaluation.service import PlayedSystem
        from clause.lab.commands.measuring import snapshot_stage

        names = policy or ["learned"]
        for name in (*names, against):
            container.coordinator.policies[name]
        stage = await snapshot_stage(container, [SAMPLE_SCOPE], source)

        def system(name: str, cell: Cell) -> System:
            return PlayedSystem(stage, name, lambda _question: cell.budgets, cell.prices)

        return await frontier_study(
            system,
            names,
            against,
            asked,
            limits=limits,
            prices=price_cells,
            clients=clients,
            command=given_command(),
            progress=counter("cells", 10),
        )

    result = asyncio.run(on_sample(run))
    if plot is not None:
        draw(result, plot)
        note(f"drawn: {plot}")
    print_json(result) if as_json else stdout().print(frontier_text(result), markup=False)


def _numbers(text: str, field: str) -> list[float]:
    try:
        values = [float(word) for word in text.split(",") if word.strip()]
    except ValueError as error:
        raise BadInputError(f"--{field} {text!r}: not numbers with commas between them", field=field) from error
    if not all(0 <= value < math.inf for value in values):
        raise BadInputError(f"--{field} {text!r}: a number is below 0, or none", field=field)
    return values


def _whole(text: str, field: str) -> list[int]:
    values = _numbers(text, field)
    if any(value != int(value) or value < 1 for value in values):
        raise BadInputError(f"--{field} {text!r}: whole numbers from 1 are needed", field=field)
    return [int(value) for value in values]


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
    from clause.lab.commands.measuring import opened, snapshot_stage
    from clause.lab.curiosity import curiosity_study
    from clause.reasoning.episode.budget import Budgets

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


def proofs(
    questions: Annotated[list[str], typer.Argument(metavar="SCOPE=FILE...", help="JSON lines as of `evaluate own`.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder of what is measured; what is there is not done again.")],
    edges: Numbers = "5,10,20",
    tokens: Numbers = "64,128,256",
    steps: Numbers = "6",
    limit: Limit = None,
    as_json: JsonFlag = False,  # noqa: ARG001 -- it prints nothing else
) -> None:
    """Supported F1 of proved answers over scarce budgets, on graphs outside training, each agent's decision swapped."""
    from clause.evaluation.frontier import grid
    from clause.lab.worlds import measure_proofs

    cells = grid(_whole(edges, "edges"), _whole(tokens, "tokens"), _whole(steps, "steps"))
    files = {scope: Path(file) for scope, _, file in (one.partition("=") for one in questions)}

    async def run() -> dict[str, Any]:
        from clause.lab.commands.measuring import opened, snapshot_stage

        async with opened(sample=False) as container:
            stages = {scope: await snapshot_stage(container, [scope], "text") for scope in files}
            return {**await measure_proofs(stages, files, cells, out, limit), "command": given_command()}

    print_json(asyncio.run(run()))
