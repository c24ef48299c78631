"""`clause memory`: figures of memories, what a threshold means for them, and how a scope keeps them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, counter, print_json, stdout

if TYPE_CHECKING:
    from clause.memory.configuration import ScopeConfiguration
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
    stdout().print(
        f"or, for one scope: clause memory configure --scope SCOPE --threshold {point.threshold:g}", markup=False
    )


@app.command()
def configure(
    *,
    scope: Annotated[str, typer.Option(help="Whose memories.")],
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Cosine above which a memory joins.")] = None,
    consolidation: Annotated[int | None, typer.Option(min=2, help="Members above which a cluster is closed.")] = None,
    decay_factor: Annotated[float | None, typer.Option(min=0, max=1, help="What a score keeps a unit of time.")] = None,
    decay_unit: Annotated[int | None, typer.Option(min=1, help="Unit of time of the decay, in seconds.")] = None,
    hybrid: Annotated[
        bool | None, typer.Option("--hybrid/--dense", help="Search words, too; or meaning alone.")
    ] = None,
    sparse_weight: Annotated[float | None, typer.Option(min=0, max=1, help="Weight of words.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Say nothing of its own but what is given here.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show how a scope's memories are kept and recalled, or let it say so differently from the settings."""
    given = {
        "similarity_threshold": threshold,
        "consolidation_threshold": consolidation,
        "decay_factor": decay_factor,
        "decay_unit_seconds": decay_unit,
        "enable_hybrid_search": hybrid,
        "sparse_weight": sparse_weight,
    }
    found = asyncio.run(_configure(scope, {name: value for name, value in given.items() if value is not None}, reset))
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    rows = [(name, value, "scope" if name in found.own else "settings") for name, value in found.used]
    _print(f"Memories of {found.scope}", ("name", "value", "said by"), rows)


async def _configure(scope: str, given: dict[str, Any], reset: bool) -> ScopeConfiguration:
    from clause.cli.console import opened
    from clause.graph.scopes import Caller
    from clause.memory.configuration import MemoryConfiguration

    async with opened(sample=False) as container:
        configurations, owner = container.rooms.memory.store.configurations, Caller(None, None)
        found = await configurations.show(scope, caller=owner)
        if not given and not reset:
            return found
        own = given if reset else {**found.own, **given}
        return await configurations.change(MemoryConfiguration(scope=scope, **own), caller=owner)


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
    from clause.ingest.source import open_text
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    settings = Settings.load()
    with open_text(path) as lines:
        texts = [line.strip() for line in lines if line.strip()][:sample]
    embedder = SentenceTransformerEmbedder.of(settings)
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
