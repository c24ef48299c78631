"""`clause consolidate`: closes full clusters of memories and joins twins now, without waiting for a service."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout

if TYPE_CHECKING:
    from clause.container import Container
    from clause.memory.consolidation import ConsolidationReport

app = typer.Typer()


@app.command()
def consolidate(
    job: Annotated[
        str | None, typer.Argument(help="A job that was broken off; every scope that has work, if not said.")
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Only this scope.", show_default=False)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Consolidate memories: full clusters are closed, twins become one; broken off, it goes on when run again."""
    reports = asyncio.run(_consolidate(job, scope, dry_run))
    if as_json:
        print_json({"dry_run": dry_run, "scopes": [report.model_dump(mode="json") for report in reports]})
        return
    verb = "would be" if dry_run else "were"
    for report in reports:
        line = f"{report.scope}: of {report.looked_at:,} clusters that changed {report.consolidated:,} {verb} closed"
        stdout().print(f"{line}, {report.joined:,} joined", markup=False)
    if not reports:
        note("nothing waits for consolidation")


async def _consolidate(job: str | None, scope: str | None, dry_run: bool) -> list[ConsolidationReport]:
    from clause.cli.measuring import opened
    from clause.errors import BadInputError

    if job is not None and (dry_run or scope is not None):
        raise BadInputError("a job knows its scope and writes", remedy="leave --scope and --dry-run out", field="job")
    async with opened(sample=False) as container:
        if job is not None:
            return [await container.rooms.memory.consolidation.resume(job, container.jobs)]
        return [await _one(container, one, dry_run) for one in await _scopes(container, scope)]


async def _scopes(container: Container, scope: str | None) -> list[str]:
    if scope is not None:
        return [scope]
    return [*await container.rooms.memory.consolidation.work()]


async def _one(container: Container, scope: str, dry_run: bool) -> Any:
    from clause.graph.scopes import Caller

    return await container.rooms.memory.consolidation.run(scope, caller=Caller(None, None), dry_run=dry_run)
