"""`clause memory` and `clause consolidate`: figures of memories, what a threshold means for them, and consolidation
now."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, counter, note, print_json, stdout

if TYPE_CHECKING:
    from clause.app import Container
    from clause.memory.consolidation import ConsolidationReport
    from clause.memory.statistics import Calibration, MemoryStatistics

app = typer.Typer(help="Look after memories.", no_args_is_help=True)

Scopes = Annotated[list[str] | None, typer.Option("--scope", help="Whose, each with the option; all if not said.")]


@app.command()
def stats(*, scope: Scopes = None, as_json: JsonFlag = False) -> None:
    """Compression, cohesion, silhouette, sizes of clusters, and the share of what nobody recalls."""
    from urllib.parse import urlencode

    from clause.cli.service import running

    service = running()
    asked = urlencode([("scope", one) for one in scope or ()])
    figures = service.get(f"/api/memories/stats?{asked}") if service else None
    if figures is None:
        figures = asyncio.run(_stats(scope)).model_dump(mode="json")
    if as_json:
        print_json(figures)
        return
    rows = [(name, value) for name, value in figures.items() if name != "sizes"]
    _print(
        "Memories",
        ("figure", "value"),
        [*rows, *((f"clusters of {n}", count) for n, count in figures["sizes"].items())],
    )


@app.command()
def calibrate(
    *,
    scope: Scopes = None,
    texts: Annotated[Path | None, typer.Option(help="A file of texts, one a line, in place of memories.")] = None,
    compression: Annotated[float | None, typer.Option(min=1, help="Memories for one cluster; 4 if not said.")] = None,
    cohesion: Annotated[float | None, typer.Option(min=0, max=1, help="Mean cosine to the prototype.")] = None,
    sample: Annotated[int, typer.Option(min=2, max=20_000, help="So many texts at most, the first.")] = 2_000,
    as_json: JsonFlag = False,
) -> None:
    """Find the threshold for a wanted compression or cohesion on your own data, and show the curve."""
    found = asyncio.run(_calibrate(scope, texts, sample, compression, cohesion))
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    columns = ("threshold", "clusters", "compression", "cohesion")
    rows = [(p.threshold, p.clusters, f"{p.compression:.2f}", f"{p.cohesion:.3f}") for p in found.curve]
    _print(f"{found.texts:,} texts, joined one after the other", columns, rows)
    point = found.found
    line = f"{found.wanted}: threshold {point.threshold:g} gives {point.compression:.2f} texts a cluster"
    stdout().print(f"{line}, cohesion {point.cohesion:.3f}; set {found.setting}", markup=False)


async def _stats(scopes: list[str] | None) -> MemoryStatistics:
    from clause.cli.console import opened
    from clause.graph.scopes import Caller

    async with opened(sample=False) as container:
        return await container.rooms.memory.store.stats(caller=Caller(None, None), scopes=scopes)


async def _calibrate(
    scopes: list[str] | None, texts: Path | None, sample: int, compression: float | None, cohesion: float | None
) -> Calibration:
    from clause.memory.statistics import calibrate

    vectors = await (_vectors_of_file(texts, sample) if texts else _vectors_of_memories(scopes, sample))
    told = counter("thresholds", 1)
    return await asyncio.to_thread(calibrate, vectors, compression=compression, cohesion=cohesion, progress=told)


async def _vectors_of_file(path: Path, sample: int) -> Any:
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder
    from clause.text.files import open_text

    settings = Settings.load()
    with open_text(path) as lines:
        texts = [line.strip() for line in lines if line.strip()][:sample]
    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    try:
        return await embedder.embed(texts)
    finally:
        embedder.close()


async def _vectors_of_memories(scopes: list[str] | None, sample: int) -> Any:
    from clause.cli.console import opened
    from clause.graph.scopes import Caller

    async with opened(sample=False) as container:
        return await container.rooms.memory.store.vectors(caller=Caller(None, None), scopes=scopes, limit=sample)


def _print(title: str, columns: tuple[str, ...], rows: Any) -> None:
    from rich.table import Table

    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*map(str, row))
    stdout().print(table)


consolidate_app = typer.Typer()


@consolidate_app.command()
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
    from clause.cli.console import opened
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
