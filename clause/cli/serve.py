"""`clause serve`: the REST API in the foreground, or as a detached process that the next command finds again."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from clause import __version__
from clause.cli.console import JsonFlag, note, print_json
from clause.cli.service import STATE, told
from clause.errors import ServerError
from clause.operations import processes as daemon
from clause.settings import Settings

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address; beyond the loopback once there are API keys.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=64, help="Processes behind the socket.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Serve the REST API until interrupted; the managed Neo4j is started when none is given."""
    from clause import telemetry
    from clause.api.app import listen, run
    from clause.operations.keys import keys_guard

    given: dict[str, Any] = {"host": host, "port": port, "workers": workers}
    settings = Settings.load(**{name: value for name, value in given.items() if value is not None})
    telemetry.configure_logging(settings.log_level)
    listener = listen(settings.host, settings.port, keyed=asyncio.run(keys_guard(settings, settings.host)))
    try:
        api = f"http://{_in_uri(settings.host)}:{listener.getsockname()[1]}"
        if as_json:
            print_json({"api": api, "docs": f"{api}/docs"})
        note(f"API {api}   docs {api}/docs   (ctrl-c stops it)")
        port = listener.getsockname()[1]
        with daemon.recorded(state_path(settings), os.getpid(), _details(settings.host, port)):
            run(settings, listener)
    finally:
        listener.close()


def _in_uri(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _details(host: str, port: int) -> dict[str, Any]:
    """Give the details that commands find at home, so that they ask this process."""
    return {"host": host, "port": port, "told": told()}


_READY_S, _POLL_S = 120.0, 0.2


def state_path(settings: Settings) -> Path:
    """The file that keeps the running API's pid and port."""
    return settings.home.absolute() / STATE


def log_path(settings: Settings) -> Path:
    """The file that holds what the detached API prints."""
    return settings.home.absolute() / "api.log"


def client(url: str, timeout_s: float = 2.0) -> httpx.Client:
    """An HTTP client for our own API, that no proxy setting leads astray."""
    return httpx.Client(base_url=url, timeout=timeout_s, trust_env=False)


def start(settings: Settings) -> str:
    """The URL of this home's API, started detached unless it runs already in this version.

    The settings' port is used when it is free, another one when some other program has it.

    Raises:
        ServerError: it cannot be started.
    """
    if url := running_url(settings):
        return url
    daemon.stop(state_path(settings))
    port = free_port(settings.host, settings.port)
    command = [sys.executable, "-m", "clause.cli.main", "serve", "--host", settings.host, "--port", str(port)]
    environment = {**os.environ, "CLAUSE_HOME": str(settings.home.absolute())}
    daemon.start_detached(
        command,
        log_path(settings),
        state_path(settings),
        environment=environment,
        details=_details(settings.host, port),
    )
    return _url(settings.host, port)


def stop(settings: Settings) -> bool:
    """Stop this home's API; False when it did not run."""
    return daemon.stop(state_path(settings))


def running_url(settings: Settings) -> str | None:
    """The URL of this home's API if it runs in this version; one that is still starting counts."""
    record = daemon.running(state_path(settings))
    port = record.details.get("port") if record else None
    if not isinstance(port, int):
        return None
    url = _url(settings.host, port)
    try:
        with client(url) as http:
            return url if http.get("/health/live").json().get("version") == __version__ else None
    except httpx.TimeoutException:
        return url
    except (httpx.HTTPError, ValueError):
        return None


def wait_until_ready(
    settings: Settings,
    url: str,
    *,
    timeout_s: float = _READY_S,
    monotonic_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Return once /health/ready says that questions can be answered.

    Raises:
        ServerError: the process ended, or it is not ready in time; what it printed last is named.
    """
    deadline_s = monotonic_s() + timeout_s
    detail = "it does not answer"
    while monotonic_s() < deadline_s:
        if not daemon.is_running(state_path(settings)):
            raise ServerError(f"the API ended: {_last_words(settings)}", remedy=f"see {log_path(settings)}")
        try:
            with client(url) as http:
                answer = http.get("/health/ready")
            if answer.is_success:
                return
            detail = answer.text
        except httpx.HTTPError as error:
            detail = str(error) or type(error).__name__
        sleep(_POLL_S)
    raise ServerError(f"the API is not ready after {timeout_s:g} s: {detail}", remedy=f"see {log_path(settings)}")


def free_port(host: str, wanted: int) -> int:
    """`wanted` if nobody listens there, else any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in (wanted, 0):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServerError(f"no port of {host} is free", remedy="set CLAUSE_HOST to 127.0.0.1", field="host")


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _last_words(settings: Settings) -> str:
    try:
        lines = log_path(settings).read_text(errors="replace").strip().splitlines()
    except OSError:
        return "it printed nothing"
    return lines[-1] if lines else "it printed nothing"
