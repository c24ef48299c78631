"""`clause load triples|passages|documents|neo4j --scope S`: files, graphs and vectors; the migrated graph that commands
work on; and what is typed next."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, loading_bar, print_json, stdout

if TYPE_CHECKING:
    from clause.graph.migrations import MigrationReport
    from clause.graph.runner import Graph
    from clause.ingest.source import LoadReport
    from clause.settings import Settings
    from clause.telemetry import Progress
    from clause.text.embedder import Embedder

    Load = Callable[[Graph, Embedder | None, Progress], Awaitable[LoadReport]]

app = typer.Typer(no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The file; a name that ends in .gz is unpacked.", show_default=False)]
Scope = Annotated[str, typer.Option("--scope", help="Where it goes, such as kg:films.", show_default=False)]
NoEmbed = Annotated[bool, typer.Option("--no-embed", help="Leave the vectors out.")]
Background = Annotated[bool, typer.Option("--embed-in-background", help="Leave the vectors to `clause serve`.")]


class OnBad(StrEnum):
    """The ways to treat a line that says nothing."""

    SKIP = "skip"
    FAIL = "fail"


class FileFormat(StrEnum):
    """The formats of files of triples."""

    PIPE = "pipe"
    TSV = "tsv"
    CSV = "csv"
    NTRIPLES = "ntriples"


@app.command()
def triples(
    file: File,
    scope: Scope,
    *,
    form: Annotated[FileFormat | None, typer.Option("--format", help="By the file's name if not said.")] = None,
    on_bad: Annotated[OnBad, typer.Option(help="Skip bad lines and report them, or stop at the first.")] = OnBad.SKIP,
    no_embed: NoEmbed = False,
    background: Background = False,
    as_json: JsonFlag = False,
) -> None:
    """Load head|relation|tail, TSV, CSV (two more columns: valid from, valid until) or N-Triples."""
    from clause.ingest.readers import Format
    from clause.ingest.triples import load_triples

    async def load(graph: Graph, embedder: Embedder | None, progress: Progress) -> LoadReport:
        chosen = Format(form.value) if form else None
        return await load_triples(graph, embedder, file, scope, form=chosen, on_bad=on_bad.value, progress=progress)

    report = asyncio.run(_run(load, scope, embed=not no_embed, background=background))
    _report(report, "triples", as_json)
    if not as_json and (question := _question(file, form)):
        stdout().print(f"next: clause ask {shlex.quote(question)} --scope {scope}", markup=False, soft_wrap=True)


def _question(file: Path, form: FileFormat | None) -> str | None:
    """A question that the first plain triple of the file answers, for a class last; None where there is none."""
    from clause.graph.scopes import question_about, tells_class
    from clause.ingest.readers import Format, read_triples
    from clause.text.names import readable_relation

    records = islice(read_triples(file, Format(form.value) if form else None), 100)
    triples = [found for record in records if (found := record.triple) and found.naming is None]
    plain = [one for one in triples if one.head.name.isprintable() and len(one.head.name) <= 60]
    asked = min(plain, key=lambda one: tells_class(one.relation), default=None)
    return question_about(asked.head.name, readable_relation(asked.relation)) if asked else None


def next_commands(question: str, scope: str, *, texts: bool) -> list[tuple[str, str]]:
    """Commands to go on with after a demo; before them, how a shell comes to know `clause` where it does not."""
    own = {
        False: ("clause load triples FILE --scope kg:mine", "your own graph: lines head|relation|tail"),
        True: ("clause load documents PATH --scope kg:mine", "your own texts: Markdown, HTML, PDF, DOCX, text"),
    }
    return [
        *([] if _is_known() else _shell()),
        (f'clause ask "{question}"' + f" --scope {scope}" * texts, "another question"),
        own[texts],
        ("clause mcp install claude-code", "an agent gets tools: ask, memory_write, memory_read"),
    ]


def _is_known() -> bool:
    """True where the shell finds `clause`; what uv put on the path of this process alone, the shell does not."""
    found = shutil.which("clause")
    return found is not None and not ("UV" in os.environ and Path(found).parent == Path(sys.executable).parent)


def _shell() -> list[tuple[str, str]]:
    """The ways by which this shell, or every shell, comes to know `clause`, from where it was installed."""
    activate = Path(sys.executable).parent / "activate"
    here = [(f". {shlex.quote(str(activate))}", "this shell knows `clause` then")] if activate.is_file() else []
    origin = shlex.quote(_origin())
    return [*here, (f"uv tool install {origin}", "every shell does"), (f"pipx install {origin}", "the same by pipx")]


def _origin() -> str:
    """The folder or file that this distribution was installed from; its name where that was an index."""
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        told = distribution("clause-memory").read_text("direct_url.json")
    except PackageNotFoundError:
        return str(Path(__file__).parents[2])
    url = str(json.loads(told)["url"]) if told else ""
    return unquote(urlsplit(url).path) if url.startswith("file:") else url or "clause-memory"


@app.command()
def passages(
    file: File,
    scope: Scope,
    *,
    on_bad: Annotated[OnBad, typer.Option(help="Skip bad lines and report them, or stop at the first.")] = OnBad.SKIP,
    no_embed: NoEmbed = False,
    background: Background = False,
    as_json: JsonFlag = False,
) -> None:
    """Load JSON lines {"id", "title", "text"}: documents, passages, and the entities they mention."""
    from clause.ingest.passages import load_passages

    async def load(graph: Graph, embedder: Embedder | None, progress: Progress) -> LoadReport:
        return await load_passages(graph, embedder, file, scope, on_bad=on_bad.value, progress=progress)

    _report(asyncio.run(_run(load, scope, embed=not no_embed, background=background)), "passages", as_json)


@app.command()
def documents(
    paths: Annotated[
        list[Path], typer.Argument(help="Documents, or folders of them.", metavar="PATH...", show_default=False)
    ],
    scope: Scope,
    *,
    on_bad: Annotated[OnBad, typer.Option(help="Skip bad files and report them, or stop at the first.")] = OnBad.SKIP,
    no_embed: NoEmbed = False,
    background: Background = False,
    as_json: JsonFlag = False,
) -> None:
    """Load Markdown, HTML, PDF, DOCX and text: passages with their source, page and heading."""
    from clause.ingest.passages import load_documents

    async def load(graph: Graph, embedder: Embedder | None, progress: Progress) -> LoadReport:
        return await load_documents(graph, embedder, paths, scope, on_bad=on_bad.value, progress=progress)

    _report(asyncio.run(_run(load, scope, embed=not no_embed, background=background)), "passages", as_json)


@app.command()
def neo4j(
    *,
    uri: Annotated[str, typer.Option(help="Where the graph is, such as bolt://127.0.0.1:7687; it is only read.")],
    scope: Scope,
    user: Annotated[str, typer.Option(help="Who may read it.")] = "neo4j",
    password: Annotated[
        str | None,
        typer.Option(
            envvar="SOURCE_NEO4J_PASSWORD", help="Asked for if not set.", show_default=False, show_envvar=True
        ),
    ] = None,
    database: Annotated[str, typer.Option(help="The database on that server.")] = "neo4j",
    label: Annotated[
        list[str] | None, typer.Option(help="Only nodes of this label, and what is between them; repeatable.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="A property that names nodes, before name, title and the like; repeatable.")
    ] = None,
    no_embed: NoEmbed = False,
    background: Background = False,
    as_json: JsonFlag = False,
) -> None:
    """Load a property graph of yours from a running Neo4j: labels become classes, properties literals; run again, it
    brings what was added."""
    from pydantic import SecretStr

    from clause.graph.catalogue import Catalogue
    from clause.graph.wire import Address
    from clause.ingest.triples import PropertyGraph, load_property_graph

    if password is None:
        password = typer.prompt(f"password of {user} at {uri}", hide_input=True, err=True)
    texts = Catalogue.load()
    statements = {
        "counts": texts["ingest/source_counts"],
        "nodes": texts["ingest/source_nodes"],
        "relationships": texts["ingest/source_relationships"],
    }
    address = Address(uri, user, SecretStr(password), database)
    origin = PropertyGraph(address, statements, tuple(label or ()), tuple(name or ()))

    async def load(graph: Graph, embedder: Embedder | None, progress: Progress) -> LoadReport:
        return await load_property_graph(graph, embedder, origin, scope, progress=progress)

    _report(asyncio.run(_run(load, scope, embed=not no_embed, background=background)), "triples", as_json)


def measure_of(settings: Settings) -> Callable[[], int]:
    """The question for the length of the vectors of these settings' model: only one that is not packaged is loaded."""
    from clause.text.embedder import SentenceTransformerEmbedder

    def measure() -> int:
        embedder = SentenceTransformerEmbedder.of(settings)
        try:
            return embedder.dimension
        finally:
            embedder.close()

    return measure


async def migrate_for(graph: Graph, settings: Settings) -> MigrationReport:
    """Bring the schema up to date, with vector indexes for the embedding model of the settings."""
    from clause.graph.migrations import migrate

    return await migrate(graph, measure=measure_of(settings))


@asynccontextmanager
async def migrated(settings: Settings, progress: Progress | None = None) -> AsyncIterator[Graph]:
    """The open graph of the settings, its schema brought up to date for their embedding model."""
    from clause.graph.database import open_graph
    from clause.telemetry import silent

    async with open_graph(settings, progress=progress or silent) as graph:
        await migrate_for(graph, settings)
        yield graph


async def _run(load: Load, scope: str, *, embed: bool, background: bool) -> LoadReport:
    from clause.graph.database import check_embedding_model
    from clause.graph.jobs import Jobs
    from clause.graph.scopes import parse_scope
    from clause.ingest.embedding import submit_embedding
    from clause.settings import Settings
    from clause.text.embedder import SentenceTransformerEmbedder

    parse_scope(scope)
    settings = Settings.load()
    embedder = SentenceTransformerEmbedder.of(settings)
    with loading_bar() as progress:
        async with migrated(settings, progress) as graph:
            now = embed and not background
            report = await load(graph, embedder if now else None, progress)
            if embed and background:
                await check_embedding_model(graph, embedder.model, embedder.dimension)
                await submit_embedding(Jobs(graph), scope, embedder.model)
    embedder.close()
    return report


def _report(report: LoadReport, what: str, as_json: bool) -> None:
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = stdout()
    kind = "files" if report.format == "documents" else "records"
    resumed = f", going on after {report.resumed_at:,}" if report.resumed_at else ""
    anew = f"; {report.named:,} name things" if report.named else ""
    anew += f"; {report.replaced:,} documents had other content and were made anew" if report.replaced else ""
    console.print(
        f"{report.records:,} {kind} in {report.seconds:.1f} s ({report.records_per_s:,.0f}/s){resumed}: "
        f"{report.created:,} {what} are new, {report.known:,} were there, {report.bad_count:,} are bad{anew}",
        markup=False,
    )
    for bad in report.bad:
        place = "" if report.format == "documents" else f"line {bad.number}: "
        console.print(f"  {place}{bad.reason}", markup=False)
    if report.bad_count > len(report.bad):
        console.print(f"  ... and {report.bad_count - len(report.bad):,} more", markup=False)
    if report.embedding is not None:
        console.print(f"{report.embedding.embedded:,} vectors in {report.embedding.seconds:.1f} s", markup=False)
