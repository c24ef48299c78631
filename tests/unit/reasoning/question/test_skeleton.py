"""Masks of mentions: by their span, by a name in its own case, and by a name in any case; and plainer words."""

import pytest

from clause.reasoning.question.skeleton import mask, named_span, reworded, span_of


def test_a_span_becomes_the_mask_and_the_rest_stays() -> None:
    assert mask("who directed Heat then", (13, 17)) == "who directed it then"
    assert mask("who directed Heat", None) == "who directed Heat"


def test_a_span_needs_both_ends() -> None:
    assert span_of(0, 4) == (0, 4)
    assert span_of(None, 4) is span_of(0, None) is None


def test_a_name_is_found_in_its_own_case_or_in_any() -> None:
    text = "is heat or Heat meant"
    assert named_span(text, "Heat") == (11, 15)
    assert named_span(text, "Heat", folded=True) == (3, 7)
    assert named_span(text, "Ali", folded=True) is None


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("who was behind the camera on it", "who directed it"),
        ("who penned it", "who wrote it"),
        ("when did it come out", "when was it released"),
        ("which ship did it take the place of", "which ship did it replace"),
        ("who learnt from it", "who trained under it"),
        ("books by it", "books written by it"),
    ],
)
def test_turns_of_phrase_are_said_in_plainer_words(question, plain):
    assert plain in reworded(question)


@pytest.mark.parametrize("question", ["who directed it", "when was it released", "which books did it write"])
def test_plain_words_stay(question):
    assert reworded(question) == ()
