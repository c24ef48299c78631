"""Corpora of texts with questions and the items that answer: JSON lines; LoCoMo and LongMemEval turned into them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from clause.errors import BadInputError
from clause.ingest.source import open_text

Item = TypeVar("Item")
LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One text to remember; `session` names the talk that it is of, where the file says so."""

    id: str
    text: str
    scope: str
    timestamp: str | None = None
    session: str | None = None


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
    when = None if timestamp is None else str(timestamp)[:200]
    session = item.get("session")
    return CorpusItem(str(item["id"]), text, str(item["scope"]), when, None if session is None else str(session))


def _question(item: dict[str, Any], number: int) -> RecallQuestion:
    relevant = tuple(dict.fromkeys(map(str, item["relevant"])))
    return RecallQuestion(str(item.get("id", number)), str(item["query"]), str(item["scope"]), relevant)


_ADVERSARIAL = 5
_TURN = re.compile(r"D(\d+):0*(\d+)")


def make_recall_files(locomo: Path, corpus: Path, questions: Path, only: tuple[str, ...] = ()) -> dict[str, int]:
    """Write the files that `clause evaluate recall` reads; how many lines each has.

    A turn is a line `Speaker: text [shares caption]` of scope `user:<sample_id>`; the relevant ones of a question are
    its evidence turns. Questions of category 5 (adversarial), and those without a known evidence turn, are left out.

    Args:
        locomo: the published JSON file, plain or .gz.
        corpus, questions: where to write.
        only: sample ids; all where empty.
    """
    with open_text(locomo) as file:
        samples = [one for one in json.load(file) if not only or one["sample_id"] in only]
    turns = [turn for sample in samples for turn in _turns(sample)]
    known = {turn["id"] for turn in turns}
    asked = [question for sample in samples for question in _questions(sample, known)]
    return _written(corpus, turns, questions, asked, len(samples))


def make_evidence_files(longmemeval: Path, corpus: Path, questions: Path) -> dict[str, int]:
    """Write the same files of LongMemEval (JSON lines): what answers any of its questions, in one scope, by date."""
    turns: dict[str, dict[str, str]] = {}
    asked = []
    with open_text(longmemeval) as file:
        for item in map(json.loads, file):
            found = [turns.setdefault(turn["text"], turn)["id"] for turn in _evidence(item)]
            if found and not item["abstention"]:
                asked.append(_asked(item["question_id"], item["question"], _EVERYBODY, found))
    by_date = sorted(turns.values(), key=lambda turn: turn["timestamp"])
    return _written(corpus, by_date, questions, asked, len({turn["session"] for turn in by_date}))


_EVERYBODY = "user:longmemeval"


def _evidence(item: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for number, talk in enumerate(item["evidence_sessions"]):
        when = datetime.strptime(talk["date"], "%Y/%m/%d (%a) %H:%M").isoformat()  # noqa: DTZ007 -- it names no zone
        session = f"{item['question_id']}/{number}"
        for place, turn in enumerate(talk["turns"]):
            said = {"id": f"{session}/{place}", "text": f"{turn['role']}: {turn['content']}", "scope": _EVERYBODY}
            yield {**said, "timestamp": when, "session": session}


def _written(
    corpus: Path, turns: list[dict[str, str]], questions: Path, asked: list[dict[str, Any]], talks: int
) -> dict[str, int]:
    for path, lines in ((corpus, turns), (questions, asked)):
        path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    return {"turns": len(turns), "questions": len(asked), "conversations": talks}


def _turns(sample: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    talk = sample["conversation"]
    sessions = sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    for session in sessions:
        for turn in talk[session]:
            shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "id": _id(sample, turn["dia_id"]),
                "text": f"{turn['speaker']}: {turn['text']}{shares}",
                "scope": _scope(sample),
                "timestamp": talk[f"{session}_date_time"],
                "session": f"{sample['sample_id']}/{session}",
            }


def _questions(sample: Mapping[str, Any], known: set[str]) -> Iterator[dict[str, Any]]:
    for number, item in enumerate(sample["qa"]):
        evidence = " ".join(item.get("evidence") or ())
        turns = {_id(sample, f"D{int(found[1])}:{int(found[2])}") for found in _TURN.finditer(evidence)}
        relevant = sorted(turns & known)
        if item["category"] != _ADVERSARIAL and relevant:
            yield _asked(f"{sample['sample_id']}/q{number}", item["question"], _scope(sample), relevant)


def _asked(given: str, query: str, scope: str, relevant: list[str]) -> dict[str, Any]:
    return {"id": given, "query": query, "scope": scope, "relevant": relevant}


def _scope(sample: Mapping[str, Any]) -> str:
    return f"user:{sample['sample_id']}"


def _id(sample: Mapping[str, Any], turn: str) -> str:
    return f"{sample['sample_id']}/{turn}"
