"""Fits the weights of `seed_ranking` on questions whose entity is known, and measures them.

`python -m clause.lab.seed_training FOLDER` reads a folder in MetaQA's layout, fits on its regenerated training
questions, prints the weights and, on its dev questions, how often the right entity is first and among the first three.
With `--write` the weights replace the shipped ones. Brackets are removed before anything is looked at.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clause.arrays import Doubles
from clause.ingest.source import open_text
from clause.reasoning.question import seed_ranking
from clause.reasoning.question.seed_matching import EntityMatch, match_names, plain, spaced
from clause.reasoning.question.seed_ranking import FEATURES, features, rank
from clause.text.mentions import candidate_spans, name_key

FIXED = {"alias": -0.3, "accents_differ": -0.6, "full_text": 4.0, "vector": 4.0}
"""Weights set by hand: the training questions hold no such case."""

MOST_RELATIONSHIPS = 200
"""The types of an entity with more relationships are not read, as in `reasoning/seed_names`."""

_PENALTY = 1e-4
_BATCH_SEED = 20

SHIPPED = Path(seed_ranking.__file__).with_name("seed_weights.json")


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question as a user writes it, and the name that it asks about."""

    text: str
    entity: str


@dataclass(frozen=True, slots=True)
class Quality:
    """Shares in [0, 1] of `n` questions whose entity is first / among the first three."""

    n: int
    first: float
    top_3: float


class NameIndex:
    """The names of a graph in memory: the same candidates as from Neo4j, for training and measuring."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        """Read (head, relationship type, tail) triples; an entity is its name."""
        self._degree: defaultdict[str, int] = defaultdict(int)
        hops: defaultdict[str, set[str]] = defaultdict(set)
        for head, relation, tail in triples:
            self._degree[head] += 1
            self._degree[tail] += 1
            hops[head].add(f">{relation}")
            hops[tail].add(f"<{relation}")
        self._hops = {
            n: frozenset(kinds) if self._degree[n] <= MOST_RELATIONSHIPS else None for n, kinds in hops.items()
        }
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(hops):
            self._by_key[name_key(name)].append(name)

    def candidates(self, text: str) -> list[EntityMatch]:
        """Every entity that a stretch of `text` names, whatever its case."""
        spans = candidate_spans(text)
        found = [name for key in dict.fromkeys(name_key(span.text) for span in spans) for name in self._names(key)]
        rows = [{"id": n, "name": n, "degree": self._degree[n], "hops": self._hops[n]} for n in dict.fromkeys(found)]
        return match_names(spans, rows)

    def _names(self, key: str) -> Sequence[str]:
        return self._by_key.get(spaced(key), ())


def vary(question: NamedQuestion, source: np.random.Generator) -> NamedQuestion:
    """The question as other users would write it: as it is, in lower case, or as a sentence with capital and mark."""
    style = int(source.integers(3))
    if style == 0:
        return question
    if style == 1:
        return NamedQuestion(question.text.lower(), question.entity)
    return NamedQuestion(question.text[:1].upper() + question.text[1:] + "?", question.entity)


def fit(
    questions: Sequence[NamedQuestion], index: NameIndex, *, leave_out: float = 0.1, seed: int = 0
) -> dict[str, float]:
    """Weights by feature that make the right candidates likely: a conditional logit against "none of them".

    The loss is the mean of -log(sum of exp(utility) over right candidates / sum over all and exp(0) for none), with a
    small quadratic penalty; for a share `leave_out` of the questions the right ones are taken away: none is right.
    In lower case any entity of that spelling is right.
    """
    source = np.random.default_rng(seed)
    rows: list[Doubles] = []
    right: list[Doubles] = []
    for given in questions:
        question = vary(given, source)
        candidates = index.candidates(question.text)
        lower = question.text != given.text and question.text == given.text.lower()
        is_right = [_is_right(candidate, question.entity, any_case=lower) for candidate in candidates]
        if source.random() < leave_out:
            candidates = [c for c, hit in zip(candidates, is_right, strict=True) if not hit]
            is_right = [False] * len(candidates)
        if candidates:
            none = np.zeros((1, len(FEATURES)))
            rows.append(np.vstack([none, features(question.text, candidates)]))
            right.append(np.array([float(not any(is_right)), *map(float, is_right)]))
    return _maximise(rows, right)


def measure(
    questions: Sequence[NamedQuestion], index: NameIndex, weights: Mapping[str, float] | None = None
) -> Quality:
    """Counts the right entities found; exact spelling counts, so a tag that differs by case only is wrong."""
    first = top = 0
    for question in questions:
        ids = [ranked.candidate.id for ranked in rank(question.text, index.candidates(question.text), weights)[:3]]
        first += ids[:1] == [question.entity]
        top += question.entity in ids
    count = len(questions)
    return Quality(count, first / max(1, count), top / max(1, count))


def read_questions(lines: Iterable[str]) -> Iterator[NamedQuestion]:
    """Questions of `text with [entity]<TAB>answers` lines, without their brackets.

    >>> next(read_questions(["who directed [The Matrix]\\tLana Wachowski"]))
    NamedQuestion(text='who directed The Matrix', entity='The Matrix')
    """
    for line in lines:
        text = line.split("\t")[0]
        found = re.search(r"\[(.*)\]", text)
        if found:
            yield NamedQuestion(spaced(plain(text)), found[1])


def read_triples(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Triples of `head|relationship type|tail` lines."""
    for line in lines:
        head, relation, tail = line.rstrip("\n").split("|")
        yield head, relation, tail


def _is_right(candidate: EntityMatch, entity: str, *, any_case: bool) -> bool:
    return candidate.name == entity or (any_case and name_key(candidate.name) == name_key(entity))


def _maximise(rows: list[Doubles], right: list[Doubles]) -> dict[str, float]:
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import, needed in training only

    matrix, chosen = np.vstack(rows), np.concatenate(right)
    sizes = np.array([len(part) for part in rows])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    group = np.repeat(np.arange(len(sizes)), sizes)
    fixed = np.array([FIXED.get(name, 0.0) for name in FEATURES])
    free = np.array([name not in FIXED for name in FEATURES], dtype=np.float64)

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        utility = matrix @ (weights * free + fixed)
        exponent = np.exp(utility - np.maximum.reduceat(utility, starts)[group])
        share = exponent / np.add.reduceat(exponent, starts)[group]
        hit = np.maximum(np.add.reduceat(share * chosen, starts), 1e-300)
        gradient = matrix.T @ (share - share * chosen / hit[group]) / len(sizes)
        value = -np.log(hit).mean() + _PENALTY * (weights @ weights)
        return float(value), gradient * free + 2 * _PENALTY * weights

    best = minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return dict(zip(FEATURES, np.round(best.x * free + fixed, 2).tolist(), strict=True))


def _sample(questions: Sequence[NamedQuestion], limit: int) -> list[NamedQuestion]:
    order = np.random.default_rng(_BATCH_SEED).permutation(len(questions))[:limit]
    return [questions[place] for place in order]


def _lines(path: Path) -> list[str]:
    with open_text(path) as stream:
        return list(stream)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, measure and print one JSON object; see the module's text."""
    parser = argparse.ArgumentParser(prog="python -m clause.lab.seed_training")
    parser.add_argument("folder", type=Path, help="a folder in MetaQA's layout")
    parser.add_argument("--limit", type=int, default=6000, help="training questions for each number of hops")
    parser.add_argument("--dev-limit", type=int, default=None, help="dev questions for each number of hops")
    parser.add_argument("--shipped", action="store_true", help="measure the shipped weights, fit nothing")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    options = parser.parse_args(arguments)
    index = NameIndex(read_triples(_lines(options.folder / "kb.txt.gz")))
    weights: dict[str, float] | None = None
    if not options.shipped:
        training: list[NamedQuestion] = []
        for hops in (1, 2, 3):
            asked = list(read_questions(_lines(options.folder / f"{hops}-hop/qa_train_regenerated.txt.gz")))
            training += _sample(asked, options.limit)
        weights = fit(training, index)
    report: dict[str, object] = {"weights": weights}
    for hops in (1, 2, 3):
        asked = list(read_questions(_lines(options.folder / f"{hops}-hop/qa_dev.txt.gz")))[: options.dev_limit]
        quality = measure(asked, index, weights)
        lower = measure([NamedQuestion(q.text.lower(), q.entity) for q in asked], index, weights)
        report[f"{hops}-hop"] = {
            "n": quality.n,
            "first": round(quality.first, 4),
            "top_3": round(quality.top_3, 4),
            "lower_case_first": round(lower.first, 4),
            "lower_case_top_3": round(lower.top_3, 4),
        }
    if options.write and weights is not None:
        about = "Made by clause.lab.seed_training from MetaQA's regenerated training questions (CC BY 3.0)."
        SHIPPED.write_text(json.dumps({"about": about, "weights": weights}, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
