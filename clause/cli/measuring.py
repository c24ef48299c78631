"""What `evaluate` and `bench` share: an open container that holds the sample, progress, and the command line."""

from __future__ import annotations

import gc
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import note

if TYPE_CHECKING:
    from clause.container import Container
    from clause.evaluation.playing import Stage
    from clause.evaluation.questions import Question
    from clause.evaluation.service import Coordinate, Seeds
    from clause.evaluation.studies import FindSeeds, Retrieve
    from clause.reasoning.asking import Asker
    from clause.reasoning.budget import Budgets
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.models import CoordinationRequest, CoordinationResponse
    from clause.text.embedder import Embedder

PolicyName = Annotated[str, typer.Option(help="Who decides: learned, heuristic, or a baseline by name.")]

Questions = Annotated[
    list[str], typer.Option(metavar="HOP=FILE...", help="One to three question files: --questions 1=FILE 2=FILE.")
]
MoreQuestions = Annotated[list[str] | None, typer.Argument(metavar="HOP=FILE", hidden=True)]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many questions of each file.")]
Sample = Annotated[int | None, typer.Option(min=1, help="So many questions of each file, drawn by --sample-seed.")]
SampleSeed = Annotated[int, typer.Option(help="Of the draw.")]
Clients = Annotated[int, typer.Option(min=1, max=64, help="Questions in flight at a time.")]

SAMPLE_SCOPE = "kg:metaqa"


def question_sets(
    questions: Sequence[str],
    more: Sequence[str] | None,
    limit: int | None,
    sample: int | None = None,
    seed: int = 0,
) -> dict[str, list[Question]]:
    """Questions by hop, of the files of a command line."""
    from clause.evaluation.metaqa import question_files, read_questions
    from clause.evaluation.questions import drawn

    files = question_files([*questions, *(more or [])])
    return {hop: drawn(read_questions(path, limit), sample, seed) for hop, path in files.items()}


def given_command() -> str:
    """The command line as it was given, for reports.

    >>> given_command().startswith("clause")
    True
    """
    return shlex.join(["clause", *sys.argv[1:]])


def counter(what: str, every: int = 1000) -> Callable[[int, int], None]:
    """A progress callback: a line on stderr for every so many, and for the last."""

    def tell(done: int, total: int) -> None:
        if done % every == 0 or done == total:
            note(f"{done:,} of {total:,} {what}")

    return tell


@asynccontextmanager
async def opened(*, sample: bool = True) -> AsyncIterator[Container]:
    """An open container on the managed or given server, warmed, with the packaged sample loaded when it is missing."""
    from clause.container import Container
    from clause.evaluation.ablations import ablations
    from clause.evaluation.baselines import BASELINES
    from clause.settings import Settings

    opened_now: list[Container] = []
    variants = ablations(lambda: opened_now[0].coordinator.policies["learned"])
    settings = Settings.load()
    async with Container.open(settings, policies={**BASELINES, **variants}, progress=_told) as container:
        opened_now.append(container)
        await container.warming
        if sample:
            from clause.sample import load_sample

            await load_sample(container.graph, container.embedder, _told)
        gc.freeze()  # as a service does
        try:
            yield container
        finally:
            gc.unfreeze()


def coordinate(container: Container, *, hard: bool = True) -> Coordinate:
    """The container's coordinator for the owner of this machine; `hard=False` takes the masks off."""
    return _for_owner(container.coordinator, hard)


async def snapshot_coordinate(container: Container, scopes: Sequence[str], *, hard: bool = True) -> Coordinate:
    """The same coordinator, reading an immutable snapshot of the scopes instead of Neo4j; seeds are found as ever."""
    return _for_owner((await _on_snapshot(container, scopes, container.embedder))[1], hard)


async def snapshot_stage(container: Container, scopes: Sequence[str], seeds: Seeds) -> Stage:
    """A stage on a snapshot of the scopes, where asking again what was asked before is quick."""
    from clause.evaluation.playing import Stage
    from clause.evaluation.remembering import RememberingEmbedder
    from clause.reasoning.neighbourhood import View

    asker, coordinator = await _on_snapshot(container, scopes, RememberingEmbedder(container.embedder))
    return Stage(asker, coordinator, View(tuple(scopes)), seeds)


async def _on_snapshot(container: Container, scopes: Sequence[str], embedder: Embedder) -> tuple[Asker, Coordinator]:
    from clause.evaluation.exporting import export_snapshot
    from clause.reasoning.asking import Asker
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.evidence import Provenance
    from clause.reasoning.neighbourhood import View
    from clause.reasoning.neo4j_neighbourhood import Neo4jNeighbourhood
    from clause.reasoning.recording import Reporter
    from clause.text.tokens import count_all

    graph, dimension = container.graph, container.embedder.dimension
    stored = Neo4jNeighbourhood(graph, dimension=dimension)
    snapshot = await export_snapshot(graph, stored, View(tuple(scopes)), dimension=dimension)
    asker = Asker(graph, snapshot, container.seeds, embedder)
    reporter = Reporter(Provenance(graph), container.runs)
    policies = container.coordinator.policies
    return asker, Coordinator(asker, snapshot, policies, texts=None, count=count_all, reporter=reporter)


def _for_owner(coordinator: Coordinator, hard: bool) -> Coordinate:
    from clause.graph.scopes import Caller

    async def ask(request: CoordinationRequest, budgets: Budgets) -> CoordinationResponse:
        return await coordinator.coordinate(request, Caller(None, None), budgets=budgets, hard=hard)

    return ask


async def load_passages(container: Container, path: Path, scope: str) -> None:
    """See to it that the passages of a corpus are in the scope, with vectors."""
    from clause.ingest.passages import load_passages as load

    await load(container.graph, container.embedder, path, scope, progress=_told)


def _told(message: str, done: int, total: int) -> None:
    if done == total > 0:
        note(f"{message}: {done:,}")


def find_seeds(container: Container, scopes: Sequence[str]) -> FindSeeds:
    """The names of a question's seed entities."""
    from clause.reasoning.neighbourhood import View

    async def find(text: str) -> list[str]:
        return [seed.name for seed in await container.seeds.find(text, View(tuple(scopes)))]

    return find


def passage_retrievers(container: Container, scope: str) -> dict[str, Retrieve]:
    """Dense, sparse and fused retrieval of passage titles through the indexes."""
    from clause.reasoning.neighbourhood import View
    from clause.reasoning.texts import IndexedTexts

    def retriever(dense: float, sparse: float) -> Retrieve:
        texts = IndexedTexts(container.graph, dense_weight=dense, sparse_weight=sparse)

        async def retrieve(text: str) -> list[str]:
            embedding = await container.embedder.embed_query(text)
            return [node.name for node in await texts.nearest(text, embedding, View((scope,)), limit=20)]

        return retrieve

    return {"dense": retriever(1, 0), "bm25": retriever(0, 1), "fusion": retriever(1, 1)}
