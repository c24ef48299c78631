"""Escaping for Lucene; that the server accepts it is tested in tests/integration/reasoning/test_seeds.py."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.insights.retriever import _words as insight_words
from clause.knowledge.beliefs.queries import _words as belief_words
from clause.text.retrieval import MOST_TOKENS, escape, requiring, tokens_in, within_scopes


@given(st.text())
def test_every_operator_is_escaped_and_taking_the_escapes_away_gives_the_text(text):
    escaped = escape(text)
    assert not re.search(r'(?<!\\)(?:\\\\)*[+\-!(){}\[\]^"~*?:/|&<>=]', escaped)
    lowered = re.sub(r"\b(?:AND|OR|NOT|TO)\b", lambda m: m[0].lower(), text.replace("\x00", " "))
    assert re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL) == lowered.strip() or "\\" in text


def test_operators_written_as_words_become_plain_words():
    assert escape("TO be OR NOT to be AND Andy") == "to be or not to be and Andy"


def test_a_text_of_operators_only_is_still_text_and_a_blank_one_is_empty():
    assert escape("(") == "\\("
    assert escape("\x00\n") == ""


@pytest.mark.parametrize("fields", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "text",
    [
        "茶" * 5_000,
        "tea " * 5_000,
        "a-b" * 5_000,
        "☕" * 5_000,
        "カa" * 5_000,
        "हि " * 5_000,
        "²a" * 5_000,
        "x" * 200_000,
    ],
)
def test_no_text_has_more_tokens_than_lucene_takes_in_so_many_fields(text, fields):
    escaped = escape(text, fields)
    assert 0.98 * MOST_TOKENS <= tokens_in(escaped) * fields <= MOST_TOKENS
    assert text.startswith(re.sub(r"\\(.)", r"\1", escaped))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Where did Ann's friend_7 go?", 6),
        ("茶室", 2),
        ("ティーポットの棚", 3),
        ("앤은 작년에", 2),
        ("हिन्दी में", 2),
        ("ภาษาไทย", 1),
        ("“tea” — café…", 2),
        ("☕☕", 2),
    ],
)
def test_tokens_are_counted_as_lucene_makes_them(text, tokens):
    assert tokens_in(text) == tokens


def test_scopes_that_fit_are_named_one_by_one():
    query = requiring([f"kg:g{number}" for number in range(1_000)], "+content:(tea)")
    assert query.startswith("+scope_token:(s_kg_g0 s_kg_g1 ")
    assert query.endswith(" s_kg_g999)^0 +content:(tea)")


@pytest.mark.parametrize(
    "query",
    [
        requiring(["user:ann", "public"], "+content:(tea)"),
        insight_words("tea", ["user:ann", "public"]),
        belief_words("tea", ["user:ann", "public"], None),
    ],
)
def test_a_scope_of_few_texts_scores_no_more_than_one_of_many(query):
    assert query.startswith("+scope_token:(s_user_ann s_public)^0 +")


def test_sessions_of_one_user_are_asked_for_together_where_there_are_too_many_scopes():
    sessions = [f"user:{name}/session:{number}" for name in ("ann", "bob") for number in range(800)]
    query = requiring(["public", "user:ann", "kg:films", *sessions], "+content:(tea)")
    tokens = "s_kg_films s_public s_user_ann s_user_ann_session_* s_user_bob_session_*"
    assert query == f"+scope_token:({tokens})^0 +content:(tea)"


def test_scopes_of_one_kind_are_asked_for_together_where_there_are_too_many_users():
    scopes = ["public", *(f"user:u{number}" for number in range(1_100)), "kg:films", "user:u1/session:1", "session:9"]
    assert requiring(scopes, "+(tea)", 3) == "+scope_token:(s_kg_* s_public s_session_* s_user_*)^0 +(tea)"


def test_a_long_text_leaves_less_room_for_scopes():
    query = within_scopes(escape("tea " * 5_000, 3), [f"user:ann/session:{number}" for number in range(100)], 3)
    assert query.startswith("+scope_token:(s_user_ann_session_*)^0 +(tea tea ")


def test_without_a_scope_nothing_is_found():
    assert requiring([], "+content:(tea)") == within_scopes("tea", [], 3) == "scope_token:none"
