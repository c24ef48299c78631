"""Escaping for Lucene; that the server accepts it is tested in tests/integration/reasoning/test_seeds.py."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from clause.text.retrieval import escape


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
