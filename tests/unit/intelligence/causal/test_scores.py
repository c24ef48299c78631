"""Causal scores of one request: bounded in operations, remembered, and repeated by a replay."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.inference import Propagation
from clause.intelligence.causal.questions import Causal
from clause.intelligence.causal.scores import CausalMemory, CausalScores, answer
from clause.workers import CpuPool

CHAIN = CausalGraph.of([CausalEdge(f"n{place}", f"n{place + 1}", 0.5) for place in range(4)])
WIDE = CausalGraph.of(
    [CausalEdge(f"a{one}", f"b{other}", 0.2) for one in range(15) for other in range(15)]
    + [CausalEdge(f"b{one}", "end", 0.2) for one in range(15)]
)


def test_no_causal_edges_no_score() -> None:
    assert CausalScores(CausalGraph(), CausalMemory()).of("a", "b") is None
    assert CausalScores(CHAIN, CausalMemory()).of("n3", "n0") is None
    assert CausalScores(CHAIN, CausalMemory()).of_hop("n2", ["elsewhere"]) is None


def test_a_hop_scores_its_best_cause_or_effect() -> None:
    scores = CausalScores(CHAIN, CausalMemory())
    assert scores.of_hop("n2", ["n0", "n1"]) == pytest.approx(0.5)
    assert scores.of_hop("n2", ["n4"]) == pytest.approx(0.25)


def test_what_costs_more_than_is_left_falls_back_the_same_way_every_time() -> None:
    for _ in range(2):
        scores = CausalScores(CHAIN, CausalMemory(), operations=20_000)
        found = [scores.of("n0", "n1"), scores.of("n0", "n4"), scores.of("n3", "n4")]
        assert found[0] == pytest.approx(0.5)
        assert found[1] is None
        assert found[2] == pytest.approx(0.5)
        assert list(scores.fallbacks) == ["causal:n0>n4"]
        assert scores.spent <= 20_000


def test_a_dense_graph_falls_back_whatever_is_left() -> None:
    scores = CausalScores(WIDE, CausalMemory())
    assert scores.of("a0", "end") is None
    assert list(scores.fallbacks) == ["causal:a0>end"]
    assert scores.spent == 0


def test_a_replay_repeats_the_recorded_fallbacks_and_computes_the_rest() -> None:
    memory = CausalMemory()
    recorded = CausalScores(CHAIN, memory, operations=20_000)
    before = [recorded.of("n0", "n1"), recorded.of("n0", "n4")]
    for name, asked in recorded.fallbacks.items():
        assert name
        memory.put((CHAIN.fingerprint, str(asked.node), asked.target, True, 0.5), answer(asked))
    replayed = CausalScores(CHAIN, memory, repeat=frozenset(recorded.fallbacks))
    assert [replayed.of("n0", "n1"), replayed.of("n0", "n4")] == before
    assert replayed.fallbacks.keys() == recorded.fallbacks.keys()
    forgotten = CausalScores(CHAIN, CausalMemory(), operations=0, repeat=frozenset(recorded.fallbacks))
    assert [forgotten.of("n0", "n1"), forgotten.of("n0", "n4")] == before


def test_a_remembered_answer_costs_nothing() -> None:
    memory = CausalMemory()
    first = CausalScores(CHAIN, memory)
    first.of("n0", "n4")
    second = CausalScores(CHAIN, memory, operations=0)
    assert second.of("n0", "n4") == first.of("n0", "n4")
    assert second.fallbacks == {}


def test_a_zero_is_remembered_too() -> None:
    graph = CausalGraph.of([CausalEdge("a", "b", 0.0)])
    memory = CausalMemory()
    CausalScores(graph, memory).of("a", "b")
    assert CausalScores(graph, memory, operations=0).of("a", "b") == 0.0


async def test_fallbacks_are_computed_in_the_background_for_later_hops() -> None:
    pool = CpuPool(1)
    ground: Any = SimpleNamespace(graph=None, now=None, pool=pool)
    causal = Causal(ground)
    scores = CausalScores(WIDE, causal.memory)
    assert scores.of("a0", "end") is None
    causal.later(scores)
    await causal.settled()
    later = CausalScores(WIDE, causal.memory).of("a0", "end")
    assert later == answer(Propagation(WIDE, "end", "a0"))
    causal.later(CausalScores(CHAIN, causal.memory))
    await asyncio.sleep(0)
    pool.close()


async def test_a_background_that_fails_harms_nobody() -> None:
    class Broken:
        async def run(self, *_: Any) -> float:
            raise RuntimeError("no thread")

    ground: Any = SimpleNamespace(graph=None, now=None, pool=Broken())
    causal = Causal(ground)
    scores = CausalScores(WIDE, causal.memory)
    scores.of("a0", "end")
    causal.later(scores)
    await causal.settled()
    assert len(causal.memory) == 0
