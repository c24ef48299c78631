"""Parts that `evaluate` and `bench` share: an open application with the sample, progress, the command line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from clause.app import Container
    from clause.evaluation.question_files import GoldQuestion
    from clause.evaluation.service import Coordinate, Seeds, ServiceSystem, Stage
    from clause.lab.passages import Rank, RankingWay
    from clause.policy.train.lessons import TypedWalks
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.episode.budget import Budgets

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
    questions: Sequence[str], more: Sequence[str] | None, limit: int | None, sample: int | None = None, seed: int = 0
) -> dict[str, list[GoldQuestion]]:
    """Questions by hop, of the files of a command line."""
    from clause.evaluation.question_files import drawn, question_files, read_questions

    files = question_files([*questions, *(more or [])])
    return {hop: drawn(read_questions(path, limit), sample, seed) for hop, path in files.items()}


def given_command() -> str:
    """The command line as it was given, for reports.

    >>> given_command().startswith("clause")
    True
    """
    return shlex.join(["clause", *sys.argv[1:]])


@asynccontextmanager
async def opened(*, sample: bool = True, baselines: bool = True) -> AsyncIterator[Container]:
    """An open container that knows the baselines and the ablations of the learned policy, too (or not)."""
    from clause.cli import console as opening
    from clause.lab.ablations import ablations
    from clause.lab.baselines import BASELINES

    opened_now: list[Container] = []
    variants = ablations(lambda: opened_now[0].coordinator.policies["learned"])
    async with opening.opened(sample=sample, policies={**BASELINES, **variants} if baselines else {}) as container:
        opened_now.append(container)
        yield container


async def on_sample(study: Callable[[Container], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """The result of a study on an open application with the sample."""
    async with opened() as container:
        return await study(container)


def sample_graph() -> TypedWalks:
    """The packaged sample, as it is walked by types."""
    from clause.evaluation.training_material import read_triples
    from clause.ingest.samples import KB
    from clause.policy.train.lessons import TypedWalks

    return TypedWalks(read_triples(KB))


def coordinate(coordinator: Coordinator, *, hard: bool = True) -> Coordinate:
    """A coordinator for the owner of this machine as something to ask; `hard=False` takes the masks off."""
    from clause.graph.scopes import Caller

    return lambda request, budgets: coordinator.coordinate(request, Caller(None, None), budgets=budgets, hard=hard)


async def service_system(
    container: Container,
    policy: str,
    budgets: Budgets | Callable[[GoldQuestion], Budgets],
    seeds: Seeds = "text",
    *,
    snapshot: bool = False,
    hard: bool = True,
) -> ServiceSystem:
    """The service on the sample as something to ask, reading Neo4j or a snapshot of it."""
    from clause.cli.console import on_snapshot
    from clause.evaluation.service import ServiceSystem

    coordinator, scopes = container.coordinator, [SAMPLE_SCOPE]
    coordinator.policies[policy]
    if snapshot:  # seeds are found as ever
        _, coordinator, _ = await on_snapshot(container, scopes, container.embedder)
    return ServiceSystem(coordinate(coordinator, hard=hard), policy=policy, budgets=budgets, scopes=scopes, seeds=seeds)


@asynccontextmanager
async def opened_system(*given: Any, **more: Any) -> AsyncIterator[ServiceSystem]:
    """The `service_system` of these arguments, in a process of its own."""
    async with opened(sample=False) as container:
        yield await service_system(container, *given, **more)


async def snapshot_stage(container: Container, scopes: Sequence[str], seeds: Seeds) -> Stage:
    """A stage on a snapshot of the scopes, where asking again what was asked before is quick."""
    from clause.cli.console import on_snapshot
    from clause.evaluation.service import Stage
    from clause.lab.studies import RememberingEmbedder
    from clause.reasoning.neighbourhood.port import View

    asker, coordinator, _ = await on_snapshot(container, scopes, RememberingEmbedder(container.embedder))
    return Stage(asker, coordinator, View(tuple(scopes)), seeds)


async def load_passages(container: Container, path: Path, scope: str) -> None:
    """See to it that the passages of a corpus are in the scope, with vectors."""
    from clause.cli.console import note_when_done
    from clause.ingest.passages import load_passages as load

    await load(container.graph, container.embedder, path, scope, progress=note_when_done)


def ranked_texts(container: Container, scope: str, ranking: str) -> Rank:
    """Dense, sparse (`bm25`) or fused (`fusion`) retrieval of texts through the indexes."""
    from clause.reasoning.answer.texts import IndexedTexts
    from clause.reasoning.neighbourhood.port import View

    dense, sparse = {"dense": (1.0, 0.0), "bm25": (0.0, 1.0), "fusion": (1.0, 1.0)}[ranking]
    texts = IndexedTexts(container.graph, dense_weight=dense, sparse_weight=sparse)

    async def ranked(text: str) -> list[str]:
        embedding = await container.embedder.embed_query(text)
        return [node.text or "" for node in await texts.nearest(text, embedding, View((scope,)), limit=40)]

    return ranked


def handed_on(container: Container, scope: str, policy: str | None, tokens: int) -> Rank:
    """The evidence of the three agents under a token budget, in the order of picking; nothing is recorded."""
    from clause.evaluation.question_files import GoldQuestion
    from clause.evaluation.service import ServiceSystem
    from clause.reasoning.episode.budget import Budgets

    ask = coordinate(container.coordinator)
    system = ServiceSystem(ask, policy=policy, budgets=Budgets(tokens=tokens), scopes=[scope])

    async def ranked(text: str) -> Sequence[str]:
        return (await system.answer(GoldQuestion(text, ()))).evidence

    return ranked


ENOUGH_TOKENS = 8_192
"""The budget under which a ranking of ten texts is read off the evidence."""


def passage_way(container: Container, scope: str, mode: str, tokens: int) -> RankingWay:
    """A mode of `evaluate passages` as a way to rank."""
    from clause.lab.passages import RankingWay

    if mode in {"dense", "bm25", "fusion"}:
        return RankingWay(ranked_texts(container, scope, mode))
    policy = None if mode == "coordinate" else mode
    return RankingWay(handed_on(container, scope, policy, ENOUGH_TOKENS), handed_on(container, scope, policy, tokens))
