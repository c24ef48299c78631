"""`clause mcp`: the tools of an agent over stdio or HTTP, and the configuration of its client."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout
from clause.errors import SettingsError

if TYPE_CHECKING:
    from clause.mcp_bridge.transports import Application
    from clause.settings import Settings

app = typer.Typer(invoke_without_command=True)

PORT = 8421
Transport = Literal["stdio", "http"]
Client = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex"]


@app.callback()
def mcp(
    context: typer.Context,
    transport: Annotated[Transport, typer.Option(help="stdio, or http for streamable HTTP.")] = "stdio",
    host: Annotated[str | None, typer.Option(help="HTTP: address to listen on.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="HTTP: port; 0 takes a free one.")] = PORT,
    as_json: JsonFlag = False,
) -> None:
    """Serve an agent's tools over MCP until the client hangs up; CLAUSE_MODE says how many."""
    if context.invoked_subcommand is not None:
        return
    from clause import telemetry
    from clause.mcp_bridge.server import LazyContainer
    from clause.mcp_bridge.transports import run_stdio
    from clause.settings import Settings

    given: dict[str, Any] = {} if host is None else {"host": host}
    settings = Settings.load(**given)
    telemetry.configure_logging(settings.log_level)
    if transport == "stdio":
        run_stdio(LazyContainer(settings))
    else:
        _serve(settings, port, as_json=as_json)


@app.command()
def install(
    client: Annotated[Client, typer.Argument(help="Which client gets to know the server.")] = "claude-code",
    *,
    file: Annotated[
        Path | None, typer.Option(help="Its configuration file, where it is not in its usual place.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Change the file without asking.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add the server to a client's configuration: shows the change, and asks before it is made."""
    from clause.mcp_bridge.clients import plan_change
    from clause.settings import Settings

    change = plan_change(client, file, Settings.load())
    if as_json and not yes and change.needed:
        raise SettingsError("with --json nobody can be asked", remedy="add --yes", field="yes")
    if not as_json:
        stdout().print(change.shown(), markup=False)
    if change.needed:
        if not yes:
            typer.confirm(f"Write {change.path}?", abort=True)
        change.apply()
    if as_json:
        print_json({"client": client, "file": str(change.path), "changed": change.needed})
    else:
        note(f"{change.path} {'written; start the client again' if change.needed else 'says so already'}")


def _serve(settings: Settings, port: int, *, as_json: bool) -> None:
    from clause.mcp_bridge.server import LazyContainer
    from clause.mcp_bridge.transports import PATH, http_application, run_http
    from clause.operations.keys import keys_guard
    from clause.operations.listening import listen

    keyed = asyncio.run(keys_guard(settings, settings.host))
    listener = listen(settings.host, port, keyed=keyed)
    try:
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        url = f"http://{shown}:{listener.getsockname()[1]}{PATH}"
        if as_json:
            print_json({"mcp": url})
        note(f"MCP {url}   (ctrl-c stops it)")
        holder = LazyContainer(settings)
        run_http(holder, listener, _surrounded(settings, http_application(holder)))
    finally:
        listener.close()


def _surrounded(settings: Settings, inner: Application) -> Application:
    """The application within what surrounds the API's: request ids and logs, guards, limits."""
    from clause.api.middleware import BodyLimit, LoopbackGuard, RateLimit, RequestContext, rate_of
    from clause.operations.keys import is_loopback
    from clause.telemetry import Metrics

    local = is_loopback(settings.host)
    application: Any = RateLimit(BodyLimit(inner), per_s=rate_of(settings, local=local))
    if local:
        application = LoopbackGuard(application)
    surrounded: Application = RequestContext(application, metrics=Metrics())
    return surrounded
