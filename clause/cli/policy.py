"""`clause policy`: which policy decides in which scope; asked of the running service where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout

if TYPE_CHECKING:
    from pydantic import BaseModel

    from clause.evaluation.question_files import GoldQuestion
    from clause.operations.promotion import Promotions

app = typer.Typer(help="Which policy decides in which scope.", no_args_is_help=True)

ROUTE = "/api/policies"
Scope = Annotated[str, typer.Option(help="Where it decides, such as kg:mine; no other scope changes.")]


@app.command("list")
def list_policies(as_json: JsonFlag = False) -> None:
    """The default policy, those at hand, and what scopes chose."""
    from clause.cli.service import running
    from clause.graph.scopes import Caller

    service = running()
    known = service.get(ROUTE) if service else None
    if known is None:
        known = _done(lambda promotions: promotions.all(Caller()))
    if as_json:
        print_json(known)
        return
    for name in known["at_hand"]:
        stdout().print(f"{name}{'  (default)' if name == known['default'] else ''}", markup=False)
    for choice in known["choices"]:
        stdout().print(_told(choice), markup=False)


@app.command()
def promote(
    checkpoint: Annotated[Path, typer.Argument(help="A trained checkpoint, without its ending.")],
    *,
    name: Annotated[str, typer.Option(help="What requests call it from now on.")],
    scope: Scope,
    questions: Annotated[
        list[str] | None,
        typer.Option(metavar="SET=FILE", help="The gate's questions; those that training kept aside if not given."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Let a checkpoint decide in a scope, if it is no worse there than what decides now, on questions kept aside."""
    from clause.errors import UnavailableError
    from clause.evaluation.question_files import question_files, read_questions
    from clause.graph.scopes import Caller
    from clause.operations.promotion import MOST
    from clause.policy.serve.checkpoint_store import CheckpointStore
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    files = question_files(questions, sets=None) if questions else {}
    sets = {key: read_questions(path, MOST) for key, path in files.items()} or None
    settings = Settings.load()
    embedder = SentenceTransformerEmbedder.of(settings)
    store = CheckpointStore(settings.home / "policies", embedder.model, 0)
    fresh = name not in store
    store.put(checkpoint, name)
    note("asking the questions of the gate")
    given = {"policy": name, "scope": scope, "questions": _written(sets)}
    try:
        made = _asked("promote", given, lambda promotions: promotions.promote(name, scope, Caller(), sets))
    except UnavailableError:
        note("the gate may be asking still, so the files stay: the same command again tells what becomes of it")
        raise
    except Exception:
        if fresh:
            store.remove(name)
        raise
    _show(made, as_json)


@app.command()
def use(
    name: Annotated[str, typer.Argument(help="A policy at hand: `clause policy list`.")],
    *,
    scope: Scope,
    as_json: JsonFlag = False,
) -> None:
    """Let a policy decide in a scope from the next question on, without a gate."""
    from clause.graph.scopes import Caller

    given = {"policy": name, "scope": scope}
    _show(_asked("use", given, lambda promotions: promotions.use(name, scope, Caller())), as_json)


@app.command()
def rollback(*, scope: Scope, as_json: JsonFlag = False) -> None:
    """Let the policy of before decide in a scope again."""
    from clause.graph.scopes import Caller

    _show(_asked("rollback", {"scope": scope}, lambda promotions: promotions.rollback(scope, Caller())), as_json)


def _asked(
    what: str, given: Mapping[str, Any], work: Callable[[Promotions], Awaitable[BaseModel]]
) -> Mapping[str, Any]:
    """The answer of the running service, or of an application of this command's own."""
    from clause.cli.service import running

    service = running()
    found = service.post(f"{ROUTE}/{what}", {key: value for key, value in given.items() if value}) if service else None
    answer: Mapping[str, Any] = found if found is not None else _done(work)
    return answer


def _done(work: Callable[[Promotions], Awaitable[BaseModel]]) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        from clause.cli.console import opened
        from clause.operations.promotion import Promotions

        async with opened(sample=False) as container:
            promotions = Promotions(container.graph, container.checkpoints, container.coordinator)
            return (await work(promotions)).model_dump(mode="json")

    return asyncio.run(run())


def _written(sets: Mapping[str, list[GoldQuestion]] | None) -> dict[str, Any] | None:
    """The questions as a request names them."""
    if sets is None:
        return None
    return {key: [{"question": one.text, "answers": one.answers} for one in ones] for key, ones in sets.items()}


def _show(choice: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(choice)
        return
    for side in ("current", "candidate"):
        for key, found in choice.get(side, {}).get("ample", {}).items():
            line = (
                f"{side:<9} {key}: {found['n']} questions, right {found['em_at_1']:.3f}, F1 {found['supported_f1']:.3f}"
            )
            stdout().print(f"{line}, answered {found['answered']:.3f}", markup=False)
    stdout().print(f"{_told(choice)}, from the next question on", markup=False)


def _told(choice: Mapping[str, Any]) -> str:
    before = choice["before"][-1:]
    was = f", before it {before[0] or 'the default'}" if before else ""
    trouble = f"  (it cannot decide, the default does: {choice['problem']})" if choice.get("problem") else ""
    return f"{choice['policy'] or 'the default policy'} decides in {choice['scope']}{was}{trouble}"
