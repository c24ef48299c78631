"""The grammar of topics: what is one, what is none, and that nothing is ever a pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import BadInputError
from clause.insights.topics import parse_topic

IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    "key",
    [
        "user:42",
        "dyad:1:2",
        "self:growth",
        "server:9:user:42",
        "server:9:channel:1",
        "server:9:thread:1",
        "server:9:role:1",
        "server:9:dyad:1:2",
        "server:9:user_in_channel:3:42",
        "server:9:dyad_in_channel:3:1:2",
        "server:9:subject:continuous delivery",
        "server:9:emoji:🎬",
        "server:9:self:growth",
        "self:Wachstum ü",
    ],
)
def test_keys_of_the_grammar_are_their_own_canonical_form(key: str) -> None:
    assert str(parse_topic(key)) == key


@pytest.mark.parametrize(
    "key",
    [
        "",
        "user",
        "user:",
        "user:1:2",
        "dyad:1",
        "dyad:1:1",
        "dyad:1:2:3",
        "channel:1",
        "subject:x",
        "server",
        "server:9",
        "server:9:user",
        "server::user:1",
        "server:9:guild:1",
        "server:9:server:8:user:1",
        "user:%",
        "user:a b",
        "user:*",
        "user:_x",
        "user:é",
        "self:",
        "self:a:b",
        "self:a\nb",
        "server:9:subject:" + "x" * 201,
        "USER:1",
        " user:1",
        "user:" + "x" * 129,
        "server:%:user:1",
    ],
)
def test_other_texts_are_refused_with_the_grammar(key: str) -> None:
    with pytest.raises(BadInputError) as refused:
        parse_topic(key)
    assert refused.value.field == "topic_key"
    assert "user:<id>" in str(refused.value.bound)


@given(IDS, IDS, st.one_of(st.none(), IDS))
def test_a_dyad_is_the_same_both_ways(one: str, other: str, server: str | None) -> None:
    start = f"server:{server}:dyad" if server else "dyad"
    if one == other:
        with pytest.raises(BadInputError):
            parse_topic(f"{start}:{one}:{other}")
        return
    assert parse_topic(f"{start}:{one}:{other}") == parse_topic(f"{start}:{other}:{one}")


@given(IDS, IDS)
def test_a_user_on_a_server_refers_to_the_global_one(user: str, server: str) -> None:
    there, everywhere = parse_topic(f"server:{server}:user:{user}"), parse_topic(f"user:{user}")
    assert there.reference == str(everywhere) == everywhere.reference
    assert (there.is_global_reference, everywhere.is_global_reference) == (False, True)
    assert there.node_id("public") != everywhere.node_id("public") != everywhere.node_id("user:ann")


@given(st.text(max_size=60))
def test_any_text_is_a_topic_or_refused(text: str) -> None:
    try:
        topic = parse_topic(text)
    except BadInputError:
        return
    assert parse_topic(str(topic)) == topic
