"""Names found in sentences that were labelled before the finder was run on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from clause.text.mentions import find_names

SENTENCES = Path(__file__).parents[2] / "named_sentences.txt"
Labelled = tuple[str, tuple[str, ...]]


def labelled() -> list[Labelled]:
    """The sentences and their names."""
    lines = [line for line in SENTENCES.read_text("utf-8").splitlines() if line and line[0] != "#"]
    parts = [line.rpartition("=>") for line in lines]
    return [
        (text.strip(), tuple(name.strip() for name in names.split(";") if name.strip())) for text, _, names in parts
    ]


def rates(sentences: Sequence[Labelled]) -> tuple[float, float]:
    """Precision and recall of whole names."""
    right = found = wanted = 0
    for text, names in sentences:
        told = Counter(mention.name for mention in find_names(text))
        right += (told & Counter(names)).total()
        found += told.total()
        wanted += len(names)
    return right / found, right / wanted


@pytest.mark.parametrize("half", ["tuned on", "kept aside"])
def test_names_are_found_and_little_else(half: str) -> None:
    sentences = labelled()
    precision, recall = rates(sentences[:100] if half == "tuned on" else sentences[100:])

    assert len(sentences) == 200
    assert precision >= 0.9
    assert recall >= 0.8


@pytest.mark.parametrize("text", ["I'm done.", "Done. Wednesday I will go.", "CI. Also this.", "It works. I'm off."])
def test_no_name_is_made_of_openers_days_and_shouted_words(text: str) -> None:
    assert [mention.name for mention in find_names(text) if mention.name != "CI"] == []
