"""`clause snapshot`: scopes of the graph as one file of arrays, for training and evaluation away from the server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout

app = typer.Typer()


@app.command()
def snapshot(
    file: Annotated[Path, typer.Argument(help="Where to write it; .npz, no pickle.")],
    *,
    scope: Annotated[list[str], typer.Option(help="Scopes to read; repeatable.")],
    as_json: JsonFlag = False,
) -> None:
    """Write entities, relationships and vectors of scopes to one file; `Snapshot.load` reads it."""
    written = asyncio.run(_write(file, scope))
    if as_json:
        print_json(written)
    else:
        told = f"{written['nodes']:,} nodes, {written['edges']:,} edges, {written['types']} types in {written['file']}"
        stdout().print(told, markup=False)


async def _write(file: Path, scopes: list[str]) -> dict[str, Any]:
    from clause.cli.db import progress_bar
    from clause.errors import BadInputError
    from clause.library import Clause

    path = file if file.suffix == ".npz" else file.with_name(f"{file.name}.npz")
    if not path.parent.is_dir():
        raise BadInputError(f"there is no folder {path.parent}", remedy="make it first", field="file")
    with progress_bar() as progress:
        async with Clause.open(progress=progress) as opened:
            found = await opened.snapshot(scopes)
    await asyncio.to_thread(found.save, path)
    edges = int(found.forward.starts[-1])
    return {"file": str(path), "nodes": len(found.ids), "edges": edges, "types": len(found.types), "scopes": scopes}
