"""`clause policy`: which policy decides by default."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout

if TYPE_CHECKING:
    from clause.app import Container
    from clause.operations.promotion import Promotions

app = typer.Typer(help="Which policy decides by default.", no_args_is_help=True)

CANDIDATE = "candidate"
BUDGETS = {"ample": (200, 10, 2048), "tight": (10, 6, 128)}


@app.command("list")
def list_policies(as_json: JsonFlag = False) -> None:
    """The policies at hand and those that have decided, with the default."""

    async def run(container: Container) -> dict[str, Any]:
        book = container.coordinator.policies
        recorded = await promotions(container).all()
        return {"default": book.default, "at_hand": list(book.names), "recorded": recorded}

    result = asyncio.run(_opened(run))
    if as_json:
        print_json(result)
        return
    for name in result["at_hand"]:
        stdout().print(f"{name}{'  (default)' if name == result['default'] else ''}")


@app.command()
def promote(
    checkpoint: Annotated[Path, typer.Argument(help="A trained checkpoint, without its ending.")],
    *,
    name: Annotated[str, typer.Option(help="What requests call it from now on.")],
    questions: Annotated[list[str], typer.Option(metavar="HOP=FILE", help="Dev questions for the gate; repeatable.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many questions of each file.")] = 500,
    as_json: JsonFlag = False,
) -> None:
    """Make a checkpoint the default, if it loses no EM or supported F1 against the current one and keeps budgets."""
    from clause.evaluation.question_files import question_files, read_questions

    sets = {hop: read_questions(path, limit) for hop, path in question_files(questions).items()}

    async def run(container: Container) -> dict[str, Any]:
        from clause.operations.promotion import gate

        current = await _studies(container, container.coordinator.policies.default, sets)
        candidate = await _studies(container, CANDIDATE, sets)
        return await promotions(container).promote(checkpoint, name, gate(candidate, current), candidate)

    result = asyncio.run(_opened(run, checkpoint))
    if as_json:
        print_json(result)
    else:
        stdout().print(f"{result['id']} decides from the next start on, instead of {result['replaces'] or 'learned'}")


@app.command()
def rollback(as_json: JsonFlag = False) -> None:
    """Let the default of before decide again."""

    async def run(container: Container) -> dict[str, Any]:
        return await promotions(container).rollback()

    result = asyncio.run(_opened(run))
    if as_json:
        print_json(result)
    else:
        stdout().print(f"{result['back_to'] or 'learned'} decides from the next start on, instead of {result['id']}")


def promotions(container: Container) -> Promotions:
    """The promotions of this installation."""
    from clause.operations.promotion import Promotions

    return Promotions(container.graph, container.checkpoints)


async def _opened(work: Any, candidate: Path | None = None) -> dict[str, Any]:
    from clause.app import Container
    from clause.settings import Settings

    settings = Settings.load()
    policies = {} if candidate is None else {CANDIDATE: _maker(candidate)}
    async with Container.open(settings, policies=policies) as container:
        await container.warming
        result: dict[str, Any] = await work(container)
        return result


def _maker(candidate: Path) -> Any:
    def make() -> Any:
        from clause.policy.serve.inference import LearnedPolicy

        return LearnedPolicy(candidate, name=CANDIDATE)

    return make


async def _studies(container: Container, policy: str, sets: Any) -> dict[str, Any]:
    """The current or candidate policy on the questions, at ample and at tight budgets, over a snapshot."""
    from clause.cli.console import snapshot_coordinate
    from clause.evaluation.harness import ask_all, summarise
    from clause.evaluation.service import ServiceSystem
    from clause.reasoning.episode.budget import Budgets

    coordinate = await snapshot_coordinate(container, ["kg:metaqa"])
    studies: dict[str, Any] = {}
    for setting, budgets in BUDGETS.items():
        system = ServiceSystem(coordinate, policy=policy, budgets=Budgets(*budgets), scopes=["kg:metaqa"])
        studies[setting] = {
            hop: summarise(asked, await ask_all(system, asked, clients=2), None) for hop, asked in sets.items()
        }
    return studies
