"""The service answers as it did when the sample was recorded; differences between recordings are found and named.

Who changes an answer on purpose records the sample anew:
`python -m tests.recorded.record tests/recorded/sample.json.gz`.
The comparison takes minutes and belongs to `make test-long`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recorded.compare import differences
from tests.recorded.record import films_of, read, recording

SAMPLE = Path(__file__).parent / "sample.json.gz"
OTHER_PROCESSORS = 1e-3
"""By how much numbers may differ: sums of floats are not the same on every processor."""


def test_a_difference_is_found_and_named() -> None:
    before = [{"operation": "GET /x", "request": {}, "status": 200, "headers": {}, "answer": {"a": [1, {"b": 0.5}]}}]
    after = [{**before[0], "answer": {"a": [1, {"b": 0.6, "c": None}]}}]
    assert [str(one) for one in differences(before, after)] == [
        "#1 GET /x answer.a[1].b: 0.5 -> 0.6",
        "#1 GET /x answer.a[1].c: '(absent)' -> None",
    ]
    assert not list(differences(before, before))
    assert [one.place for one in differences(before, [])] == ["exchanges"]
    minute, later = ([{**before[0], "answer": {"rate": rate, "of": {"rate": rate}}}] for rate in (0.5, 0.0))
    assert [one.place for one in differences(minute, later)] == ["answer.of.rate"]


def test_ids_are_compared_by_what_they_stand_for() -> None:
    def asked(*ids: str) -> list[dict[str, object]]:
        return [
            {"operation": "GET /x", "request": {}, "status": 200, "headers": {}, "answer": {"id": f"full@{one}"}}
            for one in ids
        ]

    before = asked("<id 1>", "<id 2>", "<id 1>")
    assert not list(differences(before, asked("<id 4>", "<id 9>", "<id 4>")))
    assert [one.number for one in differences(before, asked("<id 4>", "<id 9>", "<id 9>"))] == [3]
    assert [one.number for one in differences(before, asked("<id 4>", "<id 4>", "<id 4>"))] == [2]


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_the_service_answers_as_recorded() -> None:
    """A service on a Neo4j of its own is asked everything again: some 400 requests, every operation among them."""
    kept = read(SAMPLE)
    found, _ = recording(films_of(kept), kept["size"], sample=False, requests=kept["requests"])
    different = list(differences(kept["exchanges"], found["exchanges"], OTHER_PROCESSORS))
    assert not different, "\n".join(map(str, different[:40]))
