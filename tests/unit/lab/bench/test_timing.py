"""Timing under load."""

import json
from datetime import UTC, datetime

import pytest

from clause.errors import UnavailableError
from clause.lab.bench.timing import Timings, bench_questions, coordinate_row, keep, row, timed
from clause.policy.train.lessons import TypedWalks
from tests.unit.evaluation.films import snapshot

GRAPH = TypedWalks(snapshot())


@pytest.mark.parametrize("clients", [1, 4])
async def test_every_input_is_called_once_and_failures_are_counted_apart(clients):
    called = []

    async def call(item):
        called.append(item)
        if item == 3:
            raise UnavailableError("away")

    found = await timed(call, range(6), clients=clients, warm_up=2)
    assert called[:2] == [0, 1]
    assert sorted(called) == list(range(6))
    assert (len(found.latencies_ms), found.errors) == (3, 1)
    assert found.per_s > 0


def test_questions_differ_and_come_from_one_seed():
    found = bench_questions(GRAPH, 8)
    assert len(set(found)) == 8
    assert found == bench_questions(GRAPH, 8)
    assert found != bench_questions(GRAPH, 8, seed=1)
    assert all(any(name in text for name in GRAPH.nodes) for text in found)
    assert len(bench_questions(GRAPH, 10_000)) < 10_000


def test_rows_have_the_agreed_keys_and_a_ratio_to_their_baseline():
    figure = Timings([10.0, 20.0, 30.0], 1, 0.5)
    performance = {"embed_ms": 4.0, "database_ms": 3.0, "architect_ms": 1.0, "navigator_ms": 2.0, "curator_ms": 3.0}
    beside = {"baseline_ms": 4.0, "embedding_ms": 4.0, "round_trips": 7.04}
    found = coordinate_row(figure, [performance] * 3, clients=2, policy="khop", **beside, command="c")
    assert found == {
        "p50_ms": 20.0,
        "p95_ms": 29.0,
        "answers_per_s": 6.0,
        "errors": 1,
        "clients": 2,
        "policy": "khop",
        "breakdown": {"embed_ms": 4.0, "database_ms": 3.0, "agents_ms": 6.0, "round_trips": 7.0},
        "least": {"name": "one embedding and four bare round trips", "ms": 20.0, "ratio": 1.0},
        "baseline": {"name": "bare Bolt round trip", "ms": 4.0, "ratio": 5.0},
        "command": "c",
    }
    assert row("curate", figure, "embedding", 10.0, "c")["baseline"]["ratio"] == 2.0


def test_nothing_answered_is_zero_everywhere_and_never_an_error():
    beside = {"baseline_ms": 0.0, "embedding_ms": 0.0, "round_trips": 0.0}
    found = coordinate_row(Timings([], 5, 0.0), [], clients=1, policy="p", **beside, command="c")
    assert (found["p50_ms"], found["answers_per_s"], found["baseline"]["ratio"]) == (0.0, 0.0, 0.0)
    assert found["errors"] == 5


def test_rows_are_kept_one_after_the_other(tmp_path):
    for number in range(2):
        keep(tmp_path / "rows.json", {"p50_ms": number}, datetime(2026, 1, 1, tzinfo=UTC))
    kept = json.loads((tmp_path / "rows.json").read_text())
    assert [one["row"]["p50_ms"] for one in kept] == [0, 1]
    assert kept[0]["at"] == "2026-01-01T00:00:00+00:00"
    assert kept[0]["cores"] >= 1
