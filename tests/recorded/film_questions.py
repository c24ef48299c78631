"""Seeded MetaQA dev questions, and a small part of the graph around their topics."""

from __future__ import annotations

import gzip
import os
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

Fact = tuple[str, str, str]
SEED = 20_261
WIDEST = 40
"""Facts of one entity that the small graph takes."""
MOST_FACTS = 500


class Question(NamedTuple):
    """A question as a user types it, and what it is about."""

    text: str
    topic: str
    hops: int


@dataclass(frozen=True)
class Films:
    """Questions and the facts that requests of other kinds speak of."""

    questions: list[Question]
    triples: list[Fact]

    def facts(self, rng: Random, count: int) -> list[Fact]:
        """Some facts."""
        return rng.sample(self.triples, count)


def data_folder() -> Path:
    """Where the shared data lies, as CLAUSE_DATA says."""
    return Path(os.environ["CLAUSE_DATA"]).expanduser()


def metaqa_folder() -> Path:
    """The folder of MetaQA; CLAUSE_DATA may name it or the one around it."""
    folder = data_folder()
    return folder if (folder / "kb.txt.gz").exists() else folder / "metaqa"


def dev_questions(of_each_hop: int) -> list[Question]:
    """Dev questions drawn by SEED, as many of each hop, without brackets."""
    rng, found = Random(SEED), []
    for hops in (1, 2, 3):
        with gzip.open(metaqa_folder() / f"{hops}-hop" / "qa_dev.txt.gz", "rt", encoding="utf-8") as file:
            lines = [line.split("\t")[0] for line in file]
        for line in rng.sample(lines, of_each_hop):
            topic = re.search(r"\[(.*)\]", line)
            assert topic is not None, line
            found.append(Question(line.replace("[", "").replace("]", ""), topic[1], hops))
    return found


def all_facts() -> list[Fact]:
    """The whole graph."""
    with gzip.open(metaqa_folder() / "kb.txt.gz", "rt", encoding="utf-8") as file:
        facts = [tuple(line.rstrip("\n").split("|")) for line in file]
    return [(head, relation, tail) for head, relation, tail in facts]


def facts_around(questions: list[Question], facts: list[Fact]) -> list[Fact]:
    """A few hundred facts: those of the topics, then those of what is next to them."""
    of: dict[str, list[Fact]] = {}
    for fact in facts:
        of.setdefault(fact[0], []).append(fact)
        of.setdefault(fact[2], []).append(fact)
    taken: dict[Fact, None] = {}
    ring = sorted({question.topic for question in questions})
    for _ in range(2):
        found = [fact for name in ring for fact in of.get(name, [])[:WIDEST]]
        taken.update(dict.fromkeys(found[: MOST_FACTS - len(taken)]))
        ring = sorted({end for fact in found for end in (fact[0], fact[2])})
        Random(SEED).shuffle(ring)
    return sorted(taken)
