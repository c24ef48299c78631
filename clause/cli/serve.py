"""`clause serve`: the REST API in the foreground."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond the loopback once there are API keys.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Serve the REST API until interrupted; the managed Neo4j is started when none is given."""
    from clause import telemetry
    from clause.api.server import listen, run
    from clause.operations.listening import keys_guard
    from clause.settings import Settings

    given: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = Settings.load(**given)
    telemetry.configure_logging(settings.log_level)
    keyed = asyncio.run(keys_guard(settings, settings.host))
    listener = listen(settings.host, settings.port, keyed=keyed)
    try:
        api = f"http://{_in_uri(settings.host)}:{listener.getsockname()[1]}"
        if as_json:
            print_json({"api": api, "docs": f"{api}/docs"})
        note(f"API {api}   docs {api}/docs   (ctrl-c stops it)")
        run(settings, listener)
    finally:
        listener.close()


def _in_uri(host: str) -> str:
    return f"[{host}]" if ":" in host else host
