"""`clause reembed`: vectors of another model for the whole graph; broken off, it goes on when run again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.loading_bar import loading_bar

if TYPE_CHECKING:
    from clause.ingest.report import EmbedReport

app = typer.Typer()


@app.command()
def reembed(
    scope: Annotated[
        str | None, typer.Option("--scope", help="Only this scope, where the model stays the same.", show_default=False)
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Embed what has no vector of the model that CLAUSE_EMBEDDER names, and record that model."""
    report = asyncio.run(_reembed(scope))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        stdout().print(f"{report.embedded:,} vectors of {report.model} in {report.seconds:.1f} s", markup=False)


async def _reembed(scope: str | None) -> EmbedReport:
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.ingest.embedding import reembed
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    settings = Settings.load()
    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    with loading_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            await migrate(graph)
            report = await reembed(graph, embedder, scope=scope, progress=progress)
    embedder.close()
    return report
