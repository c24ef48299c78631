"""When two insights do not go together: the written table of feelings, and the signals of contradicting texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.insights.conflict_resolution import LEAN, OPPOSED, EarlierInsight, conflict_signals, opposed
from clause.insights.models import VALENCES, Valences

FEELINGS = st.dictionaries(st.sampled_from(VALENCES), st.floats(0, 1), min_size=1).map(lambda told: Valences(**told))
UNIT = np.eye(1, 384, dtype=np.float32)[0]


def candidate(content: str, similarity: float, **valences: float) -> EarlierInsight:
    return EarlierInsight("other", content, Valences(**(valences or {"awe": 0.5})), UNIT, similarity)


def test_the_table_holds_what_the_spec_names() -> None:
    assert {("warmth", "tension"), ("warmth", "concern"), ("peace", "grief")} <= set(OPPOSED)
    assert {name for pair in OPPOSED for name in pair} <= set(VALENCES)


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_each_pair_of_the_table_opposes_from_the_lean_upwards(one: str, other: str) -> None:
    assert opposed(Valences(**{one: LEAN}), Valences(**{other: LEAN})) == (f"{one} / {other}",)
    assert opposed(Valences(**{one: LEAN - 0.01}), Valences(**{other: 1.0})) == ()


def test_an_ambivalent_insight_opposes_nothing() -> None:
    assert opposed(Valences(warmth=0.9, tension=0.8), Valences(tension=0.9)) == ()


@given(FEELINGS, FEELINGS)
def test_opposition_is_the_same_both_ways(first: Valences, second: Valences) -> None:
    assert opposed(first, second) == opposed(second, first)


@given(FEELINGS)
def test_nothing_opposes_itself(valences: Valences) -> None:
    assert opposed(valences, valences) == ()


def test_feelings_count_only_where_texts_are_about_the_same() -> None:
    other = candidate("an evening", 0.74, tension=0.9)
    assert conflict_signals("an evening", Valences(warmth=0.9), UNIT, other) == ()
    near = candidate("an evening", 0.75, tension=0.9)
    assert conflict_signals("an evening", Valences(warmth=0.9), UNIT, near) == ("warmth / tension",)


def test_texts_that_contradict_each_other_conflict_without_a_word_of_theirs() -> None:
    negated = candidate("Ann trusts the new build", 0.9)
    assert conflict_signals("Ann does not trust the new build", Valences(awe=0.5), UNIT, negated) == ("negation",)
    other = candidate("Ann's door is red", 0.9)
    assert conflict_signals("Ann's door is blue", Valences(awe=0.5), UNIT, other) == ("exclusive",)


def test_texts_that_agree_do_not_conflict() -> None:
    same = candidate("Ann trusts the new build", 1.0)
    assert conflict_signals("Ann trusts the new build", Valences(awe=0.5), UNIT, same) == ()


def test_feelings_about_other_sides_of_one_thing_do_not_conflict() -> None:
    """A long name makes them near; they share no more than that."""
    near = candidate("The onboarding channel feels friendly", 0.8, warmth=0.9)
    assert conflict_signals("The onboarding channel needs a guide", Valences(tension=0.9), UNIT, near) == ()
    same = candidate("The onboarding channel feels friendly now", 0.8, warmth=0.9)
    told = conflict_signals("The onboarding channel feels friendly", Valences(tension=0.9), UNIT, same)
    assert told == ("warmth / tension",)
