"""`clause db`, `migrate`, `doctor`, `consolidate`, `reembed`, `link`: the local Neo4j, its schema, Neo4j Browser, what
is wrong, and upkeep of what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, Ray, loading_bar, note, print_json, stderr, stdout
from clause.errors import SettingsError

if TYPE_CHECKING:
    from clause.graph.server import ManagedServer, Progress
    from clause.graph.wire import Address
    from clause.ingest.embedding import LinkReport
    from clause.ingest.source import EmbedReport
    from clause.memory.consolidation import ConsolidationReport
    from clause.settings import Settings


def browse(
    name: Annotated[str | None, typer.Argument(help="An exploration: print its statement and its link alone.")] = None,
    *,
    show_password: Annotated[bool, typer.Option("--show-password", help="Print the password itself.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Say where Neo4j Browser is, how to sign in, and which explorations are saved for it."""
    from clause.graph.browser import browse_folder, browser_link, style_link
    from clause.settings import Settings

    browser, uri, sign_in = _local_server(Settings.load(), show_password)
    chosen = _chosen(name)
    links = {exploration.name: browser_link(browser, uri, exploration) for exploration in chosen}
    told: dict[str, Any] = {
        "browser": browser_link(browser, uri),
        **sign_in,
        "folder": str(browse_folder()),
        "style_link": style_link(browser, uri),
        "explorations": [{**exploration.model_dump(), "link": links[exploration.name]} for exploration in chosen],
    }
    if as_json:
        print_json(told)
    elif name is not None:
        stdout().print(f"{chosen[0].text.strip()}\n\n{links[name]}", markup=False, soft_wrap=True)
    else:
        _print(told)


def _chosen(name: str | None) -> tuple[Any, ...]:
    from clause.errors import NotFoundError
    from clause.graph.browser import explorations

    found = explorations()
    chosen = tuple(exploration for exploration in found if name in (None, exploration.name))
    if not chosen:
        known = ", ".join(exploration.name for exploration in found)
        raise NotFoundError(f"no exploration is called {name!r}", remedy=f"one of {known}", field="name")
    return chosen


def _local_server(settings: Settings, show_password: bool) -> tuple[str, str, dict[str, Any]]:
    """(Browser's address, Bolt address, how to sign in) of the managed server, or of the one that the settings name."""
    from clause.errors import ServerError
    from clause.graph.browser import usual_browser, with_user
    from clause.graph.server import ManagedServer
    from clause.graph.server.layout import USER

    if settings.neo4j_uri is not None:
        sign_in = {"user": settings.neo4j_user, "password": "yours (CLAUSE_NEO4J_PASSWORD)"}
        return usual_browser(settings.neo4j_uri), with_user(settings.neo4j_uri, settings.neo4j_user), sign_in
    server = ManagedServer(settings.home, settings.neo4j_heap_mb)
    state = server.status()
    if not state.running or state.browser is None or state.uri is None:
        raise ServerError(state.problem or "the local Neo4j does not run", remedy="run `clause db start`")
    sign_in = {"user": USER, "password_file": str(server.layout.password)}
    if show_password:
        sign_in["password"] = server.layout.read_password()
    return state.browser, with_user(state.uri, USER), sign_in


def neo4j_addresses(settings: Settings, address: Address) -> dict[str, str]:
    """Tell where Neo4j and its browser are, and how to sign in."""
    if settings.neo4j_uri is not None:
        return {"Neo4j": f"{settings.neo4j_uri} (yours), user {address.user}"}
    from clause.graph.browser import browser_link, with_user
    from clause.graph.server import ManagedServer

    server = ManagedServer(settings.home, settings.neo4j_heap_mb)
    return {
        "Neo4j Browser": browser_link(str(server.status().browser), with_user(address.uri, address.user)),
        "Neo4j": address.uri,
        "sign in": f"user {address.user}, password in {server.layout.password}",
    }


def _print(told: dict[str, Any]) -> None:
    console = stdout()
    for key in ("browser", "user", "password", "password_file", "folder"):
        if key in told:
            console.print(f"{key.replace('_', ' '):<14} {told[key]}", markup=False, soft_wrap=True)
    console.print(f"{'style link':<14} {told['style_link']}", markup=False, soft_wrap=True)
    console.print("\nsaved explorations (`clause db browse NAME` prints the statement and a link that opens it)")
    for exploration in told["explorations"]:
        title, look_for = exploration["title"], exploration["look_for"]
        console.print(f"  {exploration['name']}\n    {title}\n    look for: {look_for}", markup=False, soft_wrap=True)


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
    from clause.cli.load import measure_of
    from clause.graph.database import open_graph
    from clause.graph.migrations import reindex

    with progress_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            note("rebuilding ...")
            return list(await reindex(graph, name, measure=measure_of(settings)))


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


migrate_app = typer.Typer()


@migrate_app.command()
def migrate(as_json: JsonFlag = False) -> None:
    """Apply what is missing of the migrations; the managed Neo4j is started when none is given."""
    report = asyncio.run(_migrate())
    if as_json:
        print_json(report)
        return
    applied = report["applied"]
    stdout().print(f"{len(applied)} applied: {', '.join(applied)}" if applied else "nothing to apply")


async def _migrate() -> dict[str, Any]:
    from clause.cli.load import migrate_for
    from clause.graph.database import open_graph
    from clause.settings import Settings

    settings = Settings.load()
    with progress_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            report = await migrate_for(graph, settings)
    return {"applied": list(report.applied), "before": report.before}


doctor_app = typer.Typer()


@doctor_app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Say what is wrong and how to mend it; exit code 1 when anything is."""
    from clause.operations.doctor import examine

    found = asyncio.run(examine())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        for check in found.checks:
            line = f"{'ok ' if check.ok else 'BAD'}  {check.name:<11} {check.found}"
            stdout().print(line, markup=False)
            if check.remedy:
                stdout().print(f"     {'':<11} -> {check.remedy}", markup=False)
    if not found.ok:
        raise typer.Exit(1)


consolidate_app = typer.Typer()


@consolidate_app.command()
def consolidate(
    job: Annotated[
        str | None, typer.Argument(help="A job that was broken off; every scope that has work, if not said.")
    ] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Only this scope.", show_default=False)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    ray: Ray = None,
    as_json: JsonFlag = False,
) -> None:
    """Consolidate memories: full clusters are closed, twins become one; broken off, it goes on when run again."""
    from clause.cli.service import consolidated
    from clause.memory.consolidation import ConsolidationReport

    done = None if job or dry_run or ray else consolidated(scope)
    if done is not None:
        reports = [ConsolidationReport.model_validate(one) for one in done]
    else:
        reports = asyncio.run(_consolidate(job, scope, dry_run, ray))
    if as_json:
        print_json({"dry_run": dry_run, "scopes": [report.model_dump(mode="json") for report in reports]})
        return
    verb = "would be" if dry_run else "were"
    for report in reports:
        line = f"{report.scope}: of {report.looked_at:,} clusters that changed {report.consolidated:,} {verb} closed"
        stdout().print(f"{line}, {report.joined:,} joined", markup=False)
    if not reports:
        note("nothing waits for consolidation")


async def _consolidate(job: str | None, scope: str | None, dry_run: bool, ray: str | None) -> list[ConsolidationReport]:
    from clause.cli.console import opened
    from clause.errors import BadInputError
    from clause.graph.scopes import Caller
    from clause.workers import RayPool

    if job is not None and (dry_run or scope is not None):
        raise BadInputError("a job knows its scope and writes", remedy="leave --scope and --dry-run out", field="job")
    with RayPool.at(ray) as cluster:
        async with opened(sample=False) as container:
            work = container.rooms.memory.consolidation
            work = work.spread_by(cluster) if cluster else work
            if job is not None:
                return [await work.resume(job, container.jobs)]
            scopes = [*await work.work()] if scope is None else [scope]
            return [await work.run(one, caller=Caller(None, None), dry_run=dry_run) for one in scopes]


reembed_app = typer.Typer()


@reembed_app.command()
def reembed(
    scope: Annotated[
        str | None, typer.Option("--scope", help="Only this scope, where the model stays the same.", show_default=False)
    ] = None,
    ray: Ray = None,
    as_json: JsonFlag = False,
) -> None:
    """Embed what has no vector of the model that CLAUSE_EMBEDDER names, and record that model."""
    report = asyncio.run(_reembed(scope, ray))
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        stdout().print(f"{report.embedded:,} vectors of {report.model} in {report.seconds:.1f} s", markup=False)


async def _reembed(scope: str | None, ray: str | None) -> EmbedReport:
    from clause.graph.database import open_graph
    from clause.graph.migrations import migrate
    from clause.ingest.embedding import reembed
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder
    from clause.workers import RayPool

    settings = Settings.load()
    with RayPool.at(ray) as cluster, loading_bar() as progress:
        embedder = SentenceTransformerEmbedder.of(settings, cluster)
        async with open_graph(settings, progress=progress) as graph:
            await migrate(graph, vectors=False)
            report = await reembed(graph, embedder, scope=scope, progress=progress)
    embedder.close()
    return report


link_app = typer.Typer()


@link_app.command()
def link(
    scope: Annotated[str, typer.Option("--scope", help="Whose texts are linked.", show_default=False)],
    *,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors out.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Link the passages, memories, beliefs, insights and values of a scope to the entities that they name."""
    report = asyncio.run(_link(scope, embed=not no_embed))
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    stdout().print(
        f"{report.texts:,} texts read, {report.rounds} rounds in {report.seconds:.1f} s ({report.texts_per_s:,.0f}/s): "
        f"{report.links:,} links and {report.entities:,} entities are new",
        markup=False,
    )


async def _link(scope: str, *, embed: bool) -> LinkReport:
    from clause.cli.load import migrated
    from clause.ingest.embedding import link_scope
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    settings = Settings.load()
    embedder = SentenceTransformerEmbedder.of(settings)
    with loading_bar() as progress:
        async with migrated(settings, progress) as graph:
            report = await link_scope(graph, embedder, scope, embed=embed, progress=progress)
    embedder.close()
    return report
