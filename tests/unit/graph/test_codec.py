from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from neo4j.time import Date, DateTime
from neo4j.vector import Vector

from clause.errors import BadInputError
from clause.graph.codec import decode, encode

FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(hnp.arrays(np.float32, st.integers(1, 50), elements=FINITE))
def test_a_vector_comes_back_bit_for_bit(array: np.ndarray):
    back = decode(encode(array))
    assert back.dtype == np.float32
    assert back.tobytes() == array.tobytes()


def test_a_matrix_becomes_a_vector_for_each_row():
    rows = encode({"m": np.arange(6, dtype=np.float64).reshape(2, 3)})["m"]
    assert [row.to_native() for row in rows] == [[0, 1, 2], [3, 4, 5]]
    assert all(isinstance(row, Vector) for row in rows)


def test_integers_and_booleans_stay_lists():
    assert encode(np.array([1, 2])) == [1, 2]
    assert encode(np.array([True, False])) == [True, False]


def test_scalars_sets_and_tuples_become_plain():
    assert encode([np.float32(0.5), np.int64(3), {"b", "a"}, (1, "x"), None]) == [0.5, 3, ["a", "b"], [1, "x"], None]


@pytest.mark.parametrize("bad", [np.array([np.nan, 1.0]), np.array([np.inf]), np.zeros((1, 1, 1)), np.array(1.0)])
def test_what_is_no_vector_is_refused(bad: np.ndarray):
    with pytest.raises(BadInputError):
        encode({"v": bad})


def test_instants_travel_in_utc_and_naive_ones_are_refused():
    here = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2)))
    assert encode(here).tzinfo is UTC
    with pytest.raises(BadInputError, match="time zone"):
        encode(datetime(2026, 1, 2))  # noqa: DTZ001 -- the naive one is the point


def test_results_come_back_in_pythons_own_types():
    instant = DateTime.from_native(datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2))))
    found = decode({"at": instant, "on": Date(2026, 1, 2), "v": [Vector([1.0], "f32")], "plain": [1, "a"], "other": 1j})
    assert found["at"] == datetime(2026, 1, 2, 1, tzinfo=UTC)
    assert found["at"].tzinfo is UTC
    assert found["on"] == date(2026, 1, 2)
    assert found["v"][0].tolist() == [1.0]
    assert (found["plain"], found["other"]) == ([1, "a"], 1j)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Lima", "UTC"])
def test_a_local_instant_is_the_same_on_every_machine(zone: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert decode(DateTime(2024, 5, 1, 0, 30)) == datetime(2024, 5, 1, 0, 30, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        time.tzset()
