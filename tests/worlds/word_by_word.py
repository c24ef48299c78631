"""The cost of comparing memories with a query word by word: `python -m tests.worlds.word_by_word LOCOMO`.

Each question is searched by meaning alone and in both ways, with so many compared whose texts are new (`cold`) or were
met before (`warm`); times are told as multiples of the search by meaning in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from clause.evaluation.harness import recall_at_k
from clause.lab.commands.measuring import opened
from clause.lab.corpora import make_recall_files, read_corpus, read_recall_questions
from clause.lab.recall import memory_search, remembered
from clause.memory import recall
from clause.memory.models import MOST_CLUSTERS
from clause.memory.room import Memory


async def measured(locomo: Path, turns: int, asked: int, compared: Sequence[int]) -> dict[str, Any]:
    """The medians and the recall@10 over the first turns of the conversation that has about so many."""
    with tempfile.TemporaryDirectory() as folder:
        turns_file, asked_file = Path(folder) / "corpus.jsonl", Path(folder) / "questions.jsonl"
        make_recall_files(locomo, turns_file, asked_file, ())
        corpus, questions = read_corpus(turns_file), read_recall_questions(asked_file, None)
    counts = Counter(one.scope for one in corpus)
    scope = min(counts, key=lambda one: (abs(counts[one] - turns), one))
    corpus = [one for one in corpus if one.scope == scope][:turns]
    kept = {one.id for one in corpus}
    questions = [one for one in questions if one.scope == scope and set(one.relevant) <= kept]
    questions = questions[:: max(1, len(questions) // asked)][:asked]
    took: dict[str, list[float]] = {}
    found: dict[str, list[float]] = {}
    async with opened(sample=False) as container:
        room, embedder = container.rooms.memory, container.embedder
        memory = Memory.open(room.ground, room.store.config.model_copy(update={"max_clusters": MOST_CLUSTERS}))
        async with remembered(memory, corpus) as stored:
            dense, hybrid = (memory_search(memory, stored, mode, 10) for mode in ("dense", "hybrid"))
            for question in questions:
                await dense(question.query, scope)  # its vector is known from here on
                for name, search, most in [
                    ("dense", dense, 0),
                    *((f"{how} {most}", hybrid, most) for most in compared for how in ("cold", "warm")),
                ]:
                    fresh = patch.multiple(embedder, _tokens=OrderedDict(), _held=0)
                    with fresh, patch.object(recall, "COMPARED", most):
                        if name.startswith("warm"):
                            await search(question.query, scope)
                        started = time.perf_counter()
                        ranked = await search(question.query, scope)
                        took.setdefault(name, []).append(time.perf_counter() - started)
                    found.setdefault(name, []).append(recall_at_k(ranked, question.relevant, 10))
    base = statistics.median(took["dense"])
    return {
        "turns": len(corpus),
        "questions": len(questions),
        "dense_ms": round(base * 1000, 1),
        "times_dense": {name: round(statistics.median(one) / base, 2) for name, one in took.items()},
        "recall_at_10": {name: round(statistics.mean(one), 3) for name, one in found.items()},
    }


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("locomo", type=Path)
    words.add_argument("--turns", type=int, default=600)
    words.add_argument("--questions", type=int, default=30)
    words.add_argument("--compared", type=int, nargs="+", default=[40, 20])
    given = words.parse_args()
    report = asyncio.run(measured(given.locomo, given.turns, given.questions, given.compared))
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
