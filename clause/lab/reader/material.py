"""The material of the workshop on disk: what trains and what is left out, split by relation and by wording."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clause.lab.reader.exams import Exam, Item, films, left_out, noted, strangers, told_apart, wiki
from clause.lab.reader.lessons import SHARES, Lessons, Likeness, notebooks
from clause.lab.reader.phrases import siblings
from clause.lab.reader.sources import (
    Asked,
    LearntRelation,
    film_questions,
    path_questions,
    relations,
    sentence_questions,
    wiki_chains,
)
from clause.policy.train.encoder import Matcher, TokenEncoder

_EIGHTH = 8  # one relation in eight is left out
_TOO_LIKE = 0.85  # a relation whose label is nearer than this to a left-out one is not trained on either
_WORDINGS = 200
STRANGERS = Path(__file__).parent / "strangers.txt"
WRITTEN = Path(__file__).parent / "wordings.txt"
KEPT_ASIDE = Path(__file__).parent / "wordings_kept_aside.txt"
"""Questions in words far from the relations' names, which train, and some over other relations, which do not."""
NOTEBOOKS = Path(__file__).parent / "notebooks.txt"
NOTEBOOKS_KEPT_ASIDE = Path(__file__).parent / "notebooks_kept_aside.txt"
"""Notes with what is asked of them, which train, and some of other matters, which do not."""


def written_questions(path: Path) -> list[Asked]:
    """Questions that people wrote for the project, in words far from the relations': `>label;<label | question`."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line[:1] in "<>" and line:
            steps, question = line.split(" | ", 1)
            hops = tuple((step[1:].strip().lower(), step[0] == ">") for step in steps.split(";"))
            found.append(Asked(question.strip(), hops, "written"))
    return found


@dataclass(frozen=True, slots=True)
class Material:
    """The material that lessons and exams are made of."""

    questions: list[Asked]
    films: list[Asked]
    relations: dict[str, LearntRelation]
    likeness: Likeness
    exam: Exam

    def lessons(self, seed: int, shares: Sequence[float] = SHARES) -> Lessons:
        """Batches drawn with `seed`, the kinds of lessons by these shares."""
        written, noted = written_questions(WRITTEN), notebooks(NOTEBOOKS)
        return Lessons(
            self.questions,
            self.films,
            self.relations,
            self.likeness,
            seed=seed,
            shares=shares,
            written=written,
            notebooks=noted,
        )


def left_out_label(label: str) -> bool:
    """A relation that is kept for the exam, by its label: one in eight.

    >>> left_out_label("director"), left_out_label("directors")
    (True, True)
    """
    return zlib.crc32(siblings(label).encode()) % _EIGHTH == 0


def prepare(data: Path, folder: Path, encoder: TokenEncoder) -> None:
    """Read the shared data and write train.json, films.json, labels.npz and exams.json to `folder`."""
    asked, known = path_questions(data / "kgqa_paths"), relations(data / "kgqa_paths")
    sentences = sentence_questions(data / "kgqa_paths")
    labels = sorted({label.lower() for one in asked + sentences for label, _ in one.path})
    likeness = Likeness(labels, _vectors(encoder, labels))
    held, near = _kept_away(likeness)
    seen = [one for one in asked if not any(label.lower() in held | near for label, _ in one.path)]
    apart = [one for one in asked if any(label.lower() in held for label, _ in one.path)]
    random.Random(11).shuffle(seen)  # noqa: S311 - a reproducible draw
    wordings = [one for one in seen if len(one.path) == 1 and one.source != "FreebaseQA"][:_WORDINGS]
    texts = {one.question.lower() for one in wordings}
    kept = [one for one in seen if one.question.lower() not in texts]
    kept += [one for one in sentences if not any(label.lower() in held for label, _ in one.path)][::3]
    kept += [asked for asked, _ in wiki_chains(data / "2wikimultihopqa" / "train_distractor.jsonl.gz")]
    usable = {
        label: one
        for label, one in known.items()
        if label not in held | near and not any(alias.lower() in held for alias in one.aliases)
    }
    exam = left_out(apart, known, likeness)
    exam["left-out wordings, 1 hop"] = left_out(wordings, known, likeness, seed=6)["left out, 1 hop"]
    exam |= strangers(STRANGERS) | wiki(data / "2wikimultihopqa") | films(data / "metaqa")
    folder.mkdir(parents=True, exist_ok=True)
    named = [(one.label, one.aliases) for one in usable.values()]
    _write(folder / "train.json", {"questions": _plain(kept), "relations": named})
    _write(folder / "films.json", _plain(film_questions(data / "metaqa")))
    _write(folder / "exams.json", {name: [asdict(item) for item in items] for name, items in exam.items()})
    told = sorted({label for one in written_questions(WRITTEN) for label, _ in one.path} - set(labels))
    vectors = np.concatenate([likeness.vectors, _vectors(encoder, told)])
    np.savez(folder / "labels.npz", labels=np.array([*labels, *told]), vectors=vectors)


def load(folder: Path) -> Material:
    """Load what `prepare` wrote to `folder`."""
    train = json.loads((folder / "train.json").read_text(encoding="utf-8"))
    exams = json.loads((folder / "exams.json").read_text(encoding="utf-8"))
    with np.load(folder / "labels.npz") as table:
        likeness = Likeness([str(label) for label in table["labels"]], table["vectors"])
    return Material(
        _asked(train["questions"]),
        _asked(json.loads((folder / "films.json").read_text(encoding="utf-8"))),
        {label.lower(): LearntRelation(label, tuple(aliases)) for label, aliases in train["relations"]},
        likeness,
        {
            name: [Item(one["question"], tuple(one["patterns"]), tuple(one["worth"])) for one in items]
            for name, items in exams.items()
        }
        | told_apart(written_questions(KEPT_ASIDE))
        | noted(notebooks(NOTEBOOKS_KEPT_ASIDE)),
    )


def _kept_away(likeness: Likeness) -> tuple[set[str], set[str]]:
    held = {label for label in likeness.labels if left_out_label(label)}
    rows = [row for row, label in enumerate(likeness.labels) if label in held]
    nearest = (likeness.vectors @ likeness.vectors[rows].T).max(axis=1)
    near = {label for label, like in zip(likeness.labels, nearest, strict=True) if like >= _TOO_LIKE}
    return held, near - held


@torch.inference_mode()
def _vectors(encoder: TokenEncoder, labels: Sequence[str]) -> NDArray[np.float32]:
    means = Matcher()
    order = sorted(range(len(labels)), key=lambda row: len(labels[row]))
    table = np.zeros((len(labels), 384), dtype=np.float32)
    for start in range(0, len(order), 128):
        rows = order[start : start + 128]
        table[rows] = np.asarray(means.question(encoder([labels[row] for row in rows])).mean)
    return table


def _plain(asked: Sequence[Asked]) -> list[tuple[Any, ...]]:
    return [(one.question, one.path, one.source) for one in asked]


def _asked(rows: Sequence[Sequence[Any]]) -> list[Asked]:
    return [Asked(text, tuple((label, bool(on)) for label, on in path), source) for text, path, source in rows]


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
