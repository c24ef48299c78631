"""`clause db`: the local Neo4j, started, stopped and looked after."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stderr, stdout
from clause.cli.db_browse import browse
from clause.errors import SettingsError

if TYPE_CHECKING:
    from clause.graph.server import ManagedServer, Progress
    from clause.settings import Settings

NOT_RUNNING = 3

app = typer.Typer(no_args_is_help=True)
app.command()(browse)


@app.command()
def start(as_json: JsonFlag = False) -> None:
    """Fetch Neo4j if need be, start it, and wait until it answers."""
    server = _server()
    with progress_bar() as progress:
        server.ensure(progress)
    status(as_json)


@app.command()
def stop(as_json: JsonFlag = False) -> None:
    """Stop it; nothing to do when it does not run."""
    stopped = _server().stop()
    if as_json:
        print_json({"stopped": stopped})
    else:
        stdout().print("stopped" if stopped else "it did not run")


@app.command()
def status(as_json: JsonFlag = False) -> None:
    """Say whether it runs and where; exit code 3 when it does not."""
    server = _server()
    _tell(server, as_json)
    if not server.status().running:
        raise typer.Exit(NOT_RUNNING)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=100_000, help="How many of the last lines.")] = 50,
    as_json: JsonFlag = False,
) -> None:
    """Print what the server logged last."""
    found = _server().logs(lines)
    if as_json:
        print_json({"lines": found})
    else:
        for line in found:
            stdout().print(line, markup=False)


@app.command()
def reindex(
    name: Annotated[str | None, typer.Argument(help="An index or constraint; all indexes when none is named.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Drop an index and make it anew, and wait until it is online."""
    from clause.settings import Settings

    rebuilt = asyncio.run(_reindex(Settings.load(), name))
    if as_json:
        print_json({"rebuilt": rebuilt})
    else:
        stdout().print(f"{len(rebuilt)} rebuilt: {', '.join(rebuilt)}" if rebuilt else "nothing to rebuild")


async def _reindex(settings: Settings, name: str | None) -> list[str]:
    from clause.database import open_graph
    from clause.graph.migrations import reindex

    with progress_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            note("rebuilding ...")
            return list(await reindex(graph, name))


def _server() -> ManagedServer:
    """The managed server of the settings; refused when they name another one."""
    from clause.graph.server import ManagedServer
    from clause.settings import Settings

    settings = Settings.load()
    if settings.neo4j_uri is not None:
        raise SettingsError(
            "CLAUSE_NEO4J_URI names a server that clause does not look after",
            remedy="unset it to use the local one",
            field="neo4j_uri",
        )
    return ManagedServer(settings.home, settings.neo4j_heap_mb)


def _tell(server: ManagedServer, as_json: bool) -> None:
    state = server.status()
    told: dict[str, Any] = {**state.model_dump(mode="json"), "password_file": str(server.layout.password)}
    if as_json:
        print_json(told)
        return
    stdout().print("running" if state.running else "not running")
    for name, value in told.items():
        if value is not None and name not in {"running", "started_at"}:
            stdout().print(f"  {name:<14} {value}", markup=False)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on stderr for what can be counted, a line for what cannot; gone when it is done."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(message: str, done: int, total: int) -> None:
            bar.update(task, description=message, completed=done, total=total or None)

        yield show
