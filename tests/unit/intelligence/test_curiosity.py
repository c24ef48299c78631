"""Prediction errors: their bounds, triggers above a threshold, and running means that add up."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from clause.intelligence.curiosity import (
    PRIOR_MEAN,
    RunningMean,
    Surprise,
    gain_rows,
    merged_gains,
    realised,
    trigger_rows,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
SHARE = st.floats(0, 1)


def rows(*surprises: Surprise, threshold: float = 0.5) -> list[dict[str, object]]:
    return trigger_rows(surprises, threshold=threshold, question="q", scope="public", scopes=["public"], at=AT)


@settings(deadline=None)
@given(st.floats(-2, 2), st.floats(-2, 2))
def test_realised_rises_within_0_and_1(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= realised(low) <= realised(high) <= 1


@settings(deadline=None)
@given(st.lists(SHARE, max_size=30))
def test_a_running_mean_goes_from_the_prior_to_what_was_seen(seen: list[float]) -> None:
    mean = RunningMean()
    assert mean.expected == PRIOR_MEAN
    for value in seen:
        mean = mean.plus(RunningMean(1, value))
    assert mean.count == len(seen)
    low, high = min([PRIOR_MEAN, *seen]), max([PRIOR_MEAN, *seen])
    assert low - 1e-9 <= mean.expected <= high + 1e-9


def test_only_errors_above_the_threshold_trigger_each_concept_once_with_its_largest() -> None:
    found = rows(
        Surprise("a", "A", "r", True, 0.9, 0.3),
        Surprise("a", "A", "s", True, 1.0, 0.1),
        Surprise("a", "A", "r", True, 0.9, 0.2),
        Surprise("b", "B", "r", True, 0.5, 0.0),
    )
    (row,) = found
    assert (row["concept"], row["relation"], row["error_magnitude"], row["priority"]) == ("A", "s", 0.9, "high")
    assert row["id"] == rows(Surprise("a", "A", "r", True, 0.9, 0.1))[0]["id"]
    assert rows(Surprise("a", "A", "r", True, 0.7, 0.0))[0]["priority"] == "normal"


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("rs"), st.booleans(), SHARE), max_size=20))
def test_deltas_of_several_runs_are_the_deltas_of_all_together(hops: list[tuple[str, bool, float]]) -> None:
    surprises = [Surprise("a", "A", relation, forward, 0.5, value) for relation, forward, value in hops]
    middle = len(surprises) // 2
    apart = merged_gains([*gain_rows(surprises[:middle]), *gain_rows(surprises[middle:])])
    together = gain_rows(surprises)
    assert [row["name"] for row in apart] == [row["name"] for row in together]
    for one, other in zip(apart, together, strict=True):
        assert one["forward_count"] == other["forward_count"]
        assert abs(one["inverse_sum"] - other["inverse_sum"]) < 1e-9
