"""Curiosity measured: how well it tells wrong answers from right ones, and what its finds change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from clause.app import Rooms
from clause.errors import BadInputError, NotFoundError
from clause.evaluation.harness import em_at_1
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import NO_PRICES, Stage, read_episode
from clause.graph.scopes import Caller
from clause.ingest.triples import load_triples
from clause.intelligence.curiosity import RunningMean, Surprise, gain_rows
from clause.lab.bench.loading import bench_scope, write_triples
from clause.lab.bench.reasoning import ReasoningServices
from clause.reasoning.agents.policy import Policy
from clause.reasoning.answer.integrations import read_vectors, surprises_of, taken
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.models import PathNavigationRequest
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import NeighbourhoodPort, RelationshipType

THRESHOLDS = (0.3, 0.5, 0.7)
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class QuestionErrors:
    """One question's prediction errors, those of running means beside them, and whether its first answer is wrong."""

    errors: tuple[float, ...]
    of_means: tuple[float, ...]
    wrong: bool

    @property
    def error(self) -> float:
        """The largest of its errors."""
        return max(self.errors, default=0.0)


async def curiosity_study(
    stage: Stage,
    port: NeighbourhoodPort,
    policy: str,
    sets: Mapping[str, Sequence[GoldQuestion]],
    budgets: Budgets,
    *,
    command: str,
) -> dict[str, Any]:
    """Prediction errors of a policy's hops on questions: their distribution, what fires, and the AUC of "is wrong".

    Running means begin empty and learn from question to question, as they do in service. What they alone would have
    expected stands beside what was expected.
    """
    history: dict[tuple[str, bool], RunningMean] = defaultdict(RunningMean)
    asked: list[QuestionErrors] = []
    judge = stage.coordinator.policies[policy]
    for questions in sets.values():
        for question in questions:
            one = await _ask(stage, port, judge, question, budgets=budgets, history=history)
            if one is not None:
                asked.append(one)
    wrong = [one.error for one in asked if one.wrong]
    right = [one.error for one in asked if not one.wrong]
    errors = [error for one in asked for error in one.errors]
    of_means = [max(one.of_means, default=0.0) for one in asked]
    low, high = auc_interval(wrong, right)
    return {
        "policy": policy,
        "n": len(asked),
        "wrong": len(wrong),
        "hops": len(errors),
        "mean_error": mean(errors),
        "running_means": {
            "mean_error": mean([error for one in asked for error in one.of_means]),
            "firing": {str(threshold): rate(of_means, threshold) for threshold in THRESHOLDS},
        },
        "error_quantiles": {str(q): round(float(np.quantile(errors, q)), 3) for q in (0.05, 0.25, 0.5, 0.75, 0.95)}
        if errors
        else {},
        "firing": {
            str(threshold): {"all": rate([*wrong, *right], threshold), "wrong": rate(wrong, threshold),
                             "right": rate(right, threshold)}
            for threshold in THRESHOLDS
        },
        "auc": auc(wrong, right),
        "auc_low": low,
        "auc_high": high,
        "command": command,
    }  # fmt: skip


def rate(errors: Sequence[float], threshold: float) -> float | None:
    """The share of questions whose largest error is above a threshold; None where there is no question.

    >>> rate([0.2, 0.9], 0.5)
    0.5
    """
    return round(sum(error > threshold for error in errors) / len(errors), 4) if errors else None


def mean(errors: Sequence[float]) -> float | None:
    """The mean of some errors; None where there is none.

    >>> mean([0.25, 0.5])
    0.375
    """
    return round(float(np.mean(errors)), 4) if errors else None


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative, ties half (Mann and Whitney, 1947); None where one is empty.

    >>> auc([0.9, 0.4], [0.1, 0.4])
    0.875
    """
    if not positive or not negative:
        return None
    return round(float(_auc(np.asarray(positive), np.asarray(negative))), 4)


def auc_interval(
    positive: Sequence[float], negative: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of `auc`, both groups drawn anew with replacement."""
    if not positive or not negative:
        return None, None
    rng = np.random.default_rng(seed)
    one, other = np.asarray(positive), np.asarray(negative)
    values = [_auc(rng.choice(one, one.size), rng.choice(other, other.size)) for _ in range(resamples)]
    low, high = np.quantile(values, [0.025, 0.975])
    return round(float(low), 4), round(float(high), 4)


def _auc(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    ordered = np.sort(other)
    below, upto = np.searchsorted(ordered, one, "left"), np.searchsorted(ordered, one, "right")
    return float((below + upto).mean() / (2 * other.size))


async def _ask(
    stage: Stage,
    port: NeighbourhoodPort,
    judge: Policy,
    question: GoldQuestion,
    *,
    budgets: Budgets,
    history: dict[tuple[str, bool], RunningMean],
) -> QuestionErrors | None:
    try:
        asked = await stage.ask(question, NO_PRICES)
    except (BadInputError, NotFoundError):
        return None
    finished = await stage.coordinator.play(asked, judge, budgets)
    hops = taken(finished.episode)
    if not hops:
        return None
    await read_vectors(port, hops, asked.question)
    expecting = asked.question
    expecting.relationship_types = _with_history(expecting.relationship_types, history)
    surprises = surprises_of(
        hops, finished.episode, expecting, judged=judge.judges_hops, foresights=finished.agents.foresights
    )
    of_means = surprises_of(hops, finished.episode, expecting, judged=False)
    _remember(surprises, history)
    answers = read_episode(finished, 0.0).answers
    return QuestionErrors(
        tuple(surprise.error for surprise in surprises),
        tuple(surprise.error for surprise in of_means),
        not em_at_1(answers, question.answers),
    )


def _with_history(
    types: Mapping[str, RelationshipType], history: Mapping[tuple[str, bool], RunningMean]
) -> dict[str, RelationshipType]:
    return {
        name: replace(kind, gains={way: history.get((name, way), RunningMean()) for way in (True, False)})
        for name, kind in types.items()
    }


def _remember(surprises: Sequence[Surprise], history: dict[tuple[str, bool], RunningMean]) -> None:
    for row in gain_rows(surprises):
        for way, forward in (("forward", True), ("inverse", False)):
            more = RunningMean(row[f"{way}_count"], row[f"{way}_sum"])
            history[row["name"], forward] = history[row["name"], forward].plus(more)


SCOPE = "kg:bench-curiosity"
TRIPLES = (
    ("Heat", "directed_by", "Michael Mann"),
    ("Collateral", "directed_by", "Michael Mann"),
    ("Heat", "starred_actors", "Al Pacino"),
    ("Heat", "starred_actors", "Robert De Niro"),
    ("Collateral", "starred_actors", "Tom Cruise"),
)
QUESTION = "Which actors has Michael Mann worked with?"


class DemoServices(ReasoningServices, Protocol):
    """The services that the demonstration drives (the container has them)."""

    @property
    def rooms(self) -> Rooms:
        """The rooms."""
        ...

    @property
    def port(self) -> Any:
        """Reads of the graph; `forget` drops what it remembers of relationship types."""
        ...


async def curiosity_demo(services: DemoServices) -> dict[str, Any]:
    """Ask, let curiosity work, ask again, in a small graph of its own, which is erased afterwards.

    The walk may take one step. At first that leads from the director to films alone; what the worker finds are ways to
    actors, so that the same question is answered by actors.
    """
    async with bench_scope(services.graph, SCOPE):
        with TemporaryDirectory() as folder:
            path = write_triples(Path(folder) / "demo.txt", TRIPLES)
            await load_triples(services.graph, services.embedder, path, SCOPE)
        return await _demonstrate(services)


async def _demonstrate(services: DemoServices) -> dict[str, Any]:
    _forget(services)
    caller, room = Caller((SCOPE,), (SCOPE,)), services.rooms.intelligence
    request = PathNavigationRequest(
        query=QUESTION, start_node="Michael Mann", step_budget=1, curiosity_threshold=0.0, scopes=[SCOPE]
    )
    before = await services.agents.navigate(request, caller)
    await room.settled()
    report = await room.investigator.work(caller=caller)
    _forget(services)
    after = await services.agents.navigate(request.model_copy(update={"enable_curiosity": False}), caller)
    await room.settled()
    return {
        "question": QUESTION,
        "before": sorted(answer.name for answer in before.metadata.answers),
        "triggers": before.metadata.curiosity_triggers_spawned,
        "findings": report.findings,
        "after": sorted(answer.name for answer in after.metadata.answers),
        "path": [edge.model_dump() for edge in after.path.edges],
    }


def _forget(services: DemoServices) -> None:
    """Relationship types are believed for a few seconds; the demonstration does not wait for that."""
    if isinstance(services.port, Neo4jNeighbourhood):
        services.port.forget()
