"""`clause export FILE --scope S`: a consistent archive of a scope, the online backup."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.loading_bar import loading_bar

if TYPE_CHECKING:
    from clause.operations.export import ExportReport

app = typer.Typer()


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where to write; packed when its name ends in .gz.", show_default=False)],
    scope: Annotated[str, typer.Option("--scope", help="What to write, such as user:ann.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    """Write a scope as JSON lines with checksums; `clause import` brings it back exactly."""
    report = asyncio.run(_export(file, scope))
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    stdout().print(
        f"{report.nodes:,} nodes and {report.relationships:,} relationships of {report.scope} in {report.file} "
        f"({report.size_bytes:,} bytes), hash {report.canonical[:16]}",
        markup=False,
    )


async def _export(file: Path, scope: str) -> ExportReport:
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.operations.export import export_scope
    from clause.settings import Settings

    with loading_bar() as progress:
        async with open_graph(Settings.load(), progress=progress) as graph:
            await migrate(graph)
            return await export_scope(graph, file, scope, progress=progress)
