"""Evidence recall over passages: corpora and questions as data sets print them, and every way to rank on the same
questions."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clause.errors import BadInputError
from clause.evaluation.harness import recall_at_k
from clause.ingest.passage_reader import cut, read_documents
from clause.ingest.source import open_text
from clause.lab.recall import filled, mean

KS = (2, 5, 10)
"""The depths at which recall is cut: so many texts, whatever their titles."""

Rank = Callable[[str], Awaitable[Sequence[str]]]
"""The texts for a question, best first."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of stored texts: id and title of the document that each was cut from, the first of equals."""

    documents: Mapping[str, tuple[str, str]]

    @classmethod
    def read(cls, path: Path) -> Corpus:
        """The documents of a file, cut as they are when they are loaded.

        Raises:
            BadInputError: no line of the file is a document.
        """
        found: dict[str, tuple[str, str]] = {}
        for record in read_documents(path):
            if record.document is not None:
                for text in cut(record.document.text):
                    found.setdefault(text, (record.document.given_id, record.document.title))
        if not found:
            raise BadInputError(
                f"{path.name} holds no passage", remedy='each line is {"id", "title", "text"}', field="corpus"
            )
        return cls(found)

    def named(self, texts: Sequence[str], by: Literal["id", "title"]) -> list[str]:
        """The ids, or the titles, of texts; a text that is not of this corpus keeps its place, empty."""
        pairs = [self.documents.get(text, ("", "")) for text in texts]
        return [given if by == "id" else title_key(title) for given, title in pairs]


@dataclass(frozen=True, slots=True)
class PassageQuestion:
    """A question, and the ids or the titles of the passages that its answer needs."""

    text: str
    gold: tuple[str, ...]
    by: Literal["id", "title"] = "title"


def title_key(title: str) -> str:
    """A title as titles are compared: without case, quotes around it and HTML's entities.

    >>> title_key('"Heat" '), title_key("Track &amp; Field")
    ('heat', 'track & field')
    """
    return html.unescape(title).casefold().strip('"“” ')


def read_passage_questions(path: Path, corpus: Corpus, limit: int | None = None) -> list[PassageQuestion]:
    """The questions of which a gold passage is in the corpus; gold that is not in it is not counted.

    A line names its gold as `ids` or `titles`; else, as the data sets print it, by its `supporting_facts` (HotpotQA),
    its supporting `paragraphs` (MuSiQue), or the subjects of its `evidence_triples` that are titles (2WikiMultihopQA).

    Raises:
        BadInputError: a line is no such question; the message names its number.
    """
    questions = []
    ids, titles = map(frozenset, zip(*corpus.documents.values(), strict=True))
    known = {True: ids, False: frozenset(map(title_key, titles))}
    for item, number in _lines(path):
        try:
            by_id = item.get("ids") is not None
            named = map(str, item["ids"]) if by_id else map(title_key, _titles(item))
            gold = tuple(dict.fromkeys(one for one in named if one in known[by_id]))
            asked = PassageQuestion(str(item["question"]), gold, "id" if by_id else "title")
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise _fault(path, number) from error
        if gold:
            questions.append(asked)
    if not questions:
        raise BadInputError(f"{path.name}: no question's gold is in the corpus", field="questions")
    return questions[:limit]


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    with open_text(path, field="questions") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield json.loads(line), number
                except ValueError as error:
                    raise _fault(path, number) from error


def _titles(item: Mapping[str, Any]) -> list[str]:
    if item.get("titles") is not None:
        return [str(title) for title in item["titles"]]
    if item.get("supporting_facts"):
        return [fact[0] for fact in item["supporting_facts"]]
    if "paragraphs" not in item:
        return [triple[0] for triple in item["evidence_triples"]]
    paragraphs = item["paragraphs"]
    steps = [step.get("paragraph_support_idx") for step in item.get("question_decomposition", ())]
    supporting = [one for one in paragraphs if one.get("is_supporting") or one.get("idx") in steps]
    return [one["title"] for one in supporting]


def _fault(path: Path, number: int) -> BadInputError:
    return BadInputError(
        f"{path.name}, line {number}: not a question with its passages",
        remedy='each is {"id", "question", "titles" or "ids"}, or a line of 2WikiMultihopQA, MuSiQue or HotpotQA',
        field="questions",
    )


@dataclass(frozen=True, slots=True)
class RankingWay:
    """A way to rank texts: `ranked` gives at least ten, `within` what is handed on under the token budget (None: the
    first of the ranking that fit)."""

    ranked: Rank
    within: Rank | None = None


async def passages_study(
    ways: Mapping[str, RankingWay],
    questions: Sequence[PassageQuestion],
    corpus: Corpus,
    *,
    tokens: int,
    command: str,
) -> dict[str, Any]:
    """The figures of every way on the same questions: recall (0..1) at each k of KS, that of what is handed on within
    the tokens, the tokens that took, and the median time of an answer."""
    modes = {name: await _figures(way, questions, corpus, tokens) for name, way in ways.items()}
    return {"n": len(questions), "tokens": tokens, "modes": modes, "command": command}


async def _figures(
    way: RankingWay, questions: Sequence[PassageQuestion], corpus: Corpus, tokens: int
) -> dict[str, Any]:
    recalls: dict[str, list[float]] = {str(k): [] for k in KS}
    within, spent, took_ms = [], [], []
    for question in questions:
        started = time.perf_counter()  # of what is asked first: the second time nothing is embedded
        handed = list(dict.fromkeys(await (way.within or way.ranked)(question.text)))
        took_ms.append((time.perf_counter() - started) * 1000)
        ranked = handed if way.within is None else list(dict.fromkeys(await way.ranked(question.text)))
        chosen, used = filled(handed, {text: text for text in handed}, tokens)
        spent.append(used)
        for k in KS:
            recalls[str(k)].append(recall_at_k(corpus.named(ranked[:k], question.by), question.gold, k))
        within.append(recall_at_k(corpus.named(chosen, question.by), question.gold, len(chosen)))
    return {
        "recall": {k: mean(values) for k, values in recalls.items()},
        "evidence_recall": mean(within),
        "tokens_mean": round(float(np.mean(spent)), 1),
        "p50_ms": round(float(np.median(took_ms)), 2),
    }
