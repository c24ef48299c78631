"""`clause import FILE`: an archive's scope, back into a graph where it holds nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.loading_bar import loading_bar

if TYPE_CHECKING:
    from clause.operations.restoration import ImportReport

app = typer.Typer()


@app.command("import")
def restore(
    file: Annotated[Path, typer.Argument(help="The archive; unpacked when its name ends in .gz.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    """Bring a scope back from an archive; broken off, it goes on when run again."""
    report = asyncio.run(_import(file))
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    resumed = ", going on where it was broken off" if report.resumed else ""
    stdout().print(
        f"{report.nodes:,} nodes and {report.relationships:,} relationships of {report.scope} are back{resumed}, "
        f"hash {report.canonical[:16]} as in the archive",
        markup=False,
    )


async def _import(file: Path) -> ImportReport:
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.operations.restoration import import_archive
    from clause.settings import Settings

    with loading_bar() as progress:
        async with open_graph(Settings.load(), progress=progress) as graph:
            await migrate(graph)
            return await import_archive(graph, file, progress=progress)
