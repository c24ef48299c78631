"""2WikiMultihopQA in HippoRAG's form: a corpus of passages, and questions with the titles that hold the evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clause.evaluation.questions import Question, open_text


def read_corpus(path: Path) -> dict[str, str]:
    """Title -> text of every passage, in the file's order."""
    with open_text(path) as lines:
        passages = [json.loads(line) for line in lines if line.strip()]
    return {passage["title"]: passage["text"] for passage in passages}


def read_questions(path: Path, titles: Mapping[str, object], limit: int | None = None) -> list[Question]:
    """The questions with their gold titles; those of which no gold title is known are left out.

    Gold titles are those of `supporting_facts` where a question has them, else the subjects of its evidence triples
    that are titles of the corpus (matched without case and quotes). A subject under another name is not a title and is
    not counted: recall is over the titles that are known.
    """
    known = {_key(title): title for title in titles}
    questions = []
    with open_text(path) as lines:
        for line in lines:
            item = json.loads(line)
            gold = tuple(dict.fromkeys(known[key] for name in _names(item) if (key := _key(name)) in known))
            if gold:
                questions.append(Question(item["question"], (item["answer"],), kind=item.get("type"), titles=gold))
    return questions[:limit]


def _names(item: Mapping[str, Any]) -> list[str]:
    facts = item.get("supporting_facts") or []
    return [fact[0] for fact in facts] or [triple[0] for triple in item["evidence_triples"]]


def _key(title: str) -> str:
    return title.casefold().strip('"“” ')
