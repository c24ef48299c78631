"""The canonical form: it says every property, in one way, whatever the order."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from neo4j.time import Time

from clause.graph.canonical import NodeLine, RelationshipLine, canonical_text, combined, line_digest, packed, unpacked

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    TEXT,
    st.datetimes(timezones=st.just(UTC)),
    st.dates(),
    st.times().map(Time.from_native),
    st.times(timezones=st.just(timezone(timedelta(hours=-3, minutes=-30)))).map(Time.from_native),
    st.binary(),
)
VALUES = st.one_of(SCALARS, st.lists(st.floats(allow_nan=False), max_size=40), st.lists(TEXT), st.lists(st.integers()))


@given(VALUES)
def test_a_property_comes_back_as_it_was(value: Any) -> None:
    back = unpacked(json.loads(json.dumps(packed(value), allow_nan=False)))
    assert back == value
    assert type(back) is type(value)


def test_vectors_are_short_when_nothing_is_lost_and_whole_otherwise() -> None:
    assert list(packed([0.5] * 384)) == ["$f32"]
    assert list(packed([0.1] * 384)) == ["$f64"]
    assert unpacked(packed([math.inf] * 20)) == [math.inf] * 20


def test_an_instant_is_the_same_in_every_zone() -> None:
    here = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert packed(here) == packed(here.astimezone(timezone(timedelta(hours=5))))


def test_whole_and_broken_numbers_differ() -> None:
    one, other = (NodeLine(("A",), "a", {"n": number}) for number in (1, 1.0))
    assert line_digest(one) != line_digest(other)


@given(st.lists(st.tuples(st.sampled_from("abc"), SCALARS), max_size=6), st.randoms(use_true_random=False))
def test_the_hash_of_many_lines_knows_no_order(items: list[tuple[str, Any]], random: Any) -> None:
    lines = [NodeLine(("A",), str(place), {name: value}) for place, (name, value) in enumerate(items)]
    digests = [line_digest(line) for line in lines]
    shuffled = digests[:]
    random.shuffle(shuffled)
    assert combined(digests) == combined(shuffled)
    assert not items or combined(digests) != combined(digests[1:])


def test_a_relationship_names_its_ends_by_label_and_id() -> None:
    line = RelationshipLine("ABOUT", (("Belief",), "b", "user:ann"), (("Entity",), "e", "public"), {"weight": 1.0})
    assert json.loads(canonical_text(line)) == {
        "relationship": "ABOUT",
        "start": ["Belief", "b", "user:ann"],
        "end": ["Entity", "e", "public"],
        "properties": {"weight": 1.0},
    }
