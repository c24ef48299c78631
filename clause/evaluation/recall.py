"""How much of what is relevant memories recall: every mode on the same questions, beside plain BM25."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clause.evaluation.baselines.bm25 import Bm25
from clause.evaluation.bench_loading import erase
from clause.evaluation.metrics import mrr, ndcg, recall_at_k
from clause.evaluation.recall_files import CorpusItem, RecallQuestion
from clause.graph.scopes import Caller
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory
from clause.text.tokens import count_all

Mode = Literal["dense", "sparse", "hybrid", "coordinate"]
Progress = Callable[[int, int], None]
Search = Callable[[str, str], Awaitable[Sequence[str]]]
"""Ranked ids for a query within a scope of the corpus."""

OWNER = Caller(None, None)
TOKEN_BUDGET = 512
_AT_ONCE = 2_000


@dataclass(frozen=True)
class Remembered:
    """A corpus in scopes of its own.

    Attributes:
        scopes: the stored scope of each scope of the corpus.
        items: the id in the corpus of each memory.
        texts: what each id of the corpus says.
        ids: the id of each text in a stored scope.
    """

    scopes: Mapping[str, str]
    items: Mapping[str, str]
    texts: Mapping[str, str]
    ids: Mapping[tuple[str, str], str]


@asynccontextmanager
async def remembered(
    memory: Memory, corpus: Sequence[CorpusItem], progress: Progress = lambda _done, _total: None
) -> AsyncIterator[Remembered]:
    """The corpus as memories, each text as one, in its own order; removed at the end."""
    token = memory.ground.ids().lower()
    names = list(dict.fromkeys(item.scope for item in corpus))
    scopes = {name: f"kg:bench-recall-{token}-{number}" for number, name in enumerate(names)}
    items: dict[str, str] = {}
    try:
        for start in range(0, len(corpus), _AT_ONCE):
            part = corpus[start : start + _AT_ONCE]
            requests = [
                MemoryWriteInput(content=one.text, scope=scopes[one.scope], timestamp=one.timestamp) for one in part
            ]
            found = await memory.store.write_batch(requests, caller=OWNER)
            items.update((result.memory_id, one.id) for result, one in zip(found, part, strict=True))
            progress(start + len(part), len(corpus))
        ids = {(scopes[one.scope], one.text): one.id for one in reversed(corpus)}
        yield Remembered(scopes, items, {one.id: one.text for one in corpus}, ids)
    finally:
        for scope in scopes.values():
            await erase(memory.ground.graph, scope)


def memory_search(memory: Memory, stored: Remembered, mode: Literal["dense", "sparse", "hybrid"], k: int) -> Search:
    """Recall as the service does it; that something was recalled is not counted."""

    async def search(query: str, scope: str) -> Sequence[str]:
        if scope not in stored.scopes:
            return ()
        request = MemoryReadInput(query_text=query, k=k, search_mode=mode, include_embeddings=False)
        found = await memory.store.recall.read(request, [stored.scopes[scope]])
        return [stored.items[one.memory_id] for one in found if one.memory_id in stored.items]

    return search


def plain_search(corpus: Sequence[CorpusItem]) -> Search:
    """Plain BM25 over the texts of the scope as they are."""
    indexes: dict[str, tuple[list[str], Bm25]] = {}
    for scope in dict.fromkeys(item.scope for item in corpus):
        those = [item for item in corpus if item.scope == scope]
        indexes[scope] = ([item.id for item in those], Bm25([item.text for item in those]))

    async def search(query: str, scope: str) -> Sequence[str]:
        ids, index = indexes.get(scope, ([], Bm25([])))
        return [ids[place] for place in index.ranking(query)]

    return search


async def ask(
    search: Search,
    questions: Sequence[RecallQuestion],
    progress: Progress = lambda _done, _total: None,
) -> tuple[list[Sequence[str]], list[float]]:
    """What was found for each question, and how long that took, in ms."""
    rankings, took_ms = [], []
    for number, question in enumerate(questions, start=1):
        started = time.perf_counter()
        rankings.append(await search(question.query, question.scope))
        took_ms.append((time.perf_counter() - started) * 1000)
        progress(number, len(questions))
    return rankings, took_ms


def figures(
    questions: Sequence[RecallQuestion], rankings: Sequence[Sequence[str]], ks: Sequence[int]
) -> dict[str, Any]:
    """Recall at each k, MRR and nDCG@10, averaged over questions; 0..1."""
    pairs = list(zip(rankings, questions, strict=True))
    ndcgs = [ndcg(ranked, dict.fromkeys(asked.relevant, 1.0), 10) for ranked, asked in pairs]
    return {
        "n": len(questions),
        "recall": {str(k): mean([recall_at_k(ranked, asked.relevant, k) for ranked, asked in pairs]) for k in ks},
        "mrr": mean([mrr(ranked, asked.relevant) for ranked, asked in pairs]),
        "ndcg": {"10": mean(ndcgs)},
    }


def filled(ranked: Sequence[str], texts: Mapping[str, str], budget: int) -> tuple[list[str], int]:
    """The first of a ranking that fit a token budget together (one that does not fit is passed over), and their tokens.

    >>> filled(["a", "b", "c"], {"a": "one two", "b": "three " * 9, "c": "four"}, 4)
    (['a', 'c'], 3)
    """
    chosen, spent = [], 0
    for one, tokens in zip(ranked, count_all([texts[one] for one in ranked]), strict=True):
        if spent + tokens <= budget:
            chosen.append(one)
            spent += tokens
    return chosen, spent


def filled_figures(
    questions: Sequence[RecallQuestion], rankings: Sequence[Sequence[str]], texts: Mapping[str, str], budget: int
) -> dict[str, Any]:
    """Recall of what fills a token budget, and the tokens it took."""
    chosen = [filled(ranked, texts, budget) for ranked in rankings]
    recalls = [recall_at_k(ids, asked.relevant, len(ids)) for (ids, _), asked in zip(chosen, questions, strict=True)]
    return {
        "token_budget": budget,
        "recall": mean(recalls),
        "tokens_mean": round(float(np.mean([spent for _, spent in chosen])), 1) if chosen else 0.0,
    }


def mean(values: Sequence[float]) -> float:
    """The mean to four places; 0 of nothing."""
    return round(float(np.mean(values)), 4) if values else 0.0
