from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.api.dependencies import decode, encode, page_of
from clause.errors import BadInputError


@dataclass
class Thing:
    id: str


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_cursor_gives_back_its_key(key: str) -> None:
    assert decode(encode(key)) == key


@pytest.mark.parametrize("cursor", ["!!", "é", "e30", "W10", "bm90IGpzb24", encode("x")[:-3], "eyJhZnRlciI6IDF9"])
def test_what_is_no_cursor_of_ours_is_refused(cursor: str) -> None:
    with pytest.raises(BadInputError) as refused:
        decode(cursor)
    assert refused.value.field == "cursor"


def test_walking_the_cursors_meets_every_item_once() -> None:
    things = [Thing(f"{number:03}") for number in range(25)]
    seen: list[str] = []
    after = ""
    while True:
        rest = [thing for thing in things if thing.id > after]
        page = page_of(rest[:11], 10)
        seen += [thing.id for thing in page.items]
        if page.next_cursor is None:
            break
        after = decode(page.next_cursor)
    assert seen == [thing.id for thing in things]


def test_an_empty_list_is_one_page_without_a_next() -> None:
    assert page_of([], 10).next_cursor is None
