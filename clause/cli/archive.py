"""`clause export`, `import`, `forget` and `snapshot`: scopes out of the graph, back into it, and erased for good."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, loading_bar, print_json, stdout

if TYPE_CHECKING:
    from clause.knowledge.lineage.models import Erasure, ErasureRequest
    from clause.operations.archive import ExportReport
    from clause.operations.restoration import ImportReport

export_app = typer.Typer()


@export_app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where to write; packed when its name ends in .gz.", show_default=False)],
    scope: Annotated[str, typer.Option("--scope", help="What to write, such as user:ann.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    """Write a scope, a user's without that user's sessions, as JSON lines; `clause import` brings it back exactly."""
    report = asyncio.run(_export(file, scope))
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    stdout().print(
        f"{report.nodes:,} nodes and {report.relationships:,} relationships of {report.scope} in {report.file} "
        f"({report.size_bytes:,} bytes), hash {report.canonical[:16]}{report.left_out}",
        markup=False,
    )


async def _export(file: Path, scope: str) -> ExportReport:
    from clause.cli.load import migrated
    from clause.operations.archive import export_scope, refuse_folder
    from clause.settings import Settings

    refuse_folder(file)
    with loading_bar() as progress:
        async with migrated(Settings.load(), progress) as graph:
            return await export_scope(graph, file, scope, progress=progress)


import_app = typer.Typer()


@import_app.command("import")
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
    same = f", without {report.left_out:,} that led out of the scope" if report.left_out else " as in the archive"
    stdout().print(
        f"{report.nodes:,} nodes and {report.relationships:,} relationships of {report.scope} are back{resumed}, "
        f"hash {report.canonical[:16]}{same}",
        markup=False,
    )


async def _import(file: Path) -> ImportReport:
    from clause.cli.load import migrated
    from clause.operations.restoration import import_archive
    from clause.settings import Settings

    with loading_bar() as progress:
        async with migrated(Settings.load(), progress) as graph:
            return await import_archive(graph, file, progress=progress)


forget_app = typer.Typer()


@forget_app.command()
def forget(
    scope: Annotated[
        str | None, typer.Option(help="A whole scope; a user's with that user's sessions.", show_default=False)
    ] = None,
    source: Annotated[str | None, typer.Option(help="A source, and what only it says.", show_default=False)] = None,
    belief: Annotated[str | None, typer.Option(help="A belief.", show_default=False)] = None,
    memory: Annotated[str | None, typer.Option(help="A memory.", show_default=False)] = None,
    *,
    preview: Annotated[bool, typer.Option("--preview", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Erase a scope, a source, a belief or a memory: nodes, vectors, evidence, and its text in recorded runs."""
    from clause.errors import BadInputError
    from clause.knowledge.lineage.models import ErasureRequest

    if sum(one is not None for one in (scope, source, belief, memory)) != 1:
        raise BadInputError("say what to forget", remedy="give one of --scope, --source, --belief, --memory")
    request = ErasureRequest(scope=scope, source_id=source, belief_id=belief, memory_id=memory)
    if as_json and not preview and not yes:
        raise BadInputError("with --json nobody is asked", remedy="add --preview or --yes")
    if not preview and not yes:
        _show(asyncio.run(_forget(request, apply=False)))
        typer.confirm("Forget all this for good?", abort=True)
    receipt = asyncio.run(_forget(request, apply=not preview))
    if as_json:
        print_json(receipt.model_dump(mode="json"))
    else:
        _show(receipt)


def _show(receipt: Erasure) -> None:
    console = stdout()
    head = "erased" if receipt.done else "would be erased"
    counts = ", ".join(f"{number:,} {name}" for name, number in receipt.counts.items()) or "nothing"
    console.print(f"{head}: {counts}; {receipt.vectors:,} vectors", markup=False)
    if receipt.kept:
        console.print(f"stays, resting on something else too: {', '.join(receipt.kept)}", markup=False)
    if receipt.elsewhere:
        console.print(f"holds the same text in its own right: {', '.join(receipt.elsewhere)}", markup=False)
    console.print(receipt.files, markup=False)


async def _forget(request: ErasureRequest, *, apply: bool) -> Erasure:
    from clause.cli.load import migrated
    from clause.graph.scopes import Caller
    from clause.operations.archive import erasure_of
    from clause.settings import Settings

    settings = Settings.load()
    async with migrated(settings) as graph:
        service = erasure_of(graph, settings)
        return await (service.apply if apply else service.preview)(request, caller=Caller())


snapshot_app = typer.Typer()


@snapshot_app.command()
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
    from clause.errors import BadInputError, NotFoundError
    from clause.library import Clause

    path = file if file.suffix == ".npz" else file.with_name(f"{file.name}.npz")
    if not path.parent.is_dir():
        raise BadInputError(f"there is no folder {path.parent}", remedy="make it first", field="file")
    with progress_bar() as progress:
        async with Clause.open(progress=progress) as opened:
            found = await opened.snapshot(scopes)
    if not found.ids:
        raise NotFoundError(f"there is nothing in {', '.join(scopes)}", remedy="load something first", field="scope")
    await asyncio.to_thread(found.save, path)
    edges = int(found.forward.starts[-1])
    return {"file": str(path), "nodes": len(found.ids), "edges": edges, "types": len(found.types), "scopes": scopes}
