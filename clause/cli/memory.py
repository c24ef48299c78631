"""`clause memory`: figures of the memories that are kept, and what a threshold means for them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.measuring import counter

if TYPE_CHECKING:
    from clause.memory.calibration import Calibration
    from clause.memory.statistics import MemoryStatistics

app = typer.Typer(help="Look after memories.", no_args_is_help=True)

Scopes = Annotated[list[str] | None, typer.Option("--scope", help="Whose, each with the option; all if not said.")]


@app.command()
def stats(*, scope: Scopes = None, as_json: JsonFlag = False) -> None:
    """Compression, cohesion, silhouette, sizes of clusters, and the share of what nobody recalls."""
    figures = asyncio.run(_stats(scope))
    if as_json:
        print_json(figures.model_dump(mode="json"))
        return
    from clause.memory.statistics import table

    _print("Memories", ("figure", "value"), table(figures))


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
    from clause.cli.measuring import opened
    from clause.graph.scopes import Caller

    async with opened(sample=False) as container:
        return await container.rooms.memory.store.stats(caller=Caller(None, None), scopes=scopes)


async def _calibrate(
    scopes: list[str] | None, texts: Path | None, sample: int, compression: float | None, cohesion: float | None
) -> Calibration:
    from clause.memory.calibration import calibrate

    vectors = await (_vectors_of_file(texts, sample) if texts else _vectors_of_memories(scopes, sample))
    told = counter("thresholds", 1)
    return await asyncio.to_thread(calibrate, vectors, compression=compression, cohesion=cohesion, progress=told)


async def _vectors_of_file(path: Path, sample: int) -> Any:
    from clause.evaluation.questions import open_text
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    settings = Settings.load()
    with open_text(path) as lines:
        texts = [line.strip() for line in lines if line.strip()][:sample]
    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    try:
        return await embedder.embed(texts)
    finally:
        embedder.close()


async def _vectors_of_memories(scopes: list[str] | None, sample: int) -> Any:
    from clause.cli.measuring import opened
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
