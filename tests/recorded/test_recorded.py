"""Differences between two recordings are found and named."""

from __future__ import annotations

from tests.recorded.compare import differences


def test_a_difference_is_found_and_named() -> None:
    before = [{"operation": "GET /x", "request": {}, "status": 200, "headers": {}, "answer": {"a": [1, {"b": 0.5}]}}]
    after = [{**before[0], "answer": {"a": [1, {"b": 0.6, "c": None}]}}]
    assert [str(one) for one in differences(before, after)] == [
        "#1 GET /x answer.a[1].b: 0.5 -> 0.6",
        "#1 GET /x answer.a[1].c: '(absent)' -> None",
    ]
    assert not list(differences(before, before))
    assert [one.place for one in differences(before, [])] == ["exchanges"]
