"""`clause evaluate`: measure answers against a data set."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from clause.cli.console import JsonFlag, Ray, counter, print_fields, print_json, stdout
from clause.lab.commands import frontier, measuring, memory, training
from clause.lab.commands.measuring import (
    SAMPLE_SCOPE,
    Clients,
    Limit,
    MoreQuestions,
    PolicyName,
    Questions,
    Sample,
    SampleSeed,
    given_command,
    on_sample,
    opened_system,
    question_sets,
    sample_graph,
    service_system,
)

if TYPE_CHECKING:
    from clause.app import Container
    from clause.evaluation.harness import System
    from clause.lab.studies import FindSeeds
    from clause.lab.worlds import OwnOutcome

Result = TypeVar("Result")


class SeedsFrom(StrEnum):
    """The sources of the seed entities."""

    TEXT = "text"
    GOLD = "gold"


class Backend(StrEnum):
    """The graph that the agents read: Neo4j, or a snapshot of it in memory."""

    SERVICE = "service"
    SNAPSHOT = "snapshot"


class LimitsFrom(StrEnum):
    """The sources of budgets: the same for all questions, or drawn for each."""

    GIVEN = "given"
    SAMPLED = "sampled"


EdgeBudget = Annotated[int, typer.Option(min=1, max=1000, help="Edges; may go below the API's bound.")]
StepBudget = Annotated[int, typer.Option(min=1, max=20, help="Steps of the walk.")]
TokenBudget = Annotated[int, typer.Option(min=1, max=8192, help="Tokens; may go below the API's bound.")]
SeedsOption = Annotated[SeedsFrom, typer.Option(help="Find the entity in the text, or take the bracketed one.")]
BackendOption = Annotated[Backend, typer.Option(help="Read Neo4j, or a snapshot of it in memory.")]
Mask = Annotated[bool, typer.Option("--mask/--no-mask", help="Whether the hard masks are on.")]
LimitsOption = Annotated[LimitsFrom, typer.Option(help="The budgets given, or log-uniform ones for each question.")]


app = typer.Typer(help="Measure answers against a data set.", no_args_is_help=True)


@app.command("worlds")
def worlds(
    *,
    worlds: Annotated[Path, typer.Option(help="Folder of worlds: triples.txt and questions.jsonl in each.")] = Path(
        "tests/worlds"
    ),
    kept_aside: Annotated[bool, typer.Option("--kept-aside", help="The worlds kept aside, not those of dev.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask the questions of small graphs of other people through the served pipeline; each is loaded into a scope."""
    from clause.lab.worlds import DEV, KEPT_ASIDE, ask_worlds, worlds_report

    names = KEPT_ASIDE if kept_aside else DEV
    asked = _served(lambda container: ask_worlds(container, worlds, names))
    _own_table(worlds_report(asked, given_command()), as_json=as_json)


@app.command("own")
def own(
    file: Annotated[Path, typer.Argument(help='JSON lines: {"question", "answers", "start"?}; no answers: abstain.')],
    *,
    scope: Annotated[str, typer.Option(help="The scope that the questions are about.")],
    policy: Annotated[str | None, typer.Option(help="Who decides; the default policy if not given.")] = None,
    against: Annotated[str | None, typer.Option(help="Another policy, asked the same: paired differences.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure answers to questions of your own, asked through the served pipeline."""
    from clause.lab.worlds import ask_own, own_differences, own_questions, own_report

    questions = own_questions(file)

    async def ask(container: Container) -> list[list[OwnOutcome]]:
        names = [policy, against] if against else [policy]
        return [await ask_own(container.coordinator, questions, scope, name) for name in names]

    asked, *other = _served(ask)
    differences = {"against": own_differences(asked, other[0])} if other else {}
    _own_table({**own_report(asked, given_command()), **differences}, as_json=as_json)


def _served(work: Callable[[Container], Awaitable[Result]], *, baselines: bool = True) -> Result:
    """The result of some work with the parts of the service, opened as the service opens them; `baselines`: with the
    lab's policies, which hide the product's of the same name."""

    async def run() -> Result:
        async with measuring.opened(sample=False, baselines=baselines) as container:
            return await work(container)

    return asyncio.run(run())


def _own_table(figures: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(dict(figures))
        return
    from clause.lab.report import points

    for name in ("n", "em_at_1", "f1", "answered", "wrong", "ece", "p50_ms", "p95_ms"):
        stdout().print(f"{name:<9} {figures[name]}", markup=False)
    for name, difference in figures.get("against", {}).items():
        stdout().print(f"{name:<9} {points(difference)} points against the other", markup=False)
    stdout().print(f"{'':<16} {'n':>4} {'right':>6} {'answered':>8} {'wrong':>6}", markup=False)
    for name, shares in {**figures.get("by_world", {}), **figures["by_form"]}.items():
        numbers = f"{shares['n']:>4} {shares['em_at_1']:>6.2f} {shares['answered']:>8.2f} {shares['wrong']:>6.2f}"
        stdout().print(f"{name:<16} {numbers}", markup=False)


app.command("frontier")(frontier.frontier)
app.command("proofs")(frontier.proofs)
app.command("ablations")(training.ablations)
app.command("generalisation")(training.generalisation)
app.command("trial")(training.trial)
app.command("adaptation")(training.adaptation)
app.command("curiosity")(frontier.curiosity)
app.command("pairs")(memory.pairs)
app.command("make-pairs")(memory.make_pairs)
app.command("train-pairs")(memory.train_pairs)
app.command("clustering")(memory.clustering)
app.command("make-clusters")(memory.make_clusters)
app.command("recall")(memory.recall)
app.command("make-recall")(memory.make_recall)


@app.command()
def metaqa(
    *,
    questions: Questions,
    more: MoreQuestions = None,
    limit: Limit = None,
    sample: Sample = None,
    sample_seed: SampleSeed = 0,
    policy: PolicyName = "learned",
    edge_budget: EdgeBudget = 200,
    step_budget: StepBudget = 10,
    token_budget: TokenBudget = 2048,
    limits: LimitsOption = LimitsFrom.GIVEN,
    mask: Mask = True,
    seeds: SeedsOption = SeedsFrom.TEXT,
    backend: BackendOption = Backend.SERVICE,
    clients: Clients = 2,
    ray: Ray = None,
    as_json: JsonFlag = False,
) -> None:
    """Answer MetaQA's questions and compare with the gold answers, hop by hop."""
    from clause.lab.report import results_table
    from clause.lab.studies import SpreadSystem, metaqa_study
    from clause.lab.training.trial import log_uniform_limits
    from clause.reasoning.episode.budget import Budgets
    from clause.workers import RayPool

    sets = question_sets(questions, more, limit, sample, sample_seed)
    budgets = log_uniform_limits if limits is LimitsFrom.SAMPLED else Budgets(edge_budget, step_budget, token_budget)

    async def run(container: Container) -> dict[str, Any]:
        given: dict[str, Any] = {"seeds": seeds.value, "snapshot": backend is Backend.SNAPSHOT, "hard": mask}
        system: System = await service_system(container, policy, budgets, **given)
        with RayPool.at(ray) as cluster:
            if cluster is not None:
                opening = partial(opened_system, policy, budgets, **given)
                system = SpreadSystem(system.name, opening, cluster, clients)
            return await metaqa_study(
                system, sets, sample_graph(), clients=clients, command=given_command(), progress=counter("answered")
            )

    result = asyncio.run(on_sample(run))
    print_json(result) if as_json else stdout().print(results_table([result]), markup=False)


@app.command()
def compare(
    *,
    questions: Questions,
    against: Annotated[str, typer.Option(help="The other policy.")],
    more: MoreQuestions = None,
    limit: Limit = None,
    sample: Sample = None,
    sample_seed: SampleSeed = 0,
    policy: PolicyName = "learned",
    edge_budget: EdgeBudget = 200,
    step_budget: StepBudget = 10,
    token_budget: TokenBudget = 2048,
    seeds: SeedsOption = SeedsFrom.TEXT,
    backend: BackendOption = Backend.SERVICE,
    clients: Clients = 2,
    as_json: JsonFlag = False,
) -> None:
    """The mean difference of two policies on the same questions, with its paired bootstrap interval (95 %)."""
    from clause.lab.studies import comparison_study
    from clause.reasoning.episode.budget import Budgets

    sets = question_sets(questions, more, limit, sample, sample_seed)
    budgets = Budgets(edge_budget, step_budget, token_budget)

    async def run(container: Container) -> dict[str, Any]:
        snapshot = backend is Backend.SNAPSHOT
        first = await service_system(container, policy, budgets, seeds.value, snapshot=snapshot)
        second = await service_system(container, against, budgets, seeds.value, snapshot=snapshot)
        return await comparison_study(
            first, second, sets, clients=clients, command=given_command(), progress=counter("answered")
        )

    print_fields(asyncio.run(on_sample(run)), as_json)


@app.command()
def abstain(
    *,
    questions: Questions,
    more: MoreQuestions = None,
    policy: PolicyName = "learned",
    each: Annotated[int, typer.Option(min=2, help="Unanswerable questions, and as many answerable ones.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    clients: Clients = 2,
    as_json: JsonFlag = False,
) -> None:
    """Measures abstaining: questions about an entity without that relationship, beside answerable ones."""
    from clause.lab.studies import abstaining_study
    from clause.reasoning.episode.budget import Budgets

    sets = question_sets(questions, more, None)

    async def run(container: Container) -> dict[str, Any]:
        system = await service_system(container, policy, Budgets(200))
        graph = sample_graph()
        return await abstaining_study(
            system, sets, graph, each=each, seed=seed, clients=clients, command=given_command()
        )

    print_fields(asyncio.run(on_sample(run)), as_json)


@app.command("seeds")
def seed_entities(
    *,
    questions: Questions,
    more: MoreQuestions = None,
    limit: Limit = None,
    clients: Clients = 4,
    as_json: JsonFlag = False,
) -> None:
    """Counts the bracketed entity found first, and among the first three, from the text alone."""
    from clause.lab.studies import seeds_study

    sets = question_sets(questions, more, limit)

    async def run(container: Container) -> dict[str, Any]:
        find = find_seeds(container, [SAMPLE_SCOPE])
        return await seeds_study(find, sets, clients=clients, command=given_command(), progress=counter("read"))

    print_fields(asyncio.run(on_sample(run)), as_json)


class PassageMode(StrEnum):
    """The ways to rank texts: the indexes, the rules by name, and what a service answers without a policy."""

    DENSE = "dense"
    BM25 = "bm25"
    FUSION = "fusion"
    PAGERANK = "pagerank"
    TWO_STEP = "two-step"
    COORDINATE = "coordinate"


@app.command()
def passages(
    *,
    corpus: Annotated[Path, typer.Option(help='JSON lines {"id", "title", "text"}, plain or .gz.')],
    questions: Annotated[
        Path, typer.Option(help='{"id", "question", "titles" or "ids"}, or 2WikiMultihopQA, MuSiQue, HotpotQA lines.')
    ],
    mode: Annotated[list[PassageMode] | None, typer.Option(help="May be repeated; all of them if not given.")] = None,
    tokens: Annotated[int, typer.Option(min=64, max=8192, help="Tokens of evidence.")] = 512,
    scope: Annotated[
        str | None,
        typer.Option(help="Where the passages are, or are loaded; kg:passages-HASH of the corpus if not given."),
    ] = None,
    limit: Limit = None,
    as_json: JsonFlag = False,
) -> None:
    """Recall of the passages that answers need, by every way to rank them; the corpus is loaded first, and stays."""
    from clause.lab.passages import Corpus, read_passage_questions

    texts = Corpus.read(corpus)
    asked = read_passage_questions(questions, texts, limit)
    modes = [one.value for one in mode or PassageMode]

    async def study(container: Container) -> dict[str, Any]:
        from clause.ingest.source import describe
        from clause.lab.commands.measuring import load_passages, passage_way
        from clause.lab.passages import passages_study

        where = scope or f"kg:passages-{describe(corpus, '').content_hash[:8]}"
        await load_passages(container, corpus, where)
        ways = {name: passage_way(container, where, name, tokens) for name in dict.fromkeys(modes)}
        return await passages_study(ways, asked, texts, tokens=tokens, command=given_command())

    figures = _served(study, baselines=False)
    print_json(figures) if as_json else _passages_table(figures)


def _passages_table(figures: Mapping[str, Any]) -> None:
    stdout().print(f"{figures['n']} questions, evidence within {figures['tokens']} tokens", markup=False)
    stdout().print(f"{'':<10} {'@2':>6} {'@5':>6} {'@10':>6} {'within':>7} {'tokens':>7} {'p50 ms':>7}", markup=False)
    for name, found in figures["modes"].items():
        recalls = " ".join(f"{100 * share:>6.1f}" for share in found["recall"].values())
        rest = f"{100 * found['evidence_recall']:>7.1f} {found['tokens_mean']:>7.1f} {found['p50_ms']:>7.1f}"
        stdout().print(f"{name:<10} {recalls} {rest}", markup=False)


@app.command("train-relation-path")
def train_relation_path(
    *,
    questions: Questions,
    triples: Annotated[Path, typer.Option(help="The graph: head|relation|tail lines, plain or gzipped.")],
    more: MoreQuestions = None,
    per_hop: Annotated[int, typer.Option(min=1, help="Questions drawn from each file.")] = 4000,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where to write; the shipped one by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the classifier behind the relation-path baselines, from questions and answers alone."""
    from clause.evaluation.training_material import read_triples
    from clause.lab.pattern_classifier import SHIPPED, train_pattern_classifier
    from clause.policy.train.lessons import TypedWalks

    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    sets = question_sets(questions, more, None).values()
    drawn = [question for own in sets for question in rng.sample(list(own), min(per_hop, len(own)))]
    walks = TypedWalks(read_triples(triples))
    model = train_pattern_classifier(walks, drawn, progress=counter("labelled"))
    model.save(out or SHIPPED)
    sizes = {"patterns": len(model.patterns), "grams": len(model.vocabulary)}
    print_fields({**model.about, **sizes, "out": str(out or SHIPPED), "command": given_command()}, as_json)


def find_seeds(container: Container, scopes: Sequence[str]) -> FindSeeds:
    """The names of a question's seed entities."""
    from clause.reasoning.neighbourhood.port import View

    async def find(text: str) -> list[str]:
        return [seed.name for seed in await container.seeds.find(text, View(tuple(scopes)))]

    return find
