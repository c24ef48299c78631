"""Evidence: trust, recency, shortened texts and content hashes; the graph is not needed for these."""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.answer.evidence import (
    EXTRACTOR,
    PRIOR_REPUTATION,
    Provenance,
    UnitOrigin,
    evidence,
    evidence_id,
    evidence_rows,
    recency,
    shortened,
)
from clause.reasoning.episode.budget import Unit
from clause.reasoning.neighbourhood.port import Edge

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class NoGraph:
    """A graph that must not be asked."""


def test_a_pick_carries_full_provenance() -> None:
    unit = Unit("a|r|b", "Heat directed by Mann.", 6, "triple", edge=Edge("a", "r", "b"))
    origin = UnitOrigin("https://kb.example/heat", "kg:films", "src_1", 3, 0.9, "verified", AT - timedelta(days=365))
    pick = evidence(unit, origin, 0.92, 0.8, price=0.01, at=AT)
    told = pick.selected.provenance
    assert told is not None
    assert told.source_uri == "https://kb.example/heat"
    assert told.extraction_timestamp == AT
    assert told.extractor_identity == EXTRACTOR
    assert told.supporting_evidence == "Heat directed by Mann."
    assert (told.verification_status, told.corroboration_count) == ("verified", 3)
    assert told.trust_signals.model_dump() == {
        "reputation_score": 0.9,
        "recency_score": 0.5,
        "semantic_consistency": 0.8,
    }
    assert pick.selected.shaped_utility == pytest.approx(0.92 - 0.01 * 6 / 100)


def test_a_bare_string_is_its_own_unverified_source() -> None:
    unit = Unit("request:1", "Rain falls.", 3)
    provenance = Provenance(NoGraph(), lambda: AT)  # type: ignore[arg-type]
    (pick,) = provenance.of([unit], [0.4], [-0.3], {}, price=0.01, scope="user:ann")
    told = pick.selected.provenance
    assert told is not None
    assert told.source_uri == f"request:{hashlib.sha256(b'Rain falls.').hexdigest()}"
    assert told.verification_status == "unverified"
    assert told.corroboration_count == 0
    assert told.trust_signals.reputation_score == PRIOR_REPUTATION == 0.5
    assert told.trust_signals.semantic_consistency == 0.0
    assert told.trust_signals.recency_score == 1.0
    row = pick.row(AT)
    assert (row["scope"], row["source"]) == ("user:ann", "unknown:user:ann")


def test_a_score_outside_0_and_1_is_clipped() -> None:
    pick = evidence(Unit("u", "text", 1), UnitOrigin("request:x", "public"), 1.0000002, 1.2, price=0.0, at=AT)
    assert pick.selected.score == 1.0


def test_the_same_text_from_the_same_source_is_the_same_evidence() -> None:
    here = UnitOrigin("u", "public", "src_1")
    assert evidence_id("rain", here) == evidence_id("rain", UnitOrigin("another uri", "public", "src_1"))
    others = [UnitOrigin("u", "public", "src_2"), UnitOrigin("u", "user:ann", "src_1")]
    ids = {evidence_id("rain", here), *(evidence_id("rain", other) for other in others), evidence_id("snow", here)}
    assert len(ids) == 4


def test_rows_hold_each_evidence_once_in_one_order() -> None:
    picks = [
        evidence(Unit(name, text, 1), UnitOrigin("u", "public"), 0.5, 0.5, price=0.0, at=AT)
        for name, text in [("1", "b"), ("2", "a"), ("3", "b")]
    ]
    rows = evidence_rows(picks, AT)
    assert [row["id"] for row in rows] == sorted({pick.id for pick in picks})
    assert {row["text"] for row in rows} == {"a", "b"}


@given(st.integers(0, 20_000))
def test_recency_halves_with_each_half_life(days: int) -> None:
    assert recency(AT - timedelta(days=days), AT) == pytest.approx(0.5 ** (days / 365))


def test_recency_is_the_same_all_day_and_never_above_1() -> None:
    then = AT - timedelta(days=40)
    assert recency(then, AT) == recency(then, AT + timedelta(hours=11))
    assert recency(AT + timedelta(days=3), AT) == 1.0
    assert recency(None, AT) == 1.0


@given(st.text(max_size=600), st.integers(1, 200))
def test_a_shortened_text_is_a_beginning_within_its_length(text: str, length: int) -> None:
    short = shortened(text, length)
    assert len(short) <= length
    assert text.startswith(short)
    if len(text) <= length:
        assert short == text


@given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=30, max_size=60).map(" ".join))
def test_words_stay_whole(text: str) -> None:
    assert shortened(text, 20).split(" ") == text.split(" ")[: len(shortened(text, 20).split(" "))]


def test_a_letter_keeps_its_accents_and_an_emoji_its_parts() -> None:
    accented = unicodedata.normalize("NFD", "é" * 150)
    assert len(shortened(accented, 199)) == 198
    family = "👩‍👩‍👧" * 60
    short = shortened(family, 200)
    assert short.endswith("👧")
    assert len(short) % 5 == 0


def test_a_text_of_marks_alone_is_still_cut() -> None:
    assert 0 < len(shortened("\u0301" * 300)) <= 200
