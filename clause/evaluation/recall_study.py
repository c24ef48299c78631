"""The object that `clause evaluate recall` prints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clause.evaluation.recall import (
    TOKEN_BUDGET,
    Mode,
    Progress,
    Remembered,
    Search,
    ask,
    figures,
    filled_figures,
    mean,
    memory_search,
    plain_search,
    remembered,
)
from clause.evaluation.recall_files import CorpusItem, RecallQuestion
from clause.memory.room import Memory
from clause.text.tokens import count_all

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
    progress: Progress,
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
    stored: Remembered
    questions: Sequence[RecallQuestion]
    ks: Sequence[int]
    progress: Progress

    async def search(self, mode: Literal["dense", "sparse", "hybrid"]) -> dict[str, Any]:
        """Figures of one search, and of what fills the token budget with it."""
        rankings, took_ms = await ask(self._searching(mode, max(self.ks)), self.questions, self.progress)
        tokens = [sum(count_all([self.stored.texts[one] for one in ranked])) for ranked in rankings]
        config = self.memory.store.config
        return {
            **figures(self.questions, rankings, self.ks),
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
