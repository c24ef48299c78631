"""What `evaluate` and `bench` share: an open container that holds the sample, progress, and the command line."""

from __future__ import annotations

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
    from clause.evaluation.service import Coordinate
    from clause.evaluation.studies import FindSeeds, Retrieve
    from clause.reasoning.budget import Budgets
    from clause.reasoning.models import CoordinationRequest, CoordinationResponse

PolicyName = Annotated[str, typer.Option(help="Who decides: learned, heuristic, or a baseline by name.")]


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
    from clause.evaluation.baselines import BASELINES
    from clause.settings import Settings

    settings = Settings.load()
    async with Container.open(settings, policies=BASELINES, progress=_told) as container:
        await container.warming
        if sample:
            from clause.sample import load_sample

            await load_sample(container.graph, container.embedder, _told)
        yield container


def coordinate(container: Container) -> Coordinate:
    """The container's coordinator for the owner of this machine."""
    from clause.graph.scopes import Caller

    async def ask(request: CoordinationRequest, budgets: Budgets) -> CoordinationResponse:
        return await container.coordinator.coordinate(request, Caller(None, None), budgets=budgets)

    return ask


async def snapshot_coordinate(container: Container, scopes: Sequence[str]) -> Coordinate:
    """The same coordinator, reading an immutable snapshot of the scopes instead of Neo4j; seeds are found as ever."""
    from clause.evaluation.exporting import export_snapshot
    from clause.graph.scopes import Caller
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
    asker = Asker(graph, snapshot, container.seeds, container.embedder)
    reporter = Reporter(Provenance(graph), container.runs)
    policies = container.coordinator.policies
    coordinator = Coordinator(asker, snapshot, policies, texts=None, count=count_all, reporter=reporter)

    async def ask(request: CoordinationRequest, budgets: Budgets) -> CoordinationResponse:
        return await coordinator.coordinate(request, Caller(None, None), budgets=budgets)

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
