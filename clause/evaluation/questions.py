"""Questions with their gold answers, and the files they come from."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO, cast

from clause.errors import BadInputError, NotFoundError


@dataclass(frozen=True, slots=True)
class Question:
    """One question as it is asked.

    Attributes:
        text: the question without brackets.
        answers: gold names; empty means that abstaining is right.
        entity: the gold topic entity's name, where the file brackets it.
        kind: the question type, where it is at hand.
        titles: gold evidence passages, where they are known.
    """

    text: str
    answers: tuple[str, ...]
    entity: str | None = None
    kind: str | None = None
    titles: tuple[str, ...] = ()

    @property
    def masked(self) -> str:
        """The text with the topic entity taken out, as `mask` does it."""
        if self.entity is None:
            return self.text
        start = self.text.find(self.entity)
        return self.text if start < 0 else mask(self.text, (start, start + len(self.entity)))


MASK = "it"


def mask(text: str, span: tuple[int, int] | None) -> str:
    """`text` with the characters of `span` replaced by `it`, so that a mention's words do not colour the question.

    >>> mask("who directed Heat", (13, 17))
    'who directed it'
    """
    return text if span is None else f"{text[: span[0]]}{MASK}{text[span[1] :]}"


def open_text(path: Path) -> TextIO:
    """A text file, or a gzip of one, opened for reading as UTF-8.

    Raises:
        NotFoundError: there is no such file.
    """
    if not path.is_file():
        raise NotFoundError(f"no file {path}", field="questions")
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8"))
    return path.open(encoding="utf-8")


def read_json_lines(path: Path, limit: int | None = None) -> list[Question]:
    """Questions of a JSON-lines file, each `{"question": TEXT, "answers": [NAME, ...]}`; `entity` and `type` optional.

    Raises:
        BadInputError: a line is not such an object; the message names its number.
        NotFoundError: there is no such file.
    """
    questions = []
    with open_text(path) as lines:
        for number, line in _first(_filled(lines), limit):
            try:
                item = json.loads(line)
                questions.append(
                    Question(str(item["question"]), tuple(item["answers"]), item.get("entity"), item.get("type"))
                )
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadInputError(
                    f"{path.name}, line {number}: not a question",
                    remedy='each line is {"question": "...", "answers": ["..."]}',
                    field="questions",
                ) from error
    return questions


def drawn(questions: Sequence[Question], count: int | None, seed: int = 0) -> list[Question]:
    """`count` of the questions (all where there are fewer, or None), drawn by the seed, in the order of the file.

    >>> [question.text for question in drawn([Question(text, ()) for text in "abcdef"], 3)]
    ['a', 'd', 'f']
    """
    if count is None or count >= len(questions):
        return list(questions)
    places = random.Random(seed).sample(range(len(questions)), count)  # noqa: S311 -- a reproducible draw
    return [questions[place] for place in sorted(places)]


def _filled(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _first(lines: Iterator[tuple[int, str]], limit: int | None) -> Iterator[tuple[int, str]]:
    return lines if limit is None else islice(lines, limit)
