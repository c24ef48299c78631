"""The terminal: results to stdout, progress and errors to stderr; and an open application for a command, with its
policies on a snapshot."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from clause.errors import ClauseError

if TYPE_CHECKING:
    from clause.app import Container
    from clause.reasoning.agents.policy import Policy
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.neighbourhood.snapshot import Snapshot
    from clause.reasoning.question.preparation import Asker
    from clause.telemetry import CountProgress, Progress
    from clause.text.embedder import Embedder

    Staged = tuple[Asker, Coordinator, Snapshot]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
Ray = Annotated[
    str | None, typer.Option(metavar="auto|ADDRESS", help="A Ray cluster that does the work (extra `ray`).")
]


def stdout() -> Console:
    """The console of results (made at each call, so that a redirected stream is seen)."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def stderr() -> Console:
    """The console of progress, notes and errors."""
    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON object of a command, on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, default=str) + "\n")
    sys.stdout.flush()


def print_fields(result: Mapping[str, Any], as_json: bool) -> None:
    """A result on stdout: a line for each field, or one JSON object."""
    if as_json:
        print_json(result)
        return
    for name, value in result.items():
        stdout().print(f"{name}: {value}", markup=False)


def texts_and_reader(
    kinds: list[str] | None, floors: list[str] | None, since: str | None, until: str | None, *, read: bool
) -> dict[str, Any]:
    """The fields `texts` and `read` of a question; none where nothing is asked of texts and no reader is wanted."""
    pairs = [floor.partition("=") for floor in floors or ()]
    said = {"kinds": kinds, "floors": {name: least for name, _, least in pairs}, "since": since, "until": until}
    texts = {name: value for name, value in said.items() if value}
    return {**({"texts": texts} if texts else {}), **({"read": True} if read else {})}


def note(text: str) -> None:
    """A line of progress on stderr, as it is (no markup)."""
    stderr().print(text, markup=False)


def print_error(error: ClauseError, *, as_json: bool = False) -> None:
    """One clear line on stderr: what happened and what to do; with `as_json` the error object on stdout too."""
    line = " ".join(str(error).split())
    stderr().print(f"error: {line}", markup=False)
    if as_json:
        members = {name: getattr(error, name) for name in ("code", "message", "remedy", "field", "bound")}
        print_json({"error": {name: value for name, value in members.items() if value is not None}})


@contextmanager
def loading_bar() -> Iterator[Progress]:
    """`with loading_bar() as progress:` gives a progress callback; each message has a bar of its own."""
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), rate)
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, TimeRemainingColumn(), console=stderr()) as bars:

        def progress(message: str, done: int, total: int) -> None:
            if message not in tasks:
                tasks[message] = bars.add_task(message, total=total or None, rate="")
            task = bars.tasks[bars.task_ids.index(tasks[message])]
            rate = f"{task.speed:,.0f}/s" if task.speed else ""
            bars.update(tasks[message], completed=done, total=total or None, rate=rate)

        yield progress
        for task in bars.tasks:  # it is done: a bar that counted less than was announced ends at its end too
            end = task.total or task.completed
            bars.update(task.id, total=end, completed=end)


def counter(what: str, every: int = 1000) -> CountProgress:
    """A progress callback: a line on stderr for every so many, and for the last."""

    def tell(done: int, total: int) -> None:
        if done % every == 0 or done == total:
            note(f"{done:,} of {total:,} {what}")

    return tell


@asynccontextmanager
async def opened(
    *, sample: bool = True, policies: Mapping[str, Callable[[], Policy]] | None = None
) -> AsyncIterator[Container]:
    """An open container on the managed or given server, warmed, with the packaged sample loaded when it is missing.

    Args:
        sample: see to it that the sample is there.
        policies: further policies by name.
    """
    from clause.app import Container
    from clause.settings import Settings

    async with Container.open(Settings.load(), policies=policies, progress=note_when_done) as container:
        await container.warming
        if sample:
            from clause.ingest.samples import load_sample

            await load_sample(container.graph, container.embedder, note_when_done)
        gc.freeze()  # as a service does
        try:
            yield container
        finally:
            gc.unfreeze()


async def on_snapshot(container: Container, scopes: Sequence[str], embedder: Embedder) -> Staged:
    """The asker and the coordinator of the container's policies, reading a snapshot of the scopes; and that."""
    from clause.evaluation.training_material import export_snapshot
    from clause.reasoning.answer.evidence import Provenance
    from clause.reasoning.answer.report import Reporter
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
    from clause.reasoning.neighbourhood.port import View
    from clause.reasoning.question.preparation import Asker
    from clause.text.tokens import count_all

    graph, dimension = container.graph, container.embedder.dimension
    stored = Neo4jNeighbourhood(graph, dimension=dimension)
    snapshot = await export_snapshot(graph, stored, View(tuple(scopes)), dimension=dimension)
    asker = Asker(graph, snapshot, container.seeds, embedder)
    reporter, policies = Reporter(Provenance(graph), container.runs), container.coordinator.policies
    return asker, Coordinator(asker, snapshot, policies, count=count_all, reporter=reporter), snapshot


def note_when_done(message: str, done: int, total: int) -> None:
    """A line on stderr when a piece of work is done."""
    if done == total > 0:
        note(f"{message}: {done:,}")
