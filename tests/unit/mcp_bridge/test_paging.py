from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clause.errors import BadInputError
from clause.mcp_bridge.answers import PREFIX, Rests, cut, page_of, written
from clause.text.tokens import count_tokens

OWNER = (None, "coordinate")
OWN = {"success", "next_cursor", "cut_at", "continues_at"}
texts = st.text(alphabet='abc äß中🎬\n"\\', max_size=150)
leaves = st.one_of(st.none(), st.booleans(), st.integers(-(10**6), 10**6), texts)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=8),
        st.dictionaries(st.text(alphabet="pqrstuvw", min_size=1, max_size=6), inner, max_size=5),
    ),
    max_leaves=25,
)
answers = st.dictionaries(st.sampled_from(["items", "rows", "result", "total", "note"]), trees, min_size=1, max_size=5)


def pages(answer: dict[str, Any], limit: int) -> list[dict[str, Any]]:
    """All pages of an answer, as a client gets them."""
    rests = Rests()
    found = [page_of(rests, OWNER, answer, limit)]
    while str(found[-1].get("next_cursor") or "").startswith(PREFIX):
        rest = rests.get(OWNER, found[-1]["next_cursor"])
        found.append(page_of(rests, OWNER, rest.value, limit, rest.path))
    return found


def merged(pages: list[dict[str, Any]]) -> Any:
    """The answer that the pages are parts of, put together by `continues_at` alone."""
    whole: Any = {}
    for page in pages:
        start = page.get("continues_at", "")
        _merge(whole, {key: value for key, value in page.items() if key not in OWN}, start.split(".") if start else [])
    return whole


def _merge(into: Any, part: Any, start: list[str]) -> None:
    for key, value in part.items():
        if key in into:
            into[key] = _joined(into[key], value, start[1:] if start and start[0] == key else [])
        else:
            into[key] = value


def _joined(before: Any, after: Any, start: list[str]) -> Any:
    if isinstance(before, list):
        if start and int(start[0]) < len(before):
            return [*before[:-1], _joined(before[-1], after[0], start[1:]), *after[1:]]
        return [*before, *after]
    if isinstance(before, str):
        return before + after
    _merge(before, after, start)
    return before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(answer=answers, limit=st.integers(260, 700))
def test_the_pages_put_together_are_the_answer_and_none_is_longer_than_the_limit(
    answer: dict[str, Any], limit: int
) -> None:
    found = pages(answer, limit)
    assert all(count_tokens(written(page)) <= limit for page in found)
    assert all(page["success"] for page in found)
    assert merged(deepcopy(found)) == answer


def test_what_is_short_comes_first_and_the_long_lists_are_cut() -> None:
    answer = {"items": [{"text": "word " * 50} for _ in range(100)], "total": 100, "receipt": {"spent": 3}}
    first, *_, last = pages(answer, 1000)
    assert (first["total"], first["receipt"]) == (100, {"spent": 3})
    assert 0 < len(first["items"]) < 100
    assert first["cut_at"] == f"items.{len(first['items'])}"
    assert "continues_at" in last
    assert "next_cursor" not in last


def test_the_cursor_of_the_service_comes_with_the_last_page_and_not_before() -> None:
    answer = {"items": ["word " * 50] * 40, "next_cursor": "of-the-service"}
    *before, last = pages(answer, 600)
    assert last["next_cursor"] == "of-the-service"
    assert all(page["next_cursor"].startswith(PREFIX) for page in before)


def test_one_text_that_is_longer_than_a_result_is_cut_between_characters() -> None:
    answer = {"content": "🎬 and then " * 3000}
    found = pages(answer, 1000)
    assert "".join(page["content"] for page in found) == answer["content"]


def test_an_answer_that_fits_is_not_touched() -> None:
    assert pages({"items": [1, 2]}, 500) == [{"success": True, "items": [1, 2]}]


def test_a_number_alone_is_not_cut() -> None:
    assert cut([10**100], 5).page == []


def test_what_cannot_be_cut_is_named_and_left_out() -> None:
    (page,) = pages({"key" * 5000: 1, "x": 2}, 1000)
    assert page["note"].startswith("what stands at ")


def test_a_cursor_is_its_callers_own_and_of_one_tool() -> None:
    rests = Rests()
    cursor = rests.cursor()
    rests.keep(cursor, ("ann", "belief_query"), {"items": []}, ("items", 1))
    assert rests.get(("ann", "belief_query"), cursor).path == ("items", 1)
    for other in (("bob", "belief_query"), ("ann", "memory_read"), (None, "belief_query")):
        with pytest.raises(BadInputError, match="cursor"):
            rests.get(other, cursor)
    with pytest.raises(BadInputError):
        rests.get(("ann", "belief_query"), f"{PREFIX}unknown")


def test_only_the_latest_rests_are_kept() -> None:
    rests = Rests(most=2, most_characters=100)
    first, second, third, fourth = (rests.cursor() for _ in range(4))
    for place, cursor in enumerate((first, second, third)):
        rests.keep(cursor, OWNER, {"x": place}, ())
    with pytest.raises(BadInputError):
        rests.get(OWNER, first)
    assert rests.get(OWNER, second).value == {"x": 1}
    rests.keep(fourth, OWNER, {"x": "y" * 90}, ())
    for gone in (second, third):
        with pytest.raises(BadInputError):
            rests.get(OWNER, gone)
    assert rests.get(OWNER, fourth).value["x"]
