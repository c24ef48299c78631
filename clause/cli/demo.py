"""`clause demo`: from nothing to a first, explained answer; the API and Neo4j run on when it ends.

It asks the API over HTTP and imports no model itself, so that a second run is quick.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout

if TYPE_CHECKING:
    from clause.graph.wire import Address
    from clause.knowledge.lineage.models import Erasure
    from clause.settings import Settings

app = typer.Typer()

QUESTION = "the director of The Truman Show also directed which movies"
SECOND = "who wrote the films directed by Peter Weir"
SCOPE = "kg:metaqa"


@app.command()
def demo(
    *,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the API and the local Neo4j.")] = False,
    reset: Annotated[
        bool, typer.Option("--reset", help="Load the sample anew; no other scope is touched. Asks before.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Start everything on the sample graph and answer a first question."""
    from clause.errors import BadInputError
    from clause.settings import Settings

    if stop and reset:
        raise BadInputError("--stop and --reset are two wishes", remedy="give one of them", field="reset")
    settings = Settings.load()
    if reset:
        _reset(settings, ask=not yes, as_json=as_json)
    result = _stop(settings) if stop else _start(settings)
    if as_json:
        print_json(result)
    elif stop:
        stdout().print("\n".join(f"{part}: {state}" for part, state in result.items()))
    else:
        _print(result)


def _reset(settings: Settings, *, ask: bool, as_json: bool) -> None:
    """Take the sample's scope out, once the user agreed to what goes."""
    from clause.errors import BadInputError

    found = asyncio.run(_erase(settings, apply=False))
    if ask and as_json:
        raise BadInputError("with --json nobody can be asked", remedy="add --yes", field="yes")
    if found is None:
        return
    if ask:
        counts = ", ".join(f"{number:,} {name}" for name, number in found.counts.items())
        stdout().print(f"would be erased from {SCOPE}: {counts}", markup=False)
        typer.confirm("Load the sample anew?", abort=True)
    asyncio.run(_erase(settings, apply=True))
    note(f"{SCOPE} is empty")


async def _erase(settings: Settings, *, apply: bool) -> Erasure | None:
    from clause.cli.db import progress_bar
    from clause.graph.database import open_graph
    from clause.graph.migrations import migrate
    from clause.operations.archive import reset_sample

    with progress_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            await migrate(graph)
            return await reset_sample(graph, settings, apply=apply)


def _print(result: dict[str, Any]) -> None:
    from rich.text import Text

    from clause.cli.ask import print_answer, print_section

    console = stdout()
    print_section(console, "question", [Text(f"  {result['question']}")])
    print_answer(console, result["response"])
    addresses = [Text(f"  {name:<14} {value}") for name, value in result["addresses"].items()]
    print_section(console, "addresses", addresses)
    print_section(console, "next", [Text(f"  {command:<60}  {what}") for command, what in _next()])


def _next() -> list[tuple[str, str]]:
    """Commands to go on with; before them, how a shell comes to know `clause` where it does not."""
    bin_folder = Path(sys.executable).parent
    shell = [] if shutil.which("clause") else [(f". {bin_folder / 'activate'}", "this shell knows `clause` then")]
    return [
        *shell,
        (f'clause ask "{SECOND}"', "another question"),
        ("clause load triples FILE --scope kg:mine", "your own graph: lines head|relation|tail"),
        ("clause mcp install claude-code", "an agent gets tools: ask, remember, recall"),
    ]


def _start(settings: Settings) -> dict[str, Any]:
    """Neo4j, schema, sample, API, first answer; what was asked, the response and the addresses."""
    from clause.cli import serve as service

    neo4j = asyncio.run(_prepare(settings))
    url = service.start(settings)
    note(f"waiting for the API on {url} ...")
    service.wait_until_ready(settings, url)
    return {
        "question": QUESTION,
        "response": _ask(url),
        "addresses": {"explorer": f"{url}/", "docs": f"{url}/docs", "API": url, **neo4j},
    }


async def _prepare(settings: Settings) -> dict[str, str]:
    """A migrated graph that holds the sample; where Neo4j Browser is and how to sign in."""
    from clause.cli.db import progress_bar
    from clause.graph.database import open_graph
    from clause.graph.migrations import migrate
    from clause.ingest.sample import load_sample
    from clause.text.embedder import SentenceTransformerEmbedder

    with progress_bar() as progress:
        async with open_graph(settings, progress=progress) as graph:
            await migrate(graph)
            embedder = SentenceTransformerEmbedder.of(settings)
            await load_sample(graph, embedder)
            return _neo4j(settings, graph.address)


def _neo4j(settings: Settings, address: Address) -> dict[str, str]:
    if settings.neo4j_uri is not None:
        return {"Neo4j": f"{settings.neo4j_uri} (yours), user {address.user}"}
    from clause.graph.server import ManagedServer

    server = ManagedServer(settings.home, settings.neo4j_heap_mb)
    return {
        "Neo4j Browser": str(server.status().browser),
        "Neo4j": address.uri,
        "sign in": f"user {address.user}, password in {server.layout.password}",
    }


def _ask(url: str) -> dict[str, Any]:
    import httpx

    from clause.cli import serve as service
    from clause.errors import ServerError

    body = {"query": QUESTION, "scopes": [SCOPE], "budgets": {}}
    try:
        with service.client(url, timeout_s=60) as http:
            answer = http.post("/api/clause/coordinate", json=body)
            response: dict[str, Any] = answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise ServerError(f"the API did not answer: {error}", remedy="run `clause doctor`") from error
    return response


def _stop(settings: Settings) -> dict[str, Any]:
    from clause.cli import serve as service
    from clause.graph.server import ManagedServer

    stopped = {True: "stopped", False: "was not running"}
    api = stopped[service.stop(settings)]
    if settings.neo4j_uri is not None:
        return {"API": api, "Neo4j": "yours, left alone"}
    return {"API": api, "Neo4j": stopped[ManagedServer(settings.home, settings.neo4j_heap_mb).stop()]}
