"""`clause evaluate recall`, and the command that makes its files from LoCoMo."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag
from clause.cli.evaluate_pairs import show
from clause.cli.measuring import Limit, PolicyName, counter, given_command

if TYPE_CHECKING:
    from clause.container import Container
    from clause.evaluation.recall_study import Evidence
    from clause.memory.room import Memory


class Mode(StrEnum):
    """How memories are searched."""

    DENSE = "dense"
    SPARSE = "sparse"
    HYBRID = "hybrid"
    COORDINATE = "coordinate"


class Fusion(StrEnum):
    """How the two searches of a hybrid one become one."""

    RRF = "rrf"
    RSF = "rsf"


def recall(
    *,
    corpus: Annotated[Path, typer.Option(help='Lines {"id", "text", "scope", "timestamp"?}, plain or .gz.')],
    questions: Annotated[Path, typer.Option(help='Lines {"id", "query", "scope", "relevant": [ids]}.')],
    mode: Annotated[Mode, typer.Option(help="Which search.")] = Mode.HYBRID,
    k: Annotated[list[int] | None, typer.Option("-k", min=1, max=100, help="Where recall is cut; 5 and 10.")] = None,
    fusion: Annotated[Fusion | None, typer.Option(help="The service's fusion, if not said.")] = None,
    sparse_weight: Annotated[float | None, typer.Option(min=0, max=1, help="The service's, if not said.")] = None,
    policy: PolicyName = "learned",
    limit: Limit = None,
    as_json: JsonFlag = False,
) -> None:
    """How much of what is relevant memories recall, beside plain BM25; in scopes of its own, which it removes."""
    from clause.cli.measuring import opened
    from clause.evaluation.recall_files import read_corpus, read_recall_questions
    from clause.evaluation.recall_study import recall_study

    texts, asked = read_corpus(corpus), read_recall_questions(questions, limit)

    async def run() -> dict[str, Any]:
        async with opened(sample=False) as container:
            memory = _memory(container, fusion, sparse_weight)
            evidence = _evidence(container, policy)
            ks = sorted(set(k or [5, 10]))
            told = counter("done", 500)
            return await recall_study(
                memory, texts, asked, mode=mode.value, ks=ks, evidence=evidence, command=given_command(), progress=told
            )

    show(asyncio.run(run()), as_json)


def make_recall(
    *,
    locomo: Annotated[Path, typer.Option(help="LoCoMo's conversations, plain or .gz.")],
    corpus: Annotated[Path, typer.Option(help="The file of turns to write.")],
    questions: Annotated[Path, typer.Option(help="The file of questions to write.")],
    only: Annotated[list[str] | None, typer.Option(help="A sample id, each with the option; all if not said.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make the files of `clause evaluate recall` from LoCoMo: a turn a line, relevant are the evidence turns."""
    from clause.evaluation.locomo import make_recall_files

    made = make_recall_files(locomo, corpus, questions, tuple(only or ()))
    show({**made, "corpus": str(corpus), "questions_file": str(questions)}, as_json)


def _memory(container: Container, fusion: Fusion | None, sparse_weight: float | None) -> Memory:
    """The room as the service has it, with room for more clusters, and the fusion that was asked for."""
    from clause.memory.config import MOST_CLUSTERS
    from clause.memory.room import Memory

    room = container.rooms.memory
    changes: dict[str, Any] = {"max_clusters": MOST_CLUSTERS}
    if fusion is not None:
        changes["fusion_method"] = fusion.value
    if sparse_weight is not None:
        changes["sparse_weight"] = sparse_weight
    return Memory.open(room.ground, room.store.config.model_copy(update=changes))


def _evidence(container: Container, policy: str) -> Evidence:
    from clause.cli.measuring import coordinate
    from clause.evaluation.recall import TOKEN_BUDGET
    from clause.evaluation.service import read_response
    from clause.reasoning.budget import Budgets
    from clause.reasoning.models import BudgetAllocation, CoordinationRequest

    ask = coordinate(container)
    budgets = Budgets(tokens=TOKEN_BUDGET)

    async def evidence(query: str, scope: str) -> Sequence[str]:
        request = CoordinationRequest(
            query=query,
            budgets=BudgetAllocation(),
            scopes=[scope],
            policy=policy,
            enable_provenance=False,
            record=False,
        )
        return read_response(await ask(request, budgets), budgets, 0.0).evidence

    return evidence
