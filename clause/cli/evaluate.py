"""`clause evaluate`: measure answers against a data set."""

from __future__ import annotations

import asyncio
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json

app = typer.Typer(help="Measure answers against a data set.", no_args_is_help=True)

SAMPLE_SCOPE = "kg:metaqa"


class SeedsFrom(StrEnum):
    """Where the seed entities come from."""

    TEXT = "text"
    GOLD = "gold"


class Backend(StrEnum):
    """What the agents read: Neo4j, or a snapshot of it in memory."""

    SERVICE = "service"
    SNAPSHOT = "snapshot"


Questions = Annotated[
    list[str], typer.Option(metavar="HOP=FILE...", help="One to three question files: --questions 1=FILE 2=FILE.")
]
MoreQuestions = Annotated[list[str] | None, typer.Argument(metavar="[HOP=FILE]...", hidden=True)]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many questions of each file.")]
PolicyName = Annotated[str, typer.Option(help="Who decides: heuristic, or a baseline by name.")]
EdgeBudget = Annotated[int, typer.Option(min=1, max=1000, help="Edges; may go below the API's bound.")]
StepBudget = Annotated[int, typer.Option(min=1, max=20, help="Steps of the walk.")]
TokenBudget = Annotated[int, typer.Option(min=1, max=8192, help="Tokens; may go below the API's bound.")]
Clients = Annotated[int, typer.Option(min=1, max=64, help="Questions in flight at a time.")]


@app.command()
def metaqa(
    questions: Questions,
    more: MoreQuestions = None,
    limit: Limit = None,
    policy: PolicyName = "heuristic",
    edge_budget: EdgeBudget = 200,
    step_budget: StepBudget = 10,
    token_budget: TokenBudget = 2048,
    seeds: Annotated[SeedsFrom, typer.Option(help="Find the entity in the text, or take the bracketed one.")] = SeedsFrom.TEXT,
    backend: Annotated[Backend, typer.Option(help="Read Neo4j, or a snapshot of it.")] = Backend.SERVICE,
    clients: Clients = 4,
    as_json: JsonFlag = False,
) -> None:
    """Answer MetaQA's questions and compare with the gold answers, hop by hop."""
    from clause.evaluation.metaqa import question_files, read_questions
    from clause.evaluation.runs import MetaqaRun
    from clause.reasoning.budget import Budgets

    files = question_files([*questions, *(more or [])])
    sets = {hop: read_questions(path, limit) for hop, path in files.items()}
    run = MetaqaRun(
        sets=sets,
        policy=policy,
        budgets=Budgets(edge_budget, step_budget, token_budget),
        seeds=seeds.value,
        snapshot=backend is Backend.SNAPSHOT,
        clients=clients,
        command=given_command(),
    )
    _show(asyncio.run(_on_sample(run)), as_json)


@app.command("train-relation-path")
def train_relation_path(
    questions: Questions,
    triples: Annotated[Path, typer.Option(help="The graph: head|relation|tail lines, plain or gzipped.")],
    more: MoreQuestions = None,
    per_hop: Annotated[int, typer.Option(min=1, help="Questions drawn from each file.")] = 4000,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where to write; the shipped one by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the classifier behind the relation-path baselines, from questions and answers alone."""
    from clause.evaluation.metaqa import question_files, read_questions
    from clause.evaluation.pattern_classifier import SHIPPED
    from clause.evaluation.pattern_training import draw, train_pattern_classifier
    from clause.evaluation.triples import TripleGraph

    sets = [read_questions(path) for path in question_files([*questions, *(more or [])]).values()]
    model = train_pattern_classifier(TripleGraph.read(triples), draw(sets, per_hop, seed), progress=counter("labelled"))
    model.save(out or SHIPPED)
    result = {**model.about, "patterns": len(model.patterns), "grams": len(model.vocabulary), "out": str(out or SHIPPED)}
    print_json(result) if as_json else note(f"{result}")


def given_command() -> str:
    """The command line as it was given, for reports.

    >>> given_command().startswith("clause")
    True
    """
    return shlex.join(["clause", *sys.argv[1:]])


def counter(what: str) -> Any:
    """A progress callback that says every thousandth, and the last, on stderr."""

    def tell(done: int, total: int) -> None:
        if done % 1000 == 0 or done == total:
            note(f"{done:,} of {total:,} {what}")

    return tell
