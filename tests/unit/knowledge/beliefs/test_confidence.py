"""The arithmetic of confidence against a hand table, and its laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.knowledge.beliefs.confidence import (
    HALF_LIVES_DAYS,
    LADDER,
    PENALTIES,
    STARTS,
    WEIGHTS,
    Signal,
    StatementOrigin,
    consistency,
    corroboration_label,
    freshness,
    independences,
    likeness,
    overall,
    stage,
    starting_quality,
)
from tests.reference.source_counts import corroboration, counted

NAMES = tuple(WEIGHTS)
SHARES = st.floats(0, 1)
OPTIONAL = st.one_of(st.none(), SHARES)
DIMENSIONS = st.fixed_dictionaries(dict.fromkeys(NAMES, OPTIONAL)).filter(
    lambda found: any(value is not None for value in found.values())
)


def dimensions(*values: float | None) -> dict[str, float | None]:
    return dict(zip(NAMES, values, strict=True))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # computed by hand with 30 digits: prod d^(w / sum w)
        (dimensions(1, 1, 1, 1, 1, 1), 1.0),
        (dimensions(0.5, 0.5, 0.5, 0.5, 0.5, 0.5), 0.5),
        (dimensions(0.9, 0.8, 1, 1, None, None), 0.909713905099157),
        (dimensions(0.9, 0.8, 0.7, 0.6, 0.5, 0.4), 0.672539068611206),
        (dimensions(None, None, None, 0.25, None, None), 0.25),
        (dimensions(0, 1, 1, 1, 1, 1), 0.177827941003892),
        (dimensions(None, 0.3, None, None, 0.65, None), 0.417861304318305),
        (dimensions(0, 0, 0, 0, 0, 0), 0.001),
        (dimensions(None, None, None, None, None, None), 0.0),
    ],
)
def test_overall_is_the_weighted_geometric_mean_of_what_is_there(
    values: dict[str, float | None], expected: float
) -> None:
    assert overall(values) == pytest.approx(expected, abs=1e-9)


@given(DIMENSIONS)
def test_overall_agrees_with_a_product_of_powers(values: dict[str, float | None]) -> None:
    present = {name: max(value, 0.001) for name, value in values.items() if value is not None}
    total = sum(WEIGHTS[name] for name in present)
    product = math.prod(value ** (WEIGHTS[name] / total) for name, value in present.items())
    assert overall(values) == pytest.approx(product, abs=1e-9)


@given(DIMENSIONS, st.sampled_from(NAMES), SHARES)
def test_overall_never_falls_when_a_dimension_rises(values: dict[str, float | None], name: str, other: float) -> None:
    mine = values[name]
    if mine is not None:
        low, high = sorted((mine, other))
        assert overall({**values, name: low}) <= overall({**values, name: high}) + 1e-12


@given(DIMENSIONS)
def test_overall_stays_between_the_lowest_and_the_highest_dimension(values: dict[str, float | None]) -> None:
    present = [max(value, 0.001) for value in values.values() if value is not None]
    assert min(present) - 1e-12 <= overall(values) <= max(present) + 1e-12


@pytest.mark.parametrize("signal", STARTS)
def test_every_signal_starts_at_its_overall(signal: Signal) -> None:
    others: dict[str, float | None] = {"internal_consistency": 1.0, "temporal_freshness": 1.0}
    quality = starting_quality(STARTS[signal], others)
    found = overall({"source_reliability": quality, "method_quality": quality, **others})
    assert found == pytest.approx(STARTS[signal], abs=1e-9)


def test_the_starts_are_the_specified_ones() -> None:
    assert list(STARTS.values()) == [0.90, 0.80, 0.75, 0.70, 0.65, 0.50, 0.50, 0.35]


@given(
    st.floats(0.3, 0.95),
    st.fixed_dictionaries({name: st.one_of(st.none(), st.floats(0.8, 1)) for name in NAMES[2:]}),
)
def test_the_start_is_reached_whatever_good_dimensions_are_given(start: float, others: dict[str, float | None]) -> None:
    quality = starting_quality(start, others)
    found = overall({"source_reliability": quality, "method_quality": quality, **others})
    assert quality == 1.0 or found == pytest.approx(start, abs=1e-9)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from([*HALF_LIVES_DAYS.values()]))
def test_freshness_falls_with_age_and_halves_after_its_half_life(
    age: float, more: float, half_life: float | None
) -> None:
    assert freshness(age + more, half_life) <= freshness(age, half_life)
    if half_life is not None:
        assert freshness(half_life, half_life) == 0.5
    else:
        assert freshness(age, half_life) == 1.0


def test_a_hundred_copies_of_one_origin_are_one_source() -> None:
    copies = [StatementOrigin("one", reliability=0.9)] * 100
    assert counted(copies).sources == 1
    assert corroboration(copies) is None
    other = StatementOrigin("two", reliability=0.9)
    assert corroboration([*copies, other]) == corroboration([copies[0], other])


def test_the_same_session_a_recalled_text_and_the_same_upstream_are_not_independent() -> None:
    first = StatementOrigin("a", session="s1")
    assert independences([first, StatementOrigin("b", session="s1")]) == [1.0, 0.0]
    assert independences([first, StatementOrigin("b", recalled=True), StatementOrigin("b")]) == [1.0, 0.0, 1.0]
    assert independences([first, StatementOrigin("a", session="s2"), StatementOrigin("c", session="s2")]) == [
        1.0,
        0.0,
        0.0,
    ]


def test_sources_that_share_words_are_less_independent() -> None:
    words = frozenset({"news", "bern"})
    assert independences([StatementOrigin("a", words=words), StatementOrigin("b", words=frozenset({"news"}))]) == [
        1.0,
        0.5,
    ]
    assert likeness(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(
    ("reliabilities", "expected"),
    [
        ((0.5,), None),
        ((0.1, 0.1), 0.65),  # the ladder: two sources
        ((0.1, 0.1, 0.1), 0.80),  # the ladder: three
        ((0.1,) * 5, 0.80),
        ((0.9, 0.9), 0.99),  # 1 - .1 * .1
    ],
)
def test_corroboration_is_one_less_the_product_of_doubts_and_at_least_the_ladder(
    reliabilities: tuple[float, ...], expected: float | None
) -> None:
    statements = [StatementOrigin(str(place), reliability=value) for place, value in enumerate(reliabilities)]
    found = corroboration(statements)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0, 1))
def test_another_independent_source_never_lowers_corroboration(reliabilities: list[float], more: float) -> None:
    statements = [StatementOrigin(str(place), reliability=value) for place, value in enumerate(reliabilities)]
    before, after = corroboration(statements), corroboration([*statements, StatementOrigin("more", reliability=more)])
    assert before is not None
    assert after is not None
    assert after >= before - 1e-12
    assert before >= LADDER[1]


def test_stages_and_labels_change_where_they_should() -> None:
    assert [stage(count) for count in (0, 1, 2, 3, 4, 9)] == [
        "tentative", "tentative", "emerging", "emerging", "established", "established",
    ]  # fmt: skip
    assert [corroboration_label(count).split()[0] for count in (0, 1, 2, 3, 4, 6, 7, 70)] == [
        "uncorroborated", "single", "moderately", "moderately", "well", "well", "highly", "highly",
    ]  # fmt: skip


@given(st.lists(st.sampled_from([*PENALTIES]), max_size=6), st.sampled_from([*PENALTIES]))
def test_each_open_tension_takes_from_consistency(severities: list, more: str) -> None:  # type: ignore[type-arg]
    assert 0 < consistency([*severities, more]) < consistency(severities) <= 1  # type: ignore[list-item]
