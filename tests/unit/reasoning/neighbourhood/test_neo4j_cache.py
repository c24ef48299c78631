"""The bounded cache of node vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.neighbourhood.neo4j import VectorCache

VECTOR = np.ones(2, dtype=np.float32)


@given(st.lists(st.sampled_from("abcdef"), max_size=40), st.integers(1, 4))
def test_it_never_holds_more_than_its_limit_and_keeps_the_latest(puts: list[str], limit: int) -> None:
    cache = VectorCache(limit)
    for node in puts:
        cache.put(node, VECTOR)
    latest = list(dict.fromkeys(reversed(puts)))[:limit]
    assert len(cache) == len(latest)
    assert cache.missing(latest) == []


def test_a_read_keeps_a_vector_alive() -> None:
    cache = VectorCache(2)
    cache.put("a", VECTOR)
    cache.put("b", VECTOR)
    cache.get(["a"])
    cache.put("c", VECTOR)
    assert cache.missing(["a", "b", "c"]) == ["b"]


def test_a_node_without_a_vector_is_remembered_and_not_returned() -> None:
    cache = VectorCache(4)
    cache.put("a", None)
    assert cache.missing(["a"]) == []
    assert cache.get(["a", "b"]) == {}
    cache.clear()
    assert cache.missing(["a", "a"]) == ["a"]
