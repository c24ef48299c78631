"""`clause bench`: speed against a named baseline of the same run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, counter
from clause.lab.commands.measuring import PolicyName, given_command, opened, sample_graph
from clause.lab.commands.memory import show

if TYPE_CHECKING:
    from clause.app import Container

app = typer.Typer(help="Measure speed against named baselines.", no_args_is_help=True)


_history: ContextVar[Path | None] = ContextVar("clause_bench_history", default=None)


@app.callback()
def bench(
    history: Annotated[Path | None, typer.Option(help="A JSON file that keeps each row with its time.")] = None,
) -> None:
    """Measure speed against named baselines."""
    _history.set(history)


Calls = Annotated[int, typer.Option(min=1, max=100_000, help="Calls that count; a tenth as many warm up before.")]
Clients = Annotated[int, typer.Option(min=1, max=64, help="Clients at a time.")]
Study = Callable[["Container"], Awaitable[dict[str, Any]]]


@app.command()
def coordinate(
    *,
    policy: PolicyName = "learned",
    clients: Clients = 1,
    calls: Calls = 200,
    as_json: JsonFlag = False,
) -> None:
    """Warm answers on the sample graph, with the time's breakdown; every question is new to every cache."""
    from clause.lab.bench.reasoning import coordinate_bench

    async def study(container: Container) -> dict[str, Any]:
        graph, command = sample_graph(), given_command()
        return await coordinate_bench(container, graph, policy=policy, clients=clients, calls=calls, command=command)

    _run(study, as_json)


@app.command()
def subgraph(*, calls: Calls = 100, as_json: JsonFlag = False) -> None:
    """The SubgraphArchitect alone: 50 edges."""
    from clause.lab.bench.reasoning import subgraph_bench

    _run(lambda c: subgraph_bench(c, sample_graph(), calls, given_command()), as_json)


@app.command()
def navigate(*, calls: Calls = 100, as_json: JsonFlag = False) -> None:
    """The PathNavigator alone: 10 steps."""
    from clause.lab.bench.reasoning import navigate_bench

    _run(lambda c: navigate_bench(c, sample_graph(), calls, given_command()), as_json)


@app.command()
def curate(*, calls: Calls = 50, as_json: JsonFlag = False) -> None:
    """The ContextCurator alone: 20 snippets that were never embedded before."""
    from clause.lab.bench.reasoning import curate_bench

    _run(lambda c: curate_bench(c, sample_graph(), calls, given_command()), as_json)


@app.command()
def edges(*, calls: Calls = 100, as_json: JsonFlag = False) -> None:
    """1,000 edges scored in one batch, vectors in memory."""
    from clause.lab.bench.reasoning import edges_bench

    _show(asyncio.run(edges_bench(calls, given_command())), as_json)


@app.command()
def load(
    *,
    triples: Annotated[int, typer.Option(min=100, help="How many are loaded.")] = 20_000,
    as_json: JsonFlag = False,
) -> None:
    """Triples loaded without embeddings into a scope of their own, which is erased afterwards."""
    from clause.lab.bench.loading import load_bench

    async def study(container: Container) -> dict[str, Any]:
        with TemporaryDirectory() as folder:
            return await load_bench(container, sample_graph(), Path(folder), triples, given_command())

    _run(study, as_json)


@app.command()
def growth(
    *,
    policy: PolicyName = "learned",
    times: Annotated[
        list[int] | None, typer.Option(min=2, max=100, help="How many copies of the graph; may be given several times.")
    ] = None,
    connected: Annotated[bool, typer.Option(help="Lead every tenth relationship into the next copy.")] = False,
    triples: Annotated[int | None, typer.Option(min=100, help="So many triples of the sample alone.")] = None,
    calls: Calls = 100,
    as_json: JsonFlag = False,
) -> None:
    """Answers on the graph once and many times over, in a scope of their own, which is erased afterwards."""
    from clause.lab.bench.loading import growth_bench

    async def study(container: Container) -> dict[str, Any]:
        settings = container.settings
        asked: dict[str, Any] = {"times": times or [3, 10], "calls": calls, "connected": connected, "count": triples}
        store = None if settings.neo4j_uri else settings.home / "data"
        with TemporaryDirectory() as folder:
            return await growth_bench(
                container, sample_graph(), Path(folder), policy=policy, store=store, command=given_command(), **asked
            )

    _run(study, as_json, sample=False)


@app.command()
def thoughtseeds(
    *,
    count: Annotated[int, typer.Option(min=10, max=20_000, help="How many are written.")] = 2_000,
    as_json: JsonFlag = False,
) -> None:
    """ThoughtSeeds written in batches and linked, in a scope of their own, which is erased afterwards."""
    from clause.lab.bench.loading import thoughtseeds_bench

    _run(lambda c: thoughtseeds_bench(c, count, given_command()), as_json)


@app.command()
def flags(*, policy: PolicyName = "learned", calls: Calls = 100, as_json: JsonFlag = False) -> None:
    """Answers with all flags on (ThoughtSeeds, curiosity, causes) beside the same questions with all flags off."""
    from clause.lab.bench.loading import flags_bench

    _run(lambda c: flags_bench(c, sample_graph(), policy=policy, calls=calls, command=given_command()), as_json)


@app.command()
def beliefs(
    *,
    count: Annotated[int, typer.Option("--beliefs", min=10, help="How many are there already.")] = 100_000,
    calls: Calls = 100,
    as_json: JsonFlag = False,
) -> None:
    """Stating and asking among many beliefs, beyond the embedding, in a scope that is erased afterwards."""
    from clause.lab.bench.beliefs import beliefs_bench

    _run(lambda c: beliefs_bench(c, count, calls, given_command()), as_json, sample=False)


@app.command()
def causal(*, calls: Calls = 100, as_json: JsonFlag = False) -> None:
    """P(target | do(cause)) over 200 causal relationships, exact."""
    from clause.lab.bench.loading import causal_bench

    _run(lambda c: causal_bench(c, calls, given_command()), as_json)


@app.command()
def rollback(*, calls: Calls = 50, as_json: JsonFlag = False) -> None:
    """An agent's writes that contradict what is stored, found out and rolled back."""
    from clause.lab.bench.loading import rollback_bench

    _run(lambda c: rollback_bench(c, calls, given_command()), as_json)


@app.command()
def http(*, calls: Calls = 200, as_json: JsonFlag = False) -> None:
    """Small answers over one kept HTTP connection, beside a connection for each."""
    from clause.lab.bench.http import http_bench

    _run(lambda c: http_bench(c, calls, given_command()), as_json, sample=False)


@app.command("serve-start")
def serve_start(*, as_json: JsonFlag = False) -> None:
    """From `clause serve` to ready, with the server up; refused while this home's API runs."""
    from clause.lab.bench.http import start_bench

    _on_service(lambda container, start: start_bench(start, container, given_command()), as_json)


@app.command("clients")
def many_clients(
    *,
    clients: Annotated[int, typer.Option(min=1, max=1_000, help="Clients at a time.")] = 16,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes of the service.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, max=3_600, help="For how long; for one client a third.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """Questions of many clients over HTTP, to a service of its own; refused while this home's API runs."""
    from clause.lab.bench.http import clients_bench
    from clause.lab.bench.timing import bench_questions

    questions = bench_questions(sample_graph(), 20_000)

    async def study(_container: Container, start: Callable[[], tuple[str, int]]) -> dict[str, Any]:
        url, pid = await asyncio.to_thread(start)
        return await clients_bench(url, pid, questions, clients=clients, seconds=seconds, command=given_command())

    os.environ.update(CLAUSE_WORKERS=str(workers), CLAUSE_RATE_LIMIT="0")
    _on_service(study, as_json)


def _on_service(
    study: Callable[[Container, Callable[[], tuple[str, int]]], Awaitable[dict[str, Any]]], as_json: bool
) -> None:
    """A study of this home's service, given what starts it and returns its URL and process once it is ready; it is
    stopped afterwards."""
    from clause.cli import serve as service
    from clause.errors import ConflictError
    from clause.operations import processes
    from clause.settings import Settings

    settings = Settings.load()
    if service.running_url(settings):
        raise ConflictError("the API of this home runs already", remedy="stop it first: make demo-stop")

    def start() -> tuple[str, int]:
        url = service.start(settings)
        service.wait_until_ready(settings, url)
        record = processes.running(service.state_path(settings))
        return url, record.pid if record else 0

    async def on_container(container: Container) -> dict[str, Any]:
        try:
            return await study(container, start)
        finally:
            await asyncio.to_thread(service.stop, settings)

    _run(on_container, as_json)


def _run(study: Study, as_json: bool, *, sample: bool = True) -> None:
    async def run() -> dict[str, Any]:
        async with opened(sample=sample) as container:
            return await study(container)

    _show(asyncio.run(run()), as_json)


def _show(result: dict[str, Any], as_json: bool) -> None:
    from clause.lab.bench.timing import keep
    from clause.text.fields import utc_now

    if (history := _history.get()) is not None:
        keep(history, result, utc_now())
    show(result, as_json)


@app.command()
def clustering(
    *,
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=100, max=1_000_000, help="Points; may be given several times.")
    ] = None,
    stored: Annotated[
        int, typer.Option(min=0, max=100_000, help="Experiences of the whole run; 0 leaves it out.")
    ] = 5_000,
    as_json: JsonFlag = False,
) -> None:
    """Clusters of 500, 5,000 and 20,000 points, and of stored experiences in a scope that is erased afterwards."""
    from clause.lab.bench.memory import clustering_bench

    async def study() -> dict[str, Any]:
        async with opened(sample=False) as container:
            return await clustering_bench(
                container.rooms.values,
                sizes or [500, 5_000, 20_000],
                stored=stored,
                command=given_command(),
                progress=counter("told", 1_000),
            )

    _show(asyncio.run(study()), as_json)


@app.command()
def memory(
    *,
    size: Annotated[int, typer.Option(min=100, max=1_000_000, help="Memories in the store.")] = 10_000,
    calls: Annotated[int, typer.Option(min=1, max=100_000, help="Calls that count, of each kind.")] = 200,
    as_json: JsonFlag = False,
) -> None:
    """Memories written, recalled and consolidated, in a scope of their own, which is erased afterwards."""
    from clause.lab.bench.memory import memory_bench

    async def study() -> dict[str, Any]:
        async with opened(sample=False) as container:
            told = counter("written", 10_000)
            room = container.rooms.memory
            return await memory_bench(room, size=size, calls=calls, command=given_command(), progress=told)

    _show(asyncio.run(study()), as_json)
