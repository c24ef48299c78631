"""MetaQA's question files: `question with [entity]<TAB>answer|answer`, plain or gzipped (Zhang et al., AAAI 2018)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from clause.errors import BadInputError
from clause.ingest.source import open_text
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.skeleton import mask, named_span
from clause.text.names import normalise


@dataclass(frozen=True, slots=True)
class GoldQuestion:
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
        return mask(self.text, named_span(self.text, self.entity))


def read_json_lines(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """Questions of a JSON-lines file, each `{"question": TEXT, "answers": [NAME, ...]}`; `entity` and `type` optional.

    Raises:
        BadInputError: a line is not such an object; the message names its number.
        NotFoundError: there is no such file.
    """
    told = question_objects(path, limit)
    return [GoldQuestion(text, answers, item.get("entity"), item.get("type")) for text, answers, item in told]


def question_objects(
    path: Path, limit: int | None = None, field: str = "questions"
) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """The objects of a JSON-lines file, plain or gzipped, each with its question and its answers as graphs name them.

    Raises:
        BadInputError: a line is not `{"question": TEXT, "answers": [NAME or NUMBER, ...]}`; the message tells which.
        NotFoundError: there is no such file.
    """
    with open_text(path, field=field) as lines:
        for number, line in _first(_filled(lines), limit):
            try:
                item = json.loads(line)
                text, answers = item["question"], item["answers"]
                if not isinstance(text, str) or not isinstance(answers, list) or not all(map(_is_name, answers)):
                    raise TypeError
            except (ValueError, KeyError, TypeError) as error:
                raise BadInputError(
                    f"{path.name}, line {number}: not a question",
                    remedy='each line is {"question": "...", "answers": ["..."]}',
                    field=field,
                ) from error
            yield text, tuple(normalise(str(answer)) for answer in answers), item


def _is_name(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def drawn(questions: Sequence[GoldQuestion], count: int | None, seed: int = 0) -> list[GoldQuestion]:
    """`count` of the questions (all where there are fewer, or None), drawn by the seed, in the order of the file.

    >>> [question.text for question in drawn([GoldQuestion(text, ()) for text in "abcdef"], 3)]
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


BRACKETED = re.compile(r"\[(?P<name>.*)\]")

MOVIE_TO = {
    "actor": "starred_actors",
    "director": "directed_by",
    "writer": "written_by",
    "genre": "has_genre",
    "language": "in_language",
    "year": "release_year",
    "tags": "has_tags",
    "tag": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}


def read_questions(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """The first `limit` questions (all by default) of a MetaQA file, or of a JSON-lines one (`.jsonl`, `.jsonl.gz`).

    Brackets are removed from the text and what they held is kept as `entity`. Where `<stem>_qtype.txt[.gz]` lies beside
    the file, each question gets its type.

    Raises:
        BadInputError: a line has no answers behind a tab, or the types are fewer than the questions.
        NotFoundError: there is no such file.
    """
    if ".jsonl" in path.suffixes:
        return read_json_lines(path, limit)
    with open_text(path, field="questions") as file:
        lines = [line.rstrip("\r\n") for line in islice(file, limit)]
    kinds: Sequence[str | None] = read_types(path) or [None] * len(lines)
    if len(kinds) < len(lines):
        raise BadInputError(f"{path.name} has more questions than its types ({len(kinds)})", field="questions")
    return [
        replace(_question(line, number, path.name), kind=kind)
        for number, (line, kind) in enumerate(zip(lines, kinds, strict=False), start=1)
        if line
    ]


def read_types(path: Path) -> list[str] | None:
    """The question types that lie beside a question file, line by line; None where there are none.

    >>> read_types(Path("nowhere/qa_dev.txt")) is None
    True
    """
    stem = path.name.removesuffix(".gz").removesuffix(".txt")
    for ending in (".txt.gz", ".txt"):
        beside = path.with_name(f"{stem}_qtype{ending}")
        if beside.is_file():
            with open_text(beside, field="questions") as file:
                return file.read().split()
    return None


_HOPS = "HOP=FILE with each HOP of 1, 2, 3", "1=qa_dev.txt 2=qa_dev.txt.gz"


def question_files(values: Sequence[str], sets: Collection[str] | None = ("1", "2", "3")) -> dict[str, Path]:
    """`HOP=FILE` words as hop -> file, by hop; `sets` None: `SET=FILE` with whatever names the sets have.

    >>> question_files(["2=b.txt", "1=a.txt"])["1"].name
    'a.txt'
    >>> list(question_files(["own=a.txt"], sets=None))
    ['own']

    Raises:
        BadInputError: a word is not of that form, its hop is not 1, 2 or 3, or a hop is given twice.
    """
    files: dict[str, Path] = {}
    for value in values:
        hop, _, name = value.partition("=")
        if not (hop and name) or hop in files or (sets is not None and hop not in sets):
            form, such = ("SET=FILE with each SET", "own=qa.txt") if sets is None else _HOPS
            raise BadInputError(
                f"--questions {value!r}: not {form} once", remedy=f"for instance --questions {such}", field="questions"
            )
        files[hop] = Path(name)
    if not files:
        raise BadInputError("--questions HOP=FILE is missing", field="questions")
    return dict(sorted(files.items()))


def parse_line(line: str) -> GoldQuestion:
    """One line as a question.

    >>> parse_line("who directed [Heat]\\tMichael Mann|Mann").answers
    ('Michael Mann', 'Mann')
    >>> parse_line("who directed [Heat]\\tMichael Mann").text
    'who directed Heat'
    """
    text, answers = line.split("\t")
    found = BRACKETED.search(text)
    names = tuple(dict.fromkeys(name for name in answers.split("|") if name))
    if found is None:
        return GoldQuestion(text, names)
    return GoldQuestion(f"{text[: found.start()]}{found['name']}{text[found.end() :]}", names, found["name"])


def _question(line: str, number: int, name: str) -> GoldQuestion:
    try:
        return parse_line(line)
    except ValueError as error:
        raise BadInputError(f"{name}, line {number}: not `question<TAB>answer|answer`", field="questions") from error


def type_pattern(kind: str) -> tuple[Hop, ...]:
    """The hops that a question type names; every other node on its way is a film.

    >>> type_pattern("actor_to_movie_to_year")
    (Hop(relation='starred_actors', forward=False), Hop(relation='release_year', forward=True))

    Raises:
        BadInputError: a word of the type is not one of MetaQA's.
    """
    words = kind.split("_to_")
    hops = []
    for here, there in pairwise(words):
        word = there if here == "movie" else here
        if word not in MOVIE_TO or "movie" not in (here, there):
            raise BadInputError(f"{kind!r} is not a MetaQA question type", field="questions")
        hops.append(Hop(MOVIE_TO[word], forward=here == "movie"))
    if not hops:
        raise BadInputError(f"{kind!r} is not a MetaQA question type", field="questions")
    return tuple(hops)
