"""`clause bench clustering`: experiences clustered at size, and the event loop meanwhile."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag
from clause.cli.evaluate_pairs import show
from clause.cli.measuring import counter, given_command


def clustering(
    *,
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=100, max=1_000_000, help="Points; may be given several times.")
    ] = None,
    stored: Annotated[
        int, typer.Option(min=0, max=100_000, help="Experiences of the whole run; 0 leaves it out.")
    ] = 5_000,
    as_json: JsonFlag = False,
) -> None:
    """Clusters of 500, 5,000 and 20,000 points, and of stored experiences in a scope that is erased afterwards."""
    from clause.cli.measuring import opened
    from clause.evaluation.bench_clustering import clustering_bench

    async def study() -> dict[str, Any]:
        async with opened(sample=False) as container:
            return await clustering_bench(
                container.rooms.values,
                sizes or [500, 5_000, 20_000],
                stored=stored,
                command=given_command(),
                progress=counter("told", 1_000),
            )

    show(asyncio.run(study()), as_json)
