"""`clause forget --scope S | --source ID | --belief ID | --memory ID`: erased for good, after a look at what goes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, print_json, stdout

if TYPE_CHECKING:
    from clause.knowledge.models_lineage import Erasure, ErasureRequest

app = typer.Typer()


@app.command()
def forget(
    scope: Annotated[
        str | None, typer.Option(help="A whole scope; a user's with that user's sessions.", show_default=False)
    ] = None,
    source: Annotated[str | None, typer.Option(help="A source, and what only it says.", show_default=False)] = None,
    belief: Annotated[str | None, typer.Option(help="A belief.", show_default=False)] = None,
    memory: Annotated[str | None, typer.Option(help="A memory.", show_default=False)] = None,
    *,
    preview: Annotated[bool, typer.Option("--preview", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Erase a scope, a source, a belief or a memory: nodes, vectors, evidence, and its text in recorded runs."""
    from clause.errors import BadInputError
    from clause.knowledge.models_lineage import ErasureRequest

    if sum(one is not None for one in (scope, source, belief, memory)) != 1:
        raise BadInputError("say what to forget", remedy="give one of --scope, --source, --belief, --memory")
    request = ErasureRequest(scope=scope, source_id=source, belief_id=belief, memory_id=memory)
    if as_json and not preview and not yes:
        raise BadInputError("with --json nobody is asked", remedy="add --preview or --yes")
    if not preview and not yes:
        _show(asyncio.run(_forget(request, apply=False)))
        typer.confirm("Forget all this for good?", abort=True)
    receipt = asyncio.run(_forget(request, apply=not preview))
    if as_json:
        print_json(receipt.model_dump(mode="json"))
    else:
        _show(receipt)


def _show(receipt: Erasure) -> None:
    console = stdout()
    head = "erased" if receipt.done else "would be erased"
    counts = ", ".join(f"{number:,} {name}" for name, number in receipt.counts.items()) or "nothing"
    console.print(f"{head}: {counts}; {receipt.vectors:,} vectors", markup=False)
    if receipt.kept:
        console.print(f"stays, resting on something else too: {', '.join(receipt.kept)}", markup=False)
    if receipt.elsewhere:
        console.print(f"holds the same text in its own right: {', '.join(receipt.elsewhere)}", markup=False)
    console.print(receipt.files, markup=False)


async def _forget(request: ErasureRequest, *, apply: bool) -> Erasure:
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.graph.scopes import Caller
    from clause.operations.forget import erasure_of
    from clause.settings import Settings

    settings = Settings.load()
    async with open_graph(settings) as graph:
        await migrate(graph)
        service = erasure_of(graph, settings)
        return await (service.apply if apply else service.preview)(request, caller=Caller())
