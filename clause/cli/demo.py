"""`clause demo`: from nothing to a first, explained answer; the API and Neo4j run on when it ends.

It asks the API over HTTP and imports no model itself, so that a second run is quick.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout
from clause.cli.service import stop_everything

if TYPE_CHECKING:
    from clause.knowledge.lineage.models import Erasure
    from clause.settings import Settings

app = typer.Typer()

QUESTION = "the director of The Truman Show also directed which movies"
SECOND = "who wrote the films directed by Peter Weir"
SCOPE = "kg:metaqa"
TEXTS_QUESTION = "Where was the designer of the Kestrel Bridge born?"
TEXTS_SECOND = "Who taught the director of the Tide Museum her craft?"
TEXTS_SCOPE = "kg:orrin"


class Shown(StrEnum):
    """The samples that ship: a graph of triples, and a valley told in short passages."""

    GRAPH = "graph"
    TEXTS = "texts"

    @property
    def asked(self) -> tuple[str, str, str]:
        """The first question, another one, and the scope they are asked in."""
        return {"graph": (QUESTION, SECOND, SCOPE), "texts": (TEXTS_QUESTION, TEXTS_SECOND, TEXTS_SCOPE)}[self.value]


@app.command()
def demo(
    sample: Annotated[Shown, typer.Argument(help="What is asked: a graph of films, or texts.")] = Shown.GRAPH,
    *,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the API and the local Neo4j.")] = False,
    reset: Annotated[
        bool, typer.Option("--reset", help="Load the sample anew; no other scope is touched. Asks before.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Start everything on a sample and answer a first question: over triples, or over texts (`clause demo texts`)."""
    from clause.errors import BadInputError
    from clause.settings import Settings

    if stop and reset:
        raise BadInputError("--stop and --reset are two wishes", remedy="give one of them", field="reset")
    settings = Settings.load()
    if reset:
        _reset(settings, sample, ask=not yes, as_json=as_json)
    result = stop_everything(settings) if stop else _start(settings, sample)
    if as_json:
        print_json(result)
    elif stop:
        stdout().print("\n".join(f"{part}: {state}" for part, state in result.items()))
    else:
        _print(result, sample)


def _reset(settings: Settings, sample: Shown, *, ask: bool, as_json: bool) -> None:
    """Take the sample's scope out, once the user agreed to what goes."""
    from clause.errors import BadInputError

    scope = sample.asked[2]
    found = asyncio.run(_erase(settings, scope, apply=False))
    if ask and as_json:
        raise BadInputError("with --json nobody can be asked", remedy="add --yes", field="yes")
    if found is None:
        return
    if ask:
        counts = ", ".join(f"{number:,} {name}" for name, number in found.counts.items())
        stdout().print(f"would be erased from {scope}: {counts}", markup=False)
        typer.confirm("Load the sample anew?", abort=True)
    asyncio.run(_erase(settings, scope, apply=True))
    note(f"{scope} is empty")


async def _erase(settings: Settings, scope: str, *, apply: bool) -> Erasure | None:
    from clause.cli.db import progress_bar
    from clause.cli.load import migrated
    from clause.operations.archive import reset_sample

    with progress_bar() as progress:
        async with migrated(settings, progress) as graph:
            return await reset_sample(graph, settings, apply=apply, scope=scope)


def _print(result: dict[str, Any], sample: Shown) -> None:
    from rich.text import Text

    from clause.cli.ask import print_answer, print_section

    console = stdout()
    print_section(console, "question", [Text(f"  {result['question']}")])
    print_answer(console, result["response"])
    addresses = [Text(f"  {name:<14} {value}") for name, value in result["addresses"].items()]
    print_section(console, "addresses", addresses)
    print_section(console, "next", [Text(f"  {command:<60}  {what}") for command, what in _next(sample)])


def _next(sample: Shown = Shown.GRAPH) -> list[tuple[str, str]]:
    """Commands to go on with."""
    from clause.cli.load import next_commands

    _, second, scope = sample.asked
    return next_commands(second, scope, texts=sample is Shown.TEXTS)


def _start(settings: Settings, sample: Shown) -> dict[str, Any]:
    """Neo4j, schema, sample, API, first answer; what was asked, the response and the addresses."""
    from clause.cli import serve as service

    neo4j = asyncio.run(_prepare(settings, sample))
    url = service.start(settings)
    note(f"waiting for the API on {url} ...")
    service.wait_until_ready(settings, url)
    return {
        "question": sample.asked[0],
        "response": _ask(url, sample),
        "addresses": {"explorer": f"{url}/", "docs": f"{url}/docs", "API": url, **neo4j},
    }


async def _prepare(settings: Settings, sample: Shown) -> dict[str, str]:
    """A migrated graph that holds the sample; where Neo4j Browser is and how to sign in."""
    from clause.cli.db import neo4j_addresses, progress_bar
    from clause.cli.load import migrated
    from clause.ingest.samples import load_sample, load_texts
    from clause.text.embedder import SentenceTransformerEmbedder

    with progress_bar() as progress:
        async with migrated(settings, progress) as graph:
            embedder = SentenceTransformerEmbedder.of(settings)
            await (load_sample if sample is Shown.GRAPH else load_texts)(graph, embedder)
            return neo4j_addresses(settings, graph.address)


def _ask(url: str, sample: Shown) -> dict[str, Any]:
    import httpx

    from clause.cli import serve as service
    from clause.errors import ServerError

    question, _, scope = sample.asked
    body = {"query": question, "scopes": [scope], "budgets": {"token_budget": 256} if sample is Shown.TEXTS else {}}
    try:
        with service.client(url, timeout_s=60) as http:
            answer = http.post("/api/clause/coordinate", json=body)
            response: dict[str, Any] = answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise ServerError(f"the API did not answer: {error}", remedy="run `clause doctor`") from error
    return response
