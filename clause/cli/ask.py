"""`clause ask`: one question, answered in this process."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout

app = typer.Typer()


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What to find out, in plain words.")],
    *,
    start: Annotated[list[str] | None, typer.Option(help="Start here: id, exact name or alias; repeatable.")] = None,
    scope: Annotated[list[str] | None, typer.Option(help="Read this scope; repeatable. All by default.")] = None,
    edge_budget: Annotated[int, typer.Option(min=10, max=200, help="Edges the subgraph may have.")] = 50,
    step_budget: Annotated[int, typer.Option(min=1, max=20, help="Steps the walk may take.")] = 10,
    token_budget: Annotated[int, typer.Option(min=100, max=8192, help="Tokens the evidence may have.")] = 2048,
    policy: Annotated[str | None, typer.Option(help="Who decides; the default policy if not given.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Ask a question; print the answers, the path, the evidence with sources, and the receipt."""
    given = {
        "query": question,
        "budgets": {"edge_budget": edge_budget, "step_budget": step_budget, "token_budget": token_budget},
        "start_nodes": start or None,
        "scopes": scope or None,
        "policy": policy,
    }
    answer = asyncio.run(_ask(given))
    if as_json:
        print_json(answer)
    else:
        from clause.cli.rendering import print_answer

        print_answer(stdout(), answer)


async def _ask(given: dict[str, Any]) -> dict[str, Any]:
    from pydantic import ValidationError

    from clause.cli.db import progress_bar
    from clause.container import Container
    from clause.errors import OutOfBoundsError
    from clause.graph.scopes import Caller
    from clause.reasoning.models import CoordinationRequest
    from clause.settings import Settings

    try:
        request = CoordinationRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise OutOfBoundsError(f"{field}: {first['msg']}", field=field) from error
    with progress_bar() as progress:
        async with Container.open(Settings.load(), progress=progress) as container:
            response = await container.coordinator.coordinate(request, Caller())
    return dict(response.model_dump(mode="json"))
