"""Corpus and questions of `clause evaluate recall`: JSON lines, plain or gzipped; further keys are ignored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from clause.errors import BadInputError
from clause.evaluation.questions import open_text

Item = TypeVar("Item")
LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One text to remember."""

    id: str
    text: str
    scope: str
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question, asked within a scope, with the ids of what should be recalled."""

    id: str
    query: str
    scope: str
    relevant: tuple[str, ...]


def read_corpus(path: Path) -> list[CorpusItem]:
    """The texts, each id once (the first); empty ones are left out, long ones cut to 10,000 characters.

    Raises:
        BadInputError: a line lacks `id`, `text` or `scope`; the message names its number.
    """
    items: dict[str, CorpusItem] = {}
    for item in _read(path, _corpus_item, "corpus", '{"id", "text", "scope", "timestamp"?}'):
        if item.text.strip():
            items.setdefault(item.id, item)
    return [*items.values()]


def read_recall_questions(path: Path, limit: int | None = None) -> list[RecallQuestion]:
    """The questions.

    Raises:
        BadInputError: a line lacks `query`, `scope` or `relevant`; the message names its number.
    """
    return [*_read(path, _question, "questions", '{"id", "query", "scope", "relevant": [ids]}')][:limit]


def _read(path: Path, make: Callable[[dict[str, Any], int], Item], field: str, form: str) -> Iterator[Item]:
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield make(json.loads(line), number)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadInputError(
                    f"{path.name}, line {number}: not a line of the {field}", remedy=f"each is {form}", field=field
                ) from error


def _corpus_item(item: dict[str, Any], _number: int) -> CorpusItem:
    timestamp = item.get("timestamp")
    text = str(item["text"]).replace("\x00", "")[:LONGEST]
    return CorpusItem(str(item["id"]), text, str(item["scope"]), None if timestamp is None else str(timestamp)[:200])


def _question(item: dict[str, Any], number: int) -> RecallQuestion:
    relevant = tuple(dict.fromkeys(map(str, item["relevant"])))
    return RecallQuestion(str(item.get("id", number)), str(item["query"]), str(item["scope"]), relevant)
