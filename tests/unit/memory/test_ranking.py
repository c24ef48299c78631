"""Fusion: ranks, relative scores, what was said beside a hit, who said it, and when it was recalled last."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.memory.models import MCSConfig
from clause.memory.recall import (
    NO_HITS,
    SPEAKER,
    Hits,
    MemoryCandidate,
    by_ranks,
    by_relative_scores,
    decayed,
    lucene_query,
)
from clause.text.tokens import MOST_WORDS, content_words, names_in

AT = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(name: str, sequence: int = 0, speaker: str | None = None, minutes: int = 0) -> MemoryCandidate:
    return MemoryCandidate(name, "user:ann", sequence, speaker, AT + timedelta(minutes=minutes), AT)


def hits(*found: tuple[MemoryCandidate, float], beside: tuple[MemoryCandidate, ...] = ()) -> Hits:
    return Hits({one.id: score for one, score in found}, {one.id: one for one in (*(c for c, _ in found), *beside)})


A, B, C = candidate("a", 1), candidate("b", 2), candidate("c", 3)


def test_ranks_are_fused_with_their_weights() -> None:
    fused = by_ranks(hits((A, 0.9), (B, 0.8)), hits((B, 7.0), (C, 1.0)), 0.3)
    assert fused == pytest.approx({"a": 0.7 / 61, "b": 0.7 / 62 + 0.3 / 61, "c": 0.3 / 62})
    assert next(iter(fused)) == "b"


@given(weight=st.floats(0, 1))
def test_a_hit_that_leads_both_lists_leads_the_fusion(weight: float) -> None:
    dense, sparse = hits((A, 0.9), (C, 0.2)), hits((A, 9.0), (C, 3.0))
    for fused in (by_ranks(dense, sparse, weight), by_relative_scores(dense, sparse, weight)):
        assert max(fused, key=lambda one: fused[one]) == "a"


def test_weight_zero_is_meaning_alone_and_weight_one_is_words_alone() -> None:
    far = candidate("far", 90)
    dense, sparse = hits((A, 0.9), (far, 0.1)), hits((far, 5.0))
    assert by_relative_scores(dense, sparse, 0.0) == pytest.approx({"a": 1.0, "far": 0.0})
    assert by_relative_scores(dense, sparse, 1.0) == pytest.approx({"a": 0.0, "far": 1.0})


def test_an_answer_is_found_by_the_question_before_it() -> None:
    fused = by_relative_scores(NO_HITS, hits((A, 4.0), beside=(B,)), 1.0)
    assert fused["b"] == pytest.approx(0.5)
    assert fused["a"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "other", [candidate("b", 2, minutes=31), candidate("b", 3), MemoryCandidate("b", "user:bob", 2, None, AT, AT)]
)
def test_what_is_of_another_conversation_gets_nothing(other: MemoryCandidate) -> None:
    fused = by_relative_scores(NO_HITS, hits((A, 4.0), beside=(other,)), 1.0)
    assert fused["b"] == 0.0


def test_a_speaker_that_the_query_names_is_preferred() -> None:
    ann, bob = candidate("ann's", 1, "Ann Lee"), candidate("bob's", 9, "Bob")
    fused = by_relative_scores(hits((ann, 0.5), (bob, 0.5)), NO_HITS, 0.5, names_in("What is Ann's job?"))
    assert fused["ann's"] - fused["bob's"] == pytest.approx(SPEAKER)


def test_nothing_found_is_nothing_ranked() -> None:
    assert by_ranks(NO_HITS, NO_HITS, 0.3) == {}
    assert by_relative_scores(NO_HITS, NO_HITS, 0.3) == {}


def test_temporal_decay_formula_is_exponential() -> None:
    config = MCSConfig(decay_factor=0.5, decay_unit_seconds=60)
    assert decayed(0.8, AT, AT + timedelta(minutes=3), config) == pytest.approx(0.1)
    assert decayed(0.8, AT, AT, config) == 0.8
    assert decayed(0.8, AT + timedelta(hours=1), AT, config) == 0.8


@given(hours=st.floats(0, 10_000), more=st.floats(0, 10_000))
def test_decay_never_grows_with_time(hours: float, more: float) -> None:
    config = MCSConfig()
    sooner = decayed(1.0, AT, AT + timedelta(hours=hours), config)
    assert 0 <= decayed(1.0, AT, AT + timedelta(hours=hours + more), config) <= sooner <= 1


def test_question_words_are_not_searched_for() -> None:
    assert content_words("What kind of tea does Ann like?") == ["tea", "Ann", "like"]
    assert content_words("who is it") == ["who", "is", "it"]
    assert len(content_words(" ".join(f"w{n}" for n in range(500)))) == MOST_WORDS


@pytest.mark.parametrize("text", ["", "?!", "\x00", "(((", "AND", "a OR b", 'x"y', "/re/", "n:Memory {}"])
def test_any_text_is_a_query_or_none(text: str) -> None:
    query = lucene_query(text, ["user:ann/session:7", "public"])
    assert query is None or query.startswith("+scope_token:(s_public s_user_ann_session_7)^0 +(")
    assert query is None or not {"AND", "OR"} & set(query.split())
