"""`clause bench memory`: memories written, recalled and consolidated at size."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag
from clause.cli.evaluate_pairs import show
from clause.cli.measuring import counter, given_command


def memory(
    *,
    size: Annotated[int, typer.Option(min=100, max=1_000_000, help="Memories in the store.")] = 10_000,
    calls: Annotated[int, typer.Option(min=1, max=100_000, help="Calls that count, of each kind.")] = 200,
    as_json: JsonFlag = False,
) -> None:
    """Memories written, recalled and consolidated, in a scope of their own, which is erased afterwards."""
    from clause.cli.measuring import opened
    from clause.evaluation.bench_memory import memory_bench

    async def study() -> dict[str, Any]:
        async with opened(sample=False) as container:
            told = counter("written", 10_000)
            room = container.rooms.memory
            return await memory_bench(room, size=size, calls=calls, command=given_command(), progress=told)

    show(asyncio.run(study()), as_json)
