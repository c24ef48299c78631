"""Age and strength in words, right at every boundary."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.insights.nodes import effective_strength, relative_time, salience_at, strength_label, temporal_marker

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
IDLE = st.timedeltas(timedelta(0), timedelta(days=900))


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(0), "just now"),
        (timedelta(minutes=59, seconds=59), "just now"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=1, minutes=59), "1 hour ago"),
        (timedelta(hours=2), "2 hours ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=1, hours=23), "1 day ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=6, hours=23), "6 days ago"),
        (timedelta(days=7), "1 week ago"),
        (timedelta(days=13, hours=23), "1 week ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(days=29, hours=23), "4 weeks ago"),
        (timedelta(days=30), "1 month ago"),
        (timedelta(days=59, hours=23), "1 month ago"),
        (timedelta(days=60), "2 months ago"),
        (timedelta(days=400), "13 months ago"),
        (timedelta(seconds=-5), "just now"),
    ],
)
def test_ages_are_right_at_every_boundary(age: timedelta, words: str) -> None:
    assert relative_time(NOW - age, NOW) == words


@given(st.timedeltas(timedelta(0), timedelta(days=3000)), st.integers(-12, 12))
def test_the_zone_of_an_instant_changes_nothing(age: timedelta, hours: int) -> None:
    there = (NOW - age).astimezone(timezone(timedelta(hours=hours)))
    assert relative_time(there, NOW) == relative_time(NOW - age, NOW)


@given(st.timedeltas(timedelta(0), timedelta(days=3000)))
def test_one_of_a_unit_is_singular(age: timedelta) -> None:
    words = relative_time(NOW - age, NOW)
    if words != "just now":
        count, unit, _ = words.split()
        assert (count == "1") == (not unit.endswith("s"))


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        relative_time(NOW.replace(tzinfo=None), NOW)


@pytest.mark.parametrize(
    ("strength", "label"),
    [
        (100, "strong"),
        (8, "strong"),
        (7.999, "clear"),
        (5, "clear"),
        (4.999, "fading"),
        (2, "fading"),
        (1.999, "distant"),
        (0, "distant"),
    ],
)
def test_labels_are_right_at_every_boundary(strength: float, label: str) -> None:
    assert strength_label(strength) == f"{label} memory"


def test_the_words_of_the_seed() -> None:
    assert temporal_marker(5.5, NOW - timedelta(days=3), NOW) == "clear memory from 3 days ago"


@given(st.floats(0, 1e3), st.timedeltas(timedelta(0), timedelta(days=7)))
def test_salience_does_not_fade_within_a_week(salience: float, idle: timedelta) -> None:
    assert salience_at(salience, NOW - idle, NOW) == salience


@given(
    st.floats(0, 1e3), st.timedeltas(timedelta(0), timedelta(days=900)), st.timedeltas(timedelta(0), timedelta(days=9))
)
def test_salience_only_fades(salience: float, idle: timedelta, more: timedelta) -> None:
    assert salience_at(salience, NOW - idle - more, NOW) <= salience_at(salience, NOW - idle, NOW)


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 100))
def test_an_insight_is_never_stronger_than_it_was(strength: float, salience: float, original: float) -> None:
    assert 0 <= effective_strength(strength, salience, original) <= strength
