"""Sets that training left out: questions with the patterns that can be walked, and the worth of each as an answer."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from clause.lab.reader.lessons import Likeness, Notebook, key
from clause.lab.reader.phrases import spelt
from clause.lab.reader.sources import Asked, LearntRelation, Path_, path_questions, rows, wiki_chains
from clause.reasoning.question.pattern_text import pattern_text

Scores = Callable[[Sequence[str], Sequence[Sequence[str]]], Sequence[torch.Tensor]]
"""Questions, and the patterns of each in words -> their scores."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question, its candidates in words, and what choosing each is worth (1 right, 0 wrong)."""

    question: str
    patterns: tuple[str, ...]
    worth: tuple[float, ...]


Exam = dict[str, list[Item]]


def left_out(
    questions: Sequence[Asked], relations: Mapping[str, LearntRelation], likeness: Likeness, seed: int = 5
) -> Exam:
    """Questions over relations that training did not see, each in a made-up neighbourhood of 10 to 60 patterns."""
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    labels = sorted({label.lower() for asked in questions for label, _ in asked.path})
    exam: Exam = {"left out, 1 hop": [], "left out, 2 hops": []}
    seen: dict[Path_, int] = defaultdict(int)
    for asked in rng.sample(list(questions), len(questions)):
        path = tuple((label.lower(), forward) for label, forward in asked.path)
        name = f"left out, {'1 hop' if len(path) == 1 else '2 hops'}"
        if seen[path] >= 2 or len(path) > 2 or len(exam[name]) >= (200 if len(path) == 1 else 120):
            continue
        seen[path] += 1
        near = likeness.near(path[0][0], 10)
        others = rng.sample(near, min(2, len(near))) + rng.sample(labels, 5)
        others = [other for other in others if all(likeness.between(other, label) < 0.8 for label, _ in path)]
        exam[name].append(_neighbourhood(asked.question, path, others, relations, rng))
    return exam


def _neighbourhood(
    question: str, path: Path_, others: Sequence[str], relations: Mapping[str, LearntRelation], rng: random.Random
) -> Item:
    first = [path[0], *((other, rng.random() < 0.7) for other in others)]
    walks: dict[Path_, Path_] = {key((hop,)): (hop,) for hop in first}
    for hop in first:
        for other in [*rng.sample(list(others), min(3, len(others))), *(label for label, _ in path)]:
            walk: Path_ = (hop, (other, rng.random() < 0.6))
            walks.setdefault(key(walk), walk)
    walks[key(path)] = path
    words = {}
    for label in sorted({label for walk in walks.values() for label, _ in walk}):
        known = relations.get(label)
        words[label] = spelt(label, known.aliases if known else (), True, rng)
    texts: dict[str, float] = {}
    for mine, walk in walks.items():
        said = pattern_text([(words[label][0], words[label][1] == forward) for label, forward in walk])
        texts[said] = max(texts.get(said, 0.0), float(mine == key(path)))
    return Item(question, tuple(texts), tuple(texts.values()))


def strangers(path: Path, max_hops: int = 3) -> Exam:
    """The small graphs of strangers.txt: every walk of up to three hops that its classes allow is a candidate."""
    exam: Exam = {}
    types: list[tuple[str, str, str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "graph":
            graph, types = rest, []
        elif kind == "type":
            name, head, tail = rest.split()
            types.append((name, head, tail))
        elif kind == "ask":
            topic, pattern, question = rest.split(" ", 2)
            wanted = {tuple((hop.lstrip("~"), hop[0] != "~") for hop in one.split(".")) for one in pattern.split("|")}
            walks = _walks(types, topic, max_hops)
            if not wanted <= set(walks):
                raise ValueError(f"{question}: its pattern cannot be walked")
            hops = pattern.count(".") + 1
            item = Item(
                question.replace("[X]", "it"), tuple(map(pattern_text, walks)), tuple(float(w in wanted) for w in walks)
            )
            exam.setdefault(f"{graph}, {hops} hop{'s' if hops > 1 else ''}", []).append(item)
    return exam


def told_apart(questions: Sequence[Asked], field: int = 70) -> Exam:
    """Written questions of one hop; candidates are the relations asked for within `field` of them, both ways."""
    items = []
    for place, one in enumerate(questions):
        near = questions[max(0, place - field) : place + field]
        labels = sorted({label for other in near for label, _ in other.path})
        hops = [(label, forward) for label in labels for forward in (True, False)]
        if len(one.path) == 1:
            texts = tuple(pattern_text([hop]) for hop in hops)
            items.append(Item(one.question, texts, tuple(float((hop,) == one.path) for hop in hops)))
    return {"written, kept aside": items}


def noted(books: Sequence[Notebook]) -> Exam:
    """Questions of notebooks that a note answers; candidates are all notes of the book."""
    return {
        "notes, kept aside": [
            Item(question, book.notes, tuple(float(place in answering) for place in range(len(book.notes))))
            for book in books
            for question, answering in book.questions
            if answering
        ]
    }


def quick(exam: Exam, most: int = 30, widest: int = 150) -> Exam:
    """An exam to watch training by: at most `most` questions a set, `widest` patterns a question, drawn once."""
    rng = random.Random(0)  # noqa: S311 - a reproducible draw
    drawn: dict[tuple[str, ...], set[str]] = {}
    return {
        name: [_narrowed(item, drawn, widest, rng) for item in items[:most]]
        for name, items in exam.items()
        if name != "2Wiki, its graph"
    }


def _narrowed(item: Item, drawn: dict[tuple[str, ...], set[str]], widest: int, rng: random.Random) -> Item:
    if len(item.patterns) <= widest:
        return item
    if item.patterns not in drawn:
        drawn[item.patterns] = set(rng.sample(item.patterns, widest))
    kept = [(p, w) for p, w in zip(item.patterns, item.worth, strict=True) if w or p in drawn[item.patterns]]
    return Item(item.question, tuple(p for p, _ in kept), tuple(w for _, w in kept))


def _walks(types: Sequence[tuple[str, str, str]], topic: str, max_hops: int) -> list[Path_]:
    level: list[tuple[Path_, str]] = [((), topic)]
    found: list[Path_] = []
    for _ in range(max_hops):
        level = [
            ((*path, (name, forward)), there)
            for path, here in level
            for name, head, tail in types
            for forward, start, there in ((True, head, tail), (False, tail, head))
            if start == here
        ]
        found += [path for path, _ in level]
    return found


class Walker:
    """Walks of whole fronts over a graph of triples."""

    def __init__(self, triples: Sequence[tuple[str, str, str]]) -> None:
        names = sorted({name for head, _, tail in triples for name in (head, tail)})
        self.rows = {name: row for row, name in enumerate(names)}
        self.names = names
        pairs: dict[tuple[str, bool], list[tuple[int, int]]] = defaultdict(list)
        for head, relation, tail in triples:
            pairs[relation, True].append((self.rows[head], self.rows[tail]))
            pairs[relation, False].append((self.rows[tail], self.rows[head]))
        self._tables = {hop: _table(edges, len(names)) for hop, edges in sorted(pairs.items())}

    def step(self, front: NDArray[np.int64], hop: tuple[str, bool]) -> NDArray[np.int64]:
        """The distinct rows that `hop` reaches."""
        starts, ends = self._tables[hop]
        parts = [ends[starts[row] : starts[row + 1]] for row in front.tolist()]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)

    def reach(self, start: int, path: Path_) -> NDArray[np.int64]:
        """The rows at the end of `path`, the start left out at every hop."""
        front = np.array([start])
        for hop in path:
            front = self.step(front, hop)
            front = front[front != start]
        return front

    def walks(self, start: int, max_hops: int, sample: int = 60) -> list[Path_]:
        """The patterns that lead somewhere, found on a sample of each front."""
        level: list[tuple[Path_, NDArray[np.int64]]] = [((), np.array([start]))]
        found: list[Path_] = []
        for _ in range(max_hops):
            further = []
            for path, front in level:
                for hop in self._tables:
                    ends = self.step(front, hop)
                    ends = ends[ends != start]
                    if len(ends):
                        further.append(((*path, hop), ends[:: max(1, len(ends) // sample)][:sample]))
            level = further
            found += [path for path, _ in level]
        return found


def _table(edges: Sequence[tuple[int, int]], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table = np.unique(np.array(edges), axis=0)
    starts = np.concatenate([[0], np.cumsum(np.bincount(table[:, 0], minlength=size))])
    return starts, table[:, 1]


def films(folder: Path, per_set: int = 300, seed: int = 3) -> Exam:
    """MetaQA's dev questions, topic given: the worth of a pattern is the share of what it reaches that is an answer."""
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    walker = Walker(film_triples(folder))
    exam: Exam = {}
    for hops in (1, 2, 3):
        with gzip.open(folder / f"{hops}-hop" / "qa_dev.txt.gz", "rt", encoding="utf-8") as lines:
            chosen = rng.sample(list(lines), per_set)
        for line in chosen:
            text, answers = line.rstrip("\n").split("\t")
            topic = text[text.index("[") + 1 : text.rindex("]")]
            if topic not in walker.rows:
                continue
            start = walker.rows[topic]
            wanted = {walker.rows[name] for name in answers.split("|") if name in walker.rows}
            walks = walker.walks(start, 3)
            worth = [_share(walker.reach(start, path), wanted) if len(path) <= hops else 0.0 for path in walks]
            item = Item(text.replace(f"[{topic}]", "it"), tuple(map(pattern_text, walks)), tuple(worth))
            exam.setdefault(f"MetaQA, {hops} hop{'s' if hops > 1 else ''}", []).append(item)
    return exam


def _share(reached: NDArray[np.int64], wanted: set[int]) -> float:
    return sum(row in wanted for row in reached.tolist()) / len(reached) if len(reached) else 0.0


def wiki(folder: Path, seed: int = 4) -> Exam:
    """2WikiMultihopQA's dev chains over the graph of its evidence, and again with every type walkable everywhere."""
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    names = ("dev.jsonl.gz", "train_distractor.jsonl.gz")
    triples = {tuple(t) for name in names for row in rows(folder / name) for t in row["evidence_triples"]}
    walker = Walker(sorted(triples))
    types = sorted({relation for _, relation, _ in triples})
    exam: Exam = {"2Wiki, its graph": [], "2Wiki, all types": []}
    for asked, topic in wiki_chains(folder / names[0]):
        walks = walker.walks(walker.rows[topic], 2)
        said = dict.fromkeys(map(pattern_text, walks))
        gold = pattern_text(asked.path)
        exam["2Wiki, its graph"].append(Item(asked.question, tuple(said), tuple(float(t == gold) for t in said)))
        wide: list[Path_] = [(asked.path[0], (kind, True)) for kind in types]
        wide += [((kind, True), asked.path[1]) for kind in rng.sample(types, 10)]
        wide += [((kind, forward),) for kind in types for forward in (True, False)] + [asked.path, asked.path[::-1]]
        said = dict.fromkeys(map(pattern_text, wide))
        exam["2Wiki, all types"].append(Item(asked.question, tuple(said), tuple(float(t == gold) for t in said)))
    return exam


def marks(exam: Exam, scores: Scores) -> dict[str, float]:
    """The mean worth of the best scored pattern, in percent, by set."""
    items = [item for own in exam.values() for item in own]
    found = scores([item.question for item in items], [item.patterns for item in items])
    earned = [item.worth[int(row.argmax())] for item, row in zip(items, found, strict=True)]
    result, place = {}, 0
    for name, own in exam.items():
        result[name] = 100 * sum(earned[place : place + len(own)]) / len(own)
        place += len(own)
    return result


def film_triples(folder: Path) -> list[tuple[str, str, str]]:
    """The triples of MetaQA's graph."""
    with gzip.open(folder / "kb.txt.gz", "rt", encoding="utf-8") as lines:
        cells: Sequence[list[str]] = [line.rstrip("\n").split("|") for line in lines]
    return [(row[0], row[1], row[2]) for row in cells if len(row) == 3]


SYLLABLES = (
    "ba",
    "del",
    "fen",
    "gor",
    "hal",
    "jin",
    "kes",
    "lor",
    "mar",
    "nol",
    "pel",
    "quin",
    "ros",
    "sar",
    "tor",
    "vel",
)
ENDS, MIDDLES = (1, 2, 3, 5, 8, 13, 21), (1, 2, 3, 5, 8)
"""Things that a relation of a made-up graph leads to: some lead to many."""
_BESIDE = 4


@dataclass(slots=True)
class MadeGraph:
    """A made-up graph: its triples, and names that nobody has yet."""

    rng: random.Random
    triples: list[tuple[str, str, str]] = field(default_factory=list)
    _named: set[str] = field(default_factory=set)

    def name(self) -> str:
        """A new name of two words."""
        while True:
            words = ("".join(self.rng.choices(SYLLABLES, k=2)).capitalize() for _ in range(2))
            if (name := " ".join(words)) not in self._named:
                self._named.add(name)
                return name

    def lead(self, start: str, hop: tuple[str, bool], ends: Sequence[str]) -> None:
        """Let a hop lead from a thing to others."""
        label, forward = hop
        self.triples += [(start, label, end) if forward else (end, label, start) for end in ends]

    def play(self, path: Path_, beside: Sequence[str]) -> tuple[str, list[str]]:
        """A topic from which a path leads to things, some by several ways, others beside it; and those things."""
        rng, topic = self.rng, self.name()
        middles = [self.name() for _ in range(rng.choice(MIDDLES))] if len(path) > 1 else [topic]
        if len(path) > 1:
            self.lead(topic, path[0], middles)
        sizes = [rng.choice(ENDS) for _ in middles]
        pool = [self.name() for _ in range(max(*sizes, 1, round(0.6 * sum(sizes))))]
        reached = [rng.sample(pool, size) for size in sizes]
        for middle, ends in zip(middles, reached, strict=True):
            self.lead(middle, path[-1], ends)
        for start, label in zip((topic, topic, topic, middles[0]), beside, strict=False):
            self.lead(start, (label, rng.random() < 0.5), [self.name() for _ in range(rng.choice(ENDS[:3]))])
        return topic, sorted({end for ends in reached for end in ends})


def fan_world(folder: Path, to: Path, wanted: Callable[[Path_], bool], each: int = 40, seed: int = 16) -> None:
    """Write a made-up graph under real questions of one and two hops to `to`.

    triples.txt holds the graph, hops1.jsonl and hops2.jsonl so many questions each, all.jsonl both. Names are made up;
    every relation, in a person's wording, leads to up to 21 things, and two hops lead to many by several ways.

    Args:
        wanted: whether a question over such a path may be taken.
    """
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    asked = [one for one in path_questions(folder) if len(re.findall(r"\bit\b", one.question)) == 1]
    labels = sorted({label for one in asked for label, _ in one.path if "|" not in label})
    apart = [one for one in asked if all(label in labels for label, _ in one.path) and wanted(one.path)]
    graph = MadeGraph(rng)
    to.mkdir(parents=True, exist_ok=True)
    by_length = ([one for one in apart if len(one.path) == hops] for hops in (1, 2))
    drawn = [rng.sample(own, min(each, len(own))) for own in by_length]
    around = sorted({label for own in drawn for one in own for label, _ in one.path})
    every = []
    for hops, own in enumerate(drawn, start=1):
        lines = []
        for one in own:
            others = rng.sample(around, min(len(around), _BESIDE + 2))
            beside = [label for label in others if label not in dict(one.path)][:_BESIDE]
            topic, answers = graph.play(one.path, beside)
            text = re.sub(r"\bit\b", topic, one.question)
            told = {"question": text, "answers": answers, "entity": topic}
            lines.append(json.dumps(told, ensure_ascii=False))
        every += lines
        (to / f"hops{hops}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (to / "all.jsonl").write_text("\n".join(every) + "\n", encoding="utf-8")
    (to / "triples.txt").write_text("".join("|".join(one) + "\n" for one in graph.triples), encoding="utf-8")
