"""The recall of memories: every mode on the same questions, beside plain BM25, as the command prints it."""

from __future__ import annotations

import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from clause.evaluation.harness import mrr, ndcg, recall_at_k
from clause.graph.scopes import Caller
from clause.lab.bench.loading import erase
from clause.lab.corpora import CorpusItem, RecallQuestion
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory
from clause.telemetry import CountProgress, silent_count
from clause.text.tokens import count_all

_WORD = re.compile(r"\w+")


class Bm25:
    """Okapi BM25 (Robertson and Zaragoza, 2009) with Lucene's idf and constants, over lower-case words.

    Args:
        texts: what is searched, by place.
        k1: saturation of the number of times that a word stands in a text.
        b: how much a text's length counts.

    >>> Bm25(["a red fox", "a blue bird"]).ranking("red bird fox")
    [0, 1]
    """

    def __init__(self, texts: Sequence[str], k1: float = 1.2, b: float = 0.75) -> None:
        counts = [Counter(words(text)) for text in texts]
        lengths = [counted.total() for counted in counts]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._parts: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, counted in enumerate(counts):
            norm = k1 * (1 - b + b * lengths[place] / mean) if mean else k1
            for word, times in counted.items():
                self._parts[word].append((place, times / (times + norm)))
        self._count = len(texts)

    def scores(self, query: str) -> dict[int, float]:
        """The score of each text that shares a word with the query; a word asked twice counts twice."""
        found: defaultdict[int, float] = defaultdict(float)
        for word, times in Counter(words(query)).items():
            parts = self._parts.get(word, ())
            idf = math.log(1 + (self._count - len(parts) + 0.5) / (len(parts) + 0.5))
            for place, weight in parts:
                found[place] += times * idf * weight
        return dict(found)

    def ranking(self, query: str) -> list[int]:
        """Places of the texts that share a word with the query, best first, equal ones in their order."""
        return [place for place, _ in sorted(self.scores(query).items(), key=lambda item: (-item[1], item[0]))]


def words(text: str) -> list[str]:
    """The words of a text in lower case.

    >>> words("Ann's tea!")
    ['ann', 's', 'tea']
    """
    return _WORD.findall(text.lower())


Mode = Literal["dense", "sparse", "hybrid", "coordinate"]
Search = Callable[[str, str], Awaitable[Sequence[str]]]
"""Ranked ids for a query within a scope of the corpus."""

OWNER = Caller(None, None)
TOKEN_BUDGET = 512
_AT_ONCE = 2_000


@dataclass(frozen=True)
class StoredCorpus:
    """A corpus in scopes of its own.

    Attributes:
        scopes: the stored scope of each scope of the corpus.
        items: the id in the corpus of each memory.
        texts: what each id of the corpus says.
        ids: the id of each text in a stored scope.
        sessions: the session of each id of the corpus, where it is told.
    """

    scopes: Mapping[str, str]
    items: Mapping[str, str]
    texts: Mapping[str, str]
    ids: Mapping[tuple[str, str], str]
    sessions: Mapping[str, str] = field(default_factory=dict)


@asynccontextmanager
async def remembered(
    memory: Memory, corpus: Sequence[CorpusItem], progress: CountProgress = silent_count
) -> AsyncIterator[StoredCorpus]:
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
        sessions = {one.id: one.session for one in corpus if one.session is not None}
        yield StoredCorpus(scopes, items, {one.id: one.text for one in corpus}, ids, sessions)
    finally:
        for scope in scopes.values():
            await erase(memory.ground.graph, scope)


def memory_search(memory: Memory, stored: StoredCorpus, mode: Literal["dense", "sparse", "hybrid"], k: int) -> Search:
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
    progress: CountProgress = silent_count,
) -> tuple[list[Sequence[str]], list[float]]:
    """The finds for each question, and the time that each took, in ms."""
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


def laxer_figures(
    questions: Sequence[RecallQuestion],
    rankings: Sequence[Sequence[str]],
    ks: Sequence[int],
    sessions: Mapping[str, str],
) -> dict[str, Any]:
    """The counts that others publish as recall: the share of questions with any relevant text among the first k
    (`any`), and with any text of a relevant one's session (`session`; only where the corpus names sessions).
    """
    relevant = [set(asked.relevant) for asked in questions]
    told: dict[str, Any] = {"any": _hit_shares(rankings, relevant, ks)}
    if sessions:
        found = [[sessions.get(one, one) for one in ranked] for ranked in rankings]
        told["session"] = _hit_shares(found, [{sessions.get(one, one) for one in ids} for ids in relevant], ks)
    return told


def _hit_shares(rankings: Sequence[Sequence[str]], wanted: Sequence[set[str]], ks: Sequence[int]) -> dict[str, float]:
    pairs = list(zip(rankings, wanted, strict=True))
    return {str(k): mean([float(bool(ids & set(ranked[:k]))) for ranked, ids in pairs]) for k in ks}


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


DEEP = 50
"""Results asked for where a token budget is filled with them."""

Evidence = Callable[[str, str], Awaitable[Sequence[str]]]
"""The texts of the evidence set for a query within stored scopes."""


async def recall_study(
    memory: Memory,
    corpus: Sequence[CorpusItem],
    questions: Sequence[RecallQuestion],
    *,
    mode: Mode,
    ks: Sequence[int],
    evidence: Evidence,
    command: str,
    progress: CountProgress,
) -> dict[str, Any]:
    """Remember the corpus, ask every question, forget the corpus.

    Args:
        memory: the room.
        corpus, questions: of the files.
        mode: which search; `coordinate` asks the three agents under 512 tokens.
        ks: where recall is cut.
        evidence: how the agents are asked.
        command: as it was given.
        progress: told of texts, then of questions.
    """
    async with remembered(memory, corpus, progress) as stored:
        study = _Study(memory, stored, questions, ks, progress)
        found = await (study.coordinate(evidence) if mode == "coordinate" else study.search(mode))
        plain, _ = await ask(plain_search(corpus), questions)
    baseline = {"name": "plain BM25 on the raw texts", **figures(questions, plain, ks)}
    return {"mode": mode, **found, "baseline": baseline, "command": command}


@dataclass(frozen=True)
class _Study:
    """One run over a remembered corpus."""

    memory: Memory
    stored: StoredCorpus
    questions: Sequence[RecallQuestion]
    ks: Sequence[int]
    progress: CountProgress

    async def search(self, mode: Literal["dense", "sparse", "hybrid"]) -> dict[str, Any]:
        """Figures of one search, and of what fills the token budget with it."""
        rankings, took_ms = await ask(self._searching(mode, max(self.ks)), self.questions, self.progress)
        tokens = [sum(count_all([self.stored.texts[one] for one in ranked])) for ranked in rankings]
        config = self.memory.store.config
        return {
            **figures(self.questions, rankings, self.ks),
            "laxer": laxer_figures(self.questions, rankings, self.ks, self.stored.sessions),
            "tokens_mean": round(mean(tokens), 1),
            **_times(took_ms),
            "filled": await self._filled(mode),
            "fusion": config.fusion_method,
            "sparse_weight": config.sparse_weight,
        }

    async def coordinate(self, evidence: Evidence) -> dict[str, Any]:
        """The evidence of the agents, in the order of picking; beside it hybrid recall that fills the same budget."""
        spent: list[int] = []

        async def search(query: str, scope: str) -> Sequence[str]:
            stored_scope = self.stored.scopes.get(scope)
            texts = await evidence(query, stored_scope) if stored_scope else ()
            spent.append(sum(count_all(texts)))
            found = [self.stored.ids.get((stored_scope or "", text)) for text in texts]
            return [one for one in dict.fromkeys(found) if one is not None]

        rankings, took_ms = await ask(search, self.questions, self.progress)
        every = max([*self.ks, *map(len, rankings)])
        return {
            **figures(self.questions, rankings, self.ks),
            "laxer": laxer_figures(self.questions, rankings, self.ks, self.stored.sessions),
            "evidence_recall": figures(self.questions, rankings, [every])["recall"][str(every)],
            "token_budget": TOKEN_BUDGET,
            "tokens_mean": round(mean(spent), 1),
            **_times(took_ms),
            "hybrid_filled": await self._filled("hybrid"),
        }

    async def _filled(self, mode: Literal["dense", "sparse", "hybrid"]) -> dict[str, Any]:
        deep, _ = await ask(self._searching(mode, DEEP), self.questions)
        return filled_figures(self.questions, deep, self.stored.texts, TOKEN_BUDGET)

    def _searching(self, mode: Literal["dense", "sparse", "hybrid"], k: int) -> Search:
        return memory_search(self.memory, self.stored, mode, k)


def _times(took_ms: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile(took_ms, [50, 95]) if len(took_ms) else (0.0, 0.0)
    return {"p50_ms": round(float(p50), 2), "p95_ms": round(float(p95), 2)}
