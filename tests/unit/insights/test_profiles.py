"""Retrieval profiles: by name, from the settings, inline; and how they split a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from clause.errors import BadInputError, SettingsError
from clause.insights.models import PROFILES, ProfileBook, RetrievalProfile, StoreInsight, Valences

WEIGHTS = st.floats(0, 1, allow_subnormal=False)


def test_the_profiles_of_the_seed() -> None:
    assert {
        "recent": RetrievalProfile(recency_weight=0.8, strength_weight=0.2),
        "balanced": RetrievalProfile(recency_weight=0.5, strength_weight=0.5),
        "deep": RetrievalProfile(recency_weight=0.3, strength_weight=0.7, max_age_days=None),
        "comprehensive": RetrievalProfile(recency_weight=0.5, strength_weight=0.5, include_conflicting=True),
    } == PROFILES
    assert RetrievalProfile() == PROFILES["balanced"]


def test_the_settings_win_over_the_code_and_inline_over_both() -> None:
    book = ProfileBook('{"recent": {"recency_weight": 0.9}, "mine": {"max_age_days": 2}}')
    assert book.resolve("recent") == RetrievalProfile(recency_weight=0.9, strength_weight=0.2)
    assert book.resolve("mine") == RetrievalProfile(max_age_days=2)
    assert book.resolve("deep") == PROFILES["deep"]
    inline = RetrievalProfile(recency_weight=1.0, strength_weight=0.0)
    assert book.resolve(inline) is inline
    assert book.names == ("balanced", "comprehensive", "deep", "mine", "recent")


def test_an_unknown_name_is_an_error_and_not_balanced() -> None:
    with pytest.raises(BadInputError, match="no retrieval profile is called 'shallow'") as refused:
        ProfileBook().resolve("shallow")
    assert "balanced" in str(refused.value.bound)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"recency_weight": 2}}', '{"a": {"weight": 1}}'])
def test_a_malformed_setting_says_so(text: str) -> None:
    with pytest.raises(SettingsError, match="CLAUSE_INSIGHT_PROFILES"):
        ProfileBook(text)


def test_weights_that_weigh_nothing_are_refused() -> None:
    with pytest.raises(ValidationError):
        RetrievalProfile(recency_weight=0.0, strength_weight=0.0)


@given(WEIGHTS, WEIGHTS, st.integers(1, 1000))
def test_a_split_adds_up_and_leaves_nobody_out(recency: float, strength: float, limit: int) -> None:
    if recency + strength <= 0:
        return
    recent, strong = RetrievalProfile(recency_weight=recency, strength_weight=strength).split(limit)
    assert recent + strong == limit
    assert min(recent, strong) >= (1 if limit >= 2 else 0)


@pytest.mark.parametrize(
    ("profile", "limit", "split"),
    [
        ("recent", 10, (8, 2)),
        ("recent", 1, (1, 0)),
        ("balanced", 7, (3, 4)),
        ("balanced", 1, (0, 1)),
        ("deep", 10, (3, 7)),
        ("deep", 2, (1, 1)),
        ("recent", 5, (4, 1)),
        ("deep", 100, (30, 70)),
    ],
)
def test_the_split_is_the_seeds(profile: str, limit: int, split: tuple[int, int]) -> None:
    assert PROFILES[profile].split(limit) == split


def test_an_insight_needs_a_valence_and_a_category_of_its_own_kind() -> None:
    whole = {"topic_key": "user:1", "category": "anything_new", "content": "x", "salience_spent": 1.0}
    with pytest.raises(ValidationError, match="at least one valence"):
        Valences()
    with pytest.raises(ValidationError):
        StoreInsight.model_validate(whole)
    assert StoreInsight.model_validate({**whole, "valences": {"joy": 0.0}}).category == "anything_new"
    for adjustment in (0.09, 10.1):
        with pytest.raises(ValidationError):
            StoreInsight.model_validate({**whole, "valences": {"joy": 1}, "strength_adjustment": adjustment})
