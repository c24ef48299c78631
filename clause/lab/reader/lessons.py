"""Batches to train the scorer with: real and composed questions over the types of made-up graphs."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clause.lab.reader.phrases import SYMMETRIC, Side, asked, direction_pair, meant, nested, phrase, siblings, spelt
from clause.lab.reader.sources import Asked, LearntRelation, Path_
from clause.reasoning.question.pattern_text import pattern_text

GROUP = 8
SHARES = (0.12, 0.16, 0.04, 0.04, 0.08, 0.34, 0.22)
"""The kinds of lessons by weight: real, composed, films, chains, directions, written, notebooks."""
_FIELD = 70  # written questions on either side that are of one field
_SAME = 0.8  # labels nearer than this may mean one relation and are not set against each other


@lru_cache(maxsize=200000)
def key(path: Path_) -> Path_:
    """A path by what it means: labels without plural and brackets, symmetric relations in one direction."""
    return tuple((siblings(label), forward or bool(SYMMETRIC.search(label.lower()))) for label, forward in path)


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions, all patterns of the batch, the right one of each question, and those left out of its comparison."""

    questions: list[str]
    patterns: list[str]
    right: NDArray[np.int64]
    ignored: NDArray[np.bool_]


@dataclass(slots=True)
class Likeness:
    """Unit vectors of relation labels, to find siblings and near synonyms."""

    labels: list[str]
    vectors: NDArray[np.float32]
    _rows: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = {label: row for row, label in enumerate(self.labels)}

    def between(self, one: str, other: str) -> float:
        """The cosine of two labels; 0 where one is unknown."""
        a, b = self._rows.get(one.lower()), self._rows.get(other.lower())
        return 0.0 if a is None or b is None else float(self.vectors[a] @ self.vectors[b])

    def near(self, label: str, among: int) -> list[str]:
        """The labels most like `label` that are not near synonyms of it."""
        row = self._rows.get(label.lower())
        if row is None:
            return []
        likeness = self.vectors @ self.vectors[row]
        order = np.argsort(-likeness)[: among + 40]
        return [self.labels[i] for i in order if likeness[i] < _SAME][:among]


@dataclass(frozen=True, slots=True)
class Notebook:
    """The notes that an agent keeps of one matter, and what is asked of them, with the places of the notes that answer.

    A question that no note answers has none.
    """

    title: str
    notes: tuple[str, ...]
    questions: tuple[tuple[str, tuple[int, ...]], ...]


def notebooks(path: Path) -> list[Notebook]:
    """The notebooks of a file: `# title`, then `1 | note`, and `? 1,3 | question` or `? - | question`."""
    found = []
    for part in re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, *lines = part.strip().splitlines()
        kept = [line.split(" | ", 1) for line in lines if line.strip()]
        notes = tuple(text for mark, text in kept if mark[0] != "?")
        asked = tuple((text, tuple(int(one) - 1 for one in re.findall(r"\d+", m))) for m, text in kept if m[0] == "?")
        found.append(Notebook(title, notes, asked))
    return found


class Lessons:
    """Draws batches of groups; a group is the questions of one made-up graph, whose patterns are each other's errors.

    Args:
        questions: real questions with one or more hops.
        films: MetaQA's wordings.
        relations: labelled relations by label.
        likeness: of the labels that real questions ask for.
        seed: of all draws.
        shares: how many groups of each kind there are in a batch, by weight, in the order of SHARES.
        wrong: patterns one error away for each composed question; the others have one.
        written: questions in words far from the relations', those of like graphs beside each other.
        notebooks: what is kept in sentences, of which the ones that answer a question are told from the others.
    """

    def __init__(
        self,
        questions: Sequence[Asked],
        films: Sequence[Asked],
        relations: Mapping[str, LearntRelation],
        likeness: Likeness,
        *,
        seed: int,
        shares: Sequence[float] = SHARES,
        wrong: int = 4,
        written: Sequence[Asked] = (),
        notebooks: Sequence[Notebook] = (),
    ) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - a reproducible draw
        self._single: dict[str, list[Asked]] = defaultdict(list)
        self._phrases: dict[tuple[str, bool], list[str]] = defaultdict(list)
        self._outer: dict[tuple[str, bool], list[str]] = defaultdict(list)
        self._chains = [question for question in questions if len(question.path) > 1]
        for question in questions:
            if len(question.path) == 1:
                self._sort_in(question)
        self._films = list(films)
        self._relations, self._likeness = relations, likeness
        self._labels = sorted(self._single)
        self._weights = [len(self._single[label]) ** 0.4 for label in self._labels]
        self._all = sorted(relations)
        *others, told, noted = shares
        self._shares, self._wrong = [*others, told * bool(written), noted * bool(notebooks)], wrong
        self._written, self._notebooks = list(written), list(notebooks)
        self._as_written = {label for one in written for label, _ in one.path}

    def _sort_in(self, question: Asked) -> None:
        (label, forward), *_ = question.path
        self._single[label.lower()].append(question)
        if question.question.lower().split().count("it") == 1:
            self._outer[label.lower(), forward].append(question.question)
            made = phrase(question.question)
            if made:
                self._phrases[label.lower(), forward].append(made)

    def probe(self, most: int = 400) -> list[str]:
        """Questions of many relations, the same for every seed, to begin late interaction from."""
        return [self._single[label][0].question for label in self._labels[:: max(1, len(self._labels) // most)]]

    def batch(self, groups: int = 4) -> Batch:
        """The next batch of `groups` groups."""
        makers = [self._real, self._composed, self._filmed, self._chained, self._directed]
        makers += [self._told, self._noted]
        drawn = [pair for maker in self._rng.choices(makers, self._shares, k=groups) for pair in maker()]
        paths: dict[str, list[Path_]] = {}
        golds = []
        for _, path, said, wrong in drawn:
            golds.append(said)
            paths.setdefault(said, []).append(path)
            for other, text in wrong:
                paths.setdefault(text, []).append(other)
        texts = list(paths)
        ignored = np.array([[self._alike(path, paths[text]) for text in texts] for _, path, _, _ in drawn])
        right = np.array([texts.index(said) for said in golds])
        ignored[np.arange(len(drawn)), right] = False
        return Batch([self._typed(text) for text, *_ in drawn], texts, right, ignored)

    def _alike(self, path: Path_, others: Sequence[Path_]) -> bool:
        mine = key(path)
        for other in others:
            if key(other) == mine:
                return True
            if len(path) == len(other) and all(
                a[1] == b[1] and (a[0] == b[0] or self._likeness.between(a[0], b[0]) > _SAME)
                for a, b in zip(path, other, strict=True)
            ):
                return True
        return False

    def _typed(self, text: str) -> str:
        """A question as people type it: marks and openings come and go."""
        text = text.strip()
        if self._rng.random() < 0.5:
            text = text.rstrip(" ?.")
        elif not text.endswith("?"):
            text += "?"
        return text

    def _spelling(self, labels: Sequence[str]) -> dict[tuple[str, bool], Side]:
        """One spelling of each relation for a whole made-up graph, by relation and direction."""
        table: dict[tuple[str, bool], Side] = {}
        for label in labels:
            if label in self._as_written:  # many are verbs: a noun's forms would turn them round
                table |= {(label, on): (label, on) for on in (True, False)}
                continue
            known = self._relations.get(label.lower())
            words, kept = spelt(label, known.aliases if known else (), True, self._rng)
            table[label, True] = (words, kept)
            table[label, False] = (words, not kept)
        return table

    def _group(self, asked_: Sequence[tuple[str, Path_]], pool: Sequence[str], wrong: int) -> list[_Drawn]:
        """The questions of one graph with their patterns spelt and their wrong neighbours."""
        labels = sorted({label for _, path in asked_ for label, _ in path} | set(pool))
        table = self._spelling(labels)
        drawn = []
        for question, path in asked_:
            others = [self._mistake(path, labels) for _ in range(wrong)]
            said = pattern_text([table[hop] for hop in path])
            spelled = [(other, pattern_text([table[hop] for hop in other])) for other in others if other]
            drawn.append((question, path, said, spelled))
        return drawn

    def _mistake(self, path: Path_, pool: Sequence[str]) -> Path_:
        """A pattern one error away: a hop dropped, added, turned, replaced, or two swapped."""
        rng, hops = self._rng, list(path)
        place = rng.randrange(len(hops))
        kinds = ["add", "add", "add", "turn", "replace"] if len(hops) == 1 else _ERRORS
        kind = rng.choice(kinds)
        fresh = (rng.choice(hops)[0] if rng.random() < 0.2 else rng.choice(pool), rng.random() < 0.6)
        if kind == "turn":
            hops[place] = (hops[place][0], not hops[place][1])
        elif kind == "add" and len(hops) < 3:
            hops.insert(rng.randrange(len(hops) + 1), fresh)
        elif kind == "drop":
            del hops[place]
        elif kind == "swap":
            hops[place - 1], hops[place] = hops[place], hops[place - 1]
        else:
            hops[place] = fresh
        made = tuple(hops)
        return () if key(made) == key(path) else made

    def _relation(self) -> str:
        return self._rng.choices(self._labels, self._weights)[0]

    def _real(self) -> list[_Drawn]:
        """Real questions of one hop over relations of which some are like each other."""
        anchor = self._relation()
        near = [label for label in self._likeness.near(anchor, 24) if label in self._single]
        pool = [anchor, *self._rng.sample(near, min(4, len(near)))]
        while len(pool) < GROUP:
            pool.append(self._relation())
        chosen = [self._rng.choice(self._single[label]) for label in pool]
        return self._group([(one.question, _low(one.path)) for one in chosen], (), 1)

    def _told(self) -> list[_Drawn]:
        """Written questions over relations of one field, some of which are easily taken for each other."""
        middle = self._rng.randrange(len(self._written))
        field = self._written[max(0, middle - _FIELD) : middle + _FIELD]
        chosen = self._rng.sample(field, GROUP)
        pool = [label for one in self._rng.sample(field, GROUP // 2) for label, _ in one.path]
        return self._group([(one.question, one.path) for one in chosen], pool, 2)

    def _noted(self) -> list[_Drawn]:
        """Questions of one notebook, with the notes that answer them and some that do not."""
        book = self._rng.choice(self._notebooks)
        paths: list[Path_] = [((f"{book.title} {place}", True),) for place in range(len(book.notes))]
        drawn = []
        for question, answering in self._rng.sample([one for one in book.questions if one[1]], GROUP):
            mine = paths[answering[0]]  # all that answer are one thing: none is set against another
            others = {place: paths[place] for place in self._rng.sample(range(len(paths)), 2)}
            others |= dict.fromkeys(answering, mine)
            gold = self._rng.choice(answering)
            wrong = [(path, book.notes[place]) for place, path in others.items() if place != gold]
            drawn.append((question, mine, book.notes[gold], wrong))
        return drawn

    def _chained(self) -> list[_Drawn]:
        """Real questions of two and three hops."""
        chosen = self._rng.sample(self._chains, GROUP)
        return self._group([(one.question, _low(one.path)) for one in chosen], (), 1)

    def _filmed(self) -> list[_Drawn]:
        """MetaQA's wordings, its types mostly spelt as in its graph."""
        chosen = self._rng.sample(self._films, GROUP)
        if self._rng.random() < 0.2:
            return self._group([(one.question, one.path) for one in chosen], (), 1)
        labels = sorted({label for one in chosen for label, _ in one.path})
        drawn = []
        for one in chosen:
            other = self._mistake(one.path, labels)
            drawn.append(
                (one.question, one.path, pattern_text(one.path), [(other, pattern_text(other))] if other else [])
            )
        return drawn

    def _directed(self) -> list[_Drawn]:
        """Four verbs asked for from both their ends."""
        pairs = [pair for _ in range(GROUP // 2) for pair in direction_pair(self._rng)]
        return [(question, (hop,), pattern_text([name]), []) for question, hop, name in pairs]

    def _composed(self) -> list[_Drawn]:
        """Questions of one to three hops composed of the wordings of five relations."""
        rng = self._rng
        pool = [self._relation() if rng.random() < 0.72 else rng.choice(self._all) for _ in range(5)]
        asked_: list[tuple[str, Path_]] = []
        while len(asked_) < GROUP:
            hops = rng.choices((1, 2, 3), (0.1, 0.45, 0.45))[0]
            path = tuple((rng.choice(pool), rng.random() < 0.62) for _ in range(hops))
            question = self._compose(path)
            if question:
                asked_.append((question, path))
        return self._group(asked_, pool, self._wrong)

    def _compose(self, path: Path_) -> str | None:
        said = "it"
        for hop in path[:-1]:
            made = nested(self._phrase(hop), said)
            if made is None:
                return None
            said = made
        question = nested(self._question(path[-1]), said)
        return None if question is None or len(question.split()) > 26 else question

    def _phrase(self, hop: tuple[str, bool]) -> str:
        known = self._phrases.get(hop)
        return self._rng.choice(known) if known and self._rng.random() < 0.6 else meant(*self._named(hop), self._rng)

    def _question(self, hop: tuple[str, bool]) -> str:
        known = self._outer.get(hop)
        return self._rng.choice(known) if known and self._rng.random() < 0.6 else asked(*self._named(hop), self._rng)

    def _named(self, hop: tuple[str, bool]) -> Side:
        relation = self._relations.get(hop[0].lower())
        return spelt(hop[0], relation.aliases if relation else (), hop[1], self._rng)


_ERRORS = ["turn", "add", "replace", "drop", "drop", "swap", "swap"]
_Drawn = tuple[str, Path_, str, list[tuple[Path_, str]]]


def _low(path: Path_) -> Path_:
    return tuple((label.lower(), forward) for label, forward in path)
