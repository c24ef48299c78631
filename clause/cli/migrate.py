"""`clause migrate`: the graph's schema, brought up to date."""

from __future__ import annotations

import asyncio
from typing import Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout

app = typer.Typer()


@app.command()
def migrate(as_json: JsonFlag = False) -> None:
    """Apply what is missing of the migrations; the managed Neo4j is started when none is given."""
    report = asyncio.run(_migrate())
    if as_json:
        print_json(report)
        return
    applied = report["applied"]
    stdout().print(f"{len(applied)} applied: {', '.join(applied)}" if applied else "nothing to apply")


async def _migrate() -> dict[str, Any]:
    from clause.cli.db import progress_bar
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.settings import Settings

    with progress_bar() as progress:
        async with open_graph(Settings.load(), progress=progress) as graph:
            report = await migrate(graph)
    return {"applied": list(report.applied), "before": report.before}
