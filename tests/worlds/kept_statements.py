"""What an agent keeps in words, loaded as its user would, and asked: `python -m tests.worlds.kept_statements FILE`.

`statements/office.json` was tuned on; of `statements/kept_aside.json` (other domains, another habit of wording) only
counts were looked at. Both were written by hand before the policy was. `statements/theatre.json` was written later, its
questions halved before they were asked: those of `--kept-aside` were counted only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clause.app import Container
from clause.graph.scopes import Caller
from clause.insights.models import StoreInsight
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede, SourceGiven
from clause.knowledge.lineage.models import RetractionRequest
from clause.lab.commands.measuring import opened
from clause.memory.models import MemoryWriteInput
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.models.answer import Answer

FOLDER = Path(__file__).parent / "statements"
OWNER = Caller()
Told = Mapping[str, Any]


async def load(container: Container, told: Told, scope: str) -> None:
    """Keep every statement by its kind: beliefs from each of their sources, values as insights of the agent itself."""
    rooms = container.rooms
    held: dict[str, str] = {}
    for one in told["statements"]:
        if one["kind"] == "belief":
            held[one["id"]] = await _believe(container, one, held, scope)
        elif one["kind"] == "memory":
            memory = MemoryWriteInput(content=one["text"], scope=scope, timestamp=one.get("date"))
            await rooms.memory.store.write(memory, caller=OWNER)
        else:
            key = "self:values" if one["kind"] == "value" else "self:insights"
            insight = StoreInsight(
                topic_key=key,
                category="synthesis",
                content=one["text"],
                salience_spent=3.0,
                valences={"curiosity": 0.5},
                scope=scope,
            )
            await rooms.insights.insights.store(insight, caller=OWNER)
    await rooms.settled()


async def _believe(container: Container, one: Told, held: Mapping[str, str], scope: str) -> str:
    beliefs = container.rooms.knowledge.beliefs
    sources = [SourceGiven(title=name, upstream=name) for name in one.get("sources") or ["notes"]]
    if "supersedes" in one:
        change = BeliefSupersede(content=one["text"], source=sources[0])
        made = await beliefs.supersede(held[one["supersedes"]], change, caller=OWNER)
        return made.id
    created, *_ = [
        await beliefs.create(BeliefCreate(content=one["text"], scope=scope, source=source), caller=OWNER)
        for source in sources
    ]
    assert created.belief is not None
    if one.get("retracted"):
        await container.rooms.knowledge.retraction.apply(RetractionRequest(belief_id=created.belief.id), caller=OWNER)
    return created.belief.id


async def ask(container: Container, told: Told, scope: str) -> dict[str, Any]:
    """Counts over all questions: right is a first answer that tells it, or leaving what nothing answers."""
    texts = {one["id"]: one["text"] for one in told["statements"]}
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    wrong, scored, waits = [], [], []
    for question in told["questions"]:
        started = time.perf_counter()
        response = await container.coordinator.coordinate(
            CoordinationRequest(query=question["question"], budgets=BudgetAllocation(), scopes=(scope,), record=False),
            OWNER,
        )
        waits.append((time.perf_counter() - started) * 1000)
        result = response.result
        first = result.answers[0] if result.answers else None
        good = first is not None and right(first, question, texts, result.answers)
        end = "left" if result.abstained else "answered"
        outcome = ("right" if good else "wrong") if end == "answered" else "left" if question["answers"] else "right"
        counts[outcome] += 1
        counts["first right"] += bool(question["answers"]) and good
        forms.setdefault(question["form"], Counter())[outcome] += 1
        if first is not None:
            scored.append((first.answer_score, good))
        if outcome != "right":
            wrong.append((outcome, question["question"], first.name if first else None, first and first.answer_score))
    waits.sort()
    return {
        "n": len(told["questions"]),
        **counts,
        "by_form": forms,
        "p50_ms": waits[len(waits) // 2],
        "scores": scored,
        "misses": wrong,
    }


def right(first: Answer, question: Told, texts: Mapping[str, str], answers: Sequence[Answer]) -> bool:
    """Whether the first answer is a statement that answers, or what one of those says."""
    gold = {texts[one] for one in question["answers"]}
    said = next((one.name for one in answers if one.kind == "statement" and one.node == first.statement), None)
    if said not in gold:
        return False
    name = first.name.casefold()
    told = question["says"]  # empty where nobody said which part of the statement it is
    return (
        not told or first.kind == "statement" or any(one.casefold() in name or name in one.casefold() for one in told)
    )


async def measured(told: Told, name: str, scope: str | None) -> dict[str, Any]:
    """The counts of one file, over a scope that holds it, else over a new one."""
    async with opened(sample=False) as container:
        if scope is None:
            scope = f"user:{name.replace('_', '-')}-{int(time.time())}"
            await load(container, told, scope)
        return {"scope": scope, **await ask(container, told, scope)}


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("file", type=Path)
    words.add_argument("--scope", help="ask only: where the file was loaded before")
    words.add_argument("--show", action="store_true", help="what was not right, too")
    words.add_argument("--kept-aside", action="store_true", help="the other half of the questions")
    given = words.parse_args()
    told = json.loads(given.file.read_text("utf-8"))
    if given.kept_aside:
        told["questions"] = told["kept_aside"]
    found = asyncio.run(measured(told, given.file.stem, given.scope))
    hidden = () if given.show else ("scores", "misses")
    sys.stdout.write(json.dumps({key: value for key, value in found.items() if key not in hidden}, indent=1) + "\n")
