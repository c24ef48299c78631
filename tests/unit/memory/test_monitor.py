"""When to recall: every boundary of the semantic-state monitor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.memory.room import MonitorAction, SemanticStateMonitor
from tests.unit.memory.test_cluster_assignment import units


def turn(distance_from_x: float) -> list[float]:
    """A unit vector of this cosine distance to the x axis."""
    cosine = 1.0 - distance_from_x
    return [cosine, float(np.sqrt(1 - cosine**2))]


def test_until_the_window_is_full_it_says_continue() -> None:
    readings = SemanticStateMonitor().replay(units(0, 4))
    assert [reading.action for reading in readings] == [MonitorAction.CONTINUE] * 4
    assert [reading.turns for reading in readings] == [1, 2, 3, 4]
    assert max(reading.distance for reading in readings) > 0.15


def test_a_conversation_that_stays_goes_on() -> None:
    readings = SemanticStateMonitor().replay([[1.0, 0.0]] * 8)
    assert {reading.action for reading in readings} == {MonitorAction.CONTINUE}
    assert readings[-1].smoothed == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("smoothed", "action"),
    [
        (0.0, "CONTINUE"),
        (0.0749, "CONTINUE"),
        (0.075, "PREPARE"),
        (0.1499, "PREPARE"),
        (0.15, "RETRIEVE"),
        (0.2999, "RETRIEVE"),
        (0.3, "RETRIEVE_CONSOLIDATE"),
        (1.9, "RETRIEVE_CONSOLIDATE"),
    ],
)
def test_each_boundary_belongs_to_the_stronger_action(smoothed: float, action: str) -> None:
    assert SemanticStateMonitor()._action(smoothed).value == action


def test_the_distance_is_smoothed_by_three_tenths() -> None:
    monitor = SemanticStateMonitor(window=2)
    monitor.replay([[1.0, 0.0], [1.0, 0.0]])
    reading = monitor.observe([0.0, 1.0])
    assert reading.distance == pytest.approx(1 - np.sqrt(0.5))
    assert reading.smoothed == pytest.approx(0.3 * reading.distance)


def test_the_first_full_window_starts_the_average() -> None:
    monitor = SemanticStateMonitor(window=2)
    monitor.observe([1.0, 0.0])
    reading = monitor.observe(turn(1.0))
    assert reading.smoothed == pytest.approx(reading.distance)
    assert reading.action is MonitorAction.RETRIEVE


@given(seed=st.integers(0, 1000), scale=st.floats(0.1, 100))
def test_the_length_of_a_vector_does_not_matter(seed: int, scale: float) -> None:
    rows = units(seed, 7)
    plain, scaled = (SemanticStateMonitor().replay(turns) for turns in (rows, rows * scale))
    assert [one.distance for one in plain] == pytest.approx([one.distance for one in scaled], abs=1e-5)
